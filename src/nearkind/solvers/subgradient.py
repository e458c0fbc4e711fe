"""Algorithms 1 and 2 of the paper: projected subgradient steps with backtracking.

``Subgradient`` makes three corrections so that the method terminates and converges. The
descent test follows the projection onto the cone. A step against a subgradient need not
be a descent, so backtracking stops at the classical diminishing step, which is taken
without a test, and the best metric is kept. Each line search starts at ten times the
last step. ``LiteralSubgradient`` is the method as printed, for comparison.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from nearkind.metrics.spectrum import Spectrum, decompose
from nearkind.protocols import Array
from nearkind.solvers.objective import Linearization, MeanLinearization, Objective
from nearkind.solvers.solution import Callback, Progress, Solution, Stop


@dataclass(frozen=True)
class _ProjectedDescent:
    """Steps along subgradients, each projected on the cone.

    Parameters
    ----------
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-4
        Stop when the gap is below this fraction of the objective.
    shrink : float, default=0.1
        Factor between two trial steps.
    """

    max_iter: int = 200
    tol: float = 1e-4
    shrink: float = 0.1

    def solve(
        self, objective: Objective, start: Spectrum, *, callback: Callback | None = None
    ) -> Solution:
        """Minimise the objective over positive semi-definite metrics."""
        progress = Progress(start, self.tol, callback)
        return progress.run(partial(self._descend, objective, start, progress))

    def _descend(
        self, objective: Objective, start: Spectrum, progress: Progress
    ) -> Stop:
        raise NotImplementedError


@dataclass(frozen=True)
class Subgradient(_ProjectedDescent):
    """Projected subgradient descent.

    Parameters
    ----------
    max_iter, tol, shrink : as in ``LiteralSubgradient``
    patience : int, default=400
        Stop after this many iterations without improvement.
    """

    patience: int = 400

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


@dataclass(frozen=True)
class LiteralSubgradient(_ProjectedDescent):
    """Projected subgradient descent as the paper prints it.

    Lambda multiplies the loss: what descends is r(M) + lambda * loss(M), which has the
    optimum of loss(M) + strength * r(M) at lambda = 1 / strength; the strength must be
    positive. A step is 0.1, 0.01, ... and the first that lowers the objective enough is
    taken; the test is made before the projection on the cone, at a matrix that may be
    indefinite. The only additions are limits on the iterations and the trial steps, so
    that it ends, and the optimality gap. The best metric of all iterations is returned.

    Parameters
    ----------
    max_iter : int, default=200
        Maximum number of iterations; the paper has no limit.
    tol : float, default=1e-4
        Stop when the gap is below this fraction of the objective; the paper does not
        define convergence.
    shrink : float, default=0.1
        Factor between two trial steps.
    max_trials : int, default=15
        Maximum number of trial steps; the paper has no limit, and at a kink no step
        passes the test.
    """

    max_trials: int = 15

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
