"""Constraints that move with the metric: solve, renew, solve again."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from helpers.local_problems import (
    WEIGHTED,
    problem,
    random_metric,
    square,
)
from nearkind.constraints.all_triplets import AllTriplets
from nearkind.metrics.spectrum import identity
from nearkind.solvers.proximal import Proximal
from nearkind.solvers.renewing import RENEWALS, solve_renewing
from nearkind.solvers.rough import Rough
from nearkind.solvers.solution import Record, Solution, Stop


@dataclass(frozen=True)
class Watched:
    """A solver that remembers what it was asked."""

    tol: float = 1e-3
    max_iter: int = 120
    asked: list[Any] = field(default_factory=list)
    answers: list[Solution] = field(default_factory=list)

    def solve(self, objective, start, *, callback=None):
        self.asked.append((self, objective, start))
        self.answers.append(self.answer(objective, start, callback))
        return self.answers[-1]

    def answer(self, objective, start, callback):
        solver = Proximal(max_iter=self.max_iter, tol=self.tol, check_every=5)
        return solver.solve(objective, start, callback=callback)


@dataclass(frozen=True)
class Scripted(Watched):
    """One that goes to given metrics in turn, and takes all iterations it may."""

    points: tuple[Any, ...] = ()

    def answer(self, objective, start, callback):
        point = self.points[len(self.answers) % len(self.points)]
        value = objective.value(point)
        lines = [Record(t, value, 0.0, float(t)) for t in (0, self.max_iter)]
        return Solution(point, value, 0.0, lines, Stop.MAX_ITER)


def wanderer(**settings):
    points = tuple(random_metric(problem(), seed) for seed in range(RENEWALS))
    return Scripted(points=points, max_iter=15, **settings)


def test_constraints_that_do_not_renew_are_solved_once():
    objective = replace(problem(), constraints=AllTriplets().bind(WEIGHTED))
    solver, rough, start = Watched(), Watched(), identity(1, 4)
    solution = solve_renewing(solver, objective, start, rough=rough)
    (asked,) = solver.asked
    assert not rough.asked
    assert asked[0] == solver
    assert asked[1] is objective
    assert asked[2] is start
    assert solution is solver.answers[0]


def test_each_solve_begins_where_the_last_ended_with_its_nearest_targets():
    objective, solver, rough = problem(), Watched(), wanderer()
    solution = solve_renewing(solver, objective, identity(1, 4), rough=rough)
    _, problems, starts = zip(*rough.asked, *solver.asked, strict=True)
    assert len(rough.asked) == RENEWALS
    assert problems[0] is objective
    for before, start, then in zip(
        rough.answers, starts[1:], problems[1:], strict=True
    ):
        assert start is before.point
        expected = square(problem().renewed(start).constraints)
        np.testing.assert_array_equal(square(then.constraints), expected)
    assert solution.point is solver.answers[-1].point


def test_targets_that_stay_are_not_renewed_again():
    start = random_metric(problem(), 0)
    objective = problem().renewed(start)
    solver, rough = Watched(), Scripted(points=(start,), max_iter=15)
    solve_renewing(solver, objective, start, rough=rough)
    assert len(rough.asked) == len(solver.asked) == 1
    assert objective.renewed(start) is objective


@pytest.mark.parametrize("max_iter", [10, 61, 200])
def test_all_solves_together_keep_to_the_iterations_allowed(max_iter):
    rough = wanderer()
    solver = Scripted(points=rough.points, max_iter=max_iter)
    solution = solve_renewing(solver, problem(), identity(1, 4), rough=rough)
    assert solution.n_iter == max_iter
    assert solver.asked[-1][0].max_iter >= max_iter // 2


def test_the_history_of_all_solves_is_one_that_never_falls():
    solver, rough = Watched(), Watched(max_iter=10)
    solution = solve_renewing(solver, problem(), identity(1, 4), rough=rough)
    answers, last = [*rough.answers, *solver.answers], solver.answers[-1]
    assert solution.point is last.point
    assert (solution.value, solution.gap) == (last.value, last.gap)
    assert solution.reason is last.reason
    assert len(solution.history) == sum(len(answer.history) for answer in answers)
    assert solution.n_iter == sum(answer.n_iter for answer in answers)
    assert (np.diff([line.iteration for line in solution.history]) >= 0).all()
    assert (np.diff([line.seconds for line in solution.history]) >= 0.0).all()
    spent = sum(answer.history[-1].seconds for answer in answers)
    assert solution.history[-1].seconds == pytest.approx(spent)
    assert [line.value for line in solution.history] == [
        line.value for answer in answers for line in answer.history
    ]


@pytest.mark.parametrize("stop_in", range(1, RENEWALS + 2))
def test_an_interrupt_keeps_the_best_so_far_and_ends_it_all(stop_in):
    asked: list[Any] = []
    solver = Watched(tol=1e-6, asked=asked)
    rough = Watched(tol=1e-6, max_iter=10, asked=asked)

    def interrupt(record):
        if len(asked) == stop_in and record.iteration > 0:
            raise KeyboardInterrupt

    solution = solve_renewing(solver, problem(), identity(1, 4), interrupt, rough)
    assert solution.reason is Stop.INTERRUPTED
    assert len(asked) == stop_in
    _, objective, start = asked[-1]
    assert solution.value == pytest.approx(objective.value(solution.point))
    assert solution.value <= objective.value(start)
    assert solution.value < problem().value(identity(1, 4))
    answers = [*rough.answers, *solver.answers]
    assert len(solution.history) == sum(len(answer.history) for answer in answers)


def test_nothing_is_solved_after_what_is_not_finite():
    @dataclass(frozen=True)
    class Failing(Scripted):
        def answer(self, objective, start, callback):
            answer = super().answer(objective, start, callback)
            return replace(answer, reason=Stop.NOT_FINITE) if self.answers else answer

    solver, rough = Watched(), Failing(points=wanderer().points, max_iter=15)
    solution = solve_renewing(solver, problem(), identity(1, 4), rough=rough)
    assert solution.reason is Stop.NOT_FINITE
    assert not solver.asked
    assert len(solution.history) == 4


class TestRough:
    def test_it_comes_near_the_optimum_and_proves_nothing(self):
        objective, start = problem(), identity(1, 4)
        best = Proximal(tol=1e-6, max_iter=1_000).solve(objective, start)
        rough = Rough().solve(objective, start)
        assert rough.value == pytest.approx(objective.value(rough.point), rel=1e-5)
        assert rough.value <= 1.1 * best.value < objective.value(start)
        assert np.isnan(rough.gap)
        assert rough.n_iter <= 15

    def test_on_many_rows_a_sample_is_enough(self):
        objective, start = problem(), identity(1, 4)
        sample = objective.sample(15, np.random.default_rng(0))
        rough = Rough(rows=15).solve(objective, start)
        assert rough.value == pytest.approx(sample.value(rough.point), rel=1e-5)
        assert rough.value < sample.value(start)

    def test_an_interrupt_keeps_the_start(self):
        def interrupt(record):
            raise KeyboardInterrupt

        start = identity(1, 4)
        rough = Rough().solve(problem(), start, callback=interrupt)
        assert rough.reason is Stop.INTERRUPTED
        assert rough.point is start
        assert rough.value == pytest.approx(problem().value(start), rel=1e-5)

    def test_what_is_not_finite_is_said(self):
        objective = replace(problem(), Z=problem().Z * 1e200)
        with np.errstate(all="ignore"):
            rough = Rough().solve(objective, identity(1, 4))
        assert rough.reason is Stop.NOT_FINITE
