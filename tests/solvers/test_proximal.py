"""The proximal solver in its parts: steps, widths of the corner, rounds, samples."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from helpers.convex_reference import Penalty
from helpers.solver_problems import objective, random_rows, six_persons, unit, zero
from nearkind.losses.hinge import SmoothedHinge
from nearkind.metrics.spectrum import decompose
from nearkind.solvers.objective import Linearization, Objective
from nearkind.solvers.proximal import Proximal, State
from nearkind.solvers.solution import Stop


def posed(p=np.inf, strength=0.05, n_rows=9, margin=1.0):
    rows = random_rows(2, n_rows)
    return objective(*rows, "single", "triplets", Penalty(p), strength, margin)


def as_published(smooth, M, curvature, n_steps):
    """FISTA with backtracking (Beck and Teboulle), restarted by the gradient.

    The curvature falls by a tenth after each step, so that it may fall again.
    """
    X = Y = M
    t, metrics, events = 1.0, [], set()
    for _ in range(n_steps):
        at = smooth.linearize(decompose(Y))
        while True:
            new = smooth.prox(Y - at.gradient / curvature, 1.0 / curvature)
            move = new.matrix - Y
            model = at.loss + (at.gradient * move).sum()
            model += curvature / 2.0 * (move**2).sum()
            if smooth.loss_value(new) <= model:
                break
            curvature *= 2.0
            events.add("doubled")
        if ((Y - new.matrix) * (new.matrix - X)).sum() > 0.0:
            t = 1.0
            events.add("restarted")
        grown = (1.0 + np.sqrt(1.0 + 4.0 * t**2)) / 2.0
        X, Y = new.matrix, new.matrix + (t - 1.0) / grown * (new.matrix - X)
        t, curvature = grown, 0.9 * curvature
        metrics.append(X)
    return metrics, events


@pytest.mark.parametrize(("width", "p"), [(0.5, np.inf), (0.1, 2.0)])
def test_steps_are_those_of_the_published_algorithm(width, p):
    problem = posed(p)
    smooth = problem.with_loss(SmoothedHinge(width))
    expected, events = as_published(smooth, unit(problem).matrix, 1e-2, 40)
    assert events == {"doubled", "restarted"}
    state = State(unit(problem), unit(problem), width)
    for M in expected:
        assert state.step(problem)
        np.testing.assert_allclose(state.point.matrix, M, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounding_does_not_stop_the_steps(dtype):
    """At the optimum nothing is left but rounding; the curvature stays the loss's."""
    problem = posed()
    problem = replace(problem, Z=problem.Z.astype(dtype))
    state = State(unit(problem), unit(problem), 0.1)
    highest = 0.0
    for _ in range(80):
        state.step(problem)
        highest = max(highest, state.curvature)
    assert highest < 10.0


def test_a_step_where_the_objective_is_not_finite_is_refused():
    problem = posed()
    broken = replace(problem, Z=np.full_like(problem.Z, np.inf))
    state = State(start := unit(problem), start, 0.1)
    with np.errstate(all="ignore"):
        assert not state.step(broken)
        assert state.bound(broken)[1] == 0.0
    assert state.point is state.ahead is start


def test_the_corner_is_half_the_width_times_the_mean_square_of_the_multipliers():
    problem, width = posed(), 0.4
    point = decompose(0.7 * unit(problem).matrix)
    phi, y = random_rows(2, 9)
    d2 = np.array([[0.7 * ((a - b) ** 2).sum() for b in phi] for a in phi])
    alpha = [
        np.clip((1.0 + d2[i, j] - d2[i, k]) / width, 0.0, 1.0)
        for i, j, k in permutations(range(9), 3)
        if y[i] == y[j] != y[k]
    ]
    assert 0.0 < np.mean(alpha) < 1.0
    state = State(point, point, width)
    at = state.linearize(problem, point)
    assert state.corner(at) == pytest.approx(width / 2.0 * np.mean(np.square(alpha)))


def test_the_last_linearization_is_remembered_and_no_other(monkeypatch):
    problem, n_calls = posed(), []
    plain = Objective.linearize

    def linearize(self, point):
        n_calls.append(self.loss)
        return plain(self, point)

    monkeypatch.setattr(Objective, "linearize", linearize)
    here, there = unit(problem), zero(problem)
    state = State(here, here, 0.5)
    first = state.linearize(problem, here)
    assert state.linearize(problem, here) is first
    assert len(n_calls) == 1
    state.linearize(problem, there)
    state.linearize(problem, here)
    assert len(n_calls) == 3
    state.narrow()
    state.linearize(problem, here)
    assert n_calls[2:] == [SmoothedHinge(0.5), SmoothedHinge(0.5 / 3.0)]


