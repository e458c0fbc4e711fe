"""Algorithms 1 and 2 of the paper as printed, to see what they reach.

Lambda multiplies the loss: what descends is r(M) + lambda * loss(M), which has the
optimum of loss(M) + strength * r(M) at lambda = 1 / strength. A step is 0.1, 0.01, ...
and the first that lowers the objective enough is taken; the test is made before the
projection on the cone, at a matrix that may be indefinite. Only what a run needs to end
is added: a number of iterations and of trials of a step, and the certificate.
``Subgradient`` is the same method, repaired.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from nearkind.metrics.spectrum import Spectrum, decompose
from nearkind.solvers.objective import Linearization, MeanLinearization, Objective
from nearkind.solvers.solution import (
    Callback,
    Progress,
    Solution,
    Stop,
    until_interrupted,
)


@dataclass(frozen=True)
class LiteralSubgradient:
    """Projected subgradient descent as the paper prints it.

    Of the metrics on the way the best is returned. The objective must have a positive
    strength.

    Parameters
    ----------
    max_iter : int, default=200
        Iterations at most; the paper has no limit.
    tol : float, default=1e-4
        Stop when the gap is below this share of the objective; the paper stops when it
        has converged, and does not say when that is.
    shrink : float, default=0.1
        Factor between two trials of a step.
    max_trials : int, default=15
        Trials of a step at most; the paper has no limit, and at a kink no step will do.
    """

    max_iter: int = 200
    tol: float = 1e-4
    shrink: float = 0.1
    max_trials: int = 15

    def solve(
        self, objective: Objective, start: Spectrum, *, callback: Callback | None = None
    ) -> Solution:
        """Minimise the objective over positive semi-definite metrics."""
        progress = Progress(start, self.tol, callback)
        descend = partial(self._descend, objective, start, progress)
        return progress.finish(until_interrupted(descend))

    def _descend(
        self, objective: Objective, start: Spectrum, progress: Progress
    ) -> Stop:
        mean, point = MeanLinearization(), start
        for t in range(1, self.max_iter + 1):
            at = objective.linearize(point)
            if not np.isfinite(at.value):
                return Stop.NOT_FINITE
            progress.offer(point, at.value)
            mean.add(at)
            after = self._step(objective, point, at)
            if t % 10 == 0 or t == self.max_iter or after is None:
                progress.raise_bound(
                    objective.lower_bound(mean.gradient, mean.intercept, progress.point)
                )
            progress.record(t)
            if progress.done:
                return Stop.TOLERANCE
            if after is None:
                return Stop.NO_DESCENT
            point = after
        return Stop.MAX_ITER

    def _step(
        self, objective: Objective, point: Spectrum, at: Linearization
    ) -> Spectrum | None:
        """Return the next metric; None if no step lowers the objective enough."""
        scale = 1.0 / objective.strength  # lambda: ours times lambda is the printed f
        g = scale * objective.subgradient(point, at)
        decrease = 0.5 * float((g * g).sum())
        step = 1.0
        for _ in range(self.max_trials):
            step *= self.shrink
            trial = decompose(point.matrix - step * g)
            if scale * (objective.value(trial) - at.value) <= -step * decrease:
                return trial.positive()
        return None
