"""Algorithms 1 and 2 of the paper: projected subgradient steps with backtracking.

Three repairs let it end and arrive. The descent test is made after the projection on
the cone, at the metric that would be kept. A subgradient need not point downhill, so
backtracking halts at the classical diminishing step and takes that one untested, the
best metric being remembered. And a line search starts ten times above the last step.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from nearkind.metrics.spectrum import Spectrum, decompose
from nearkind.protocols import Array
from nearkind.solvers.objective import MeanLinearization, Objective
from nearkind.solvers.solution import (
    Callback,
    Progress,
    Solution,
    Stop,
    until_interrupted,
)


@dataclass(frozen=True)
class Subgradient:
    """Projected subgradient descent.

    Parameters
    ----------
    max_iter : int, default=200
        Iterations at most.
    tol : float, default=1e-4
        Stop when the gap is below this share of the objective.
    shrink : float, default=0.1
        Factor between two trials of a line search.
    patience : int, default=400
        Stop after so many iterations without a new best.
    """

    max_iter: int = 200
    tol: float = 1e-4
    shrink: float = 0.1
    patience: int = 400

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
        mean = MeanLinearization()
        point, step, best_at = start, 1.0, 0
        for t in range(1, self.max_iter + 1):
            at = objective.linearize(point)
            if not np.isfinite(at.value):
                return Stop.NOT_FINITE
            if progress.offer(point, at.value):
                best_at = t
            mean.add(at)
            if t % 10 == 0 or t == self.max_iter:
                progress.raise_bound(
                    objective.lower_bound(mean.gradient, mean.intercept, progress.point)
                )
            progress.record(t)
            g = objective.subgradient(point, at)
            size = float(np.linalg.norm(g))
            if size == 0.0:
                progress.raise_bound(
                    objective.lower_bound(at.gradient, at.intercept, point)
                )
            if progress.done:
                return Stop.TOLERANCE
            if size == 0.0 or t - best_at >= self.patience:
                return Stop.NO_DESCENT
            least = max(np.linalg.norm(progress.point.values), 1e-12) / (size * t**0.5)
            point, step = self._backtrack(objective, point, at.value, g, step, least)
        return Stop.MAX_ITER

    def _backtrack(
        self,
        objective: Objective,
        point: Spectrum,
        value: float,
        g: Array,
        step: float,
        least: float,
    ) -> tuple[Spectrum, float]:
        """Shrink the step until the objective falls enough, but not below ``least``."""
        step /= self.shrink
        while (step := step * self.shrink) > least:
            trial = decompose(point.matrix - step * g).positive()
            moved = float(((trial.matrix - point.matrix) ** 2).sum())
            if moved > 0.0 and objective.value(trial) <= value - moved / (2.0 * step):
                return trial, step / self.shrink
        return decompose(point.matrix - least * g).positive(), least / self.shrink
