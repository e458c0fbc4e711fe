"""Algorithms 1 and 2 as printed, against loops written from the page."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import nearkind as nk
from helpers.convex_reference import Penalty
from helpers.solver_problems import kinked, objective, six_persons, unit
from nearkind.metrics.spectrum import identity
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.solution import Stop
from nearkind.solvers.subgradient import LiteralSubgradient

OPTIMUM = {1.0: 0.6173780, 2.0: 0.6071169}  # at strength 0.02, one matrix


class Printed:
    """f(M) = weight * r(M) + lambda * mean hinge over triplets, all A^ij stored."""

    def __init__(self, p, loss_weight, weight=1.0):
        phi, y = six_persons()
        delta = phi[:, None] - phi[None]
        self.A = np.einsum("ijdc,ijec->ijde", delta, delta)
        self.triplets = [
            (i, j, k)
            for i, j, k in permutations(range(len(y)), 3)
            if y[i] == y[j] != y[k]
        ]
        self.p, self.weight, self.loss_weight = p, weight, loss_weight

    def violation(self, M, i, j, k):
        return (self.A[i, j] * M).sum() + 1.0 - (self.A[i, k] * M).sum()

    def f(self, M):
        r = np.linalg.norm(np.linalg.eigvalsh(M), self.p)
        total = sum(max(self.violation(M, *t), 0.0) for t in self.triplets)
        return self.weight * r + self.loss_weight * total / len(self.triplets)

    def gradient(self, M):
        G = sum(
            self.A[i, j] - self.A[i, k]
            for i, j, k in self.triplets
            if self.violation(M, i, j, k) > 0.0
        )
        dr = np.eye(3) if self.p == 1.0 else M / np.linalg.norm(M)
        return self.weight * dr + self.loss_weight * G / len(self.triplets)

    def step(self, M, g):
        """Algorithm 2."""
        a = 1.0
        while True:
            a *= 0.1
            if self.f(M - a * g) <= self.f(M) - a / 2 * (g * g).sum():
                return a

    def metrics(self, n):
        """Algorithm 1: M after each of n iterations, and the steps."""
        M, steps, found = np.eye(3), [], []
        for _ in range(n):
            g = self.gradient(M)
            steps.append(self.step(M, g))
            values, vectors = np.linalg.eigh(M - steps[-1] * g)
            M = (vectors * np.maximum(values, 0.0)) @ vectors.T
            found.append(M)
        return found, steps


def posed(p=1.0, strength=0.02):
    return objective(*six_persons(), "single", "triplets", Penalty(p), strength)


@pytest.mark.parametrize("p", [1.0, 2.0])
@pytest.mark.parametrize("strength", [0.02, 0.3])
def test_every_metric_is_that_of_the_printed_loops(p, strength):
    problem, printed = posed(p, strength), Printed(p, 1.0 / strength)
    solution = LiteralSubgradient(41, tol=0.0).solve(problem, unit(problem))
    told = [record.value for record in solution.history]
    metrics, steps = printed.metrics(40)
    metrics = [np.eye(3), *metrics][: len(told)]
    values = [strength * printed.f(M) for M in metrics]
    np.testing.assert_allclose(told, np.minimum.accumulate(values), rtol=1e-7)
    best = metrics[int(np.argmin(values))]
    np.testing.assert_allclose(solution.point.matrix[0], best, atol=1e-6)
    if solution.reason is Stop.NO_DESCENT:  # the loops go on, by steps of rounding
        assert max(steps[len(told) - 1 :]) < 1e-14


def test_the_first_step_is_a_tenth_at_most():
    """Worked: at M = I and lambda 2, f is 3 + 2 * 0.8287 and steps start at 0.1."""
    printed = Printed(1.0, 2.0)
    assert printed.f(np.eye(3)) == pytest.approx(4.6574074, abs=1e-7)
    metrics, steps = printed.metrics(3)
    assert max(steps) <= 0.1 + 1e-15
    problem = posed(1.0, 0.5)
    solution = LiteralSubgradient(2, tol=0.0).solve(problem, unit(problem))
    assert 2.0 * solution.value == pytest.approx(printed.f(metrics[0]), rel=1e-12)


def test_the_test_is_made_before_the_projection():
    """Some tested matrix is indefinite, and the metric kept is another one."""
    printed = Printed(2.0, 50.0)
    metrics, steps = printed.metrics(40)
    tested = [
        M - step * printed.gradient(M)
        for M, step in zip([np.eye(3), *metrics[:-1]], steps, strict=True)
    ]
    assert min(np.linalg.eigvalsh(M).min() for M in tested) < -1e-6


@pytest.mark.parametrize("p", OPTIMUM)
def test_the_gap_is_a_proof(p):
    problem = posed(p)
    solution = LiteralSubgradient(200).solve(problem, unit(problem))
    for record in solution.history:
        assert record.value - record.gap <= OPTIMUM[p] + 1e-6
    assert solution.value >= OPTIMUM[p] - 1e-6


@pytest.mark.parametrize(
    ("n_iter", "known"),
    [(200, 0.6110950), pytest.param(2000, 0.6073582, marks=pytest.mark.slow)],
)
def test_it_does_not_halt_and_stays_above_the_optimum(n_iter, known):
    problem = posed(2.0)
    solution = LiteralSubgradient(n_iter).solve(problem, unit(problem))
    assert solution.reason is Stop.MAX_ITER
    assert solution.value == pytest.approx(known, rel=1e-4)
    assert solution.gap > 0.5 * solution.value  # far from proven


class Trace(Schatten):
    """Tr M by its formula, also where M is indefinite."""

    def value(self, spectrum):
        return float(spectrum.sum())


@pytest.mark.parametrize(
    ("strength", "ends_at", "optimum"),
    [(0.1, 0.76991, 0.704660), (0.3, 0.96822, 0.853729), (0.6, 1.20111, 0.989122)],
)
def test_with_the_trace_norm_a_zero_eigenvalue_is_a_kink(strength, ends_at, optimum):
    problem, solver = posed(1.0, strength), LiteralSubgradient(200, tol=0.0)
    solution = solver.solve(problem, unit(problem))
    assert solution.reason is Stop.NO_DESCENT
    assert solution.value == pytest.approx(ends_at, abs=1e-5)
    by_formula = solver.solve(replace(problem, regularizer=Trace()), unit(problem))
    assert optimum - 1e-6 <= by_formula.value <= 1.001 * optimum


@pytest.mark.slow
def test_with_lambda_on_the_regularizer_it_is_further_off():
    """As the objective is printed: the same direction, steps 50 times shorter."""
    printed = Printed(2.0, 1.0, weight=0.02)
    metrics, _ = printed.metrics(2000)
    assert min(map(printed.f, metrics)) == pytest.approx(0.61384, rel=1e-4)


def test_at_a_kink_it_ends_and_says_so():
    problem, start = kinked(strength=1.0), identity(2, 1)
    solution = LiteralSubgradient(50).solve(problem, start)
    assert solution.reason is Stop.NO_DESCENT
    assert solution.n_iter == 1
    np.testing.assert_array_equal(solution.point.matrix, start.matrix)


def test_as_a_setting_of_the_estimator():
    data = nk.datasets.load("credit_risk", as_frame=False)
    settings = {"p": 2.0, "strength": 0.02, "solver": "paper", "max_iter": 50}
    with pytest.warns(UserWarning, match="The iterations ran out"):
        model = nk.CPML(**settings).fit(data.X, data.y)
    problem = posed(2.0)
    plain = LiteralSubgradient(50).solve(problem, unit(problem))
    assert model.stop_reason_ == "MAX_ITER"
    assert model.objective_ == pytest.approx(plain.value, rel=1e-9)


@pytest.mark.parametrize("strength", [0.0, "0%"])
def test_lambda_cannot_be_infinite(strength):
    data = nk.datasets.load("credit_risk", as_frame=False)
    with pytest.raises(ValueError, match=r"'strength' .* > 0 when solver='paper'"):
        nk.CPML(solver="paper", strength=strength).fit(data.X, data.y)


def test_directions_in_which_rows_do_not_differ_are_in_the_start():
    """M = I is printed, on all features: the norm of a constant one counts."""
    X = [["a", "k"], ["a", "k"], ["b", "k"], ["b", "k"]]
    with pytest.warns(UserWarning, match="The iterations ran out"):
        model = nk.CPML(solver="paper", strength=0.1, max_iter=1).fit(X, [0, 0, 1, 1])
    np.testing.assert_array_equal(model.metric_[0], np.eye(2))
