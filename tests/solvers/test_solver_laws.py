"""What every solver promises, and what the problem itself implies for its optima."""

from functools import cache

import numpy as np
import pytest

from helpers.convex_reference import Penalty
from helpers.solver_problems import (
    kinked,
    objective,
    random_rows,
    regularizer,
    six_persons,
    unit,
    zero,
)
from nearkind.metrics.spectrum import decompose, identity
from nearkind.solvers.proximal import Proximal
from nearkind.solvers.solution import Stop
from nearkind.solvers.subgradient import LiteralSubgradient, Subgradient

SOLVERS = {
    "proximal": Proximal(max_iter=60, tol=1e-3),
    "subgradient": Subgradient(max_iter=60, tol=1e-3),
    "paper": LiteralSubgradient(max_iter=60, tol=1e-3),
}
PENALTIES = [Penalty(1.0), Penalty(1.5), Penalty(np.inf), Penalty(2.0, powered=True)]
every_solver = pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
every_penalty = pytest.mark.parametrize("penalty", PENALTIES, ids=str)
every_structure = pytest.mark.parametrize(
    "structure", ["single", "multi", "diagonal", "full"]
)


def triplets(penalty, strength=0.02, structure="single", rows=None, margin=1.0):
    phi, y = six_persons() if rows is None else rows
    return objective(phi, y, structure, "triplets", penalty, strength, margin)


@cache
def optimal_point(penalty):
    problem = triplets(penalty)
    return Proximal(max_iter=300).solve(problem, unit(problem)).point


def random_metric(problem, seed, scale):
    B, _, _, W = problem.Z.shape
    F = np.random.default_rng(seed).normal(size=(B, W, W))
    return decompose(scale * F @ F.swapaxes(1, 2)).positive()


# Promises of every solver


@cache
def solved(solver, penalty, structure):
    problem = triplets(penalty, structure=structure, rows=random_rows(4))
    return solver.solve(problem, unit(problem))


@pytest.mark.covering(2)
@every_solver
@every_penalty
@every_structure
def test_result_is_positive_semi_definite(structure, penalty, solver):
    M = solved(solver, penalty, structure).point.matrix
    np.testing.assert_array_equal(M, M.swapaxes(1, 2))
    assert np.linalg.eigvalsh(M).min() >= -1e-12 * max(np.abs(M).max(), 1.0)


@pytest.mark.covering(2)
@every_solver
@every_penalty
@every_structure
def test_value_and_gap_never_rise(structure, penalty, solver):
    history = solved(solver, penalty, structure).history
    assert len(history) > 1
    assert (np.diff([record.value for record in history]) <= 0.0).all()
    assert (np.diff([record.gap for record in history]) <= 1e-15).all()
    assert (np.diff([record.iteration for record in history]) > 0).all()
    assert (np.diff([record.seconds for record in history]) >= 0.0).all()


@every_solver
@every_penalty
def test_solution_agrees_with_its_history_and_point(penalty, solver):
    problem, told = triplets(penalty), []
    solution = solver.solve(problem, unit(problem), callback=told.append)
    assert told == solution.history
    assert told[-1].value == solution.value
    assert told[-1].gap == solution.gap
    assert told[-1].iteration == solution.n_iter
    assert problem.value(solution.point) == pytest.approx(solution.value, rel=1e-12)


@pytest.mark.covering(2)
@every_solver
@every_penalty
@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("max_iter", [1, 7, 50])
def test_no_worse_than_the_start(max_iter, scale, penalty, solver):
    problem = triplets(penalty)
    start = random_metric(problem, 5, scale)
    method = type(solver)(max_iter=max_iter)
    assert method.solve(problem, start).value <= problem.value(start) * (1 + 1e-12)


@every_solver
@every_penalty
@pytest.mark.parametrize("max_iter", [1, 10])
def test_no_worse_than_a_start_at_the_optimum(max_iter, penalty, solver):
    problem = triplets(penalty)
    best = optimal_point(penalty)
    again = type(solver)(max_iter=max_iter).solve(problem, best)
    assert again.value <= problem.value(best) * (1 + 1e-12)


@pytest.mark.parametrize("p", [2.0, 3.0])
@pytest.mark.parametrize("structure", ["single", "multi"])
def test_warm_start_at_the_optimum_stops_at_the_first_check(structure, p):
    """With the corner as narrow as the last run left it, nothing is to be redone."""
    problem = triplets(Penalty(p, powered=True), structure=structure)
    best = Proximal(max_iter=2000, tol=2e-4).solve(problem, unit(problem))
    warm = Proximal(max_iter=2000, tol=1e-3, width=0.5 / 81, check_every=5)
    again = warm.solve(problem, best.point)
    assert again.reason is Stop.TOLERANCE
    assert again.n_iter <= 6 < 20 < best.n_iter


