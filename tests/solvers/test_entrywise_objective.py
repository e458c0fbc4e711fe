"""An objective with the entrywise norm: each of its parts by the definition."""

import numpy as np
import pytest

from helpers.convex_reference import EntrywisePenalty
from helpers.solver_problems import objective, random_rows, unit, zero
from nearkind.metrics.spectrum import decompose
from nearkind.solvers.proximal import Proximal


def posed(strength=0.1, structure="multi"):
    rows = random_rows(2)
    return objective(*rows, structure, "triplets", EntrywisePenalty(), strength)


def somewhere(problem, seed):
    B, _, _, W = problem.Z.shape
    F = np.random.default_rng(seed).normal(size=(B, W, W))
    return decompose(F @ F.swapaxes(1, 2)).positive()


def test_the_penalty_is_strength_times_the_sum_of_all_entries():
    problem = posed(strength=0.3)
    point = somewhere(problem, 0)
    expected = 0.3 * np.abs(point.matrix).sum()
    assert problem.penalty(point) == pytest.approx(expected)
    assert problem.value(point) == pytest.approx(problem.loss_value(point) + expected)


def test_a_subgradient_supports_the_objective():
    problem = posed()
    for seed in range(5):
        point, other = somewhere(problem, seed), somewhere(problem, seed + 10)
        at = problem.linearize(point)
        g = problem.subgradient(point, at)
        tangent = at.value + (g * (other.matrix - point.matrix)).sum()
        assert problem.value(other) >= tangent - 1e-9
        step = decompose(point.matrix - 1e-5 * g)
        fall = 1e-5 * (g * g).sum()
        assert at.value - problem.value(step) == pytest.approx(fall, rel=0.05)


def test_the_prox_betters_every_other_matrix_of_the_cone():
    problem = posed(strength=0.5)
    V = somewhere(problem, 0).matrix - 0.5

    def cost(X):
        return 0.5 * ((X - V) ** 2).sum() + 0.4 * 0.5 * np.abs(X).sum()

    found = problem.prox(V, 0.4)
    assert (found.values >= 0.0).all()
    for seed in range(5):
        away = somewhere(problem, seed).matrix - found.matrix
        for share in (1.0, 0.1, 0.01):
            assert cost(found.matrix + share * away) > cost(found.matrix)


def test_lower_bounds_hold_and_are_better_near_the_optimum():
    problem = posed(strength=0.02)
    best = Proximal(max_iter=300, tol=1e-2).solve(problem, unit(problem))
    at = problem.linearize(best.point)
    alone = problem.lower_bound(at.gradient, at.intercept)
    near = problem.lower_bound(at.gradient, at.intercept, best.point)
    assert 0.0 < alone <= best.value
    assert 0.0 < near <= best.value
    height = EntrywisePenalty().height(-at.gradient)
    expected = at.intercept * min(1.0, 0.02 / height)
    assert alone == pytest.approx(expected, rel=1e-3)


def test_from_the_dual_norm_at_zero_on_nothing_is_learned():
    problem = posed()
    descent = problem.descent_at_zero()
    enough = problem.strength_max(descent)
    assert enough == pytest.approx(EntrywisePenalty().height(descent.matrix), rel=1e-3)
    assert problem.dual_norm(descent) == enough
    for share, is_optimal in ((1.01, True), (0.9, False)):
        some = problem.with_strength(share * enough)
        found = Proximal(max_iter=50, tol=1e-3).solve(some, unit(some))
        assert (found.point.rank == 0) == is_optimal
        assert found.value <= some.value(zero(some)) + 1e-9