def test_a_narrower_corner_starts_again_from_where_it_is():
    problem = posed()
    state = State(unit(problem), unit(problem), 0.9)
    for _ in range(3):
        state.step(problem)
    assert state.ahead is not state.point
    assert state.momentum > 1.0
    state.narrow()
    assert state.ahead is state.point
    assert (state.width, state.momentum) == (pytest.approx(0.3), 1.0)


@pytest.mark.parametrize("size", [1e-3, 1.0])
def test_a_search_begins_with_a_step_of_ten_times_the_metric_at_most(size):
    problem = posed()
    point = decompose(size * unit(problem).matrix)
    state = State(point, point, 0.5)
    steepness = np.linalg.norm(state.linearize(problem, point).gradient)
    for curvature in (1e-9, 1e9):
        state.curvature = curvature
        state.shorten(problem)
        step = steepness / state.curvature
        assert step <= 10.0 * np.linalg.norm(point.matrix) * (1.0 + 1e-12)
        if curvature < 1.0:
            assert step == pytest.approx(10.0 * np.linalg.norm(point.matrix))
        else:
            assert state.curvature == curvature


def test_at_zero_and_where_nothing_is_finite_the_step_is_as_it_was():
    problem = posed()
    for point, Z in ((zero(problem), problem.Z), (unit(problem), np.inf * problem.Z)):
        state = State(point, point, 0.5, curvature=1e-9)
        with np.errstate(all="ignore"):
            state.shorten(replace(problem, Z=Z))
        assert state.curvature == 1e-9


def test_lbfgs_goes_on_from_the_metric_and_forgets_the_speed():
    problem = posed(2.0)
    state = State(unit(problem), unit(problem), 0.5)
    for _ in range(3):
        state.step(problem)
    smooth = problem.with_loss(SmoothedHinge(0.5))
    before = smooth.value(state.point)
    assert 1 <= state.run_lbfgs(problem, 4) <= 4
    assert smooth.value(state.point) < before
    assert (state.ahead is state.point, state.momentum) == (True, 1.0)
    fresh = smooth.linearize(state.point)
    known = state.linearize(problem, state.point)
    assert known.value == pytest.approx(fresh.value)
    np.testing.assert_allclose(known.gradient, fresh.gradient, atol=1e-9)


@pytest.fixture
def asked(monkeypatch):
    """Steps of either kind only count; every one is made."""
    made = []

    def step(self, hinge):
        made.append("step")
        return True

    def run_lbfgs(self, hinge, max_steps):
        made.append(max_steps)
        return max_steps

    monkeypatch.setattr(State, "step", step)
    monkeypatch.setattr(State, "run_lbfgs", run_lbfgs)
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("p", "rounds", "ends"),
    [
        (np.inf, ["step"] * 700, [0, 300, 600, 700]),
        (2.0, ["step", 300, "step", 300, "step", 97], [0, 301, 602, 700]),
    ],
)
def test_rounds_are_of_so_many_steps_until_all_are_made(p, rounds, ends, asked):
    problem = posed(p)
    solver = Proximal(max_iter=700, tol=0.0, check_every=300)
    found = solver.solve(problem, unit(problem))
    assert asked == rounds
    assert [record.iteration for record in found.history] == ends
    assert found.reason is Stop.MAX_ITER
    asked.clear()
    assert Proximal(max_iter=1, tol=0.0).solve(problem, unit(problem)).n_iter == 1
    assert asked == ["step"]


@pytest.mark.slow
def test_a_round_that_makes_no_step_is_the_end(monkeypatch):
    monkeypatch.setattr(State, "step", lambda self, hinge: False)
    problem = posed()
    found = Proximal().solve(problem, unit(problem))
    assert (found.reason, found.n_iter) == (Stop.NOT_FINITE, 0)


