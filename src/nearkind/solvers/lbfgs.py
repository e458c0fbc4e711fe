"""Limited-memory BFGS on a factor of the metric.

With M = F'F (Burer and Monteiro, 2003) the cone needs no projection, and a smooth
penalty makes the whole objective smooth in F: L-BFGS (Liu and Nocedal, 1989) then takes
far fewer evaluations than gradient steps. The objective is not convex in F, and
directions that F has lost stay lost. ``Proximal`` therefore alternates these steps with
proximal ones; the two solvers here, which have no lower bound to stop at, end when
steps gain next to nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy.optimize import minimize

from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.metrics.spectrum import Spectrum, decompose_factor
from nearkind.protocols import Array
from nearkind.solvers.objective import Linearization, Objective
from nearkind.solvers.solution import Callback, Progress, Solution, Stop

MANY_ROWS = 500
"""Rows from which distances are found in single precision, which halves the time."""
SINGLE_PRECISION_TOL = 1e-5
"""A tolerance below which single precision would not do."""
STEPS_OF_FULL_RANK = 6
"""Steps after which the directions to go on with are chosen."""
NEGLIGIBLE = 1e-6
"""Share of the loss at M = 0 below which gains are not measured by what is left."""
LARGEST_ENTRY = 1e120
"""Entry of a factor beyond which a trial counts as infinitely bad, not as computed."""


@dataclass(frozen=True)
class LBFGS:
    """L-BFGS on a factor of the metric, for losses that are smooth and not convex.

    Many rows are sampled: a metric has few numbers, and thousands of rows determine
    them well enough.

    Parameters
    ----------
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-4
        Stop when a step gains less than a tenth of this fraction of the objective, or
        of 1 if that is more.
    rng : Generator, default=None
        Random number generator for the sample.
    rows : int, default=4000
        Maximum number of rows to learn from.
    max_rank : int, default=32
        Number of directions after the first few steps, which show where the metric will
        be large; the cost of an evaluation is proportional to it.
    """

    max_iter: int = 200
    tol: float = 1e-4
    rng: np.random.Generator | None = None
    rows: int = 4_000
    max_rank: int = 32

    def solve(
        self, objective: Objective, start: Spectrum, *, callback: Callback | None = None
    ) -> Solution:
        """Descend from a metric, within its range."""
        if objective.n_rows > self.rows:
            rng = np.random.default_rng(0) if self.rng is None else self.rng
            objective = objective.sample(self.rows, rng)
        if objective.n_rows >= MANY_ROWS and self.tol >= SINGLE_PRECISION_TOL:
            objective = objective.in_single()
        progress = Progress(start, self.tol, callback, proves=False)
        progress.offer(start, objective.value(start))
        return progress.run(partial(self._descend, objective, start, progress))

    def _descend(
        self, objective: Objective, start: Spectrum, progress: Progress
    ) -> Stop:
        def record(best: Evaluation) -> None:
            progress.offer(lambda: best.point, best.value)
            progress.record(len(progress.history))

        progress.record(0)
        if not np.isfinite(progress.value):
            return Stop.NOT_FINITE
        point, made, tol = start, 0, 0.1 * self.tol
        if factor_of(start).shape[1] > self.max_rank:
            steps = min(STEPS_OF_FULL_RANK, self.max_iter)
            point, made, _ = minimize_factor(
                objective, start, steps, tol, record, evaluate_in_factor
            )
        _, more, _ = minimize_factor(
            objective,
            point.truncated(self.max_rank),
            self.max_iter - made,
            tol,
            record,
            evaluate_in_factor,
        )
        return Stop.SETTLED if made + more < self.max_iter else Stop.MAX_ITER


@dataclass(frozen=True)
class SmoothedLBFGS:
    """L-BFGS on hinges of ever narrower smoothed corners, where there is no penalty.

    Parameters
    ----------
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-3
        Stop when a round gains less than this fraction of the objective.
    width : float, default=0.3
        Initial width of the smoothed corner, relative to the loss at M = 0.
    round_steps : int, default=20
        Iterations in a round, after which the corner is narrowed.
    """

    max_iter: int = 200
    tol: float = 1e-3
    width: float = 0.3
    round_steps: int = 20

    def solve(
        self, objective: Objective, start: Spectrum, *, callback: Callback | None = None
    ) -> Solution:
        """Minimise the objective over positive semi-definite metrics."""
        hinge = objective.with_loss(Hinge())
        progress = Progress(start, self.tol, callback, proves=False)
        progress.offer(start, hinge.value(start))
        return progress.run(partial(self._descend, hinge, start, progress))

    def _descend(self, hinge: Objective, start: Spectrum, progress: Progress) -> Stop:
        at_zero = hinge.loss_value(hinge.zero)
        point, width, t = start, self.width * at_zero, 0
        progress.record(0)
        if not np.isfinite(progress.value):
            return Stop.NOT_FINITE
        while t < self.max_iter:
            smooth = hinge.with_loss(SmoothedHinge(width))
            steps = min(self.round_steps, self.max_iter - t)
            point, made, _ = minimize_factor(smooth, point, steps)
            t, width = t + max(made, 1), width / 3.0
            before = progress.value
            progress.offer(point, hinge.value(point))
            progress.record(t)
            if before - progress.value <= self.tol * max(before, NEGLIGIBLE * at_zero):
                return Stop.SETTLED
        return Stop.MAX_ITER


@dataclass(frozen=True)
class Evaluation:
    """An objective at a factor F of a metric."""

    F: Array  # (B, r, W)
    value: float
    gradient: Array  # in F, (B, r, W)
    linearization: Linearization | None = None

    @cached_property
    def point(self) -> Spectrum:
        """Spectrum of F'F."""
        return decompose_factor(self.F)


