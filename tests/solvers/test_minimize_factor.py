"""Descent on a factor: what is evaluated, what is kept, and when it ends."""

import numpy as np
import pytest

from helpers.solver_problems import soft_neighbors, unit
from nearkind.losses.hinge import SmoothedHinge
from nearkind.metrics.spectrum import Spectrum, decompose, identity
from nearkind.solvers.lbfgs import (
    Evaluation,
    evaluate_in_factor,
    factor_of,
    minimize_factor,
)


def bowl(scale=1.0, seen=None):
    """scale |F - 3|^2 / 2; of each evaluation the factor is remembered."""

    def evaluate(smooth, F):
        if seen is not None:
            seen.append(F)
        return Evaluation(F, 0.5 * scale * ((F - 3.0) ** 2).sum(), scale * (F - 3.0))

    return evaluate


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_it_goes_to_the_least_value_whatever_its_scale(scale):
    point, n_steps, at = minimize_factor(None, identity(1, 1), 50, evaluate=bowl(scale))
    np.testing.assert_allclose(point.matrix, [[[9.0]]], rtol=1e-6)
    assert 1 <= n_steps < 50
    assert at is None


def test_it_makes_so_many_steps_at_most():
    problem = soft_neighbors()
    for max_steps in (1, 3):
        told = []
        _, n_steps, _ = minimize_factor(
            problem, unit(problem), max_steps, 0.0, told.append, evaluate_in_factor
        )
        assert n_steps == len(told) == max_steps


def test_it_ends_when_a_step_gains_less_than_the_tolerance():
    problem = soft_neighbors()
    start = problem.value(unit(problem))
    for tol in (1e-1, 1e-2, 1e-4):
        told = []
        minimize_factor(
            problem, unit(problem), 500, tol, told.append, evaluate_in_factor
        )
        values = np.array([start, *(best.value for best in told)])
        gains = (values[:-1] - values[1:]) / np.maximum(values[:-1], 1.0)
        assert (gains[:-1] > tol).all()
        assert gains[-1] <= tol


def test_the_best_that_was_seen_is_returned_with_its_linearization():
    problem = soft_neighbors().with_loss(SmoothedHinge(0.3))
    told = []
    point, _, at = minimize_factor(problem, unit(problem), 20, callback=told.append)
    assert min(best.value for best in told) == told[-1].value
    assert problem.value(point) == pytest.approx(told[-1].value, rel=1e-9)
    fresh = problem.linearize(point)
    assert at.value == pytest.approx(fresh.value, rel=1e-9)
    np.testing.assert_allclose(at.gradient, fresh.gradient, atol=1e-9)


def test_a_worse_place_after_a_better_one_is_not_returned():
    values = iter([5.0, 1.0, 4.0, 3.0, 2.0, 2.5, 2.25, 2.125, 3.0, 3.0, 3.0, 3.0])
    seen = []

    def evaluate(smooth, F):
        seen.append(F)
        return Evaluation(F, next(values, 3.0), F)

    point, *_ = minimize_factor(None, identity(1, 1), 5, evaluate=evaluate)
    np.testing.assert_allclose(point.matrix, seen[1] ** 2)


def test_without_directions_there_is_nothing_to_do():
    nothing = Spectrum(np.zeros((1, 2)), np.eye(2)[None])
    assert minimize_factor(None, nothing, 9) == (nothing, 0, None)


@pytest.mark.parametrize("size", [1e241, np.inf, np.nan])
def test_what_is_beyond_all_range_is_not_computed(size):
    seen, far = [], Spectrum(np.array([[size]]), np.ones((1, 1, 1)))
    kept = np.isfinite(size)  # others have no factor
    point, _, at = minimize_factor(None, far, 3, evaluate=bowl(seen=seen))
    assert (point is far, at) == (True, None)
    assert not seen or not kept


def test_where_nothing_finite_is_found_the_start_is_returned():
    def evaluate(smooth, F):
        return Evaluation(F, np.inf, np.zeros_like(F))

    point, _, at = minimize_factor(None, start := identity(1, 2), 3, evaluate=evaluate)
    assert (point is start, at) == (True, None)


def test_a_factor_has_as_many_directions_as_the_block_that_has_most():
    M = np.array([np.diag([4.0, 0.0, 0.0]), np.diag([0.0, 9.0, 1.0]), np.zeros((3, 3))])
    F = factor_of(decompose(M))
    assert F.shape == (3, 2, 3)
    np.testing.assert_allclose(F.swapaxes(1, 2) @ F, M, atol=1e-12)
