"""DML-eig: worked figures, and the optimum of a convex solver."""

import cvxpy as cp
import numpy as np
import pytest

from helpers.baseline_oracles import normal_pairs
from helpers.estimator_tables import labelled_table
from nearkind.baselines.dml_eig import DMLEig, best_step, frank_wolfe

X, Y = labelled_table(50, seed=3)


def test_dml_eig_on_two_pairs():
    root = np.diag([0.5, 1.0])
    V = np.array([[1.0, 1.0], [2.0, 0.0]]) @ root
    found = frank_wolfe(V, tol=1e-4, max_iter=2000)
    assert found.objective == pytest.approx(0.8, abs=1e-4)
    assert found.gap <= 1e-4
    np.testing.assert_allclose(found.Z, [[0.8, 0.4], [0.4, 0.2]], atol=1e-3)
    np.testing.assert_allclose(root @ found.Z @ root, np.full((2, 2), 0.2), atol=1e-3)


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


def test_dml_eig_says_how_far_it_got():
    short = DMLEig(max_iter=2).fit(X, Y)
    assert (short.n_iter_, short.stop_reason_) == (2, "MAX_ITER")
    assert short.gap_ > 0.01 * short.objective_
    done = DMLEig(tol=0.5, max_iter=5000).fit(X, Y)
    assert done.stop_reason_ == "TOLERANCE"
    assert done.gap_ <= 0.5 * done.objective_
    assert done.objective_ <= short.objective_ + short.gap_
