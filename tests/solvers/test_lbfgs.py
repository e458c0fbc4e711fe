"""L-BFGS on a factor: never above its start, the best is kept."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from helpers.convex_reference import Penalty
from helpers.local_problems import problem as local_problem
from helpers.solver_problems import (
    STRUCTURES,
    objective,
    random_rows,
    six_persons,
    unit,
    zero,
)
from nearkind.constraints.local import LocalTriplets
from nearkind.constraints.soft_neighbors import SoftNeighbors
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.metrics.spectrum import Spectrum, decompose, identity
from nearkind.regularizers.schatten import Schatten, SchattenPower
from nearkind.solvers import lbfgs
from nearkind.solvers.lbfgs import (
    LBFGS,
    Evaluation,
    SmoothedLBFGS,
    evaluate_in_factor,
    evaluate_in_metric,
    factor_of,
    minimize_factor,
)
from nearkind.solvers.objective import Objective
from nearkind.solvers.proximal import Proximal
from nearkind.solvers.solution import Deadline, Stop

PENALTIES = [Schatten(1.0), Schatten(3.0), SchattenPower(2.0)]
ROWS = {"six persons": six_persons(), "drawn": random_rows(3)}
LONG = SmoothedLBFGS(max_iter=1_000, tol=1e-5)


def small(rows="drawn", structure="full", kind="triplets", strength=1e-2):
    return objective(*ROWS[rows], structure, kind, Penalty(1.0), strength)


def stop_after(iteration):
    def callback(record):
        if record.iteration >= iteration:
            raise KeyboardInterrupt

    return callback


def posed(n_rows=30, structure="full", penalty=PENALTIES[0], strength=1e-2, **options):
    phi, y = random_rows(1, n_rows)
    bound = SoftNeighbors(0.2, **options).bind(WeightedLabels(y, np.ones(n_rows)))
    Z = np.ascontiguousarray(STRUCTURES[structure]().blocks(phi))
    return Objective(Z, bound, penalty, strength)


def somewhere(problem, seed=0):
    B, _, _, W = problem.Z.shape
    F = np.random.default_rng(seed).normal(size=(B, 2, W))
    return decompose(F.swapaxes(1, 2) @ F).positive()


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
@pytest.mark.parametrize("max_iter", [1, 3, 60])
def test_it_ends_not_above_its_start_and_within_the_cone(max_iter, penalty, structure):
    problem = posed(structure=structure, penalty=penalty)
    for start in (unit(problem), zero(problem), somewhere(problem)):
        found = LBFGS(max_iter).solve(problem, start)
        assert found.value <= problem.value(start)
        assert found.value == pytest.approx(problem.value(found.point), rel=1e-9)
        assert found.point.values.min() >= 0.0
        assert np.isnan(found.gap)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_evaluating_in_the_factor_equals_evaluating_in_the_metric(penalty, structure):
    problem = posed(structure=structure, penalty=penalty)
    F = factor_of(somewhere(problem))
    fast, slow = evaluate_in_factor(problem, F), evaluate_in_metric(problem, F)
    assert fast.value == pytest.approx(slow.value, rel=1e-12)
    np.testing.assert_allclose(fast.gradient, slow.gradient, atol=1e-12)


def test_beyond_the_largest_rank_the_largest_directions_go_on():
    problem = posed()
    few, all_of_them = (
        LBFGS(60, max_rank=rank).solve(problem, unit(problem)) for rank in (3, 32)
    )
    assert few.point.rank <= 3 < unit(problem).rank
    assert few.value < few.history[6].value < problem.value(unit(problem))
    assert few.value == pytest.approx(all_of_them.value, rel=0.02)


def test_a_deadline_ends_it_with_the_best_so_far():
    problem, deadline = posed(), Deadline()

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
    problem = posed(structure=structure)
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
    problem = posed(penalty=penalty)
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
    problem = posed()
    found = LBFGS(max_iter=4, tol=0.0).solve(problem, unit(problem))
    assert (found.reason, found.n_iter) == (Stop.MAX_ITER, 4)


def test_no_bit_depends_on_who_computes_the_chunks():
    problem = posed(60, at_once=300)
    assert len(problem.constraints.chunks()) > 5
    alone = LBFGS(20).solve(problem, unit(problem))
    with ThreadPoolExecutor(3) as pool:
        shared = LBFGS(20).solve(replace(problem, map=pool.map), unit(problem))
    np.testing.assert_array_equal(shared.point.matrix, alone.point.matrix)
    assert shared.value == alone.value


def test_history_has_every_step_and_is_what_the_callback_was_told():
    problem, told = posed(), []
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

    problem = posed()
    found = LBFGS(tol=0.0).solve(problem, unit(problem), callback=stop)
    assert found.reason is Stop.INTERRUPTED
    assert found.n_iter == iteration
    assert found.value == pytest.approx(problem.value(found.point), rel=1e-9)
    assert (found.value < problem.value(unit(problem))) == (iteration > 0)


def test_an_interrupt_amid_an_evaluation_keeps_the_best_too(monkeypatch):
    problem, n_calls = posed(), []
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
    problem = posed(300)
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
    problem = posed(60)
    found = LBFGS(20, rows=60).solve(problem, unit(problem))
    assert found.value == pytest.approx(problem.value(found.point), rel=1e-9)


def test_it_stops_when_not_finite():
    problem = posed()
    problem.Z[0, 0, 0, 0] = np.inf
    with np.errstate(all="ignore"):
        found = LBFGS().solve(problem, start := unit(problem))
    assert found.reason is Stop.NOT_FINITE
    assert found.point is start


def test_many_rows_in_single_precision_end_where_double_does():
    problem = posed(n_rows=600)
    start = somewhere(problem)
    fast, slow = (LBFGS(300, tol).solve(problem, start) for tol in (1e-5, 9e-6))
    assert fast.value == pytest.approx(slow.value, rel=1e-4)
    assert fast.value == pytest.approx(problem.value(fast.point), rel=1e-6)
    assert slow.value == pytest.approx(problem.value(slow.point), rel=1e-12)


class TestSmoothedLBFGS:
    """Near the certified optimum without a proof, and never worse than the start."""

    @pytest.mark.parametrize("structure", ["single", "multi", "diagonal", "full"])
    @pytest.mark.parametrize("rows", ROWS)
    def test_it_comes_within_a_hundredth_of_the_certified_optimum(
        self, rows, structure
    ):
        posed = small(rows, structure)
        exact = Proximal(max_iter=2_000, tol=1e-3).solve(posed, unit(posed))
        assert exact.reason is Stop.TOLERANCE
        found = LONG.solve(posed, unit(posed))
        assert exact.value - exact.gap - 1e-12 <= found.value <= 1.01 * exact.value
        assert found.value == pytest.approx(posed.value(found.point), rel=1e-9)

    def test_targets_and_their_pull_come_near_the_optimum_too(self):
        posed = local_problem("single", strength=1e-4)
        exact = Proximal(max_iter=3_000, tol=1e-3).solve(posed, unit(posed))
        found = SmoothedLBFGS(max_iter=500, tol=1e-5).solve(
            posed.with_strength(0.0), unit(posed)
        )
        assert found.value <= 1.01 * exact.value
        assert np.isnan(found.gap)

    @pytest.mark.parametrize("max_iter", [1, 2, 25])
    @pytest.mark.parametrize("kind", ["triplets", "pairs", "quadruplets"])
    def test_it_is_never_worse_than_its_start(self, kind, max_iter):
        posed = small(kind=kind, strength=0.0)
        best = LONG.solve(posed, unit(posed)).point
        for start in (unit(posed), zero(posed), best):
            found = SmoothedLBFGS(max_iter).solve(posed, start)
            assert found.value <= posed.value(start)
            assert found.value == pytest.approx(posed.value(found.point), rel=1e-9)
            assert found.point.values.min() >= 0.0

    def test_it_stays_where_nothing_can_be_gained(self):
        posed = small(strength=0.0)
        found = SmoothedLBFGS().solve(posed, start := zero(posed))
        assert found.point is start
        assert (found.reason, found.n_iter) == (Stop.SETTLED, 1)

    @pytest.mark.parametrize("seed", range(4))
    def test_an_objective_that_vanishes_is_settled(self, seed):
        """Targets meet, other classes part: 0 is reached but for rounding."""
        y = np.arange(8) % 2
        places = np.random.default_rng(seed).normal(size=(8, 6))
        places[:, 0] = 3.0 * y
        Z, start = places[None, :, None], identity(1, 6)
        bound = (
            LocalTriplets(1.0, 1).bind(WeightedLabels(y, np.ones(8))).renewed(Z, start)
        )
        posed = Objective(Z, bound, Schatten(1.0), 0.0)
        found = SmoothedLBFGS(max_iter=100).solve(posed, start)
        assert abs(found.value) < 1e-6
        assert found.reason is Stop.SETTLED

    def test_history_is_what_the_callback_was_told(self):
        posed, told = small(strength=0.0), []
        found = SmoothedLBFGS(max_iter=50, round_steps=10, tol=0.0).solve(
            posed, unit(posed), callback=told.append
        )
        assert told == found.history
        assert told[0].iteration == 0
        assert told[0].value == pytest.approx(posed.value(unit(posed)))
        values, iterations = [r.value for r in told], [r.iteration for r in told]
        assert values == sorted(values, reverse=True)
        assert iterations == sorted(set(iterations))
        assert found.n_iter == iterations[-1] <= 50
        assert found.value == values[-1] < values[0]

    def test_iterations_run_out_or_the_descent_settles(self):
        posed = small(strength=0.0)
        assert (
            SmoothedLBFGS(3, tol=0.0).solve(posed, unit(posed)).reason is Stop.MAX_ITER
        )
        done = SmoothedLBFGS(5_000, tol=0.5).solve(posed, unit(posed))
        assert done.reason is Stop.SETTLED
        before, last = done.history[-2:]
        assert before.value - last.value <= 0.5 * before.value

    @pytest.mark.parametrize("iteration", [0, 1])
    def test_an_interrupt_keeps_the_best_so_far(self, iteration):
        posed = small(strength=0.0)
        start = unit(posed)
        found = SmoothedLBFGS(500, tol=0.0, round_steps=5).solve(
            posed, start, callback=stop_after(iteration)
        )
        assert found.reason is Stop.INTERRUPTED
        assert len(found.history) == 1 + iteration
        assert found.value == pytest.approx(posed.value(found.point), rel=1e-9)
        assert (found.point is start) == (iteration == 0)

    def test_it_stops_when_not_finite(self):
        posed = small()
        Z = posed.Z.copy()
        Z[0, 0, 0, 0] = np.inf
        start = unit(posed)
        with np.errstate(all="ignore"):
            found = SmoothedLBFGS().solve(replace(posed, Z=Z), start)
        assert found.reason is Stop.NOT_FINITE
        assert found.point is start

    def test_rounds_begin_where_the_last_ended_under_a_third_of_the_width(
        self, descents
    ):
        made, asked = descents
        made += [400, 0, 200, 199]
        problem = Estimated(8.0, 7.0, 6.0, 5.0, 4.0)
        solver = SmoothedLBFGS(800, tol=0.0, width=0.5, round_steps=400)
        found = solver.solve(problem, start := identity(1, 2))
        assert [steps for *_, steps in asked] == [400, 400, 399, 199]
        widths = [smooth.loss.width for smooth, *_ in asked]
        np.testing.assert_allclose(widths, 0.5 * 2e6 / 3.0 ** np.arange(4))
        points = [point for _, point, _ in asked]
        assert points == [start, *(Estimated.ends[:3])]
        # a round without a step counts as one, so that rounds end
        iterations = [record.iteration for record in found.history]
        assert iterations == [0, 400, 401, 601, 800]
        assert found.reason is Stop.MAX_ITER

    @pytest.mark.parametrize(
        ("values", "n_rounds"),
        [
            ((8.0, 5.0, 3.75, 0.0), 2),  # a quarter is the tolerance
            ((8.0, 5.0, 3.0, 2.0, 1.0), 4),
            ((1.0, 0.5, 0.1), 1),  # of 2, a millionth of the loss at M = 0
            ((8.0, 9.0, 1.0), 1),
        ],
    )
    def test_it_settles_when_a_round_gains_the_tolerance_or_less(
        self, values, n_rounds, descents
    ):
        made, _ = descents
        made += [1] * 4
        solver = SmoothedLBFGS(4, tol=0.25)
        found = solver.solve(Estimated(*values), identity(1, 2))
        assert len(found.history) == 1 + n_rounds
        assert found.reason is (Stop.SETTLED if n_rounds < 4 else Stop.MAX_ITER)


class Estimated:
    """A problem whose values are told in turn; the loss at M = 0 is two millions."""

    ends = tuple(identity(1, 2) for _ in range(9))

    def __init__(self, *values, loss=None):
        self.values, self.loss, self.zero = iter(values), loss, object()

    def with_loss(self, loss):
        other = Estimated(loss=loss)
        other.values, other.zero = self.values, self.zero
        return other

    def loss_value(self, point):
        assert (self.loss, point) == (Hinge(), self.zero)
        return 2e6

    def value(self, point):
        assert self.loss == Hinge()
        return next(self.values)


@pytest.fixture
def descents(monkeypatch):
    """Numbers of steps that descents shall make, and what each was asked."""
    made, asked = [], []

    def minimize(smooth, point, max_steps, *settings):
        asked.append((smooth, point, max_steps))
        return Estimated.ends[len(asked) - 1], made[len(asked) - 1], None

    monkeypatch.setattr(lbfgs, "minimize_factor", minimize)
    return made, asked


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
    problem, asked = posed(), []

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


@pytest.mark.parametrize(
    ("many", "least_tol", "dtype"),
    [(30, 1e-4, np.float32), (31, 1e-4, np.float64), (30, 2e-4, np.float64)],
)
def test_single_precision_is_for_many_rows_and_coarse_tolerances(
    many, least_tol, dtype, monkeypatch
):
    seen, problem = [], posed(30)
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
    problem = posed(60)
    runs = [LBFGS(5, rows=30).solve(problem, unit(problem)) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].point.matrix, runs[1].point.matrix)


class TestMinimizeFactor:
    """Descent on a factor: what is evaluated, what is kept, and when it ends."""

    @staticmethod
    def bowl(scale=1.0, seen=None):
        """scale |F - 3|^2 / 2; of each evaluation the factor is remembered."""

        def evaluate(smooth, F):
            if seen is not None:
                seen.append(F)
            return Evaluation(
                F, 0.5 * scale * ((F - 3.0) ** 2).sum(), scale * (F - 3.0)
            )

        return evaluate

    @pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
    def test_it_goes_to_the_least_value_whatever_its_scale(self, scale):
        point, n_steps, at = minimize_factor(
            None, identity(1, 1), 50, evaluate=self.bowl(scale)
        )
        np.testing.assert_allclose(point.matrix, [[[9.0]]], rtol=1e-6)
        assert 1 <= n_steps < 50
        assert at is None

    def test_it_makes_so_many_steps_at_most(self):
        problem = posed()
        for max_steps in (1, 3):
            told = []
            _, n_steps, _ = minimize_factor(
                problem, unit(problem), max_steps, 0.0, told.append, evaluate_in_factor
            )
            assert n_steps == len(told) == max_steps

    def test_it_ends_when_a_step_gains_less_than_the_tolerance(self):
        problem = posed()
        start = problem.value(unit(problem))
        for tol in (1e-1, 1e-2, 1e-4):
            told = []
            minimize_factor(
                problem, unit(problem), 500, tol, told.append, evaluate_in_factor
            )
            values = np.array([start, *(best.value for best in told)])
            gains = (values[:-1] - values[1:]) / np.maximum(values[:-1], 1.0)
            assert (gains[:-1] > tol).all()
            assert gains[-1] <= tol

    def test_the_best_that_was_seen_is_returned_with_its_linearization(self):
        problem = posed().with_loss(SmoothedHinge(0.3))
        told = []
        point, _, at = minimize_factor(problem, unit(problem), 20, callback=told.append)
        assert min(best.value for best in told) == told[-1].value
        assert problem.value(point) == pytest.approx(told[-1].value, rel=1e-9)
        fresh = problem.linearize(point)
        assert at.value == pytest.approx(fresh.value, rel=1e-9)
        np.testing.assert_allclose(at.gradient, fresh.gradient, atol=1e-9)

    def test_a_worse_place_after_a_better_one_is_not_returned(self):
        values = iter([5.0, 1.0, 4.0, 3.0, 2.0, 2.5, 2.25, 2.125, 3.0, 3.0, 3.0, 3.0])
        seen = []

        def evaluate(smooth, F):
            seen.append(F)
            return Evaluation(F, next(values, 3.0), F)

        point, *_ = minimize_factor(None, identity(1, 1), 5, evaluate=evaluate)
        np.testing.assert_allclose(point.matrix, seen[1] ** 2)

    def test_without_directions_there_is_nothing_to_do(self):
        nothing = Spectrum(np.zeros((1, 2)), np.eye(2)[None])
        assert minimize_factor(None, nothing, 9) == (nothing, 0, None)

    @pytest.mark.parametrize("size", [1e241, np.inf, np.nan])
    def test_what_is_beyond_all_range_is_not_computed(self, size):
        seen, far = [], Spectrum(np.array([[size]]), np.ones((1, 1, 1)))
        kept = np.isfinite(size)  # others have no factor
        point, _, at = minimize_factor(None, far, 3, evaluate=self.bowl(seen=seen))
        assert (point is far, at) == (True, None)
        assert not seen or not kept

    def test_where_nothing_finite_is_found_the_start_is_returned(self):
        def evaluate(smooth, F):
            return Evaluation(F, np.inf, np.zeros_like(F))

        point, _, at = minimize_factor(
            None, start := identity(1, 2), 3, evaluate=evaluate
        )
        assert (point is start, at) == (True, None)


def test_a_factor_has_as_many_directions_as_the_block_that_has_most():
    M = np.array([np.diag([4.0, 0.0, 0.0]), np.diag([0.0, 9.0, 1.0]), np.zeros((3, 3))])
    F = factor_of(decompose(M))
    assert F.shape == (3, 2, 3)
    np.testing.assert_allclose(F.swapaxes(1, 2) @ F, M, atol=1e-12)
