"""MCML: divergences by plain loops, worked figures, the optimum of other solvers."""

import re

import cvxpy as cp
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import OneHotEncoder

import nearkind as nk
from helpers import strategies
from helpers.estimator_tables import labelled_table
from nearkind.baselines import MCML
from nearkind.baselines.mcml import ClassCollapse
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.hinge import Hinge

X, Y = labelled_table(40, seed=5)
FILLED = X.fillna("nothing")
HALVES = [["a"], ["a"], ["b"], ["b"]], [0, 0, 1, 1]


def indicators(table):
    return OneHotEncoder(sparse_output=False).fit_transform(table)


def plain_divergence(d2, y):
    """Return the mean over rows of KL(p_0, p_M), rows alone in their class left out."""
    found = []
    for i in range(len(y)):
        others = [j for j in range(len(y)) if j != i]
        same = [j for j in others if y[j] == y[i]]
        total = sum(np.exp(-d2[i, k]) for k in others)
        drawn = {j: np.exp(-d2[i, j]) / total for j in same}
        if same:
            terms = [np.log(1.0 / len(same) / drawn[j]) / len(same) for j in same]
            found.append(sum(terms))
    return np.mean(found)


def plain_objective(M, Z, y, strength):
    V = Z[:, None] - Z
    d2 = np.einsum("ijv,vw,ijw->ij", V, M, V)
    return plain_divergence(d2, y) + strength * np.trace(M)


def by_interior_points(Z, y, strength):
    """Return the objective where every divergence is written out and minimised."""
    M = cp.Variable((Z.shape[1],) * 2, PSD=True)
    total = 0.0
    for i in range(len(y)):
        others = [j for j in range(len(y)) if j != i]
        d2 = {j: (Z[i] - Z[j]) @ M @ (Z[i] - Z[j]) for j in others}
        same = [j for j in others if y[j] == y[i]]
        total += sum(d2[j] for j in same) / len(same) + np.log(1.0 / len(same))
        total += cp.log_sum_exp(cp.hstack([-d2[j] for j in others]))
    problem = cp.Problem(cp.Minimize(total / len(y) + strength * cp.trace(M)))
    problem.solve(solver=cp.CLARABEL)
    values, vectors = np.linalg.eigh(M.value)
    nearest = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return plain_objective(nearest, Z, y, strength)


def by_descent(Z, y, strength, seed=0):
    """Return the least objective that L-BFGS finds on a factor, by its own slopes."""
    n, width = Z.shape
    same = y[:, None] == y
    np.fill_diagonal(same, val=False)
    targets = same / same.sum(axis=1, keepdims=True)

    def value_and_gradient(flat):
        F = flat.reshape(width, width)
        V = (Z[:, None] - Z) @ F.T
        scores = -(V**2).sum(axis=2)
        np.fill_diagonal(scores, -np.inf)
        logs = np.logaddexp.reduce(scores, axis=1, keepdims=True)
        np.fill_diagonal(scores, 0.0)
        value = ((-targets * scores).sum(axis=1) + logs[:, 0]).mean()
        drawn = np.exp(scores - logs)
        np.fill_diagonal(drawn, 0.0)
        w = (targets - drawn) / n
        L = np.diag(w.sum(axis=0) + w.sum(axis=1)) - w - w.T
        gradient = 2.0 * F @ (Z.T @ L @ Z) + 2.0 * strength * F
        value -= np.log(same.sum(axis=1)).mean()
        return value + strength * (F**2).sum(), gradient.ravel()

    start = np.random.default_rng(seed).normal(size=width * width)
    options = {"maxiter": 5_000, "ftol": 1e-15, "gtol": 1e-9, "maxfun": 50_000}
    return minimize(
        value_and_gradient, start, jac=True, method="L-BFGS-B", options=options
    ).fun


