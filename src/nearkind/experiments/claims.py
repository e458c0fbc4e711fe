"""The claims of the paper, checked against the tables that were made here."""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import stats

from nearkind.experiments.reproduction import Reproduction, ResultTable
from nearkind.experiments.tables import LARGEST_PRINTED_SHARE

Verdict = tuple[bool, str]
"""Whether a claim holds, and the numbers that decide it."""
Check = Callable[[list[list[str]]], Verdict]
"""Checks a claim, given the head and the rows of a table."""


def verdicts(reproduction: Reproduction) -> list[Path]:
    """Make the table of the claims and whether they held, from tables in the folder."""
    rows = []
    for claim, (source, check) in CLAIMS.items():
        path = reproduction.folder / f"{source}.csv"
        if not path.exists():
            rows.append([claim, "open", f"make {source!r} first"])
            continue
        with path.open(encoding="utf-8") as file:
            held, numbers = check(list(csv.reader(file)))
        rows.append([claim, "held" if held else "did not hold", numbers])
    table = ResultTable("Claims of the paper", ["claim", "", "numbers"], rows)
    return reproduction.write_table(table, "claims")


def scores_grow_with(column: str) -> Check:
    """Return a check whether all scores grow with a column."""

    def check(table: list[list[str]]) -> Verdict:
        head, *rows = table
        x = [float(row[head.index(column)]) for row in rows]
        found = {
            name: float(stats.spearmanr(x, [float(row[j]) for row in rows]).statistic)
            for j, name in enumerate(head[2:], 2)
        }
        words = ", ".join(f"{name} {value:+.2f}" for name, value in found.items())
        return min(found.values()) > 0.0, f"rank correlation: {words}"

    return check


def are_alike(table: list[list[str]]) -> Verdict:
    """Check whether CPML-s and CPML-m are equally good."""
    head, *rows = table
    single, multi = (
        np.array([float(row[head.index(f"{m} accuracy")]) for row in rows])
        for m in ("cpml-s", "cpml-m")
    )
    apart = single - multi
    return bool(abs(apart.mean()) < 0.01), (
        f"accuracy: mean difference {apart.mean():+.4f}, largest {abs(apart).max():.3f}"
    )


def noise_is_small(table: list[list[str]]) -> Verdict:
    """Check whether noisy features have as small a share of the metric as printed."""
    head, *rows = table
    ours = [j for j, name in enumerate(head) if name.startswith("p =")]
    largest = {head[j]: max(float(row[j].split()[0]) for row in rows) for j in ours}
    words = ", ".join(f"{name}: {value:.1%}" for name, value in largest.items())
    held = max(largest.values()) <= LARGEST_PRINTED_SHARE
    return held, f"largest share, {words}; printed at most 1.7%"


def is_fastest_but_pola(table: list[list[str]]) -> Verdict:
    """Check whether only POLA is faster than CPML-s, at every size."""
    times = _columns(table)
    others = [name for name in times if name not in ("cpml-s", "pola")]
    ours = times["cpml-s"]
    ratios = {name: float(np.median(times[name] / ours)) for name in others}
    first = all((times[name] >= ours).all() for name in others)
    words = ", ".join(f"{name} {value:.1f}" for name, value in ratios.items())
    pola = float(np.median(times["pola"] / ours))
    return first, f"median time over that of cpml-s: {words}, pola {pola:.2f}"


def is_independent_of_classes(table: list[list[str]]) -> Verdict:
    """Check whether the time of CPML-s does not grow with the number of classes."""
    times = _columns(table)
    grown = {name: float(t[-1] / t[0]) for name, t in times.items()}
    words = ", ".join(f"{name} {value:.1f}" for name, value in grown.items())
    return grown["cpml-s"] < 1.5, f"time at most classes over that at fewest: {words}"


def _columns(table: list[list[str]]) -> dict[str, np.ndarray]:
    head, *rows = table
    return {
        name: np.array([float(row[j]) for row in rows])
        for j, name in enumerate(head[1:], 1)
    }


def is_best_on_most(table: list[list[str]]) -> Verdict:
    """Check whether CPML-s or CPML-m is best on more than half of the sets."""
    head, *rows = table
    ours = [row for row in rows if row[1] == "ours"]
    mine = [head.index(name) for name in ("cpml-s", "cpml-m")]
    best = sum(any(row[j].endswith("*") for j in mine) for row in ours)
    return 2 * best > len(ours), f"best or tied on {best} of {len(ours)} sets"


CLAIMS: dict[str, tuple[str, Check]] = {
    "more features help, 4 classes": ("synthetic-4", scores_grow_with("features")),
    "larger weights help, 4 classes": ("synthetic-4", scores_grow_with("weight")),
    "more features help, 20 classes": ("synthetic-20", scores_grow_with("features")),
    "larger weights help, 20 classes": ("synthetic-20", scores_grow_with("weight")),
    "CPML-s and CPML-m are alike, 4 classes": ("synthetic-4", are_alike),
    "CPML-s and CPML-m are alike, 20 classes": ("synthetic-20", are_alike),
    "noisy features have at most 1.7 % of the metric": ("noise", noise_is_small),
    "CPML-s is the fastest but POLA": ("time-rows", is_fastest_but_pola),
    "its time does not depend on the classes": (
        "time-classes",
        is_independent_of_classes,
    ),
    "CPML is best on most sets, triplets": ("triplets", is_best_on_most),
    "CPML is best on most sets, classification": ("classification", is_best_on_most),
}
"""From each claim to the item whose table decides it, and the check."""
