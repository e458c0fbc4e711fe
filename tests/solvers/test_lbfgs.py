"""L-BFGS on a factor: never above its start, the best is kept."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from helpers.solver_problems import (
    STRUCTURES,
    soft_neighbors,
    unit,
    zero,
)
from nearkind.metrics.spectrum import decompose
from nearkind.regularizers.schatten import Schatten, SchattenPower
from nearkind.solvers import lbfgs
from nearkind.solvers.lbfgs import (
    LBFGS,
    evaluate_in_factor,
    evaluate_in_metric,
    factor_of,
)
from nearkind.solvers.objective import Objective
from nearkind.solvers.solution import Deadline, Stop

PENALTIES = [Schatten(1.0), Schatten(3.0), SchattenPower(2.0)]


def somewhere(problem, seed=0):
    B, _, _, W = problem.Z.shape
    F = np.random.default_rng(seed).normal(size=(B, 2, W))
    return decompose(F.swapaxes(1, 2) @ F).positive()


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
@pytest.mark.parametrize("max_iter", [1, 3, 60])
def test_it_ends_not_above_its_start_and_within_the_cone(max_iter, penalty, structure):
    problem = soft_neighbors(structure=structure, penalty=penalty)
    for start in (unit(problem), zero(problem), somewhere(problem)):
        found = LBFGS(max_iter).solve(problem, start)
        assert found.value <= problem.value(start)
        assert found.value == pytest.approx(problem.value(found.point), rel=1e-9)
        assert found.point.values.min() >= 0.0
        assert np.isnan(found.gap)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_evaluating_in_the_factor_equals_evaluating_in_the_metric(penalty, structure):
    problem = soft_neighbors(structure=structure, penalty=penalty)
    F = factor_of(somewhere(problem))
    fast, slow = evaluate_in_factor(problem, F), evaluate_in_metric(problem, F)
    assert fast.value == pytest.approx(slow.value, rel=1e-12)
    np.testing.assert_allclose(fast.gradient, slow.gradient, atol=1e-12)


def test_beyond_the_largest_rank_the_largest_directions_go_on():
    problem = soft_neighbors()
    few, all_of_them = (
        LBFGS(60, max_rank=rank).solve(problem, unit(problem)) for rank in (3, 32)
    )
    assert few.point.rank <= 3 < unit(problem).rank
    assert few.value < few.history[6].value < problem.value(unit(problem))
    assert few.value == pytest.approx(all_of_them.value, rel=0.02)


def test_a_deadline_ends_it_with_the_best_so_far():
    problem, deadline = soft_neighbors(), Deadline()

    def end_after_four(record):
        if record.iteration == 4:
            deadline.end()

    with deadline.limit():
        found = LBFGS(tol=0.0).solve(problem, unit(problem), callback=end_after_four)
    assert (found.reason, found.n_iter) == (Stop.OUT_OF_TIME, 4)
    assert found.value == pytest.approx(problem.value(found.point))
    assert LBFGS(5).solve(problem, unit(problem)).reason is not Stop.OUT_OF_TIME


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_gradient_in_a_factor_is_that_of_the_value(structure):
    problem = soft_neighbors(structure=structure)
    F = factor_of(somewhere(problem))
    G = evaluate_in_factor(problem, F).gradient
    for place in list(np.ndindex(F.shape))[::3]:
        step = np.zeros_like(F)
        step[place] = 1e-5
        rise = (
            evaluate_in_factor(problem, F + step).value
            - evaluate_in_factor(problem, F - step).value
        )
        assert rise / 2e-5 == pytest.approx(G[place], abs=1e-7)


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_where_it_settles_no_step_gains_much(penalty):
    problem = soft_neighbors(penalty=penalty)
    found = LBFGS(max_iter=500, tol=1e-6).solve(problem, unit(problem))
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
    problem = soft_neighbors()
    found = LBFGS(max_iter=4, tol=0.0).solve(problem, unit(problem))
    assert (found.reason, found.n_iter) == (Stop.MAX_ITER, 4)


def test_no_bit_depends_on_who_computes_the_chunks():
    problem = soft_neighbors(60, at_once=300)
    assert len(problem.constraints.chunks()) > 5
    alone = LBFGS(20).solve(problem, unit(problem))
    with ThreadPoolExecutor(3) as pool:
        shared = LBFGS(20).solve(replace(problem, map=pool.map), unit(problem))
    np.testing.assert_array_equal(shared.point.matrix, alone.point.matrix)
    assert shared.value == alone.value


def test_history_has_every_step_and_is_what_the_callback_was_told():
    problem, told = soft_neighbors(), []
    found = LBFGS(30).solve(problem, unit(problem), callback=told.append)
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

    problem = soft_neighbors()
    found = LBFGS(tol=0.0).solve(problem, unit(problem), callback=stop)
    assert found.reason is Stop.INTERRUPTED
    assert found.n_iter == iteration
    assert found.value == pytest.approx(problem.value(found.point), rel=1e-9)
    assert (found.value < problem.value(unit(problem))) == (iteration > 0)


def test_an_interrupt_amid_an_evaluation_keeps_the_best_too(monkeypatch):
    problem, n_calls = soft_neighbors(), []
    plain = Objective.factor_gradient

    def factor_gradient(self, F):
        n_calls.append(F)
        if len(n_calls) == 6:
            raise KeyboardInterrupt
        return plain(self, F)

    monkeypatch.setattr(Objective, "factor_gradient", factor_gradient)
    found = LBFGS(tol=0.0).solve(problem, unit(problem))
    assert found.reason is Stop.INTERRUPTED
    assert found.value < problem.value(unit(problem))


def test_of_many_rows_a_sample_is_taken():
    problem = soft_neighbors(300)
    whole = LBFGS(40).solve(problem, unit(problem))
    runs = [
        LBFGS(40, rng=np.random.default_rng(seed), rows=150).solve(
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
    problem = soft_neighbors(60)
    found = LBFGS(20, rows=60).solve(problem, unit(problem))
    assert found.value == pytest.approx(problem.value(found.point), rel=1e-9)


def test_it_stops_when_not_finite():
    problem = soft_neighbors()
    problem.Z[0, 0, 0, 0] = np.inf
    with np.errstate(all="ignore"):
        found = LBFGS().solve(problem, start := unit(problem))
    assert found.reason is Stop.NOT_FINITE
    assert found.point is start


def test_many_rows_in_single_precision_end_where_double_does():
    problem = soft_neighbors(n_rows=600)
    start = somewhere(problem)
    fast, slow = (LBFGS(300, tol).solve(problem, start) for tol in (1e-5, 9e-6))
    assert fast.value == pytest.approx(slow.value, rel=1e-4)
    assert fast.value == pytest.approx(problem.value(fast.point), rel=1e-6)
    assert slow.value == pytest.approx(problem.value(slow.point), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("max_iter", "max_rank", "steps"),
    [
        (20, 9, [20]),
        (20, 8, [6, 14]),  # of nine directions
        (6, 8, [6, 0]),
        (4, 8, [4, 0]),
    ],
)
def test_after_six_steps_in_all_directions_the_largest_go_on(
    max_iter, max_rank, steps, monkeypatch
):
    problem, asked = soft_neighbors(), []

    def minimize(smooth, point, max_steps, tol, callback, evaluate):
        asked.append((max_steps, tol, point))
        return somewhere_else, max_steps, None

    somewhere_else = decompose(np.diag(np.arange(9.0))[None])
    monkeypatch.setattr(lbfgs, "minimize_factor", minimize)
    solver = LBFGS(max_iter, tol=0.5, max_rank=max_rank)
    start = unit(problem)
    found = solver.solve(problem, start)
    assert [n for n, *_ in asked] == steps
    assert {tol for _, tol, _ in asked} == {0.1 * 0.5}
    assert found.reason is Stop.MAX_ITER
    before = start if len(steps) == 1 else somewhere_else
    last = asked[-1][2]
    np.testing.assert_allclose(last.matrix, before.truncated(max_rank).matrix)
    assert last.values.shape[1] == max_rank


@pytest.mark.slow
@pytest.mark.usefixtures("optimized")
@pytest.mark.parametrize(
    ("many", "least_tol", "dtype"),
    [(30, 1e-4, np.float32), (31, 1e-4, np.float64), (30, 2e-4, np.float64)],
)
def test_single_precision_is_for_many_rows_and_coarse_tolerances(
    many, least_tol, dtype, monkeypatch
):
    seen, problem = [], soft_neighbors(30)
    monkeypatch.setattr(lbfgs, "MANY_ROWS", many)
    monkeypatch.setattr(lbfgs, "SINGLE_PRECISION_TOL", least_tol)
    plain = Objective.factor_gradient

    def factor_gradient(self, F):
        seen.append(self.Z.dtype)
        return plain(self, F)

    monkeypatch.setattr(Objective, "factor_gradient", factor_gradient)
    LBFGS(2, tol=1e-4).solve(problem, unit(problem))
    assert set(seen) == {np.dtype(dtype)}


def test_without_a_source_of_draws_the_sample_is_always_the_same():
    problem = soft_neighbors(60)
    runs = [LBFGS(5, rows=30).solve(problem, unit(problem)) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].point.matrix, runs[1].point.matrix)
