"""L-BFGS on a smoothed hinge: near the optimum, never worse than the start."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.convex_reference import Penalty
from helpers.local_problems import problem as local_problem
from helpers.solver_problems import (
    objective,
    random_rows,
    six_persons,
    unit,
    zero,
)
from nearkind.constraints.local import LocalTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.hinge import Hinge
from nearkind.metrics.spectrum import identity
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers import lbfgs
from nearkind.solvers.lbfgs import SmoothedLBFGS
from nearkind.solvers.objective import Objective
from nearkind.solvers.proximal import Proximal
from nearkind.solvers.solution import Stop

ROWS = {"six persons": six_persons(), "drawn": random_rows(3)}
LONG = SmoothedLBFGS(max_iter=1_000, tol=1e-5)


def small(rows="drawn", structure="full", kind="triplets", strength=1e-2):
    return objective(*ROWS[rows], structure, kind, Penalty(1.0), strength)


def stop_after(iteration):
    def callback(record):
        if record.iteration >= iteration:
            raise KeyboardInterrupt

    return callback


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


@pytest.mark.parametrize("structure", ["single", "multi", "diagonal", "full"])
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.covering(1)
def test_it_comes_within_a_hundredth_of_the_certified_optimum(rows, structure):
    posed = small(rows, structure)
    exact = Proximal(max_iter=2_000, tol=1e-3).solve(posed, unit(posed))
    assert exact.reason is Stop.TOLERANCE
    found = LONG.solve(posed, unit(posed))
    assert exact.value - exact.gap - 1e-12 <= found.value <= 1.01 * exact.value
    assert found.value == pytest.approx(posed.value(found.point), rel=1e-9)


def test_targets_and_their_pull_come_near_the_optimum_too():
    posed = local_problem("single", strength=1e-4)
    exact = Proximal(max_iter=3_000, tol=1e-3).solve(posed, unit(posed))
    found = SmoothedLBFGS(max_iter=500, tol=1e-5).solve(
        posed.with_strength(0.0), unit(posed)
    )
    assert found.value <= 1.01 * exact.value
    assert np.isnan(found.gap)


@pytest.mark.parametrize("max_iter", [1, 2, 25])
@pytest.mark.parametrize("kind", ["triplets", "pairs", "quadruplets"])
def test_it_is_never_worse_than_its_start(kind, max_iter):
    posed = small(kind=kind, strength=0.0)
    best = LONG.solve(posed, unit(posed)).point
    for start in (unit(posed), zero(posed), best):
        found = SmoothedLBFGS(max_iter).solve(posed, start)
        assert found.value <= posed.value(start)
        assert found.value == pytest.approx(posed.value(found.point), rel=1e-9)
        assert found.point.values.min() >= 0.0


def test_it_stays_where_nothing_can_be_gained():
    posed = small(strength=0.0)
    found = SmoothedLBFGS().solve(posed, start := zero(posed))
    assert found.point is start
    assert (found.reason, found.n_iter) == (Stop.SETTLED, 1)


@pytest.mark.parametrize("seed", range(4))
def test_an_objective_that_vanishes_is_settled(seed):
    """Targets meet, other classes part: 0 is reached but for rounding."""
    y = np.arange(8) % 2
    places = np.random.default_rng(seed).normal(size=(8, 6))
    places[:, 0] = 3.0 * y
    Z, start = places[None, :, None], identity(1, 6)
    bound = LocalTriplets(1.0, 1).bind(WeightedLabels(y, np.ones(8))).renewed(Z, start)
    posed = Objective(Z, bound, Schatten(1.0), 0.0)
    found = SmoothedLBFGS(max_iter=100).solve(posed, start)
    assert abs(found.value) < 1e-6
    assert found.reason is Stop.SETTLED


def test_history_is_what_the_callback_was_told():
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


def test_iterations_run_out_or_the_descent_settles():
    posed = small(strength=0.0)
    assert SmoothedLBFGS(3, tol=0.0).solve(posed, unit(posed)).reason is Stop.MAX_ITER
    done = SmoothedLBFGS(5_000, tol=0.5).solve(posed, unit(posed))
    assert done.reason is Stop.SETTLED
    before, last = done.history[-2:]
    assert before.value - last.value <= 0.5 * before.value


@pytest.mark.parametrize("iteration", [0, 1])
def test_an_interrupt_keeps_the_best_so_far(iteration):
    posed = small(strength=0.0)
    start = unit(posed)
    found = SmoothedLBFGS(500, tol=0.0, round_steps=5).solve(
        posed, start, callback=stop_after(iteration)
    )
    assert found.reason is Stop.INTERRUPTED
    assert len(found.history) == 1 + iteration
    assert found.value == pytest.approx(posed.value(found.point), rel=1e-9)
    assert (found.point is start) == (iteration == 0)


def test_it_stops_when_not_finite():
    posed = small()
    Z = posed.Z.copy()
    Z[0, 0, 0, 0] = np.inf
    start = unit(posed)
    with np.errstate(all="ignore"):
        found = SmoothedLBFGS().solve(replace(posed, Z=Z), start)
    assert found.reason is Stop.NOT_FINITE
    assert found.point is start


def test_rounds_begin_where_the_last_ended_under_a_third_of_the_width(descents):
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
    values, n_rounds, descents
):
    made, _ = descents
    made += [1] * 4
    solver = SmoothedLBFGS(4, tol=0.25)
    found = solver.solve(Estimated(*values), identity(1, 2))
    assert len(found.history) == 1 + n_rounds
    assert found.reason is (Stop.SETTLED if n_rounds < 4 else Stop.MAX_ITER)
