"""Quasi-Newton descent for losses that are smooth and not convex.

Such a loss has no lower bound to stop at: the descent ends when steps gain next to
nothing. Of many rows a sample is taken: a metric has few numbers, and thousands of rows
say enough about them.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from nearkind.metrics.spectrum import Spectrum
from nearkind.solvers.leap import factor_of, in_factor, in_full, leap
from nearkind.solvers.objective import Objective
from nearkind.solvers.solution import (
    Callback,
    Progress,
    Solution,
    Stop,
    until_interrupted,
)

MANY_ROWS = 500
"""Rows from which distances are found in single precision, which halves the time."""
CLOSE = 1e-5
"""A tolerance below which their digits would not do."""


@dataclass(frozen=True)
class Descending:
    """Limited-memory BFGS on a factor of the metric.

    Parameters
    ----------
    max_iter : iterations at most
    tol : stop when a step gains less than a tenth of this share of the objective
    rng : source of the sample
    rows : rows to learn from at most
    """

    max_iter: int = 200
    tol: float = 1e-4
    rng: np.random.Generator | None = None
    rows: int = 4_000

    def solve(
        self, objective: Objective, start: Spectrum, *, callback: Callback | None = None
    ) -> Solution:
        """Descend from a metric, within its range."""
        if objective.n_rows > self.rows:
            rng = np.random.default_rng(0) if self.rng is None else self.rng
            objective = objective.sample(self.rows, rng)
        if objective.n_rows >= MANY_ROWS and self.tol >= CLOSE:
            objective = objective.in_single()
        progress = Progress(start, self.tol, callback, proves=False)
        progress.offer(start, objective.value(start))
        descend = partial(self._descend, objective, start, progress)
        return progress.finish(until_interrupted(descend))

    def _descend(
        self, objective: Objective, start: Spectrum, progress: Progress
    ) -> Stop:
        def watch(point: Spectrum, value: float) -> None:
            progress.offer(point, value)
            progress.record(len(progress.history))

        progress.record(0)
        if not np.isfinite(progress.value):
            return Stop.NOT_FINITE
        rank, width = factor_of(start).shape[1:]
        look = in_factor if 2 * rank < width else in_full
        tol = 0.1 * self.tol
        _, made, _ = leap(objective, start, self.max_iter, tol, watch, look)
        return Stop.SETTLED if made < self.max_iter else Stop.MAX_ITER
