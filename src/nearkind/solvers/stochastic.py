"""Proximal steps on samples of rows: time and memory do not depend on their number.

Each step uses all constraints among a thousand rows, newly sampled from every class;
the expectation of this loss is the loss of all rows. The iterates are averaged with
larger weights for later ones (Polyak and Juditsky, 1992), and the reported objective is
an estimate on held-out rows. Sampling errors are far larger than rounding errors, so
distances are in single precision.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.metrics.spectrum import Spectrum, decompose
from nearkind.protocols import Array
from nearkind.solvers.objective import BatchProblems, Objective, endless_problems
from nearkind.solvers.proximal import Proximal
from nearkind.solvers.solution import Callback, Progress, Solution, Stop


@dataclass(frozen=True)
class Stochastic:
    """Averaged stochastic proximal gradient, started from a sample solved exactly.

    Parameters
    ----------
    max_iter : int, default=200
        Maximum number of steps.
    tol : float, default=1e-4
        Stop when a round of steps gains less than ten times this fraction.
    rng : Generator, default=None
        Random number generator for the samples.
    batch_rows : int, default=1000
        Rows in the sample of one step.
    held_rows : int, default=6000
        Rows in the sample on which the objective is estimated.
    round_steps : int, default=20
        Steps between two estimates.
    batches : callable, default=None
        Returns an iterator of problems on rows that do not fit in memory, for the first
        steps; None, or after these problems: rows of the objective.
    """

    max_iter: int = 200
    tol: float = 1e-4
    rng: np.random.Generator | None = None
    batch_rows: int = 1_000
    held_rows: int = 6_000
    round_steps: int = 20
    batches: BatchProblems = None

    def solve(
        self, objective: Objective, start: Spectrum, *, callback: Callback | None = None
    ) -> Solution:
        """Minimise an estimate of the objective over positive semi-definite metrics."""
        rng = np.random.default_rng(0) if self.rng is None else self.rng
        hinge = objective.with_loss(Hinge()).in_single()
        held = hinge.sample(self.held_rows, rng)
        progress = Progress(start, self.tol, callback, proves=False)
        progress.offer(start, held.value(start))
        return progress.run(partial(self._descend, hinge, held, start, progress, rng))

    def _descend(
        self,
        hinge: Objective,
        held: Objective,
        start: Spectrum,
        progress: Progress,
        rng: np.random.Generator,
    ) -> Stop:
        sample = hinge.sample(2 * self.batch_rows, rng)
        state = Proximal(self.max_iter, tol=1e-2).descend(sample, start)
        progress.offer(state.point, held.value(state.point))
        if not np.isfinite(progress.value):
            return Stop.NOT_FINITE
        smooth = hinge.with_loss(SmoothedHinge(state.width))
        run = _Run(state.point, 0.5 / state.curvature)
        samples = endless_problems(
            self.batches, smooth, lambda: smooth.sample(self.batch_rows, rng)
        )
        for t in range(1, self.max_iter + 1):
            run.step(next(samples))
            if t % self.round_steps and t < self.max_iter:
                continue
            before = progress.value
            point = run.polish(smooth.sample(4 * self.batch_rows, rng))
            progress.offer(point, held.value(point))
            progress.record(t)
            if before - progress.value <= 10.0 * self.tol * before:
                return Stop.SETTLED
        return Stop.MAX_ITER


class _Run:
    """The iterate, and the mean of all so far, later ones weighing more."""

    def __init__(self, point: Spectrum, step: float) -> None:
        self.point, self.first_step, self.count = point, step, 0
        self.mean: Array = point.matrix

    def step(self, sample: Objective) -> None:
        """Take one proximal step on a sample, shorter than the last."""
        self.count += 1
        step = self.first_step / (1.0 + self.count / 20.0) ** 0.5
        gradient = sample.linearize(self.point).gradient
        self.point = sample.prox(self.point.matrix - step * gradient, step)
        share = 2.0 / (self.count + 1.0)
        self.mean = (1.0 - share) * self.mean + share * self.point.matrix

    def polish(self, sample: Objective) -> Spectrum:
        """Return the mean after five steps on one larger sample.

        A mean of metrics of low rank has full rank; these steps take it down again.
        """
        point = decompose(self.mean).positive()
        for _ in range(5):
            gradient = sample.linearize(point).gradient
            M = point.matrix - self.first_step * gradient
            point = sample.prox(M, self.first_step)
        return point
