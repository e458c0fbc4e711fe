"""HELIC: couplings of the six persons, kernels and triplets by plain loops, proofs."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from helpers import oracles
from helpers.estimator_tables import labelled_table
from nearkind.baselines import HELIC, helic
from nearkind.baselines.helic import KernelGroups, couplings, kernels
from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.hinge import SmoothedHinge
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.objective import Objective
from test_worked_examples import CODES, N_VALUES
from test_worked_examples import Y as RISK

X, Y = labelled_table(22, seed=2)


def described(codes, n_values, y, d, v):
    """Return the three descriptions of one value, by counting."""
    has = codes[:, d] == v
    others = [e for e in range(codes.shape[1]) if e != d]
    given = [
        has[codes[:, e] == u].mean() if (codes[:, e] == u).any() else 0.0
        for e in others
        for u in range(n_values[e])
    ]
    classes = [(y[has] == c).mean() for c in np.unique(y)]
    return [has.sum() / (codes[:, d] >= 0).sum()], given, classes


def kernel_distances(rows):
    """Return squared distances of values in each kernel space, number by number."""
    rows = np.asarray(rows, dtype=float)
    apart = [np.linalg.norm(a - b) for i, a in enumerate(rows) for b in rows[:i]]
    apart = [x for x in apart if x > 1e-12]
    if not apart:
        return []
    widths = [t * np.median(apart) for t in (0.5, 1.0, 2.0)]
    squares = [[((a - b) ** 2).sum() for b in rows] for a in rows]
    gaussian = [2.0 - 2.0 * np.exp(-np.array(squares) / (2 * s * s)) for s in widths]
    return [*gaussian, np.array(squares)]


def groups_of(codes, n_values, y):
    """Return (feature, distances of its values) of every group."""
    return [
        (d, table)
        for d, size in enumerate(n_values)
        for rows in zip(
            *(described(codes, n_values, y, d, v) for v in range(size)), strict=True
        )
        for table in kernel_distances(rows)
    ]


def numbers(y):
    return np.unique(y, return_inverse=True)[1]


def kernel_groups(codes, n_values, y):
    made = [
        (d, K)
        for d, of_feature in enumerate(
            couplings(codes, n_values, y, np.ones(len(codes)))
        )
        for vectors in of_feature
        for K in kernels(vectors)
    ]
    features = np.array([d for d, _ in made])
    return KernelGroups(features, [K for _, K in made], n_values)


# Worked figures and plain loops


def test_couplings_of_an_accountant():
    own, values, classes = couplings(CODES, N_VALUES, RISK, np.ones(6))[0]
    assert own[0].tolist() == [1 / 3]
    assert values[0].tolist() == [1, 0, 1 / 3, 0, 1 / 3, 1 / 3]
    assert classes[0].tolist() == [1 / 2, 0, 1 / 2]


def test_couplings_and_kernels_are_those_of_plain_loops():
    model = HELIC().fit(X, Y)
    codes, n_values = model.codebook_.encode(X), model.codebook_.n_values
    expected = groups_of(codes, n_values, numbers(Y))
    groups = kernel_groups(codes, n_values, numbers(Y))
    assert len(expected) == len(groups.kernels) == len(model.weights_)
    for (d, table), at, K in zip(
        expected, groups.features, groups.kernels, strict=True
    ):
        assert d == at
        diagonal = np.diag(K)
        d2 = diagonal[:, None] + diagonal[None] - 2.0 * K
        np.testing.assert_allclose(d2, table, atol=1e-12)
        np.testing.assert_allclose(K.sum(axis=0), 0.0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("strength", [0.0, 0.05, "auto"])
def test_objective_is_that_of_every_triplet_with_distances_of_groups(strength):
    model = HELIC(strength=strength, max_iter=20).fit(X, Y)
    codes, n_values = model.codebook_.encode(X), model.codebook_.n_values
    d2 = np.zeros((22, 22))
    groups = groups_of(codes, n_values, numbers(Y))
    for w, (d, table) in zip(model.weights_, groups, strict=True):
        d2 += w * table[np.ix_(codes[:, d], codes[:, d])]
    np.testing.assert_allclose(
        model.pairwise_distances(X, squared=True), d2, atol=1e-9 * d2.max()
    )
    triplets = oracles.triplets(numbers(Y), np.ones(22), 1.0)
    loss, *_ = oracles.mean_loss(triplets, d2)
    penalty = model.strength_ * model.weights_.sum()
    assert model.objective_ == pytest.approx(loss + penalty, rel=1e-9)
    assert (model.weights_ >= 0.0).all()


def test_rows_without_a_value_are_compared_as_they_were_learned():
    model = HELIC(missing="prior").fit(X, Y)
    assert (model.codebook_.encode(X) < 0).any()
    d2 = model.pairwise_distances(X, squared=True)
    loss, *_ = oracles.mean_loss(oracles.triplets(numbers(Y), np.ones(22), 1.0), d2)
    penalty = model.strength_ * model.weights_.sum()
    assert model.objective_ == pytest.approx(loss + penalty, rel=1e-9)


def test_gradient_in_the_weights_is_that_of_finite_differences():
    groups = kernel_groups(CODES, N_VALUES, RISK)
    bound = AllTriplets(1.0).bind(WeightedLabels(RISK, np.ones(6)))
    Z = groups.indicators(CODES)
    smooth = Objective(Z, bound, Schatten(1.0), 0.0, SmoothedHinge(0.5))
    w = np.random.default_rng(0).random(len(groups.kernels)) / 4.0
    gradient = groups.gradient(smooth.linearize(groups.metric(w).positive()).gradient)

    def loss(w):
        return smooth.loss_value(groups.metric(w).positive())

    steps = 1e-5 * np.eye(len(w))
    measured = [(loss(w + step) - loss(w - step)) / 2e-5 for step in steps]
    np.testing.assert_allclose(gradient, measured, atol=1e-6)
    assert np.abs(gradient).max() > 0.01


# What is proven


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("strength", [0.01, 0.1])
def test_the_gap_is_a_proof(strength):
    best = HELIC(strength, max_iter=2_000, tol=1e-5).fit(X, Y)
    assert best.stop_reason_ == "TOLERANCE"
    assert best.gap_ <= 1e-5 * best.objective_
    for max_iter in (1, 5, 40):
        short = HELIC(strength, max_iter=max_iter, tol=0.0).fit(X, Y)
        assert short.objective_ - short.gap_ <= best.objective_ + 1e-12
        assert short.objective_ >= best.objective_ - best.gap_ - 1e-12


def test_nothing_is_learned_from_the_largest_strength_on():
    largest = HELIC().fit(X, Y).strength_max_
    for strength in (largest, 2.0 * largest):
        with pytest.warns(UserWarning, match="HELIC learned nothing"):
            model = HELIC(strength).fit(X, Y)
        assert not model.weights_.any()
        assert (model.objective_, model.gap_, model.n_iter_) == (1.0, 0.0, 0)
    below = HELIC(0.99 * largest, tol=1e-4, max_iter=1_000).fit(X, Y)
    assert below.weights_.any()
    assert below.objective_ < 1.0


def test_auto_is_a_hundredth_of_the_largest_strength():
    model = HELIC().fit(X, Y)
    assert model.strength_ == pytest.approx(0.01 * model.strength_max_)


def test_it_ends_where_rounding_rules():
    with pytest.warns(ConvergenceWarning, match="No step descends any more"):
        model = HELIC(tol=0.0, max_iter=1_500).fit(X, Y)
    assert (model.stop_reason_, model.n_iter_ < 1_500) == ("NO_DESCENT", True)
    assert 0.0 < model.gap_ <= 1e-5 * model.objective_


# Odd tables


@pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
def test_an_unseen_value_is_in_the_middle_of_all():
    model = HELIC().fit(X, Y)
    vectors = model.value_vectors_
    strange = pd.DataFrame([["never"] * 4], columns=X.columns)
    middle = sum(vectors[name].mean(axis=0) for name in X)
    np.testing.assert_allclose(model.transform(strange), [middle], atol=1e-12)


def test_constant_columns_have_no_group():
    plain, wider = HELIC().fit(X, Y), HELIC().fit(X.assign(same="x"), Y)
    assert "same" not in {feature for feature, *_ in wider.groups_}
    assert wider.groups_ == plain.groups_
    gap = max(plain.gap_, wider.gap_)
    assert wider.objective_ == pytest.approx(plain.objective_, abs=gap + 1e-12)
    with pytest.warns(UserWarning, match="learned nothing"):
        nothing = HELIC().fit([["x"]] * 4, [0, 0, 1, 1])
    assert nothing.groups_ == []


def test_one_feature_couples_to_itself_and_the_classes_only():
    model = HELIC().fit(X[["shape"]], Y)
    assert {name for _, name, _ in model.groups_} == {"frequency", "classes"}
    assert model.pairwise_distances([["flat"]], [["round"]]) > 0.0


def test_a_sample_comes_near_the_exact_weights(monkeypatch):
    table, y = labelled_table(400, seed=7)
    exact = HELIC().fit(table, y)
    monkeypatch.setattr(helic, "ROWS", 60)
    sampled = HELIC().fit(table, y)
    assert (sampled.weights_ != exact.weights_).any()
    assert sampled.objective_ == pytest.approx(exact.objective_, rel=0.2)
    assert sampled.triplet_accuracy(table, y) == pytest.approx(
        exact.triplet_accuracy(table, y), abs=0.02
    )


# Bad input


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (HELIC(strength=-1), "'strength' .* number >= 0, 'auto' or a share .*; got -1"),
        (HELIC(strength="most"), "'strength' .* got 'most'"),
        (HELIC(max_iter=0), "'max_iter' parameter of HELIC .* >= 1; got 0"),
        (HELIC(tol=None), "'tol' parameter of HELIC .* number >= 0; got None"),
    ],
)
def test_wrong_settings_are_refused(learner, words):
    with pytest.raises((ValueError, TypeError), match=re.compile(words)):
        learner.fit(X, Y)


def test_running_out_of_iterations_is_said():
    with pytest.warns(ConvergenceWarning, match="After 2 iterations .* at most .* abo"):
        model = HELIC(max_iter=2, tol=0.0).fit(X, Y)
    assert (model.n_iter_, model.stop_reason_) == (2, "MAX_ITER")
