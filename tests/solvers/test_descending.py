"""Descent of a loss that is not convex: never above its start, the best is kept."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from helpers.solver_problems import STRUCTURES, random_rows, unit, zero
from nearkind.constraints.labels import Labels
from nearkind.constraints.soft_neighbors import SoftNeighbors
from nearkind.metrics.spectrum import decompose
from nearkind.regularizers.schatten import Schatten, SchattenPower
from nearkind.solvers.descending import Descending
from nearkind.solvers.leap import factor_of, in_factor, in_full
from nearkind.solvers.objective import Objective
from nearkind.solvers.solution import Stop

PENALTIES = [Schatten(1.0), Schatten(3.0), SchattenPower(2.0)]


def posed(n_rows=30, structure="full", penalty=PENALTIES[0], strength=1e-2, **options):
    phi, y = random_rows(1, n_rows)
    bound = SoftNeighbors(0.2, **options).bind(Labels(y, np.ones(n_rows)))
    Z = np.ascontiguousarray(STRUCTURES[structure]().blocks(phi))
    return Objective(Z, bound, penalty, strength)


def somewhere(problem, seed=0):
    B, _, _, W = problem.Z.shape
    F = np.random.default_rng(seed).normal(size=(B, 2, W))
    return decompose(F.swapaxes(1, 2) @ F).positive()


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
@pytest.mark.parametrize("max_iter", [1, 3, 60])
def test_it_ends_not_above_its_start_and_within_the_cone(max_iter, penalty, structure):
    problem = posed(structure=structure, penalty=penalty)
    for start in (unit(problem), zero(problem), somewhere(problem)):
        found = Descending(max_iter).solve(problem, start)
        assert found.value <= problem.value(start)
        assert found.value == pytest.approx(problem.value(found.point), rel=1e-9)
        assert found.point.values.min() >= 0.0
        assert np.isnan(found.gap)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_looking_along_a_factor_sees_what_the_whole_gradient_says(penalty, structure):
    problem = posed(structure=structure, penalty=penalty)
    F = factor_of(somewhere(problem))
    fast, slow = in_factor(problem, F), in_full(problem, F)
    assert fast.value == pytest.approx(slow.value, rel=1e-12)
    np.testing.assert_allclose(fast.gradient, slow.gradient, atol=1e-12)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_gradient_in_a_factor_is_the_slope_of_the_value(structure):
    problem = posed(structure=structure)
    F = factor_of(somewhere(problem))
    G = in_factor(problem, F).gradient
    for place in list(np.ndindex(F.shape))[::3]:
        step = np.zeros_like(F)
        step[place] = 1e-5
        rise = in_factor(problem, F + step).value - in_factor(problem, F - step).value
        assert rise / 2e-5 == pytest.approx(G[place], abs=1e-7)


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_where_it_settles_no_step_gains_much(penalty):
    problem = posed(penalty=penalty)
    found = Descending(max_iter=500, tol=1e-6).solve(problem, unit(problem))
    assert found.reason is Stop.SETTLED
    assert 1 < found.n_iter < 500
    rng = np.random.default_rng(0)
    for scale in (0.9, 0.99, 1.01, 1.1):
        nearby = decompose(scale * found.point.matrix)
        assert problem.value(nearby) >= found.value * (1 - 1e-4)
    for _ in range(20):
        F = rng.normal(size=found.point.matrix.shape)
        nearby = decompose(found.point.matrix + 1e-3 * F @ F.swapaxes(1, 2))
        assert problem.value(nearby) >= found.value * (1 - 1e-4)


def test_iterations_may_run_out():
    problem = posed()
    found = Descending(max_iter=4, tol=0.0).solve(problem, unit(problem))
    assert (found.reason, found.n_iter) == (Stop.MAX_ITER, 4)


def test_no_bit_depends_on_who_computes_the_parts():
    problem = posed(60, at_once=300)
    assert len(problem.constraints.parts()) > 5
    alone = Descending(20).solve(problem, unit(problem))
    with ThreadPoolExecutor(3) as pool:
        shared = Descending(20).solve(replace(problem, map=pool.map), unit(problem))
    np.testing.assert_array_equal(shared.point.matrix, alone.point.matrix)
    assert shared.value == alone.value


def test_history_has_every_step_and_is_what_the_callback_was_told():
    problem, told = posed(), []
    found = Descending(30).solve(problem, unit(problem), callback=told.append)
    assert told == found.history
    assert [record.iteration for record in told] == list(range(found.n_iter + 1))
    values = [record.value for record in told]
    assert values[0] == problem.value(unit(problem))
    assert values == sorted(values, reverse=True)
    assert values[-1] == found.value < values[0]
    assert all(np.isnan(record.gap) for record in told)


@pytest.mark.parametrize("iteration", [0, 1, 5])
def test_an_interrupt_keeps_the_best_so_far(iteration):
    def stop(record):
        if record.iteration >= iteration:
            raise KeyboardInterrupt

    problem = posed()
    found = Descending(tol=0.0).solve(problem, unit(problem), callback=stop)
    assert found.reason is Stop.INTERRUPTED
    assert found.n_iter == iteration
    assert found.value == pytest.approx(problem.value(found.point), rel=1e-9)
    assert (found.value < problem.value(unit(problem))) == (iteration > 0)


def test_an_interrupt_amid_an_evaluation_keeps_the_best_too(monkeypatch):
    problem, n_calls = posed(), []
    plain = Objective.slope

    def slope(self, point):
        n_calls.append(point)
        if len(n_calls) == 6:
            raise KeyboardInterrupt
        return plain(self, point)

    monkeypatch.setattr(Objective, "slope", slope)
    found = Descending(tol=0.0).solve(problem, unit(problem))
    assert found.reason is Stop.INTERRUPTED
    assert found.value < problem.value(unit(problem))


def test_of_many_rows_a_sample_is_taken():
    problem = posed(300)
    whole = Descending(40).solve(problem, unit(problem))
    runs = [
        Descending(40, rng=np.random.default_rng(seed), rows=150).solve(
            problem, unit(problem)
        )
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(runs[0].point.matrix, runs[1].point.matrix)
    assert (runs[0].point.matrix != runs[2].point.matrix).any()
    assert runs[0].value != problem.value(runs[0].point)  # an estimate
    for run in runs:
        assert problem.value(run.point) < problem.value(unit(problem))
        assert problem.value(run.point) < 1.15 * whole.value


def test_as_many_rows_as_allowed_are_taken_whole():
    problem = posed(60)
    found = Descending(20, rows=60).solve(problem, unit(problem))
    assert found.value == pytest.approx(problem.value(found.point), rel=1e-9)


def test_it_stops_when_not_finite():
    problem = posed()
    problem.Z[0, 0, 0, 0] = np.inf
    with np.errstate(all="ignore"):
        found = Descending().solve(problem, start := unit(problem))
    assert found.reason is Stop.NOT_FINITE
    assert found.point is start


def test_many_rows_in_single_precision_end_where_double_does():
    problem = posed(n_rows=600)
    start = somewhere(problem)
    fast, slow = (Descending(300, tol).solve(problem, start) for tol in (1e-5, 9e-6))
    assert fast.value == pytest.approx(slow.value, rel=1e-4)
    assert fast.value == pytest.approx(problem.value(fast.point), rel=1e-6)
    assert slow.value == pytest.approx(problem.value(slow.point), rel=1e-12)
