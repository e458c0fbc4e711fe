"""Constraints that move with the metric: solve, renew, solve again."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from local_problems import (
    WEIGHTED,
    problem,
    random_metric,
    square,
)
from nearkind.constraints.all_triplets import AllTriplets
from nearkind.solvers.proximal import Proximal
from nearkind.solvers.renewing import RENEWALS, ROUGHLY, solve_renewing
from nearkind.solvers.solution import Record, Solution, Stop
from nearkind.spectral import identity


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
    points = tuple(random_metric(problem(), seed) for seed in range(RENEWALS + 1))
    return Scripted(points=points, **settings)


def test_constraints_that_do_not_renew_are_solved_once():
    objective = replace(problem(), constraints=AllTriplets().bind(WEIGHTED))
    solver, start = Watched(), identity(1, 4)
    solution = solve_renewing(solver, objective, start)
    (asked,) = solver.asked
    assert asked[0] == solver
    assert asked[1] is objective
    assert asked[2] is start
    assert solution is solver.answers[0]


def test_each_solve_begins_where_the_last_ended_with_its_nearest_targets():
    objective, solver = problem(), wanderer()
    solution = solve_renewing(solver, objective, identity(1, 4))
    solvers, problems, starts = zip(*solver.asked, strict=True)
    tolerances = [asked.tol for asked in solvers]
    assert tolerances == [ROUGHLY] * RENEWALS + [solver.tol]
    assert problems[0] is objective
    for before, start, then in zip(
        solver.answers[:-1], starts[1:], problems[1:], strict=True
    ):
        assert start is before.point
        expected = square(problem().renewed(start).constraints)
        np.testing.assert_array_equal(square(then.constraints), expected)
    assert solution.point is solver.answers[-1].point


def test_targets_that_stay_are_not_renewed_again():
    start = random_metric(problem(), 0)
    objective = problem().renewed(start)
    solver = Scripted(points=(start,))
    solve_renewing(solver, objective, start)
    assert [asked.tol for asked, _, _ in solver.asked] == [ROUGHLY, solver.tol]
    assert objective.renewed(start) is objective


def test_a_tolerance_above_the_rough_one_is_kept():
    solver = wanderer(tol=0.1)
    solve_renewing(solver, problem(), identity(1, 4))
    assert {asked.tol for asked, _, _ in solver.asked} == {0.1}


@pytest.mark.parametrize("max_iter", [10, 61, 200])
def test_all_solves_together_keep_to_the_iterations_allowed(max_iter):
    solver = wanderer(max_iter=max_iter)
    solution = solve_renewing(solver, problem(), identity(1, 4))
    assert solution.n_iter == max_iter
    assert solver.asked[-1][0].max_iter >= max_iter // 4


def test_the_history_of_all_solves_is_one_that_never_falls():
    solver = Watched()
    solution = solve_renewing(solver, problem(), identity(1, 4))
    last = solver.answers[-1]
    assert len(solver.answers) > 1
    assert solution.point is last.point
    assert (solution.value, solution.gap) == (last.value, last.gap)
    assert solution.reason is last.reason
    lengths = [len(answer.history) for answer in solver.answers]
    assert len(solution.history) == sum(lengths)
    assert solution.n_iter == sum(answer.n_iter for answer in solver.answers)
    assert (np.diff([line.iteration for line in solution.history]) >= 0).all()
    assert (np.diff([line.seconds for line in solution.history]) >= 0.0).all()
    spent = sum(answer.history[-1].seconds for answer in solver.answers)
    assert solution.history[-1].seconds == pytest.approx(spent)
    assert [line.value for line in solution.history] == [
        line.value for answer in solver.answers for line in answer.history
    ]


@pytest.mark.parametrize("stop_in", range(1, RENEWALS + 2))
def test_an_interrupt_keeps_the_best_so_far_and_ends_it_all(stop_in):
    solver = Watched(tol=1e-6)

    def interrupt(record):
        if len(solver.asked) == stop_in and record.iteration > 0:
            raise KeyboardInterrupt

    solution = solve_renewing(solver, problem(), identity(1, 4), interrupt)
    assert solution.reason is Stop.INTERRUPTED
    assert len(solver.asked) == stop_in
    _, objective, start = solver.asked[-1]
    assert solution.value == pytest.approx(objective.value(solution.point))
    assert solution.value <= objective.value(start)
    assert solution.value < problem().value(identity(1, 4))
    lengths = [len(answer.history) for answer in solver.answers]
    assert len(solution.history) == sum(lengths)


def test_nothing_is_solved_after_what_is_not_finite():
    @dataclass(frozen=True)
    class Failing(Scripted):
        def answer(self, objective, start, callback):
            answer = super().answer(objective, start, callback)
            return replace(answer, reason=Stop.NOT_FINITE) if self.answers else answer

    solver = Failing(points=wanderer().points)
    solution = solve_renewing(solver, problem(), identity(1, 4))
    assert solution.reason is Stop.NOT_FINITE
    assert len(solver.asked) == 2
    assert len(solution.history) == 4
