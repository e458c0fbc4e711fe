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
from nearkind.constraints.triplets import AllTriplets
from nearkind.metrics.spectrum import identity
from nearkind.solvers.proximal import Proximal, State
from nearkind.solvers.renewal import RENEWALS, ProximalRound, solve_with_renewal
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
    solver, short, start = Watched(), Watched(), identity(1, 4)
    solution = solve_with_renewal(solver, objective, start, short=short)
    (asked,) = solver.asked
    assert not short.asked
    assert asked[0] == solver
    assert asked[1] is objective
    assert asked[2] is start
    assert solution is solver.answers[0]


def test_each_solve_begins_where_the_last_ended_with_its_nearest_targets():
    objective, solver, short = problem(), Watched(), wanderer()
    solution = solve_with_renewal(solver, objective, identity(1, 4), short=short)
    _, problems, starts = zip(*short.asked, *solver.asked, strict=True)
    assert len(short.asked) == RENEWALS
    assert problems[0] is objective
    for before, start, then in zip(
        short.answers, starts[1:], problems[1:], strict=True
    ):
        assert start is before.point
        expected = square(problem().renewed(start).constraints)
        np.testing.assert_array_equal(square(then.constraints), expected)
    assert solution.point is solver.answers[-1].point


def test_targets_that_stay_are_not_renewed_again():
    start = random_metric(problem(), 0)
    objective = problem().renewed(start)
    solver, short = Watched(), Scripted(points=(start,), max_iter=15)
    solve_with_renewal(solver, objective, start, short=short)
    assert len(short.asked) == len(solver.asked) == 1
    assert objective.renewed(start) is objective


@pytest.mark.parametrize("max_iter", [10, 61, 200])
def test_all_solves_together_keep_to_the_iterations_allowed(max_iter):
    short = wanderer()
    solver = Scripted(points=short.points, max_iter=max_iter)
    solution = solve_with_renewal(solver, problem(), identity(1, 4), short=short)
    assert solution.n_iter == max_iter
    assert solver.asked[-1][0].max_iter >= max_iter // 2


@pytest.mark.parametrize(
    ("max_iter", "of_each"), [(1, 1), (7, 1), (8, 2), (59, 14), (60, 15), (400, 15)]
)
def test_a_descent_between_has_a_quarter_of_the_iterations_at_most(max_iter, of_each):
    short = wanderer()  # it would take 15
    solver = Scripted(points=short.points, max_iter=max_iter)
    solve_with_renewal(solver, problem(), identity(1, 4), short=short)
    assert [asked.max_iter for asked, *_ in short.asked] == [of_each] * RENEWALS
    left = max(1, max_iter - RENEWALS * of_each)
    assert [asked.max_iter for asked, *_ in solver.asked] == [left]


def test_the_history_of_all_solves_is_one_that_never_falls():
    solver, short = Watched(), Watched(max_iter=10)
    solution = solve_with_renewal(solver, problem(), identity(1, 4), short=short)
    answers, last = [*short.answers, *solver.answers], solver.answers[-1]
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
    short = Watched(tol=1e-6, max_iter=10, asked=asked)

    def interrupt(record):
        if len(asked) == stop_in and record.iteration > 0:
            raise KeyboardInterrupt

    solution = solve_with_renewal(solver, problem(), identity(1, 4), interrupt, short)
    assert solution.reason is Stop.INTERRUPTED
    assert len(asked) == stop_in
    _, objective, start = asked[-1]
    assert solution.value == pytest.approx(objective.value(solution.point))
    assert solution.value <= objective.value(start)
    assert solution.value < problem().value(identity(1, 4))
    answers = [*short.answers, *solver.answers]
    assert len(solution.history) == sum(len(answer.history) for answer in answers)


def test_nothing_is_solved_after_what_is_not_finite():
    @dataclass(frozen=True)
    class Failing(Scripted):
        def answer(self, objective, start, callback):
            answer = super().answer(objective, start, callback)
            return replace(answer, reason=Stop.NOT_FINITE) if self.answers else answer

    solver, short = Watched(), Failing(points=wanderer().points, max_iter=15)
    solution = solve_with_renewal(solver, problem(), identity(1, 4), short=short)
    assert solution.reason is Stop.NOT_FINITE
    assert not solver.asked
    assert len(solution.history) == 4


class TestProximalRound:
    def test_it_comes_near_the_optimum_and_proves_nothing(self):
        objective, start = problem(), identity(1, 4)
        best = Proximal(tol=1e-3, max_iter=1_000).solve(objective, start)
        short = ProximalRound().solve(objective, start)
        assert short.value == pytest.approx(objective.value(short.point), rel=1e-5)
        assert short.value <= 1.1 * (best.value - best.gap) < objective.value(start)
        assert np.isnan(short.gap)
        assert short.n_iter <= 15

    def test_on_many_rows_a_sample_is_enough(self):
        objective, start = problem(), identity(1, 4)
        sample = objective.sample(15, np.random.default_rng(0))
        short = ProximalRound(rows=15).solve(objective, start)
        assert short.value == pytest.approx(sample.value(short.point), rel=1e-5)
        assert short.value < sample.value(start)

    def test_fewer_than_four_samples_are_taken_whole(self):
        objective, start = problem(), identity(1, 4)  # of 60 rows
        short = ProximalRound(rows=16).solve(objective, start)
        assert short.history[0].value == pytest.approx(objective.value(start), rel=1e-5)
        short = ProximalRound(rows=15).solve(objective, start)
        assert short.history[0].value != pytest.approx(objective.value(start), rel=1e-5)

    def test_it_is_one_round_of_all_its_iterations(self):
        short = ProximalRound(max_iter=7).solve(problem(), identity(1, 4))
        assert [record.iteration for record in short.history] == [0, 7]
        assert short.history[1].value == short.value < short.history[0].value
        assert short.reason is Stop.MAX_ITER

    def test_an_interrupt_keeps_the_start(self):
        def interrupt(record):
            raise KeyboardInterrupt

        start = identity(1, 4)
        short = ProximalRound().solve(problem(), start, callback=interrupt)
        assert short.reason is Stop.INTERRUPTED
        assert short.point is start
        assert short.value == pytest.approx(problem().value(start), rel=1e-5)

    def test_what_is_not_finite_is_said(self):
        objective = replace(problem(), Z=problem().Z * 1e200)
        with np.errstate(all="ignore"):
            short = ProximalRound().solve(objective, identity(1, 4))
        assert short.reason is Stop.NOT_FINITE

    def test_a_step_that_is_refused_is_said_though_the_start_is_finite(
        self, monkeypatch
    ):
        monkeypatch.setattr(State, "step", lambda self, hinge: False)
        short = ProximalRound().solve(problem(), identity(1, 4))
        assert (short.reason, short.n_iter) == (Stop.NOT_FINITE, 0)
