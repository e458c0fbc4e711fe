"""Adam step by step: against the algorithm as published, and by scripted estimates."""

from dataclasses import replace

import numpy as np
import pytest

from nearkind.metrics.spectrum import decompose_factor
from nearkind.solvers import adam
from nearkind.solvers.adam import Adam
from nearkind.solvers.lbfgs import LBFGS
from nearkind.solvers.solution import Solution, Stop


class Bowl:
    """|F'F - target|^2 / 2 + strength Tr F'F; it remembers where it was asked."""

    def __init__(self, target, strength=0.0):
        self.target, self.strength, self.seen = target, strength, []

    def factor_gradient(self, F):
        self.seen.append(F.copy())
        off = F.swapaxes(1, 2) @ F - self.target
        return 0.5 * (off**2).sum(), 2.0 * F @ off

    def factor_penalty(self, F):
        return self.strength * (F**2).sum(), 2.0 * self.strength * F

    def value(self, point):
        off = point.matrix - self.target
        return 0.5 * (off**2).sum() + self.strength * point.values.sum()


class Estimates:
    """Values to be told in turn, whatever the metric; the last is repeated."""

    def __init__(self, *values):
        self.values = list(values)

    def value(self, point):
        return self.values[0]

    def factor_gradient(self, F):
        self.values = self.values[1:] or self.values
        return self.values[0] - 0.25, np.zeros_like(F)

    def factor_penalty(self, F):
        return 0.25, np.zeros_like(F)


class Problem:
    """Rows, of which samples are the given problems; it remembers what was asked."""

    def __init__(self, step, held, Z=None):
        self.minibatch, self.held, self.asked = step, held, []
        self.Z = np.random.default_rng(0).normal(size=(1, 50, 1, 3)) if Z is None else Z
        self.n_rows = self.Z.shape[1]

    def in_single(self):
        return self

    def sample_draws(self, size, rng, may_draw, most=None):
        self.asked.append((size, may_draw.copy(), most))
        return self.held if most is None else self.minibatch


def target(seed=3, B=1, W=3):
    F = np.random.default_rng(seed).normal(size=(B, W, W))
    return F @ F.swapaxes(1, 2)


def a_start(rank=2, B=1, W=3, seed=1):
    return decompose_factor(np.random.default_rng(seed).normal(size=(B, rank, W)))


def as_published(F, gradient, step, n_steps):
    """Algorithm 1 of Kingma and Ba, with their rates 0.9 and 0.999."""
    m, v, found = np.zeros_like(F), np.zeros_like(F), [F]
    for t in range(1, n_steps + 1):
        g = gradient(F)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        F = F - step * (m / (1 - 0.9**t)) / np.sqrt(v / (1 - 0.999**t))
        found.append(F)
    return found


def lengths(seen):
    """The largest change of an entry in each step."""
    return np.abs(np.diff(seen, axis=0)).max(axis=(1, 2, 3))


@pytest.mark.parametrize("B", [1, 2])
def test_steps_are_those_of_the_published_algorithm(B):
    bowl = Bowl(target(B=B), strength=0.3)
    Z = np.random.default_rng(0).normal(size=(B, 50, 1, 3))
    problem, start = Problem(bowl, Bowl(target(B=B)), Z), a_start(B=B)
    Adam(max_iter=1, round_steps=25, margin=1e-3).solve(problem, start)
    seen = bowl.seen
    first = lengths(seen)[0]

    def gradient(F):
        off = F.swapaxes(1, 2) @ F - bowl.target
        return 2.0 * F @ (off + 0.3 * np.eye(3))

    expected = as_published(seen[0], gradient, first, 24)
    np.testing.assert_allclose(seen, expected, rtol=1e-8)
    np.testing.assert_allclose(seen[0].swapaxes(1, 2) @ seen[0], start.matrix)


@pytest.mark.slow
def test_down_an_even_slope_the_last_step_is_as_long_as_the_first():
    class Slope(Bowl):
        def factor_gradient(self, F):
            return super().factor_gradient(F)[0], np.array([[[1.0, -2.0, 1e-3]]])

    slope = Slope(target())
    problem = Problem(slope, Estimates(1.0))
    Adam(max_iter=1, round_steps=1_000).solve(problem, a_start(1))
    np.testing.assert_allclose(lengths(slope.seen), lengths(slope.seen)[0], rtol=1e-8)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("scale", [0.1, 10.0])
