"""Methods of learning from pairs: worked figures, oracles, coding of rows."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings

from helpers import strategies
from helpers.estimator_tables import labelled_table
from nearkind.baselines import matrix_learner
from nearkind.baselines.dml_eig import best_step, frank_wolfe
from nearkind.baselines.itml import project
from nearkind.baselines.matrix_learner import Coding, LabelledRows, whitening
from nearkind.baselines.mmc import Factor, Weights, spread
from nearkind.baselines.pola import Online
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM

X, Y = labelled_table(50, seed=3)


def normal_pairs(n_pairs, width, seed=0):
    """Differences that alike rows have mostly in the last directions."""
    rng = np.random.default_rng(seed)
    alike = rng.random(n_pairs) < 0.5
    V = rng.normal(size=(n_pairs, width))
    V[alike, : width // 2] *= 0.2
    return V, alike


# Worked figures


def test_itml_on_two_pairs():
    found = project(np.eye(2), np.eye(2), np.array([True, False]), np.array([0.5, 2.0]))
    np.testing.assert_allclose(found.M, np.diag([2 / 3, 4 / 3]), atol=1e-12)
    assert found.n_iter == 2  # the first sweep ends at the fixed point
    assert found.change < 1e-12


def test_pola_on_two_pairs():
    online = Online(2)
    losses = online.learn(np.array([[1.0, 0.0]]), np.array([False]))
    np.testing.assert_allclose(online.metric, np.diag([1.0, 0.0]))
    assert (losses, online.threshold) == ([2.0], 1.0)
    losses = online.learn(np.array([[1.0, 1.0]]), np.array([True]))
    expected = [[0.8085297440, -0.1557086015], [-0.1557086015, 0.0299867367]]
    np.testing.assert_allclose(online.metric, expected, atol=1e-10)
    assert losses == pytest.approx([1.0])
    assert online.threshold == pytest.approx(1.2)


def test_dml_eig_on_two_pairs():
    root = np.diag([0.5, 1.0])
    V = np.array([[1.0, 1.0], [2.0, 0.0]]) @ root
    found = frank_wolfe(V, tol=1e-4, max_iter=2000)
    assert found.objective == pytest.approx(0.8, abs=1e-4)
    assert found.gap <= 1e-4
    np.testing.assert_allclose(found.Z, [[0.8, 0.4], [0.4, 0.2]], atol=1e-3)
    np.testing.assert_allclose(root @ found.Z @ root, np.full((2, 2), 0.2), atol=1e-3)


def test_mmc_on_orthogonal_pairs():
    found = spread(np.diag([2.0, 1.0]), Factor.start(2), tol=1e-9)
    np.testing.assert_allclose(found.Z, np.diag([0.8, 0.2]), atol=1e-6)
    assert found.objective == pytest.approx((2 * 0.8**0.5 + 0.2**0.5) / 2)


# Fast paths against slow ones


def naive_pola(V, alike):
    M, b, losses, total = np.zeros((V.shape[1],) * 2), 1.0, [], 0.0
    for v, s in zip(V, np.where(alike, 1.0, -1.0), strict=True):
        losses.append(max(s * (v @ M @ v - b) + 1.0, 0.0))
        a = losses[-1] / ((v @ v) ** 2 + 1.0)
        values, vectors = np.linalg.eigh(M - s * a * np.outer(v, v))
        M = (vectors * np.maximum(values, 0.0)) @ vectors.T
        b = max(b + s * a, 1.0)
        total = total + M
    return M, b, np.array(losses), total / len(V)


@pytest.mark.parametrize("chunk", [1, 7, 400])
@pytest.mark.parametrize("width", [1, 2, 9])
def test_pola_in_chunks_is_pola_pair_by_pair(width, chunk):
    V, alike = normal_pairs(400, width)
    V[[3, 50]] = 0.0
    last, mean = Online(width), Online(width, averaged=True)
    losses = []
    for at in range(0, 400, chunk):
        part = slice(at, at + chunk)
        losses.append(last.learn(V[part], alike[part]))
        mean.learn(V[part], alike[part])
    M, b, expected, average = naive_pola(V, alike)
    np.testing.assert_allclose(last.metric, M, atol=1e-9)
    np.testing.assert_allclose(mean.metric, average, atol=1e-9)
    np.testing.assert_allclose(np.concatenate(losses), expected, atol=1e-9)
    assert last.threshold == pytest.approx(b, abs=1e-9)
    assert np.linalg.eigvalsh(last.metric)[0] >= -1e-12
    assert (expected > 0).sum() > 40


def naive_itml(V, alike, u, high, gamma, n_sweeps):
    M, lam = np.eye(V.shape[1]), np.zeros(len(V))
    xi = np.where(alike, u, high)
    for _ in range(n_sweeps):
        for t, v in enumerate(V):
            p = v @ M @ v
            if alike[t]:
                a = min(lam[t], gamma / (gamma + 1) * (1 / p - 1 / xi[t]))
                beta, xi[t] = a / (1 - a * p), 1 / (1 / xi[t] + a / gamma)
            else:
                a = min(lam[t], gamma / (gamma + 1) * (1 / xi[t] - 1 / p))
                beta, xi[t] = -a / (1 + a * p), 1 / (1 / xi[t] - a / gamma)
            lam[t] -= a
            M = M + beta * np.outer(M @ v, M @ v)
    return M


@pytest.mark.parametrize("gamma", [0.1, 1.0, 10.0])
def test_itml_is_its_formulas(gamma):
    V, alike = normal_pairs(60, 5)
    found = project(np.eye(5), V, alike, np.where(alike, 2.0, 6.0), gamma, 0.0, 7)
    expected = naive_itml(V, alike, 2.0, 6.0, gamma, 7)
    np.testing.assert_allclose(found.M, expected, rtol=1e-9, atol=1e-11)
    assert np.linalg.eigvalsh(found.M)[0] > 0.0
    assert found.n_iter == 7


def test_itml_with_weak_slack_ends_within_its_bounds():
    V = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    alike, bounds = np.array([True, False, True]), np.array([0.5, 4.0, 0.5])
    found = project(np.eye(3), V, alike, bounds, gamma=1e6, tol=1e-9, max_iter=10_000)
    d2 = np.einsum("iw,iw->i", V @ found.M, V)
    assert (d2[alike] <= bounds[alike] + 1e-3).all()
    assert (d2[~alike] >= bounds[~alike] - 1e-3).all()


@pytest.mark.parametrize("width", [2, 4])
def test_mmc_reaches_the_optimum_of_a_convex_solver(width):
    V, _ = normal_pairs(15, width, seed=width)
    Z = cp.Variable((width, width), PSD=True)
    distances = cp.sqrt(cp.hstack([v @ Z @ v for v in V]))
    problem = cp.Problem(cp.Maximize(cp.sum(distances) / 15), [cp.trace(Z) <= 1])
    problem.solve(solver=cp.CLARABEL)
    found = spread(V, Factor.start(width), tol=1e-7)
    assert found.objective == pytest.approx(problem.value, rel=1e-5)
    assert found.objective + found.gap >= problem.value - 1e-6
    np.testing.assert_allclose(found.Z, Z.value, atol=1e-3)


def test_diagonal_mmc_is_twice_the_minimiser_of_its_source():
    V, _ = normal_pairs(15, 4)
    w = cp.Variable(4, nonneg=True)
    distances = cp.sum(cp.sqrt((V * V) @ w))
    cp.Problem(cp.Minimize(cp.sum(w) - cp.log(distances))).solve(solver=cp.CLARABEL)
    found = spread(V, Weights.start(4), tol=1e-9, max_iter=20_000)
    np.testing.assert_allclose(np.diag(found.Z), 2.0 * w.value, atol=1e-4)
    assert np.count_nonzero(found.Z - np.diag(np.diag(found.Z))) == 0


@pytest.mark.parametrize("kind", [Factor, Weights])
def test_every_step_of_mmc_goes_up_and_the_gap_holds(kind):
    V, _ = normal_pairs(40, 6)
    runs = [spread(V, kind.start(6), tol=0.0, max_iter=k) for k in range(1, 30)]
    values = np.array([run.objective for run in runs])
    assert (np.diff(values) >= -1e-12).all()
    best = spread(V, kind.start(6), tol=1e-10, max_iter=5000).objective
    assert all(run.objective + run.gap >= best - 1e-12 for run in runs)
    np.testing.assert_allclose([np.trace(run.Z) for run in runs], 1.0)


@pytest.mark.parametrize("width", [2, 4])
def test_the_optimum_of_dml_eig_lies_within_its_gap(width):
    V, _ = normal_pairs(12, width, seed=width)
    Z, least = cp.Variable((width, width), PSD=True), cp.Variable()
    far = [v @ Z @ v >= least for v in V]
    problem = cp.Problem(cp.Maximize(least), [cp.trace(Z) <= 1, *far])
    problem.solve(solver=cp.CLARABEL)
    found = frank_wolfe(V, tol=5e-2, max_iter=1000)
    assert found.objective <= problem.value + 1e-6 <= found.objective + found.gap + 2e-6
    assert found.gap <= 5e-2 * found.objective
    early = frank_wolfe(V, tol=1e-3, max_iter=3)
    assert early.n_iter == 3
    assert early.objective <= problem.value + 1e-6 <= early.objective + early.gap + 2e-6


def test_best_step_is_the_best_on_a_grid():
    rng = np.random.default_rng(0)
    d2, change, m = rng.random(30), rng.normal(size=30), 0.05
    grid = np.linspace(0.0, 1.0, 2001)
    smoothed = [-m * np.log(np.exp(-(d2 + a * change) / m).mean()) for a in grid]
    assert best_step(d2, change, m) == pytest.approx(
        grid[np.argmax(smoothed)], abs=1e-3
    )


# Coding and rows


@pytest.mark.parametrize("projection", [OneHot, VDM])
@settings(max_examples=30)
@given(table=strategies.tables(unseen=True))
def test_coded_rows_are_as_far_apart_as_projected_ones(projection, table):
    codes, n_values, y, _ = table
    tables = projection().fit(codes, n_values, y, np.ones(len(y))).tables
    codes = np.vstack([codes, np.full((1, len(n_values)), -1, np.int32)])
    plain, turned = (Coding.of(tables, reduced=t).rows(codes) for t in (False, True))
    for i in range(len(codes)):
        np.testing.assert_allclose(
            ((plain - plain[i]) ** 2).sum(axis=1),
            ((turned - turned[i]) ** 2).sum(axis=1),
            atol=1e-9,
        )


def test_mean_over_alike_pairs_is_that_of_every_pair(monkeypatch):
    monkeypatch.setattr(matrix_learner, "AT_ONCE", 20)  # several blocks a class
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (25, 2)).astype(np.int32)
    y = rng.integers(0, 3, 25)
    tables = OneHot().fit(codes, [3, 3], y, np.ones(25)).tables
    rows = LabelledRows(Coding.of(tables), codes, y)
    V = rows.differences(rows.pairs.alike())
    np.testing.assert_allclose(rows.within(), V.T @ V / len(V), atol=1e-12)


def test_fewer_pairs_where_they_would_take_too_much_memory(monkeypatch):
    monkeypatch.setattr(matrix_learner, "LARGEST_DIFFERENCES", 70)
    codes = np.arange(30, dtype=np.int32)[:, None]
    y = np.arange(30) % 2
    tables = OneHot().fit(codes, [30], y, np.ones(30)).tables
    rows = LabelledRows(Coding.of(tables), codes, y)
    assert len(rows.unlike(1000, np.random.default_rng(0))) == 70 // rows.coding.width


def test_whitening_leaves_unit_variance_where_there_is_any():
    S = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 0.0]])
    root = whitening(S)
    np.testing.assert_allclose((root @ S @ root)[:2, :2], np.eye(2), atol=1e-4)
    assert root[2, 2] == pytest.approx((1e-5 * 5 / 3) ** -0.5)
    np.testing.assert_array_equal(whitening(np.zeros((2, 2))), np.eye(2))
