"""Accelerated proximal gradient with restart, on a hinge whose corner is smoothed.

The corner is narrowed as the smoothed problem nears its optimum; slopes of the smoothed
hinge are multipliers in [0, 1] that certify the plain one.
"""

from dataclasses import dataclass

import numpy as np

from nearkind.losses import Hinge, SmoothedHinge
from nearkind.objective import Objective, Slope
from nearkind.solvers.solution import Callback, Progress, Solution, Stop
from nearkind.spectral import Spectrum, decompose


@dataclass(frozen=True)
class Proximal:
    """FISTA with step search, restart and smoothing continuation.

    Parameters
    ----------
    max_iter : iterations at most
    tol : stop when the gap is below this share of the objective
    width : width of the smoothed corner at the start
    check_every : iterations between two certificates
    """

    max_iter: int = 200
    tol: float = 1e-4
    width: float = 0.5
    check_every: int = 10

    def solve(
        self, objective: Objective, start: Spectrum, *, callback: Callback | None = None
    ) -> Solution:
        """Minimise the objective over positive semi-definite metrics."""
        progress = Progress(start, self.tol, callback)
        hinge, width = objective.with_loss(Hinge()), self.width
        smooth = objective.with_loss(SmoothedHinge(width))
        point = ahead = start  # M and the extrapolated Y, which may be indefinite
        curvature, momentum = 1.0, 1.0
        for t in range(1, self.max_iter + 1):
            slope = smooth.slope(ahead)
            if not np.isfinite(slope.value):
                return progress.finish(Stop.NOT_FINITE)
            new, curvature = _step(smooth, ahead, slope, curvature)
            moved = new.matrix - point.matrix
            if ((ahead.matrix - new.matrix) * moved).sum() > 0.0:
                momentum = 1.0  # the step points back: forget the speed
            speed = (momentum - 1.0) / (
                momentum := (1.0 + (1 + 4 * momentum**2) ** 0.5) / 2
            )
            ahead = decompose(new.matrix + speed * moved) if speed > 0.0 else new
            point, curvature = new, 0.97 * curvature
            if t % self.check_every and t < self.max_iter:
                continue
            at = smooth.slope(point)
            progress.offer(point, hinge.value(point))
            bound = hinge.lower_bound(at.gradient, at.intercept)
            progress.raise_bound(bound)
            progress.record(t)
            if progress.done:
                return progress.finish(Stop.TOLERANCE)
            if _nearly_solved(point, at, bound):
                width /= 3.0
                smooth = objective.with_loss(SmoothedHinge(width))
                ahead, momentum = point, 1.0
        return progress.finish(Stop.MAX_ITER)


def _step(
    smooth: Objective, ahead: Spectrum, slope: Slope, curvature: float
) -> tuple[Spectrum, float]:
    """Take a proximal step, doubling the curvature until its model bounds the loss."""
    while True:
        new = smooth.prox(ahead.matrix - slope.gradient / curvature, 1.0 / curvature)
        move = new.matrix - ahead.matrix
        model = slope.loss + (slope.gradient * move).sum()
        model += 0.5 * curvature * (move * move).sum()
        if smooth.loss_value(new) <= model + 1e-12 * abs(slope.loss):
            return new, curvature
        curvature *= 2.0


def _nearly_solved(point: Spectrum, at: Slope, bound: float) -> bool:
    """Say whether the smoothed problem's own gap is below what the corner hides.

    ``corner`` is width / 2 times the mean of alpha^2, the sum by which the smoothed
    dual lies below the plain one.
    """
    corner = at.intercept + (at.gradient * point.matrix).sum() - at.loss
    return at.value - (bound - corner) <= 0.5 * corner