def test_a_first_step_moves_two_rows_by_a_margin_about(rank, scale):
    """On the mean over rows, and over signs of what every number of F changes by."""
    Z = scale * np.random.default_rng(0).normal(size=(1, 40, 2, 3))
    Z -= Z.mean(axis=1, keepdims=True)
    bowl = Bowl(target())
    problem = Problem(bowl, bowl, Z)
    Adam(max_iter=1, round_steps=2, margin=0.7).solve(problem, a_start(rank))
    change = np.abs(bowl.seen[1] - bowl.seen[0])
    np.testing.assert_allclose(change, change.mean(), rtol=1e-6)
    between = Z[0, :, None] - Z[0]  # (n, n, K, W)
    moved = np.einsum("rw,ijkw->ij", change[0] ** 2, between**2)  # over all signs
    assert moved.mean() == pytest.approx(0.7)


def test_rows_that_are_all_zero_are_no_trouble():
    problem = Problem(Bowl(target()), Estimates(1.0), np.zeros((1, 50, 1, 3)))
    found = Adam(max_iter=1, round_steps=1).solve(problem, a_start())
    assert (found.value, found.reason) == (1.0, Stop.MAX_ITER)


@pytest.mark.slow
def test_rounds_that_gain_too_little_halve_the_steps_down_to_a_sixteenth():
    bowl = Bowl(target(), strength=100.0)  # far from its least: all steps alike
    problem = Problem(bowl, Estimates(8.0, 7.0, 6.5, 6.25, 6.0, 5.99))
    found = Adam(max_iter=50, tol=0.0625, round_steps=1, margin=1e-6).solve(
        problem, a_start()
    )
    # gains of 1 and 1/2 are a sixteenth of 8 and 7 or more; from 6.5 on too little
    assert [r.value for r in found.history] == [
        8.0, 7.0, 6.5, 6.25, 6.0, 5.99, 5.99, 5.99,
    ]  # fmt: skip
    assert (found.reason, found.n_iter) == (Stop.SETTLED, 7)
    steps = lengths(bowl.seen) / lengths(bowl.seen)[0]
    np.testing.assert_allclose(steps, [1, 1, 1, 1 / 2, 1 / 4, 1 / 8], rtol=0.02)


@pytest.mark.slow
def test_a_gain_of_the_tolerance_itself_is_too_little():
    bowl = Bowl(target(), strength=100.0)
    problem = Problem(bowl, Estimates(8.0, 7.5, 7.0, 6.0))
    Adam(max_iter=4, tol=0.0625, round_steps=1, margin=1e-6).solve(problem, a_start())
    steps = lengths(bowl.seen) / lengths(bowl.seen)[0]
    np.testing.assert_allclose(steps, [1, 1 / 2, 1 / 2], rtol=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("value", [-8.0, 8.0])
def test_a_gain_is_a_share_of_the_size_of_the_objective(value):
    problem = Problem(Bowl(target()), Estimates(value, value - 1.0))
    found = Adam(max_iter=1, tol=0.1, round_steps=1).solve(problem, a_start())
    assert (found.value, found.reason) == (value - 1.0, Stop.MAX_ITER)


@pytest.mark.slow
def test_steps_start_again_from_the_best_while_nothing_betters_the_start():
    bowl = Bowl(target(), strength=100.0)
    problem = Problem(bowl, Estimates(8.0, 9.0, 8.0, 7.0, 7.5, 7.4))
    Adam(max_iter=6, tol=0.01, round_steps=1, margin=1e-6).solve(problem, a_start())
    F = bowl.seen
    np.testing.assert_array_equal(F[1], F[0])  # 9 is no better, nor is 8
    np.testing.assert_array_equal(F[2], F[0])
    assert all((F[k] != F[k - 1]).all() for k in (3, 4, 5))  # 7 is


@pytest.mark.slow
def test_the_best_estimate_is_kept_and_every_round_recorded():
    bowl, told = Bowl(target()), []
    problem = Problem(bowl, held := Bowl(target()))
    found = Adam(max_iter=6, round_steps=3, margin=0.1).solve(
        problem, a_start(), callback=told.append
    )
    assert len(bowl.seen) == 18
    assert [r.iteration for r in told] == list(range(7))
    values = [held.value(a_start())]
    values += [held.value(decompose_factor(F)) for F in held.seen[-6:]]
    np.testing.assert_allclose(
        [r.value for r in told], np.minimum.accumulate(values), rtol=1e-9
    )
    assert held.value(found.point) == pytest.approx(min(values))


@pytest.mark.slow
def test_held_rows_never_draw_in_a_step_and_estimate_on_twice_as_many(monkeypatch):
    Z = np.random.default_rng(0).normal(size=(1, 1_000, 1, 3))
    solver = Adam(max_iter=2, round_steps=2, rows=70, anchors=30, held_share=0.25)

    def asked():
        problem = Problem(Bowl(target()), Bowl(target()), Z)
        rng = np.random.default_rng(5)
        replace(solver, rng=rng).solve(problem, a_start())
        return problem.asked

    (size, held, most), *steps = asked()
    assert (size, most) == (140, None)
    assert held.mean() == pytest.approx(0.25, abs=0.05)
    for step in steps:
        assert (step[0], step[2]) == (70, 30)
        np.testing.assert_array_equal(step[1], ~held)
    assert len(steps) == 4
    monkeypatch.setattr(adam, "FEW_HELD", held.sum())
    np.testing.assert_array_equal(asked()[0][1], held)
    monkeypatch.setattr(adam, "FEW_HELD", held.sum() + 1)
    assert all(may_draw.all() for _, may_draw, _ in asked())  # too few to hold out


def test_minibatches_are_small_until_the_first_step_is_halved(monkeypatch):
    monkeypatch.setattr(adam, "FIRST_ROWS", 30)
    problem = Problem(Bowl(target()), Estimates(8.0, 7.0, 7.0, 6.0))
    Adam(max_iter=4, round_steps=1, rows=70, anchors=20).solve(problem, a_start())
    assert [size for size, *_ in problem.asked[1:]] == [30, 30, 70, 70]
    problem = Problem(Bowl(target()), Estimates(8.0, 7.0))
    Adam(max_iter=1, round_steps=1, rows=20, anchors=20).solve(problem, a_start())
    assert [size for size, *_ in problem.asked[1:]] == [20]


@pytest.mark.parametrize("B", [1, 2])
def test_directions_are_dropped_that_hold_little_of_every_row(monkeypatch, B):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(B, 40, 2, 5))
    F, mean = rng.normal(size=(2, B, 5, 5))
    F *= np.array([3.0, 2.0, 1e-2, 1e-3, 1e-4])[:, None]
    state = adam.AdamState(F, 0.1, mean, np.ones_like(F))
    monkeypatch.setattr(adam, "FEW_DIRECTIONS", 1)

    def d2(F):
        V = np.einsum("brw,bnkw->nbkr", F, Z).reshape(40, -1)
        return np.square(V[:, None] - V).sum(axis=2)

    state.drop_directions(Z, 0.01)
    assert state.F.shape[1] in (2, 3)
    assert np.abs(d2(state.F) - d2(F)).max() <= 4 * 0.01
    assert state.mean.shape == state.square.shape == state.F.shape
    np.testing.assert_allclose(state.square, 1.0)  # of equal variances
    kept = state.F
    state.drop_directions(Z, 0.0)
    np.testing.assert_allclose(d2(state.F), d2(kept))
    monkeypatch.setattr(adam, "FEW_DIRECTIONS", 5)
    state.drop_directions(Z, np.inf)
    assert state.F.shape == kept.shape


