"""What the paper claims, one by one, against the numbers that were made here."""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import stats

from nearkind.experiments.paper import noise_table
from nearkind.experiments.paper.tables import Table
from nearkind.experiments.paper.workshop import Workshop

Finding = tuple[bool, str]
"""Whether a claim holds, and the numbers."""


def make(workshop: Workshop) -> list[Path]:
    """Write what held, from the tables that are in the folder."""
    rows = []
    for claim, (source, judge) in CLAIMS.items():
        path = workshop.folder / f"{source}.csv"
        if not path.exists():
            rows.append([claim, "open", f"make {source!r} first"])
            continue
        with path.open(encoding="utf-8") as file:
            held, numbers = judge(list(csv.reader(file)))
        rows.append([claim, "held" if held else "did not hold", numbers])
    table = Table("Claims of the paper", ["claim", "", "numbers"], rows)
    return workshop.write(table, "claims")


def grow(column: str) -> Callable[[list[list[str]]], Finding]:
    """Return a judge: do all scores grow with a column?"""

    def judge(table: list[list[str]]) -> Finding:
        head, *rows = table
        x = [float(row[head.index(column)]) for row in rows]
        found = {
            name: float(stats.spearmanr(x, [float(row[j]) for row in rows]).statistic)
            for j, name in enumerate(head[2:], 2)
        }
        words = ", ".join(f"{name} {value:+.2f}" for name, value in found.items())
        return min(found.values()) > 0.0, f"rank correlation: {words}"

    return judge


def alike(table: list[list[str]]) -> Finding:
    """Judge whether CPML-s and CPML-m are as good."""
    head, *rows = table
    single, multi = (
        np.array([float(row[head.index(f"{m} accuracy")]) for row in rows])
        for m in ("cpml-s", "cpml-m")
    )
    apart = single - multi
    return bool(abs(apart.mean()) < 0.01), (
        f"accuracy: mean difference {apart.mean():+.4f}, largest {abs(apart).max():.3f}"
    )


def quiet(table: list[list[str]]) -> Finding:
    """Judge whether noisy features have as little of the metric as printed."""
    head, *rows = table
    ours = [j for j, name in enumerate(head) if name.startswith("p =")]
    largest = {head[j]: max(float(row[j].split()[0]) for row in rows) for j in ours}
    words = ", ".join(f"{name}: {value:.1%}" for name, value in largest.items())
    held = max(largest.values()) <= noise_table.LARGEST_PRINTED
    return held, f"largest share, {words}; printed at most 1.7%"


def fastest_but_pola(table: list[list[str]]) -> Finding:
    """Judge whether CPML-s is the fastest but POLA at every size."""
    times = _columns(table)
    others = [name for name in times if name not in ("cpml-s", "pola")]
    ours = times["cpml-s"]
    ratios = {name: float(np.median(times[name] / ours)) for name in others}
    first = all((times[name] >= ours).all() for name in others)
    words = ", ".join(f"{name} {value:.1f}" for name, value in ratios.items())
    pola = float(np.median(times["pola"] / ours))
    return first, f"median time over that of cpml-s: {words}, pola {pola:.2f}"


def independent_of_classes(table: list[list[str]]) -> Finding:
    """Judge whether the time of CPML-s stays as classes become more."""
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


def best_on_most(table: list[list[str]]) -> Finding:
    """Judge whether CPML-s or CPML-m is best on more than half of the sets."""
    head, *rows = table
    ours = [row for row in rows if row[1] == "ours"]
    mine = [head.index(name) for name in ("cpml-s", "cpml-m")]
    best = sum(any(row[j].endswith("*") for j in mine) for row in ours)
    return 2 * best > len(ours), f"best or tied on {best} of {len(ours)} sets"


CLAIMS: dict[str, tuple[str, Callable[[list[list[str]]], Finding]]] = {
    "more features help, 4 classes": ("synthetic-4", grow("features")),
    "larger weights help, 4 classes": ("synthetic-4", grow("weight")),
    "more features help, 20 classes": ("synthetic-20", grow("features")),
    "larger weights help, 20 classes": ("synthetic-20", grow("weight")),
    "CPML-s and CPML-m are alike, 4 classes": ("synthetic-4", alike),
    "CPML-s and CPML-m are alike, 20 classes": ("synthetic-20", alike),
    "noisy features have at most 1.7 % of the metric": ("noise", quiet),
    "CPML-s is the fastest but POLA": ("time-rows", fastest_but_pola),
    "its time does not depend on the classes": ("time-classes", independent_of_classes),
    "CPML is best on most sets, triplets": ("triplets", best_on_most),
    "CPML is best on most sets, classification": ("classification", best_on_most),
}
"""Claim -> the item whose table decides it, and how."""