@given(st.data())
def test_the_loss_is_that_of_plain_loops_over_repeated_rows(data):
    d2, y, w = data.draw(strategies.labelled_distances())
    rows = np.repeat(np.arange(len(y)), w.astype(int))
    chunks = ClassCollapse().bind(WeightedLabels(y, w)).chunks()
    found = sum(chunk.value(d2[chunk.edges.anchors], Hinge()) for chunk in chunks)
    expected = plain_divergence(d2[np.ix_(rows, rows)], y[rows])
    assert found == pytest.approx(expected, abs=1e-9)


def test_distances_beyond_the_range_of_exponentials_are_told_apart():
    d2 = 2_000.0 * (1.0 - np.eye(4))
    (chunk,) = (
        ClassCollapse().bind(WeightedLabels(np.arange(4) // 2, np.ones(4))).pieces
    )
    assert chunk.value(d2, Hinge()) == pytest.approx(np.log(3.0))
    assert np.isfinite(chunk.gradient(d2, Hinge()).weights).all()


@pytest.mark.parametrize("strength", [0.01, 0.1, 1.0])
def test_two_places(strength):
    """By hand: log(1 + 2 exp(-d2)) + strength d2 / 2, the trace of M being d2 / 2."""
    model = MCML(strength, tol=1e-9).fit(*HALVES)
    d2 = np.log(2.0 * (2.0 - strength) / strength)
    found = model.pairwise_distances([["a"]], [["b"]])[0, 0] ** 2
    assert found == pytest.approx(d2, rel=1e-3)
    expected = np.log(1.0 + 2.0 * np.exp(-d2)) + strength * d2 / 2.0
    assert model.objective_ == pytest.approx(expected, rel=1e-8)
    assert model.strength_max_ == pytest.approx(4.0 / 3.0)


def test_at_strength_max_the_metric_is_zero():
    largest = MCML().fit(*HALVES).strength_max_
    with pytest.warns(UserWarning, match="all distances are zero"):
        model = MCML(largest).fit(*HALVES)
    assert not model.metric_.any()
    assert model.objective_ == pytest.approx(np.log(3.0))
    assert (model.gap_, model.stop_reason_) == (0.0, "TOLERANCE")
    assert MCML(0.999 * largest, tol=1e-9).fit(*HALVES).metric_.any()


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
@pytest.mark.parametrize("coding", ["onehot", "vdm"])
@pytest.mark.parametrize("strength", [0.02, 0.1])
def test_the_optimum_is_that_of_interior_points(strength, coding):
    table, y = FILLED.iloc[:12], np.unique(Y[:12], return_inverse=True)[1]
    model = MCML(strength, tol=1e-5, coding=coding).fit(table, y)
    Z = indicators(table)
    if coding == "vdm":
        Z = np.hstack([*histograms(table, y)])
    least = by_interior_points(Z, y, strength)
    assert model.stop_reason_ == "TOLERANCE"
    assert model.objective_ == pytest.approx(least, rel=2e-5)
    assert model.objective_ - model.gap_ <= least


def histograms(table, y):
    """Return the share of each class among the rows of each value, by column."""
    for name in table:
        counts = pd.crosstab(table[name], y)
        yield (counts.div(counts.sum(axis=1), axis=0)).loc[table[name]].to_numpy()


@pytest.mark.parametrize("seed", [0, 1])
def test_the_optimum_is_that_of_a_descent_from_elsewhere(seed):
    y = np.unique(Y, return_inverse=True)[1]
    model = MCML(0.01, tol=1e-5).fit(FILLED, y)
    Z = indicators(FILLED)
    least = by_descent(Z, y, 0.01, seed)
    assert model.objective_ == pytest.approx(least, rel=2e-5)
    assert plain_objective(model.metric_, Z, y, 0.01) == pytest.approx(
        model.objective_, rel=1e-9
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("max_iter", [1, 3, 10])
def test_the_gap_is_a_proof_wherever_it_stops(max_iter):
    y = np.unique(Y, return_inverse=True)[1]
    least = MCML(0.01, tol=1e-6).fit(FILLED, y).objective_
    model = MCML(0.01, tol=0.0, max_iter=max_iter).fit(FILLED, y)
    assert model.objective_ - model.gap_ <= least <= model.objective_ * (1.0 + 1e-9)
    assert model.n_iter_ <= max_iter


def test_iterations_that_run_out_are_told():
    with pytest.warns(ConvergenceWarning, match="ran out .* above the optimum"):
        model = MCML(max_iter=1).fit(X, Y)
    assert model.stop_reason_ == "MAX_ITER"


def test_without_a_penalty_there_need_be_no_optimum():
    with pytest.warns(ConvergenceWarning, match="iterations ran out"):
        model = MCML(strength=0.0).fit(*HALVES)
    assert model.objective_ < 1e-3


def test_a_row_alone_in_its_class_may_be_drawn_only():
    rows, y = [["a"], ["a"], ["b"]], np.array([0, 0, 1])
    model = MCML(0.1, tol=1e-9).fit(rows, y)
    expected = plain_objective(model.metric_, indicators(rows), y, 0.1)
    assert model.objective_ == pytest.approx(expected)
    d2 = model.pairwise_distances([["a"]], [["b"]])[0, 0] ** 2
    assert d2 == pytest.approx(np.log((2.0 - 0.1) / 0.1), rel=1e-3)


@pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
def test_an_unseen_value_stands_amid_those_of_its_feature():
    model = MCML().fit(X, Y)
    for table in model.distance_.tables.vectors:
        np.testing.assert_allclose(table[:-1].mean(axis=0), table[-1], atol=1e-9)


class TestOfManyRowsSomeAreDrawn:
    def test_by_their_seed(self):
        first, again, other = (
            MCML(max_rows=20, random_state=seed).fit(X, Y).metric_ for seed in (0, 0, 1)
        )
        np.testing.assert_array_equal(first, again)
        assert np.abs(first - other).max() > 1e-3

    def test_as_many_as_there_are_are_all(self):
        everything = MCML(max_rows=40).fit(X, Y).metric_
        np.testing.assert_array_equal(everything, MCML().fit(X, Y).metric_)


def test_threads_change_no_bit():
    data = nk.datasets.load("monks1", as_frame=False)
    one, two = (MCML(n_jobs=n).fit(data.X, data.y).metric_ for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_where_nothing_differs_nothing_is_learned():
    rows = [["a"], ["a"], ["a"]]
    with pytest.warns(UserWarning, match="all distances are zero"):
        model = MCML().fit(rows, [0, 1, 1])
    np.testing.assert_array_equal(model.pairwise_distances(rows), np.zeros((3, 3)))


@pytest.mark.parametrize(
    ("y", "words"),
    [([0, 0, 0], "y holds only one class"), ([0, 1, 2], "imply no neighbours")],
)
def test_labels_without_a_neighbour_to_draw_are_refused(y, words):
    with pytest.raises(ValueError, match=words):
        MCML().fit([["a"], ["b"], ["c"]], y)


def test_a_matrix_too_large_is_refused():
    rows = [[f"{column} {i}" for column in "ab"] for i in range(4_000)]
    words = "8,000 x 8,000 numbers .* Column 'x0' has the most values, 4,000"
    with (
        pytest.warns(nk.errors.NearlyUniqueWarning),
        pytest.raises(ValueError, match=words),
    ):
        MCML().fit(rows, np.arange(4_000) % 2)


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (MCML(strength=-1), "'strength' parameter of MCML must be a number >= 0"),
        (MCML(max_rows=0), "'max_rows' parameter of MCML .* whole number >= 1; got 0"),
        (MCML(max_iter=1.5), "'max_iter' .* whole number >= 1; got 1.5"),
        (MCML(tol=-1), "'tol' parameter of MCML must be a number >= 0; got -1"),
        (MCML(coding="pca"), "'coding' .* one of 'onehot', 'vdm'.* got 'pca'"),
    ],
)
def test_wrong_settings_are_refused(learner, words):
    with pytest.raises(ValueError, match=re.compile(words)):
        learner.fit(X, Y)
