"""Chi2-LMNN: the distance, its gradient through the map, and what the map keeps."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.estimator_tables import labelled_table
from nearkind.baselines import Chi2LMNN
from nearkind.baselines.chi2_lmnn import ChiSquareRows, chi_square, mixed, mixing
from nearkind.baselines.margin_learner import MarginLoss
from nearkind.constraints.local import LocalConstraints, LocalTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.hinge import SmoothedHinge
from nearkind.metrics.metric import Embedding
from nearkind.projections.vdm import VDM

X, Y = labelled_table(40, seed=11)
NEW = labelled_table(15, seed=12)[0]
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::nearkind.errors.UnseenValueWarning",
)
seeds = st.integers(0, 10_000)


def shares(seed, n_rows, size):
    """Histograms, some of whose shares are zero."""
    rng = np.random.default_rng(seed)
    drawn = rng.dirichlet(np.ones(size), n_rows) * (rng.random((n_rows, size)) < 0.7)
    drawn[:, 0] += 1e-3
    return drawn / drawn.sum(axis=1, keepdims=True)


def plain_chi_square(a, b):
    pairs = zip(a, b, strict=True)
    return 0.5 * sum((x - y) ** 2 / (x + y) for x, y in pairs if x + y > 0.0)


@given(seeds)
def test_distances_are_those_of_a_double_loop(seed):
    A, B = shares(seed, 4, 5), shares(seed + 1, 3, 5)
    expected = [[plain_chi_square(a, b) for b in B] for a in A]
    np.testing.assert_allclose(chi_square(A, B), expected, atol=1e-14)


def test_histograms_that_share_nothing_are_at_one():
    A = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    expected = [[0.0, 1 / 3, 1.0], [1 / 3, 0.0, 1.0], [1.0, 1.0, 0.0]]
    np.testing.assert_allclose(chi_square(A, A), expected)


@given(seeds)
def test_the_root_is_a_metric(seed):
    A = shares(seed, 6, 4)
    d = np.sqrt(chi_square(A, A))
    np.testing.assert_array_equal(d, d.T)
    assert (np.diag(d) == 0.0).all()
    assert (d[:, None] <= d[:, :, None] + d[None] + 1e-12).all()


@given(seeds)
def test_no_mixing_makes_a_distance_larger(seed):
    A = shares(seed, 5, 4)
    L = mixing(np.random.default_rng(seed).normal(size=(3, 4)))
    np.testing.assert_allclose(L.sum(axis=0), 1.0)
    assert (chi_square(A @ L.T, A @ L.T) <= chi_square(A, A) + 1e-12).all()


def test_gradient_in_the_free_numbers_is_that_of_finite_differences():
    rng = np.random.default_rng(0)
    A, T, width = shares(3, 9, 4), rng.normal(size=(4, 4)), 1e-6
    labels = WeightedLabels(np.repeat([0, 1, 2], 3), np.ones(9))
    constraints = LocalConstraints(LocalTriplets(0.2, 2), labels, Embedding(A, A))
    loss = MarginLoss(constraints, 0.5, SmoothedHinge(0.2), ChiSquareRows)
    evaluate = mixed(loss, A)
    expected = np.zeros_like(T)
    for at in np.ndindex(T.shape):
        step = np.zeros_like(T)
        step[at] = width
        expected[at] = (evaluate(T + step)[0] - evaluate(T - step)[0]) / (2 * width)
    np.testing.assert_allclose(evaluate(T)[1], expected, atol=1e-6)


def test_the_distance_is_that_of_mixed_histograms():
    model = Chi2LMNN(max_iter=10).fit(X, Y)
    numbers = np.unique(Y, return_inverse=True)[1]
    vdm = VDM().fit(
        model.codebook_.encode(X), model.codebook_.n_values, numbers, np.ones(40)
    )
    U, V = (
        vdm.transform(model.codebook_.encode(table)).reshape(len(table), -1)
        / 4.0
        @ model.components_.T
        for table in (NEW, X)
    )
    expected = [[plain_chi_square(u, v) ** 0.5 for v in V] for u in U]
    np.testing.assert_allclose(model.pairwise_distances(NEW, X), expected, atol=1e-9)


def test_rows_stay_histograms_also_those_of_unseen_values():
    model = Chi2LMNN(max_iter=10).fit(X, Y)
    strange = NEW.assign(shape="never seen", size=None)
    U = model.distance_.represent(model.codebook_.encode(strange))
    assert (U >= 0.0).all()
    np.testing.assert_allclose(U.sum(axis=1), 1.0)
    assert (model.components_ >= 0.0).all()
    np.testing.assert_allclose(model.components_.sum(axis=0), 1.0)


@pytest.mark.parametrize("margin", [0, -1, "auto"])
def test_wrong_margins_are_refused(margin):
    words = "'margin' parameter of Chi2LMNN must be a number > 0; got"
    with pytest.raises(ValueError, match=re.compile(words)):
        Chi2LMNN(margin=margin).fit(X, Y)
