"""The loss of large margins against a triple loop, its gradient, and the descent."""

import numpy as np
import pytest

from nearkind.baselines.chi2_lmnn import ChiSquareRows
from nearkind.baselines.margin_learner import (
    EuclideanRows,
    MarginLoss,
    coordinates,
    descend,
)
from nearkind.constraints.local import LocalConstraints, LocalTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.metrics.metric import Embedding
from nearkind.solvers.solution import Stop

RNG = np.random.default_rng(4)
PLACES = RNG.normal(size=(12, 3))
HISTOGRAMS = RNG.dirichlet(np.ones(4), size=12)
Y = np.repeat([0, 1, 2], 4)
WEIGHTS = RNG.integers(1, 4, 12).astype(float)
MU = 0.3


def margin_loss(U, hinge, margin, places):
    rule = LocalTriplets(margin, 2, pull=(1.0 - MU) / MU)
    labels = WeightedLabels(Y, WEIGHTS)
    return MarginLoss(
        LocalConstraints(rule, labels, Embedding(U, U)), MU, hinge, places
    )


def euclidean(a, b):
    return ((a - b) ** 2).sum()


def chi_square(a, b):
    return 0.5 * ((a - b) ** 2 / (a + b)).sum()


CASES = {
    "euclidean": (PLACES, SmoothedHinge(1.0), 1.0, EuclideanRows, euclidean),
    "plain hinge": (PLACES, Hinge(), 1.0, EuclideanRows, euclidean),
    "chi-square": (HISTOGRAMS, SmoothedHinge(0.1), 0.1, ChiSquareRows, chi_square),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@every_case
def test_value_is_that_of_a_triple_loop(case):
    U, hinge, margin, _, between = case
    targets = margin_loss(*case[:4]).constraints.targets
    moved = U[::-1].copy()  # the targets stay those of U
    expected = 0.0
    for i in range(12):
        for j, m in zip(targets.columns[i], targets.weights[i], strict=True):
            near = between(moved[i], moved[j])
            expected += (1.0 - MU) * WEIGHTS[i] * m * near
            for k in np.flatnonzero(Y[i] != Y):
                z = np.array(margin + near - between(moved[i], moved[k]))
                expected += MU * WEIGHTS[i] * m * WEIGHTS[k] * hinge.value(z)
    loss = margin_loss(*case[:4])
    assert loss.value(moved) == pytest.approx(expected)
    assert loss.gradient(moved)[0] == pytest.approx(expected)


@every_case
def test_gradient_is_that_of_finite_differences(case):
    U, hinge, margin, places, _ = case
    loss, width = margin_loss(U, hinge, margin, places), 1e-6
    expected = np.zeros_like(U)
    for at in np.ndindex(U.shape):
        step = np.zeros_like(U)
        step[at] = width
        expected[at] = (loss.value(U + step) - loss.value(U - step)) / (2 * width)
    np.testing.assert_allclose(loss.gradient(U)[1], expected, atol=1e-5)


def test_threads_add_up_in_the_same_order():
    def run(of, chunks):
        return iter([of(chunk) for chunk in reversed(list(chunks))][::-1])

    loss = margin_loss(PLACES, Hinge(), 1.0, EuclideanRows)
    other = MarginLoss(loss.constraints, MU, loss.loss, loss.places, run)
    np.testing.assert_array_equal(loss.gradient(PLACES)[1], other.gradient(PLACES)[1])


def test_descent_of_a_bowl_settles_at_its_bottom():
    A = np.diag([1.0, 100.0])
    found = descend(lambda x: (float(x @ A @ x), 2.0 * A @ x), np.ones(2), 100, 1e-12)
    np.testing.assert_allclose(found.point, 0.0, atol=1e-6)
    assert found.reason is Stop.SETTLED
    assert found.history == sorted(found.history, reverse=True)


def test_descent_says_when_it_was_cut_short_or_had_nothing_to_do():
    def bowl(x):
        return float(x @ x + x[0] ** 4), 2.0 * x + np.array([4.0 * x[0] ** 3, 0.0])

    assert descend(bowl, np.array([3.0, 1.0]), 1, 0.0).reason is Stop.MAX_ITER
    still = descend(bowl, np.zeros(2), 10, 0.0)
    assert (still.history, still.reason) == ([0.0], Stop.SETTLED)
    infinite = descend(lambda x: (np.inf, x), np.zeros(2), 10, 0.0)
    assert infinite.reason is Stop.NOT_FINITE


def test_scale_of_the_objective_does_not_matter():
    def bowl(x, factor):
        return factor * float(x @ x + x[0] ** 4), factor * np.array(
            [2.0 * x[0] + 4.0 * x[0] ** 3, 2.0 * x[1]]
        )

    start = np.array([3.0, 1.0])
    small, large = (
        descend(lambda x, f=f: bowl(x, f), start, 50, 1e-3) for f in (1e-9, 1e9)
    )
    np.testing.assert_allclose(small.point, large.point, atol=1e-9)
    assert small.n_iter == large.n_iter


def test_coordinates_have_the_products():
    Z = RNG.normal(size=(6, 2))
    P = coordinates(Z @ Z.T)
    assert P.shape == (6, 2)
    np.testing.assert_allclose(P @ P.T, Z @ Z.T, atol=1e-12)
    assert not coordinates(np.zeros((3, 3))).any()
