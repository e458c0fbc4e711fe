"""Constraints that depend on the metric: solve, renew them, solve again."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from nearkind.losses.hinge import Hinge
from nearkind.metrics.spectrum import Spectrum
from nearkind.protocols import Solver
from nearkind.solvers.objective import Objective
from nearkind.solvers.proximal import Proximal
from nearkind.solvers.solution import Callback, Progress, Solution, Stop

RENEWALS = 2
"""How often constraints are renewed at most."""


@dataclass(frozen=True)
class ProximalRound:
    """One round of proximal and quasi-Newton steps in single precision, without proof.

    Which constraints hold near the optimum is known well before the optimum is. Of very
    many rows it takes a sample.

    Parameters
    ----------
    max_iter : int, default=15
        Maximum number of iterations.
    rows : int, default=1000
        Size of the sample, taken if there are four times as many rows or more.
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
        return progress.run(partial(self._descend, hinge, start, progress))

    def _descend(self, hinge: Objective, start: Spectrum, progress: Progress) -> Stop:
        progress.record(0)
        solver = Proximal(max_iter=self.max_iter, check_every=self.max_iter)
        point, made = solver.one_round(hinge, start)
        progress.offer(point, hinge.value(point))
        progress.record(made)
        finite = made > 0 and np.isfinite(progress.value)
        return Stop.MAX_ITER if finite else Stop.NOT_FINITE


_SHORT = ProximalRound()


def solve_with_renewal(
    solver: Solver,
    objective: Objective,
    start: Spectrum,
    callback: Callback | None = None,
    short: Solver = _SHORT,
) -> Solution:
    """Minimise an objective whose constraints may depend on the metric.

    They are renewed a few times, each after a descent by a short solver, until they
    stay the same, and then held: in the end the optimum is certified for the
    constraints that hold near it. A problem whose constraints do not depend on the
    metric is solved once.

    Parameters
    ----------
    solver : Solver
        Solves the problem in the end; its ``max_iter`` holds for all solves together.
    objective : Objective
    start : Spectrum
    callback : callable, default=None
        Called with each record.
    short : Solver, default=ProximalRound()
        Descends between two renewals.

    Returns
    -------
    Solution
        With the history of all solves.
    """
    if not objective.constraints.depends_on_metric:
        return solver.solve(objective, start, callback=callback)
    before: list[Solution] = []
    short = replace(short, max_iter=max(1, min(short.max_iter, solver.max_iter // 4)))
    for _ in range(RENEWALS):
        before.append(short.solve(objective, start, callback=callback))
        if before[-1].reason in (Stop.INTERRUPTED, Stop.OUT_OF_TIME, Stop.NOT_FINITE):
            return before[-1].after(before[:-1])
        start = before[-1].point
        last, objective = objective, objective.renewed(start)
        if objective is last:
            break
    left = solver.max_iter - sum(solution.n_iter for solution in before)
    final = replace(solver, max_iter=max(1, left))
    return final.solve(objective, start, callback=callback).after(before)
