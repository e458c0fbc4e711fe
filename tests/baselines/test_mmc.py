"""MMC: worked figures, and the optimum of a convex solver."""

import cvxpy as cp
import numpy as np
import pytest

from helpers.baseline_oracles import normal_pairs
from nearkind.baselines.mmc import DiagonalFactor, Factor, maximize_mean_distance


def test_mmc_on_orthogonal_pairs():
    found = maximize_mean_distance(np.diag([2.0, 1.0]), Factor.start(2), tol=1e-9)
    np.testing.assert_allclose(found.Z, np.diag([0.8, 0.2]), atol=1e-6)
    assert found.objective == pytest.approx((2 * 0.8**0.5 + 0.2**0.5) / 2)


@pytest.mark.parametrize("width", [2, 4])
def test_mmc_reaches_the_optimum_of_a_convex_solver(width):
    V, _ = normal_pairs(15, width, seed=width)
    Z = cp.Variable((width, width), PSD=True)
    distances = cp.sqrt(cp.hstack([v @ Z @ v for v in V]))
    problem = cp.Problem(cp.Maximize(cp.sum(distances) / 15), [cp.trace(Z) <= 1])
    problem.solve(solver=cp.CLARABEL)
    found = maximize_mean_distance(V, Factor.start(width), tol=1e-7)
    assert found.objective == pytest.approx(problem.value, rel=1e-5)
    assert found.objective + found.gap >= problem.value - 1e-6
    np.testing.assert_allclose(found.Z, Z.value, atol=1e-3)


def test_diagonal_mmc_is_twice_the_minimiser_of_its_source():
    V, _ = normal_pairs(15, 4)
    w = cp.Variable(4, nonneg=True)
    distances = cp.sum(cp.sqrt((V * V) @ w))
    cp.Problem(cp.Minimize(cp.sum(w) - cp.log(distances))).solve(solver=cp.CLARABEL)
    found = maximize_mean_distance(
        V, DiagonalFactor.start(4), tol=1e-9, max_iter=20_000
    )
    np.testing.assert_allclose(np.diag(found.Z), 2.0 * w.value, atol=1e-4)
    assert np.count_nonzero(found.Z - np.diag(np.diag(found.Z))) == 0


@pytest.mark.parametrize("kind", [Factor, DiagonalFactor])
def test_every_step_of_mmc_goes_up_and_the_gap_holds(kind):
    V, _ = normal_pairs(40, 6)
    runs = [
        maximize_mean_distance(V, kind.start(6), tol=0.0, max_iter=k)
        for k in range(1, 30)
    ]
    values = np.array([run.objective for run in runs])
    assert (np.diff(values) >= -1e-12).all()
    best = maximize_mean_distance(V, kind.start(6), tol=1e-10, max_iter=5000).objective
    assert all(run.objective + run.gap >= best - 1e-12 for run in runs)
    np.testing.assert_allclose([np.trace(run.Z) for run in runs], 1.0)