def evaluate_in_metric(smooth: Objective, F: Array) -> Evaluation:
    """Evaluate by the gradient in M, O(n^2 W); the linearization is then known too."""
    at = smooth.linearize(decompose_factor(F))
    G = 2.0 * F @ at.gradient + smooth.factor_penalty(F)[1]
    return Evaluation(F, at.value, G, at)


def evaluate_in_factor(smooth: Objective, F: Array) -> Evaluation:
    """Evaluate by the gradient in F alone, O(n^2 r), where the loss is smooth."""
    loss, G = smooth.factor_gradient(F)
    penalty, penalty_gradient = smooth.factor_penalty(F)
    return Evaluation(F, loss + penalty, G + penalty_gradient)


def minimize_factor(
    smooth: Objective,
    point: Spectrum,
    max_steps: int,
    tol: float = 1e-12,
    callback: Callable[[Evaluation], None] | None = None,
    evaluate: Callable[[Objective, Array], Evaluation] = evaluate_in_metric,
) -> tuple[Spectrum, int, Linearization | None]:
    """Descend from a metric within its range, until a step gains less than ``tol``.

    Parameters
    ----------
    smooth : Objective
        Its loss and penalty have a gradient.
    point : Spectrum
        Where to start.
    max_steps : int
        Maximum number of steps.
    tol : float, default=1e-12
        Share of the objective, or of 1 if that is more.
    callback : callable, default=None
        Called after each step with the best evaluation so far.
    evaluate : callable, default=evaluate_in_metric
        How value and gradient are computed.

    Returns
    -------
    point : Spectrum
        The best metric found.
    n_steps : int
    linearization : Linearization or None
        That of the objective there, if it is known.
    """
    start = factor_of(point)  # (B, r, W)
    if not start.size:
        return point, 0, None
    best: Evaluation | None = None

    def value_and_gradient(x: Array) -> tuple[float, Array]:
        if not np.abs(x).max() < LARGEST_ENTRY:  # or not a number
            return np.inf, np.zeros_like(x)
        found = evaluate(smooth, x.reshape(start.shape).copy())
        nonlocal best
        if best is None or found.value < best.value:
            best = found
        return found.value, found.gradient.ravel()

    def after_step(x: Array) -> None:
        if callback is not None and best is not None:
            callback(best)

    result = minimize(
        value_and_gradient,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        callback=after_step,
        options={"maxiter": max_steps, "maxcor": 20, "ftol": tol, "gtol": 0.0},
    )
    n_steps = int(result.nit)
    if best is None or not np.isfinite(best.value):
        return point, n_steps, None
    return best.point, n_steps, best.linearization


def factor_of(point: Spectrum) -> Array:
    """Return F (B, r, W) with M = F'F, r the largest rank of a block."""
    factors = [F for F, _ in point.factors()]
    rank = max(len(F) for F in factors)
    padded = np.zeros((len(factors), rank, factors[0].shape[1]))
    for at, F in zip(padded, factors, strict=True):
        at[: len(F)] = F
    return padded