def test_directions_are_dropped_when_the_step_is_halved(monkeypatch):
    monkeypatch.setattr(adam, "NARROW", 1e9)
    bowl, Z = Bowl(target(W=30)), np.ones((1, 50, 1, 30))
    problem = Problem(bowl, Estimates(8.0, 7.0, 7.0, 6.0), Z)
    Adam(max_iter=3, round_steps=1).solve(problem, a_start(30, W=30))
    assert [len(F[0]) for F in bowl.seen] == [30, 30, 16]


@pytest.mark.slow
def test_a_start_of_many_directions_is_first_descended_from(monkeypatch):
    asked, few = [], a_start(1)

    def solve(self, objective, start, *, callback=None):
        asked.append((self, start))
        return Solution(a_start(3), 0.0, np.nan, [], Stop.SETTLED)

    monkeypatch.setattr(LBFGS, "solve", solve)
    bowl, rng = Bowl(target()), np.random.default_rng(0)
    solver = Adam(max_iter=1, rng=rng, rows=90, max_rank=2)
    solver.solve(Problem(bowl, bowl), few)
    solver.solve(Problem(bowl, bowl), a_start(2))
    assert not asked  # two are not too many
    bowl.seen.clear()
    solver.solve(Problem(bowl, bowl), many := a_start(3))
    ((solver, start),) = asked
    assert start is many
    assert solver == LBFGS(15, 1e-3, rng, rows=45, max_rank=2)
    assert bowl.seen[0].shape == (1, 2, 3)
    first = decompose_factor(bowl.seen[0])
    np.testing.assert_allclose(first.matrix, a_start(3).truncated(2).matrix, atol=1e-12)


def test_batches_come_first_and_end():
    first, then = Bowl(target()), Bowl(target())
    problem = Problem(then, Bowl(target()))
    asked = []

    def batches(like):
        asked.append(like)
        return iter([first, first, first])

    Adam(max_iter=2, round_steps=5, batches=batches).solve(problem, a_start())
    assert asked == [problem]
    assert (len(first.seen), len(then.seen)) == (3, 7)
