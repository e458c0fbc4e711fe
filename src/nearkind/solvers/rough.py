"""A first approach to the optimum: few steps, single precision, no proof."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from nearkind.losses.hinge import Hinge
from nearkind.metrics.spectrum import Spectrum
from nearkind.solvers.objective import Objective
from nearkind.solvers.proximal import Proximal
from nearkind.solvers.solution import (
    Callback,
    Progress,
    Solution,
    Stop,
    until_interrupted,
)


@dataclass(frozen=True)
class Rough:
    """One round of proximal and quasi-Newton steps, on a sample where rows are many.

    What constraints hold near the optimum is found well before the optimum is.

    Parameters
    ----------
    max_iter : iterations at most
    rows : take a sample of so many rows if there are four times as many or more
    """

    max_iter: int = 15
    rows: int = 1_000

    def solve(
        self, objective: Objective, start: Spectrum, *, callback: Callback | None = None
    ) -> Solution:
        """Descend; the value is that of the sample, and there is no gap."""
        hinge = objective.with_loss(Hinge()).in_single()
        if hinge.n_rows >= 4 * self.rows:
            hinge = hinge.sample(self.rows, np.random.default_rng(0))
        progress = Progress(start, 0.0, callback, proves=False)
        progress.offer(start, hinge.value(start))
        run = partial(self._descend, hinge, start, progress)
        return progress.finish(until_interrupted(run))

    def _descend(self, hinge: Objective, start: Spectrum, progress: Progress) -> Stop:
        progress.record(0)
        solver = Proximal(max_iter=self.max_iter, check_every=self.max_iter)
        point, made = solver.one_round(hinge, start)
        progress.offer(point, hinge.value(point))
        progress.record(made)
        finite = made > 0 and np.isfinite(progress.value)
        return Stop.MAX_ITER if finite else Stop.NOT_FINITE
