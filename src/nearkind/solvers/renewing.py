"""Constraints that depend on the metric: solve, renew them, solve again."""

from dataclasses import replace
from typing import Any

from nearkind.metrics.spectrum import Spectrum
from nearkind.solvers.objective import Objective
from nearkind.solvers.rough import Rough
from nearkind.solvers.solution import Callback, Solution, Stop

RENEWALS = 2
_ROUGH = Rough()


def solve_renewing(
    solver: Any,
    objective: Objective,
    start: Spectrum,
    callback: Callback | None = None,
    rough: Any = _ROUGH,
) -> Solution:
    """Minimise an objective whose constraints may change with the metric.

    They are renewed after rough descents a few times, until they stay, and then held:
    in the end the optimum is certified for the constraints that hold near it. An
    objective that no metric changes is solved once.
    """
    if not objective.constraints.moves:
        return solver.solve(objective, start, callback=callback)
    before: list[Solution] = []
    rough = replace(rough, max_iter=max(1, min(rough.max_iter, solver.max_iter // 4)))
    for _ in range(RENEWALS):
        before.append(rough.solve(objective, start, callback=callback))
        if before[-1].reason in (Stop.INTERRUPTED, Stop.NOT_FINITE):
            return before[-1].after(before[:-1])
        start = before[-1].point
        last, objective = objective, objective.renewed(start)
        if objective is last:
            break
    left = solver.max_iter - sum(solution.n_iter for solution in before)
    final = replace(solver, max_iter=max(1, left))
    return final.solve(objective, start, callback=callback).after(before)