@pytest.fixture
def begun(monkeypatch):
    """Where each descent begins, instead of the descent."""
    states = []

    def descend(self, hinge, state, progress):
        states.append((self, hinge, state))
        return Stop.MAX_ITER

    monkeypatch.setattr(Proximal, "_descend", descend)
    return states


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bounds", "shrink"),
    [
        ((0.5, 0.4, 0.3), 1.0),
        ((0.5, 0.5, 0.5), 1.0),  # of equals the widest
        ((0.5, 0.5 * (1.0 + 1e-10), 0.5), 1.0),
        ((0.5, 0.5 * (1.0 + 1e-8), 0.5), 9.0),
        ((0.3, 0.4, 0.5), 81.0),
        ((0.0, 0.0, 0.0), 1.0),
    ],
)
def test_the_width_that_proves_most_is_taken(bounds, shrink, begun, monkeypatch):
    problem, scripted = posed(margin=0.5), iter(bounds)
    monkeypatch.setattr(State, "bound", lambda self, hinge: (None, next(scripted)))
    Proximal(width=0.2).solve(problem, start := unit(problem))
    ((_, _, state),) = begun
    assert state.width == pytest.approx(0.2 * 0.5 / shrink)  # at M = 0 margins are lost
    assert state.point is state.ahead is start


@pytest.mark.slow
@pytest.mark.parametrize(("warm_rows", "n_descents"), [(9, 2), (10, 1)])
def test_many_rows_begin_on_a_sample(warm_rows, n_descents, begun):
    problem = posed(n_rows=18)
    for tol, coarse in ((1e-4, 1e-2), (0.1, 0.1)):
        begun.clear()
        solver = Proximal(tol=tol, warm_rows=warm_rows)
        solver.solve(problem, unit(problem))
        assert len(begun) == n_descents
        assert begun[-1][0] == solver
        assert begun[-1][1].n_rows == 18
        if n_descents == 2:
            assert begun[0][0] == replace(solver, tol=coarse)
            assert begun[0][1].n_rows == 9
            assert begun[1][2] is begun[0][2]  # it goes on from there


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "n_narrowed"), [(1.0, 8), (1.5, 8), (1.5 + 1e-9, 0), (9.0, 0)]
)
def test_the_corner_is_narrowed_while_it_hides_what_is_left(
    value, n_narrowed, monkeypatch, asked
):
    """A plain bound of 2 is a smoothed one of 1 at a corner of 1; half of it may be."""
    widths = []

    def bound(self, hinge):
        widths.append(self.width)
        return Linearization(value, 0.0, np.zeros(1), 0.0), 2.0

    monkeypatch.setattr(State, "bound", bound)
    monkeypatch.setattr(State, "corner", lambda self, at: 1.0)
    problem = posed()
    Proximal(max_iter=1, tol=-1.0, check_every=1).solve(problem, unit(problem))
    first = 3 + min(n_narrowed + 1, 8)  # three to choose, and then until it is enough
    expected = 0.1 * problem.loss_value(zero(problem)) / 3.0 ** np.arange(first - 3)
    np.testing.assert_allclose(widths[3:first], expected)
    assert len(widths) == 3 + 2 * (first - 3)  # before and after the one step


@pytest.mark.slow
def test_nothing_is_narrowed_once_it_is_done(monkeypatch):
    problem = posed(strength=2.0)  # M = 0 is optimal
    narrowed = []
    monkeypatch.setattr(State, "narrow", narrowed.append)
    found = Proximal(tol=1e-3).solve(problem, zero(problem))
    assert (found.reason, found.n_iter) == (Stop.TOLERANCE, 0)
    assert not narrowed


@pytest.mark.slow
def test_one_round_is_under_the_widest_corner(asked, monkeypatch):
    problem = posed(2.0)
    widths = []
    monkeypatch.setattr(State, "shorten", lambda self, hinge: widths.append(self.width))
    solver = Proximal(max_iter=9, width=0.25, check_every=5)
    _, made = solver.one_round(problem, unit(problem))
    assert (asked, made) == (["step", 5], 6)
    at_zero = problem.loss_value(zero(problem))
    assert widths == [pytest.approx(0.25 * at_zero)]


def test_where_nothing_can_be_lost_the_corner_has_a_width_all_the_same():
    """Without violations at M = 0 there is nothing to smooth, and nothing to learn."""
    problem = objective(*six_persons(), "single", "triplets", Penalty(1.0), 0.1, 0.0)
    found = Proximal().solve(problem, zero(problem))
    assert (found.value, found.reason) == (0.0, Stop.TOLERANCE)


def test_a_state_is_certified_by_the_bound_of_its_smoothed_hinge():
    problem = posed(2.0)
    state = State(unit(problem), unit(problem), 0.3)
    at, bound = state.bound(problem)
    smooth = problem.with_loss(SmoothedHinge(0.3)).linearize(unit(problem))
    assert bound == pytest.approx(
        problem.lower_bound(smooth.gradient, smooth.intercept)
    )
    assert at.value == pytest.approx(smooth.value)
    best = Proximal(max_iter=500, tol=1e-3).solve(problem, unit(problem))
    assert bound <= best.value
