"""Proximal against the paper's subgradient steps, to the same objective.

On the 18 sets of up to 8,124 rows: seconds, iterations and proven relative gap of
``CPML(solver="proximal", tol=1e-3)``, then how long ``solver="subgradient"`` takes
until its best objective is the same, up to one part in a million. Both clocks start
where the solver does, and proximal's includes its proof. Aims: every gap 1e-3 or less,
median ratio of the times 10 or more. A subgradient that is stopped first, or stops by
itself, counts with the time it took: "at least". Its gap is what it could prove by
itself when it arrived.

``python -m benchmarks.solvers [SET ...]`` measures some sets.
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from sklearn.utils import Bunch

import nearkind as nk
from benchmarks.harness import compile_solvers, no_warnings, print_status, print_table
from benchmarks.sets import load
from nearkind.datasets.catalogue import CATALOGUE
from nearkind.estimators.spec import SOLVERS
from nearkind.metrics.spectrum import Spectrum
from nearkind.solvers.objective import Objective
from nearkind.solvers.solution import Record, Solution
from nearkind.solvers.subgradient import Subgradient

LARGEST = 8_124
SETS = [
    name
    for name, entry in CATALOGUE.items()
    if entry.n_samples <= LARGEST and name not in ("credit_risk", "monks3")
]
TOLERANCE, SAME, MAX_ITER = 1e-3, 1e-6, 1_000_000
COLUMNS = ("set", "rows", "proximal", "iterations", "gap")
COLUMNS += ("subgradient", "iterations", "gap", "ratio")


@dataclass(frozen=True)
class CappedSubgradient:
    """A subgradient solver that stops at a target value or when its time is over."""

    solver: Subgradient
    target: float
    cap: float

    def solve(
        self, objective: Objective, start: Spectrum, *, callback: Any = None
    ) -> Solution:
        """Minimise until the target or the end of the time."""
        began = perf_counter()

        def watch(record: Record) -> None:
            if record.value <= self.target or perf_counter() - began > self.cap:
                raise KeyboardInterrupt  # as Ctrl-C does: what was found is kept

        return self.solver.solve(objective, start, callback=watch)


class Fits(NamedTuple):
    """The fits of both solvers on one set."""

    name: str
    n_rows: int
    proximal: nk.CPML
    subgradient: nk.CPML

    @property
    def reached(self) -> bool:
        """Whether the subgradient solver reached the objective of proximal."""
        return self.subgradient.objective_ <= target(self.proximal)

    @property
    def ratio(self) -> float:
        """Time of the subgradient solver, or its limit, as a multiple of proximal's."""
        return seconds(self.subgradient) / max(seconds(self.proximal), 1e-9)

    def cells(self) -> list[str]:
        """Return the row of the table."""
        sign = "" if self.reached else ">= "
        return [
            self.name,
            f"{self.n_rows:,}",
            f"{seconds(self.proximal):.2f} s",
            f"{self.proximal.n_iter_}",
            f"{relative_gap(self.proximal):.1e}",
            f"{sign}{seconds(self.subgradient):.2f} s",
            f"{self.subgradient.n_iter_}",
            f"{relative_gap(self.subgradient):.1e}",
            f"{sign}{self.ratio:.1f}",
        ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", metavar="SET", help=", ".join(SETS))
    parser.add_argument("--cap", type=float, default=60.0, help="seconds a set")
    parser.add_argument(
        "--times", type=float, default=20.0, help="cap as a multiple of proximal's time"
    )
    parser.add_argument("--tol", type=float, default=TOLERANCE, help="of proximal")
    wanted = parser.parse_args(arguments)
    compile_solvers()
    found = [
        fit_both(name, wanted.cap, wanted.times, wanted.tol)
        for name in wanted.sets or SETS
    ]
    ratios = [each.ratio for each in found]
    worst = max(relative_gap(each.proximal) for each in found)
    sign = "" if all(each.reached for each in found) else "at least "
    notes = [
        f"median ratio: {sign}{np.median(ratios):.1f} (10 or more)",
        f"largest gap of proximal: {worst:.1e} ({wanted.tol:.0e} or less)",
    ]
    title = "Subgradient steps as a multiple of proximal, to the same objective"
    print_table(title, COLUMNS, [each.cells() for each in found], notes)


def fit_both(name: str, cap: float, times: float, tol: float) -> Fits:
    """Fit by proximal, then by subgradient steps until they are equally good."""
    data = load(name)
    print_status(f"solvers: {name}")
    proximal = fit(data, solver="proximal", tol=tol)
    cap = min(cap, max(1.0, times * seconds(proximal)))
    return Fits(name, len(data.y), proximal, fit_to_target(data, target(proximal), cap))


def fit_to_target(data: Bunch, target: float, cap: float) -> nk.CPML:
    """Fit by subgradient steps to a target, or as long as the cap allows."""

    def make(
        rng: np.random.Generator, batches: object, **limits: Any
    ) -> CappedSubgradient:
        return CappedSubgradient(Subgradient(**limits), target, cap)

    with patch.dict(SOLVERS, subgradient=make):
        return fit(data, solver="subgradient", tol=0.0, max_iter=MAX_ITER)


def fit(data: Bunch, **settings: Any) -> nk.CPML:
    with no_warnings():
        return nk.CPML(**settings).fit(data.X, data.y)


def target(proximal: nk.CPML) -> float:
    return (1.0 + SAME) * proximal.objective_


def seconds(model: nk.CPML) -> float:
    """Return the time its solver took."""
    return model.history_[-1].seconds


def relative_gap(model: nk.CPML) -> float:
    return model.gap_ / model.objective_


if __name__ == "__main__":
    main()
