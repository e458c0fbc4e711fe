"""The entrywise l1 norm on the cone: prox, dual norm and dual value."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.convex_reference import EntrywisePenalty
from nearkind.regularizers.entrywise import NORM_TOL, EntrywiseL1, prox_on_cone
from nearkind.regularizers.schatten import Schatten

R = EntrywiseL1()
steps = st.floats(0.01, 3.0)
seeds = st.integers(0, 10_000)


def symmetric(seed, shape=(2, 4, 4)):
    M = np.random.default_rng(seed).normal(size=shape)
    return M + M.swapaxes(1, 2)


def psd(seed, shape=(2, 4, 4)):
    F = np.random.default_rng(seed).normal(size=shape)
    return F @ F.swapaxes(1, 2)


def dot(A, B):
    return float((A * B).sum())


def cost(X, V, step):
    return 0.5 * ((X - V) ** 2).sum() + step * np.abs(X).sum()


@pytest.mark.parametrize(
    ("V", "X", "U"),
    [
        (  # in the cone after soft thresholding
            [[2.0, 0.25], [0.25, 1.0]],
            [[1.5, 0.0], [0.0, 0.5]],
            [[0.5, 0.25], [0.25, 0.5]],
        ),
        (  # soft thresholding gives [[1, -1.5], [-1.5, 1]], whose part in the cone is X
            [[1.5, -2.0], [-2.0, 1.5]],
            [[1.25, -1.25], [-1.25, 1.25]],
            [[0.5, -0.5], [-0.5, 0.5]],
        ),
    ],
)
def test_prox_by_worked_figures(V, X, U):
    found, multipliers = prox_on_cone(np.array([V]), 0.5)
    np.testing.assert_allclose(found, [X], atol=1e-6)
    np.testing.assert_allclose(multipliers, [U], atol=1e-6)


@given(seed=seeds, step=steps)
def test_prox_is_in_the_cone_and_proves_itself(seed, step):
    """KKT: V = X + U - N, U a subgradient, N in the cone and orthogonal to X."""
    V = symmetric(seed)
    X, U = prox_on_cone(V, step)
    size = np.abs(V).max()
    assert np.linalg.eigvalsh(X).min() >= -1e-12 * size
    assert np.abs(U).max() <= step * (1 + 1e-12)
    N = X + U - V
    assert np.linalg.eigvalsh(N).min() >= -1e-4 * size
    assert dot(U, X) == pytest.approx(step * np.abs(X).sum(), abs=1e-9 * size**2)
    assert dot(N, X) == pytest.approx(0.0, abs=1e-4 * size**2)


@given(seed=seeds, step=steps)
def test_no_matrix_of_the_cone_costs_less(seed, step):
    V, other = symmetric(seed), psd(seed + 1)
    X = R.prox(V, step)
    gained = cost(other, V, step) - cost(X, V, step)
    assert gained >= 0.5 * ((X - other) ** 2).sum() - 1e-4 * (1.0 + cost(X, V, step))


@pytest.mark.parametrize("step", [0.1, 0.7, 2.0])
@pytest.mark.parametrize("seed", range(3))
def test_prox_is_that_of_an_interior_point_solver(seed, step):
    V = symmetric(seed, (1, 5, 5))
    X = cp.Variable((5, 5), PSD=True)
    total = 0.5 * cp.sum_squares(X - V[0]) + step * cp.sum(cp.abs(X))
    cp.Problem(cp.Minimize(total)).solve(solver=cp.CLARABEL)
    found = R.prox(V, step)
    assert cost(found, V, step) <= cost(X.value, V, step) * (1 + 1e-8)
    np.testing.assert_allclose(found[0], X.value, atol=2e-4)  # the reference is coarse


def test_soft_thresholding_and_projection_do_not_commute():
    V = np.array([[[1.0, 0.9, 0.3], [0.9, 1.0, 0.9], [0.3, 0.9, 1.0]]])
    step = 0.4
    soft = np.sign(V) * np.maximum(np.abs(V) - step, 0.0)
    values, vectors = np.linalg.eigh(soft)
    projected = (vectors * np.maximum(values, 0.0)[:, None]) @ vectors.swapaxes(1, 2)
    best = R.prox(V, step)
    assert np.linalg.eigvalsh(soft).min() < -0.01
    assert cost(best, V, step) < cost(projected, V, step) - 1e-4


@given(seed=seeds, step=steps)
def test_on_matrices_of_width_one_it_is_the_trace(seed, step):
    V = symmetric(seed, (6, 1, 1))
    trace = Schatten(1.0)
    expected = trace.prox(V.ravel(), step).reshape(V.shape)
    np.testing.assert_allclose(R.prox(V, step), expected, atol=1e-5 * np.abs(V).max())
    assert R.value(np.abs(V)) == pytest.approx(trace.value(np.abs(V).ravel()))
    assert R.dual_norm(V) == pytest.approx(trace.dual_norm(V.ravel()), rel=1e-4)


def test_without_a_step_it_is_the_projection_on_the_cone():
    V = symmetric(3)
    values, vectors = np.linalg.eigh(V)
    projected = (vectors * np.maximum(values, 0.0)[:, None]) @ vectors.swapaxes(1, 2)
    np.testing.assert_allclose(R.prox(V, 0.0), projected, atol=1e-9)


@given(seed=seeds)
def test_subgradient_inequality(seed):
    X, Y = psd(seed), psd(seed + 1)
    assert R.value(Y) >= R.value(X) + dot(R.subgradient(X), Y - X) - 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_dual_norm_is_that_of_an_interior_point_solver(seed):
    S = symmetric(seed)
    known = EntrywisePenalty().height(S)
    assert known * (1 - 1e-5) <= R.dual_norm(S) <= known * (1 + 2 * NORM_TOL)


def test_dual_norm_of_two_coupled_features():
    """All four entries of X are 1/4 there: the diagonal of S alone says nothing."""
    S = np.array([[[0.0, 1.0], [1.0, 0.0]]])
    assert R.dual_norm(S) == pytest.approx(0.5, rel=NORM_TOL)
    assert R.dual_norm(-np.eye(2)[None]) == 0.0


@given(seed=seeds)
def test_dual_norm_inequality(seed):
    S, X = symmetric(seed), psd(seed + 1)
    assert dot(S, X) <= R.dual_norm(S) * R.value(X) * (1 + 1e-9) + 1e-9


@given(seed=seeds, strength=steps)
def test_dual_value_never_exceeds_the_best_one(seed, strength):
    S = symmetric(seed)
    best = min(1.0, strength / EntrywisePenalty().height(S))
    for near in (None, 0.0 * S, psd(seed + 1), np.eye(4) + 0.0 * S):
        found = R.dual_value(S, 2.0, strength, near)
        assert 0.0 <= found <= 2.0 * best * (1 + 1e-6)
    assert R.dual_value(S, 2.0, strength) >= 2.0 * best * (1 - 2 * NORM_TOL)


def test_without_a_gradient_the_dual_value_is_the_intercept():
    flat, near = np.zeros((2, 4, 4)), psd(0)
    for metric in (None, flat, near):
        assert R.dual_value(flat, 0.75, 0.1, metric) == 0.75
        assert R.dual_value(flat, -0.75, 0.1, metric) == 0.0
    assert R.dual_value(symmetric(0), 0.75, 0.0, near) == 0.0


def test_at_the_optimum_the_multipliers_are_feasible_as_they_are():
    """There S is strength times the signs of M."""
    M = np.array([[[2.0, -1.0], [-1.0, 3.0]]])
    for share in (1.0, 0.5):
        found = R.dual_value(share * np.sign(M), 0.75, 1.0, M)
        assert found == pytest.approx(0.75, rel=1e-4)
    assert 0.0 < R.dual_value(2.0 * np.sign(M), 0.75, 1.0, M) <= 0.375


def test_multipliers_to_start_from_do_not_change_the_prox():
    V = symmetric(5)
    X, U = prox_on_cone(V, 0.5)
    again, _ = prox_on_cone(V, 0.5, U)
    other, _ = prox_on_cone(V, 0.5, 9.0 * symmetric(6))
    np.testing.assert_allclose(again, X, atol=1e-5)
    np.testing.assert_allclose(other, X, atol=1e-5)


def test_nothing_comes_of_nothing():
    nothing = np.zeros((2, 3, 3))
    X, U = prox_on_cone(nothing, 0.5)
    np.testing.assert_array_equal(X, 0.0)
    np.testing.assert_array_equal(U, 0.0)
    assert R.dual_norm(nothing) == R.value(nothing) == 0.0


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_dual_norm_scales(scale):
    S = symmetric(7, (1, 5, 5))
    expected = scale * R.dual_norm(S)
    assert R.dual_norm(scale * S) == pytest.approx(expected, rel=2e-4)
