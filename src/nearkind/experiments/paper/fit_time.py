"""The paper's figures of running time: fits to one tolerance, on all rows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from nearkind import baselines
from nearkind.estimators.cpml import CPML
from nearkind.experiments.design import Design
from nearkind.experiments.methods import Method, fit_timed, seeded
from nearkind.experiments.paper.figures import COLOURS, MARKERS, panels
from nearkind.experiments.paper.protocol import Protocol
from nearkind.experiments.paper.provenance import provenance
from nearkind.experiments.paper.reproduction import Reproduction, TrialGroup
from nearkind.experiments.result_table import ResultTable
from nearkind.experiments.rows import Row
from nearkind.experiments.sets import Synthetic
from nearkind.experiments.splits import Split, joined

CLASSES_OF_ROWS = 12
MOST_ROWS_BY_CLASSES = 2_000
FIRST_ROWS = 200
"""Rows of a first fit, which loads and compiles all that the timed one needs."""


def nothing(design: Design) -> dict[str, Any]:
    """Return no parameters: the method has no tolerance."""
    return {}


@dataclass(frozen=True)
class TimedFit:
    """The time of one fit on all rows of a set.

    Parameters
    ----------
    make : callable
        Returns the unfitted distance. Must be importable, as it goes to a sandbox.
    settings : callable, default=nothing
        From the design to parameters of the distance.
    """

    make: Callable[[], Any]
    settings: Callable[[Design], Mapping[str, Any]] = nothing

    def facts(self, parts: Split, seed: int, design: Design) -> dict[str, Any]:
        """Fit on all rows; return the time and how the fit ended."""
        whole = joined(*parts)
        model = seeded(self.make(), seed).set_params(**self.settings(design))
        model.fit(whole.X[:FIRST_ROWS], whole.y[:FIRST_ROWS])
        fitted = fit_timed(model, whole)
        return {
            "n_training_used": len(whole.y),
            "fit_seconds": fitted.seconds,
            "stop_reason": fitted.stop_reason,
            "stops": {fitted.stop_reason: 1} if fitted.stop_reason else None,
            "largest_gap": fitted.gap_share,
        }


def cpml_settings(design: Design) -> dict[str, Any]:
    """Return the parameters of CPML: all triplets of all rows, however many."""
    solver = "proximal" if design.solver == "auto" else design.solver
    return {**design.of_cpml, "solver": solver}


def tolerance(design: Design) -> dict[str, Any]:
    """Return the same tolerance for a distance that has one."""
    return {"tol": design.tol, "max_iter": design.max_iter}


TIMED: dict[str, Method] = {
    "cpml-s": TimedFit(partial(CPML, "single"), cpml_settings),
    "cpml-m": TimedFit(partial(CPML, "multi"), cpml_settings),
    "kdml": TimedFit(baselines.KDML, tolerance),
    "lmnn": TimedFit(baselines.LMNN, tolerance),
    "helic": TimedFit(baselines.HELIC, tolerance),
    "pola": TimedFit(baselines.POLA),
}
BY_CLASSES = "cpml-s", "cpml-m", "kdml"
NOTES = [
    "10 features of weight 0.3; median over draws, one fit at a time with all cores. "
    "CPML at strength 'auto'. All methods learn from all rows and none samples. CPML "
    "and HELIC stop at a proven gap below the tolerance, KDML and LMNN when a round "
    "gains less than it; POLA passes over the rows once. A time marked ! is of fits "
    "that ended before that."
]


def by_classes(reproduction: Reproduction) -> list[TrialGroup]:
    """Return the timed fits at several numbers of classes."""
    protocol = reproduction.protocol
    sizes = [n for n in protocol.rows_timed if n <= MOST_ROWS_BY_CLASSES]
    return _timed(protocol, product(protocol.classes_timed, sizes), BY_CLASSES)


def by_rows(reproduction: Reproduction) -> list[TrialGroup]:
    """Return the timed fits at several numbers of rows."""
    protocol = reproduction.protocol
    settings = product([CLASSES_OF_ROWS], protocol.rows_timed)
    return _timed(protocol, settings, list(TIMED))


def _timed(
    protocol: Protocol, settings: Iterable[tuple[int, int]], methods: Sequence[str]
) -> list[TrialGroup]:
    """Return the timed fits of methods at numbers of classes and rows."""
    return [
        TrialGroup(
            [Synthetic(n_samples=n, n_classes=c) for c, n in settings],
            [f"{method}, timed" for method in methods],
            protocol.timed_repeats,
            replace(protocol.design, rows=None),
            {f"{name}, timed": method for name, method in TIMED.items()},
            is_timed=True,
        )
    ]


def time_by_classes(reproduction: Reproduction) -> list[Path]:
    """Make figure and table of the time of a fit: a line for each number of classes."""
    [group] = by_classes(reproduction)
    rows, times = _measured(reproduction, group)
    classes = sorted({c for _, c, _ in times})
    sizes = sorted({n for _, _, n in times})
    figure, ((axes,),) = panels(1, 1, (6.4, 4.2))
    for m, (method, (c, n_classes)) in enumerate(
        product(BY_CLASSES, enumerate(classes))
    ):
        y = [times[method, n_classes, n].median for n in sizes]
        colour = COLOURS[m // len(classes)]
        style = {"color": colour, "marker": MARKERS[c % len(MARKERS)], "markersize": 4}
        label = f"{method}, {n_classes} classes"
        axes.plot(sizes, y, label=label, linewidth=1.2, **style)
    _finish(axes, sizes)
    axes.legend(fontsize="x-small", ncols=1, loc="center left", bbox_to_anchor=(1, 0.5))
    lines = [
        [f"{c}", f"{n:,}", *(times[method, c, n].text for method in BY_CLASSES)]
        for c, n in product(classes, sizes)
    ]
    title, notes = "Seconds of a fit by number of classes", [*NOTES, provenance(rows)]
    table = ResultTable(title, ["classes", "rows", *BY_CLASSES], lines, notes)
    return reproduction.write("time-classes", figure, table)


def time_by_rows(reproduction: Reproduction) -> list[Path]:
    """Make figure and table of the time of a fit by number of rows, 12 classes."""
    [group] = by_rows(reproduction)
    rows, times = _measured(reproduction, group)
    sizes = reproduction.protocol.rows_timed
    figure, ((axes,),) = panels(1, 1, (5.2, 3.6))
    for m, method in enumerate(TIMED):
        found = [times[method, CLASSES_OF_ROWS, n] for n in sizes]
        middle = np.array([each.median for each in found])
        spread = np.array([each.spread for each in found]).T
        axes.errorbar(
            sizes,
            middle,
            yerr=[middle - spread[0], spread[1] - middle],
            label=method,
            color=COLOURS[m],
            marker=MARKERS[m],
            markersize=4,
            linewidth=1.5,
            capsize=2,
        )
    _finish(axes, sizes)
    axes.legend(fontsize="small")
    lines = [
        [f"{n:,}", *(times[method, CLASSES_OF_ROWS, n].text for method in TIMED)]
        for n in sizes
    ]
    notes = [f"{CLASSES_OF_ROWS} classes. {NOTES[0]}", provenance(rows)]
    title = "Seconds of a fit by number of rows"
    table = ResultTable(title, ["rows", *TIMED], lines, notes)
    return reproduction.write("time-rows", figure, table)


@dataclass(frozen=True)
class Times:
    """The times of fits of one method on draws of one size.

    Parameters
    ----------
    rows : sequence of Row
        Their rows.
    """

    rows: Sequence[Row]

    @property
    def seconds(self) -> list[float]:
        """Times of the fits that are done."""
        return [row.fit_seconds or 0.0 for row in self.rows if row.is_done]

    @property
    def median(self) -> float:
        """Median time, NaN if no fit is done."""
        return float(np.median(self.seconds)) if self.seconds else float("nan")

    @property
    def spread(self) -> tuple[float, float]:
        """Least and largest time."""
        return min(self.seconds, default=np.nan), max(self.seconds, default=np.nan)

    @property
    def text(self) -> str:
        """Median, marked if a fit ended early, or why there is none."""
        if not self.seconds:
            return self.rows[0].status if self.rows else "not run"
        early = any(row.stop_reason == "MAX_ITER" for row in self.rows)
        return f"{self.median:.3f}{'!' if early else ''}"


def _measured(
    reproduction: Reproduction, group: TrialGroup
) -> tuple[list[Row], dict[tuple[str, int, int], Times]]:
    """Return all rows, and the times by method, number of classes and of rows."""
    rows = reproduction.rows([group])
    times = {
        (method.removesuffix(", timed"), each.n_classes, each.n_samples): Times(
            [r for r in rows if (r.dataset, r.method) == (each.name, method)]
        )
        for each in group.sets
        for method in group.methods
    }
    return rows, times


def _finish(axes: Any, sizes: Sequence[int]) -> None:
    axes.set(xlabel="rows", ylabel="seconds of a fit", yscale="log", xscale="log")
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axes.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
