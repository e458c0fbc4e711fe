"""The repaired subgradient method, against a loop written from its description."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from helpers.convex_reference import Penalty
from helpers.solver_problems import kinked, objective, random_rows, six_persons, unit
from nearkind.metrics.spectrum import Spectrum, decompose, identity
from nearkind.solvers.objective import MeanLinearization, Objective
from nearkind.solvers.solution import Stop
from nearkind.solvers.subgradient import LiteralSubgradient, Subgradient


def posed(p=2.0, strength=0.02, structure="single"):
    return objective(*six_persons(), structure, "triplets", Penalty(p), strength)


def on_the_cone(M):
    values, vectors = np.linalg.eigh(M)
    return (vectors * np.maximum(values, 0.0)[:, None]) @ vectors.swapaxes(1, 2)


def as_described(problem, M, n_iter, shrink):
    """Metrics M_1, M_2, ...; whether each step but the last was found by a search."""
    metrics, values, searched, step = [M], [], [], 1.0
    for t in range(1, n_iter):
        at = decompose(M)
        values.append(problem.value(at))
        best = metrics[int(np.argmin(values))]
        g = problem.subgradient(at, problem.linearize(at))
        classical = np.linalg.norm(best) / np.linalg.norm(g) / np.sqrt(t)
        while step > classical:
            trial = on_the_cone(M - step * g)
            moved = ((trial - M) ** 2).sum()
            if problem.value(decompose(trial)) <= values[-1] - moved / (2 * step):
                break
            step *= shrink
        searched.append(step > classical)
        step = max(step, classical)
        M, step = on_the_cone(M - step * g), step / shrink
        metrics.append(M)
    return metrics, searched


@pytest.mark.parametrize(
    ("structure", "p", "shrink"),
    [("single", 1.0, 0.1), ("single", 2.0, 0.5), ("multi", 2.0, 0.1)],
)
def test_every_metric_and_bound_is_that_of_the_description(structure, p, shrink):
    problem = posed(p, 0.3, structure)
    start = unit(problem)
    metrics, searched = as_described(problem, start.matrix, 24, shrink)
    assert 0 < sum(searched) < 23  # some steps by each way
    found = Subgradient(24, tol=0.0, shrink=shrink).solve(problem, start)
    values = [problem.value(decompose(M)) for M in metrics]
    told = [record.value for record in found.history]
    np.testing.assert_allclose(told, np.minimum.accumulate(values), rtol=1e-8)
    best = metrics[int(np.argmin(values))]
    np.testing.assert_allclose(found.point.matrix, best, atol=1e-7)
    assert_bounds_of_means(found, problem, metrics)


def assert_bounds_of_means(found, problem, metrics):
    """Each tenth iteration, and the last, the bound of a mean of what was seen."""
    at = [problem.linearize(decompose(M)) for M in metrics]
    highest, expected = 0.0, []
    for t in range(1, len(found.history) + 1):
        if t % 10 == 0 or t == len(metrics):
            share = np.arange(1.0, t + 1) / (t * (t + 1) / 2)
            G = np.einsum("t,tbvw->bvw", share, [a.gradient for a in at[:t]])
            intercept = share @ [a.intercept for a in at[:t]]
            highest = max(highest, problem.lower_bound(G, intercept))
        expected.append(highest)
    told = [record.value - record.gap for record in found.history]
    np.testing.assert_allclose(told, expected, atol=1e-9)
    assert len(set(np.round(expected, 9))) >= 3


def test_the_paper_s_method_has_the_same_bounds():
    problem, metrics = posed(strength=0.3), []

    class Watched(Objective):
        def linearize(self, point):
            metrics.append(point.matrix)
            return super().linearize(point)

    watched = Watched(problem.Z, problem.constraints, problem.regularizer, 0.3)
    found = LiteralSubgradient(24, tol=0.0).solve(watched, unit(problem))
    assert found.n_iter == len(metrics) == 24
    assert_bounds_of_means(found, problem, metrics)


@pytest.mark.parametrize("solver", [Subgradient(9, 0.0), LiteralSubgradient(9, 0.0)])
def test_iterations_are_counted_from_one(solver):
    problem = posed()
    found = solver.solve(problem, unit(problem))
    assert [record.iteration for record in found.history] == list(range(1, 10))
    assert found.reason is Stop.MAX_ITER


@pytest.mark.parametrize("kind", [Subgradient, LiteralSubgradient])
def test_the_last_of_many_iterations_is_certified_too(kind, monkeypatch):
    problem, n_added = posed(strength=0.3), []
    plain = MeanLinearization.add
    counts = []

    def add(self, at):
        plain(self, at)
        counts.append(self.count)

    def lower_bound(self, gradient, intercept, near=None):
        n_added.append(counts[-1])
        return 0.0

    monkeypatch.setattr(MeanLinearization, "add", add)
    monkeypatch.setattr(Objective, "lower_bound", lower_bound)
    found = kind(263, tol=0.0).solve(problem, unit(problem))
    assert found.reason is Stop.MAX_ITER
    assert n_added == [*range(10, 261, 10), 263]


def test_where_nothing_is_violated_nothing_is_left_to_do():
    """Rows of two classes far apart and no penalty: the gradient is zero."""
    phi, y = random_rows(0, 6, 2, 2)
    phi = 0.01 * phi + 9.0 * y[:, None, None]
    problem = objective(phi, y, "single", "triplets", Penalty(1.0), 0.0)
    found = Subgradient().solve(problem, unit(problem))
    assert (found.value, found.gap, found.n_iter) == (0.0, 0.0, 1)
    assert found.reason is Stop.TOLERANCE


def test_a_gradient_of_zero_proves_the_optimum_at_once():
    """w1 + w2 + [1 - w1]_+ + [1 - w2]_+ has slope 0 everywhere below 1."""
    problem = flat()
    start = Spectrum(np.array([[0.25], [0.5]]), np.ones((2, 1, 1)))
    found = Subgradient(max_iter=50).solve(problem, start)
    assert (found.value, found.n_iter) == (2.0, 1)
    assert found.gap == pytest.approx(0.0, abs=1e-12)
    assert found.reason is Stop.TOLERANCE
    assert found.point is start
    impossible = Subgradient(max_iter=50, tol=-1.0).solve(problem, start)
    assert (impossible.reason, impossible.n_iter) == (Stop.NO_DESCENT, 1)


def flat():
    """Return [1 - w1]_+ + [1 - w2]_+ + w1 + w2 over w >= 0."""
    like = kinked(1.0)
    signs = sparse.csr_array([[-1.0, 0.0], [0.0, -1.0]])
    stated = replace(
        like.constraints, signs=signs, offsets=np.ones(2), shares=np.ones(2)
    )
    return replace(like, constraints=stated)


def test_from_zero_a_search_finds_the_first_step():
    problem = posed(1.0)
    zero = Spectrum(np.zeros((1, 3)), np.eye(3)[None])
    found = Subgradient(max_iter=3, tol=0.0).solve(problem, zero)
    assert found.history[0].value == pytest.approx(1.0)
    assert found.history[1].value < 0.99


@pytest.mark.parametrize("max_trials", [1, 4, 15])
def test_the_paper_s_step_is_tried_so_often_and_ten_times_shorter(
    max_trials, monkeypatch
):
    problem, start, tried = kinked(strength=1.0), identity(2, 1), []
    plain = Objective.value

    def value(self, point):
        tried.append(np.abs(point.matrix - start.matrix).max())
        return plain(self, point)

    monkeypatch.setattr(Objective, "value", value)
    found = LiteralSubgradient(50, max_trials=max_trials).solve(problem, start)
    assert found.reason is Stop.NO_DESCENT
    size = tried[0] / 0.1
    expected = size * 0.1 ** np.arange(1, max_trials + 1)
    np.testing.assert_allclose(tried, expected, rtol=0.05)
