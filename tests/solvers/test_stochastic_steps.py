"""The stochastic solver step by step, against a loop written from its description."""

from copy import copy
from types import SimpleNamespace

import numpy as np
import pytest

from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.metrics.spectrum import decompose, identity
from nearkind.solvers.proximal import Proximal
from nearkind.solvers.solution import Stop
from nearkind.solvers.stochastic import Stochastic

START, WARM, WIDTH, CURVATURE = (
    identity(1, 3),
    decompose(2.0 * np.eye(3)[None]),
    0.5,
    4.0,
)


def shrunk(M, step):
    """The prox of step times the trace, by its formula."""
    values, vectors = np.linalg.eigh(M)
    return (vectors * np.maximum(values - step, 0.0)[:, None]) @ vectors.swapaxes(1, 2)


class Sample:
    """|M - target|^2 / 2 + strength Tr M, as a sample has it."""

    def __init__(self, seed, strength=0.25):
        F = np.random.default_rng(seed).normal(size=(1, 3, 3))
        self.target, self.strength = F + F.swapaxes(1, 2), strength

    def value(self, point):
        off = point.matrix - self.target
        return 0.5 * (off**2).sum() + self.strength * point.values.sum()

    def linearize(self, point):
        return SimpleNamespace(gradient=point.matrix - self.target)

    def prox(self, M, step):
        return decompose(shrunk(M, step * self.strength))

    def moved(self, M, step):
        """A proximal step from M, by the same formulas."""
        return shrunk(M - step * (M - self.target), step * self.strength)


class Problem:
    """Rows of which each sample is another; it remembers size and loss of each."""

    def __init__(self, held, loss=None):
        self.held, self.loss, self.asked, self.drawn = held, loss, [], []

    def with_loss(self, loss):
        other = copy(self)
        other.loss = loss
        return other

    def in_single(self):
        return self

    def sample(self, size, rng):
        self.asked.append((size, self.loss))
        self.drawn.append(rng.random())
        return Sample(len(self.asked)) if len(self.asked) > 1 else self.held


def polished_mean(samples, last):
    """Steps that fall as 1 / sqrt(1 + t / 20); the t-th iterate weighs t in the mean.

    Then five steps of the first length on one sample.
    """
    first, M, iterates = 0.5 / CURVATURE, WARM.matrix, []
    for t, sample in enumerate(samples, 1):
        M = sample.moved(M, first / np.sqrt(1.0 + t / 20.0))
        iterates.append(M)
    M = np.average(iterates, axis=0, weights=range(1, len(samples) + 1))
    for _ in range(5):
        M = last.moved(M, first)
    return M


class Estimates:
    """Values to be told in turn, whatever the metric."""

    def __init__(self, *values):
        self.values = iter(values)

    def value(self, point):
        return next(self.values)


@pytest.fixture(autouse=True)
def warm_up(monkeypatch):
    """The sample solved exactly is at 2 I."""
    asked = []

    def descend(self, sample, start):
        asked.append((self, sample, start))
        return SimpleNamespace(point=WARM, width=WIDTH, curvature=CURVATURE)

    monkeypatch.setattr(Proximal, "descend", descend)
    return asked


@pytest.mark.parametrize("n_steps", [1, 2, 7])
def test_the_mean_of_the_iterates_is_polished_on_a_larger_sample(n_steps):
    samples = [Sample(2 + t) for t in range(1, n_steps + 2)]
    solver = Stochastic(n_steps, held_rows=90, batch_rows=10, round_steps=20)
    problem = Problem(Estimates(3.0, 2.0, 1.0))
    found = solver.solve(problem, START)
    expected = polished_mean(samples[:-1], samples[-1])
    np.testing.assert_allclose(found.point.matrix, expected, atol=1e-12)
    assert (found.value, found.reason, found.n_iter) == (1.0, Stop.MAX_ITER, n_steps)
    smooth = SmoothedHinge(WIDTH)
    assert problem.asked == [
        (90, Hinge()), (20, Hinge()), *[(10, smooth)] * n_steps, (40, smooth),
    ]  # fmt: skip


def test_the_mean_goes_on_over_all_rounds():
    solver = Stochastic(4, tol=-1.0, round_steps=2)
    found = solver.solve(Problem(Estimates(5.0, 4.0, 3.0, 2.0)), START)
    steps = [Sample(seed) for seed in (3, 4, 6, 7)]  # the fifth polished
    expected = polished_mean(steps, Sample(8))
    np.testing.assert_allclose(found.point.matrix, expected, atol=1e-12)


def test_it_starts_from_a_sample_solved_to_a_hundredth(warm_up):
    Stochastic(9, tol=1e-6).solve(Problem(Estimates(3.0, 2.0, 1.0)), START)
    ((solver, _, start),) = warm_up
    assert (solver.max_iter, solver.tol) == (9, 1e-2)
    assert start is START


def test_estimates_are_made_each_round_and_the_last_step():
    told = []
    solver = Stochastic(7, tol=-1.0, round_steps=3)
    problem = Problem(Estimates(9.0, 8.0, 7.0, 7.5, 6.0))
    found = solver.solve(problem, START, callback=told.append)
    assert [(r.iteration, r.value) for r in told] == [(3, 7.0), (6, 7.0), (7, 6.0)]
    assert (found.history, found.reason) == (told, Stop.MAX_ITER)
    assert all(np.isnan(r.gap) for r in told)


def test_it_settles_when_a_round_gains_ten_tolerances_or_less():
    problem = Problem(Estimates(9.0, 8.0, 7.48, 7.0, 6.5625, 0.0))
    found = Stochastic(50, tol=1 / 160, round_steps=2).solve(problem, START)
    # a sixteenth of 7 is the gain of the last round, and little more that of others
    assert (found.value, found.n_iter) == (6.5625, 6)
    assert found.reason is Stop.SETTLED


def test_what_is_not_better_is_not_kept():
    found = Stochastic(2).solve(Problem(Estimates(3.0, 5.0, 4.0)), START)
    assert (found.point is START, found.value) == (True, 3.0)
    found = Stochastic(2).solve(Problem(Estimates(5.0, 3.0, 4.0)), START)
    assert (found.point is WARM, found.value) == (True, 3.0)


def test_batches_come_first_and_end():
    asked, batch = [], Sample(30)

    def batches(like):
        asked.append(like.loss)
        return iter([batch, batch])

    problem = Problem(Estimates(3.0, 2.0, 1.0))
    found = Stochastic(3, batch_rows=10, batches=batches).solve(problem, START)
    assert asked == [SmoothedHinge(WIDTH)]
    assert [size for size, _ in problem.asked] == [6_000, 20, 10, 40]
    expected = polished_mean((batch, batch, Sample(3)), Sample(4))
    np.testing.assert_allclose(found.point.matrix, expected, atol=1e-12)


def test_draws_come_from_the_source_given_and_repeat_themselves_without_one():
    def drawn(rng=None):
        problem = Problem(Estimates(3.0, 2.0, 1.0))
        Stochastic(3, rng=rng).solve(problem, START)
        return problem.drawn

    assert drawn() == drawn() != drawn(np.random.default_rng(7))
    expected = np.random.default_rng(7).random(6)
    np.testing.assert_array_equal(drawn(np.random.default_rng(7)), expected)
