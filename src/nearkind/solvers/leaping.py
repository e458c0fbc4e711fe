"""Quasi-Newton leaps under ever narrower corners, for objectives without a penalty.

Without a penalty there is no lower bound to stop at: the descent ends when a round of
steps gains next to nothing.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.metrics.spectrum import Spectrum
from nearkind.solvers.leap import leap
from nearkind.solvers.objective import Objective
from nearkind.solvers.solution import (
    Callback,
    Progress,
    Solution,
    Stop,
    until_interrupted,
)

NOTHING = 1e-6
"""Share of the loss at M = 0 below which gains are not measured by what is left."""


@dataclass(frozen=True)
class Leaping:
    """Limited-memory BFGS on a factor of the metric, with smoothing continuation.

    Parameters
    ----------
    max_iter : iterations at most
    tol : stop when a round gains less than this share of the objective
    width : width of the smoothed corner at the start, as a share of the margin
    round_steps : iterations in a round, after which the corner is narrowed
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
        descend = partial(self._descend, hinge, start, progress)
        return progress.finish(until_interrupted(descend))

    def _descend(self, hinge: Objective, start: Spectrum, progress: Progress) -> Stop:
        at_zero = hinge.loss_value(hinge.zero)
        point, width, t = start, self.width * at_zero, 0
        progress.record(0)
        if not np.isfinite(progress.value):
            return Stop.NOT_FINITE
        while t < self.max_iter:
            smooth = hinge.with_loss(SmoothedHinge(width))
            steps = min(self.round_steps, self.max_iter - t)
            point, made, _ = leap(smooth, point, steps)
            t, width = t + max(made, 1), width / 3.0
            before = progress.value
            progress.offer(point, hinge.value(point))
            progress.record(t)
            if before - progress.value <= self.tol * max(before, NOTHING * at_zero):
                return Stop.SETTLED
        return Stop.MAX_ITER