@every_solver
@every_structure
def test_warm_start_at_zero_stops_early_where_zero_is_optimal(structure, solver):
    problem = triplets(Penalty(1.0), strength=2.0, structure=structure)
    solution = solver.solve(problem, zero(problem))
    assert solution.reason is Stop.TOLERANCE
    assert solution.n_iter <= 10
    assert solution.value == pytest.approx(1.0, abs=1e-12)


@pytest.mark.covering(2)
@pytest.mark.parametrize("margin", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("tol", [1e-2, 1e-3])
@pytest.mark.parametrize("kind", [Proximal, Subgradient])
@every_penalty
def test_tolerance_means_a_small_gap(penalty, kind, tol, margin):
    problem = triplets(penalty, margin=margin)
    solution = kind(max_iter=100, tol=tol).solve(problem, unit(problem))
    proven = solution.gap <= tol * solution.value
    assert (solution.reason is Stop.TOLERANCE) == proven


@pytest.mark.slow
@pytest.mark.parametrize("p", [1.0, 2.0, np.inf])
def test_a_tolerance_near_rounding_ends_well(p):
    """Narrow corners make the curvature large, where rounding begins to show."""
    problem = triplets(Penalty(p), 0.05)
    solution = Proximal(max_iter=3000, tol=1e-7).solve(problem, unit(problem))
    assert solution.reason in (Stop.TOLERANCE, Stop.MAX_ITER)
    assert solution.gap <= 2e-4 * solution.value


# The reasons for stopping, each reached


@every_solver
def test_stops_by_tolerance(solver):
    problem = triplets(Penalty(2.0), strength=0.3)
    method = type(solver)(max_iter=1000, tol=1e-3)
    assert method.solve(problem, unit(problem)).reason is Stop.TOLERANCE


@pytest.mark.parametrize("kind", [Proximal, Subgradient])
def test_stops_when_iterations_run_out(kind):
    problem = triplets(Penalty(2.0))
    solution = kind(max_iter=13, tol=0.0).solve(problem, unit(problem))
    assert solution.reason is Stop.MAX_ITER
    assert solution.n_iter == 13


def test_stops_when_nothing_descends():
    problem = triplets(Penalty(2.0))
    solution = Subgradient(max_iter=2000, tol=0.0, patience=20).solve(
        problem, unit(problem)
    )
    values = [record.value for record in solution.history]
    assert solution.reason is Stop.NO_DESCENT
    assert solution.n_iter < 2000
    assert len(set(values[-21:])) == 1 < len(set(values[-22:]))


@every_solver
@pytest.mark.parametrize("damage", [np.nan, np.inf, 1e200])
def test_stops_when_not_finite(damage, solver):
    problem = triplets(Penalty(1.0))
    problem.Z[0, 0, 0, 0] = damage
    with np.errstate(all="ignore"):
        solution = solver.solve(problem, unit(problem))
    assert solution.reason is Stop.NOT_FINITE
    np.testing.assert_array_equal(solution.point.matrix, unit(problem).matrix)


@every_solver
def test_stops_when_the_margin_is_enormous(solver):
    problem = triplets(Penalty(1.0), margin=1e308)
    with np.errstate(all="ignore"):
        assert solver.solve(problem, unit(problem)).reason is Stop.NOT_FINITE


@pytest.mark.parametrize("reason", [r for r in Stop if r is not Stop.TOLERANCE])
def test_every_other_reason_says_what_to_do(reason):
    asks = ("raise ", "take ", "look for ", "fit again ", "allow ")
    assert any(ask in reason.value.lower() for ask in asks)
    assert reason.value.endswith(".")


# Backtracking at a kink


def test_at_the_kink_no_step_along_the_subgradient_descends():
    problem, start = kinked(), identity(2, 1)
    slope = problem.linearize(start)
    g = problem.subgradient(start, slope)
    np.testing.assert_allclose(g.ravel(), (1.0, -2.0))
    for step in 0.1 ** np.arange(1, 13):
        trial = decompose(start.matrix - step * g).positive()
        rise = problem.value(trial) - slope.value
        assert rise == pytest.approx(3.0 * step, rel=1e-3)


def test_subgradient_ends_at_the_kink():
    problem, start = kinked(), identity(2, 1)
    solution = Subgradient(max_iter=50, patience=1).solve(problem, start)
    assert solution.reason is Stop.NO_DESCENT
    assert solution.n_iter == 2
    np.testing.assert_array_equal(solution.point.matrix, start.matrix)


def test_subgradient_gets_past_the_kink():
    problem, start = kinked(), identity(2, 1)
    solution = Subgradient(max_iter=2000, patience=2000).solve(problem, start)
    assert problem.value(start) == pytest.approx(9.0)
    assert 8.0 <= solution.value <= 8.05


# What the problem implies for its optima


def bracket(problem, tol=1e-3):
    """Return the optimum as proven: (lower, upper), at most tol apart, and M."""
    solution = Proximal(max_iter=3000, tol=tol).solve(problem, unit(problem))
    assert solution.reason is Stop.TOLERANCE
    return solution.value - solution.gap, solution.value, solution.point.matrix


def assert_same_optimum(a, b):
    """Two proven intervals of one number must overlap."""
    assert a[0] <= b[1] + 1e-7
    assert b[0] <= a[1] + 1e-7


TWO_CLASSES = {  # penalty: strength of "single" for strength 1 of "multi"
    Penalty(1.0): 2.0,
    Penalty(2.0): 2.0 ** (1 / 2),
    Penalty(3.0): 2.0 ** (1 / 3),
    Penalty(np.inf): 1.0,
    Penalty(2.0, powered=True): 2.0,
}


@pytest.mark.parametrize("penalty", TWO_CLASSES, ids=str)
def test_with_two_classes_the_structures_coincide(penalty):
    rows, strength = random_rows(20, n_rows=9, n_classes=2), 0.02
    adjusted = strength * TWO_CLASSES[penalty]
    multi = bracket(triplets(penalty, strength, "multi", rows))
    single = bracket(triplets(penalty, adjusted, "single", rows))
    full = bracket(triplets(penalty, adjusted, "full", rows))
    assert_same_optimum(multi, single)
    assert_same_optimum(single, full)


def test_with_two_classes_the_matrices_coincide():
    """Tr M^2 is strongly convex: |M - M*|^2 <= gap / strength."""
    rows, strength = random_rows(20, n_rows=9, n_classes=2), 0.02
    penalty = Penalty(2.0, powered=True)
    multi = bracket(triplets(penalty, strength, "multi", rows), tol=1e-4)
    single = bracket(triplets(penalty, 2 * strength, "single", rows), tol=1e-4)
    off_multi = np.sqrt(2 * (multi[1] - multi[0]) / strength)
    off_single = 2 * np.sqrt((single[1] - single[0]) / (2 * strength))
    apart = np.linalg.norm(multi[2].sum(axis=0) - 2 * single[2][0])
    assert apart <= off_multi + off_single
    assert off_multi + off_single < 0.2 * np.linalg.norm(2 * single[2][0])


@pytest.mark.parametrize("margin", [0.2, 2.5, 30.0])
@pytest.mark.parametrize("p", [1.0, np.inf])
@pytest.mark.covering(1)
def test_under_a_norm_the_optimum_scales_with_the_margin(p, margin):
    one = bracket(triplets(Penalty(p), 0.05))
    other = bracket(triplets(Penalty(p), 0.05, margin=margin))
    scaled = tuple(side / margin for side in other[:2])
    assert_same_optimum(one, scaled)
    problem = triplets(Penalty(p), 0.05, margin=margin)
    carried = problem.value(decompose(margin * one[2]))
    assert carried == pytest.approx(margin * one[1], rel=1e-6)


@pytest.mark.parametrize("p", [1.5, 2.0, 3.0])
def test_under_a_power_the_strength_scales_with_the_margin(p):
    margin, penalty = 2.5, Penalty(p, powered=True)
    one = bracket(triplets(penalty, 0.05 * margin ** (p - 1.0)))
    other = bracket(triplets(penalty, 0.05, margin=margin))
    assert_same_optimum(one, tuple(side / margin for side in other[:2]))


@pytest.mark.parametrize(("p", "known"), [(2.0, 0.0398480), (3.0, 0.0510789)])
def test_norm_and_power_differ_by_the_scale_of_the_strength(p, known):
    """The optimum under Tr M^p is that under ||M||_p at p ||M||_p^(p - 1) times it."""
    solution = Proximal(max_iter=2500, tol=1e-5).solve(
        powered := triplets(Penalty(p, powered=True)), unit(powered)
    )
    size = regularizer(Penalty(p)).value(solution.point.values)
    strength = 0.02 * p * size ** (p - 1.0)
    assert strength == pytest.approx(known, rel=0.02)
    normed = triplets(Penalty(p), strength)
    lower, upper, _ = bracket(normed)
    assert lower - 1e-7 <= normed.value(solution.point) <= 1.001 * upper
