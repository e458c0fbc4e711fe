"""python -m benchmarks.accuracy [--repeats 5] [--sets NAME ...] [--seconds 600]."""

import argparse
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.accuracy.classifiers import CLASSIFIERS
from nearkind import CPMLClassifierCV
from nearkind.datasets.catalogue import CATALOGUE
from nearkind.experiments import (
    METHODS,
    Design,
    Limits,
    printed,
    run,
    score_table,
    statistics,
)
from nearkind.experiments.methods import ClassifierMethod
from nearkind.experiments.reproduction import ResultTable

OURS = "cpml-cv"
LARGE, LARGE_REPEATS = 9_000, 3
LARGE_DESIGN = Design(rows=20_000, numbers=True)
BUDGETED = ClassifierMethod(partial(CPMLClassifierCV, time_budget=300.0))
"""All methods use at most 20,000 rows of a set of more than 9,000, and a search starts
no fit after five minutes."""
BELOW_MAJORITY = {"connect4", "census", "spect"}
"""Printed below the share of the largest class: compared with that instead."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--methods", nargs="*")
    parser.add_argument("--seconds", type=float, default=900.0)
    parser.add_argument("--largest", type=int, default=10**9)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--output", type=Path, default=Path("bench-accuracy"))
    given = parser.parse_args()
    names = given.sets or sorted(printed.set_sizes())
    names = [s for s in names if CATALOGUE[s].n_samples <= given.largest]
    methods = given.methods or [OURS, *CLASSIFIERS]
    given.output.mkdir(parents=True, exist_ok=True)
    limits = Limits(seconds=given.seconds, jobs=given.jobs)
    small = [s for s in names if CATALOGUE[s].n_samples <= LARGE]
    large = [s for s in names if CATALOGUE[s].n_samples > LARGE]
    rows = []
    for sets, repeats, design, ours in (
        (small, given.repeats, Design(numbers=True), METHODS[OURS]),
        (large, LARGE_REPEATS, LARGE_DESIGN, BUDGETED),
    ):
        if sets:
            found = run(
                sets, methods, repeats, given.output / "rows.jsonl",
                design=design, limits=limits, table={OURS: ours, **CLASSIFIERS},
            )  # fmt: skip
            rows += [row._replace(design="by size") for row in found]
    if len(methods) > 1:  # of one there are no ranks
        for path in summary(rows, methods).write(given.output, "accuracy"):
            print(path)


def summary(rows, methods):
    """Return accuracies, mean ranks, wins over the printed best and time."""
    scores = score_table(rows, "accuracy", methods=methods)
    majority = score_table(rows, "majority_share", methods=methods)
    paper = printed.accuracies("classification")
    lines, above = [], 0
    for i, name in enumerate(scores.datasets):
        best = max(figure.mean for (s, _), figure in paper.items() if s == name)
        if name in BELOW_MAJORITY:
            best = float(np.nanmean(majority.mean[i]))
        above += bool(scores.mean[i, 0] > best)
        top = np.nanmax(scores.mean[i])
        cells = [
            f"{mean:.3f}{'*' if mean >= top - 5e-4 else ''}"
            if np.isfinite(mean) else _reason(rows, name, methods[j])
            for j, mean in enumerate(scores.mean[i])
        ]  # fmt: skip
        lines.append([name, *cells, f"{best:.3f}"])
    whole = scores.complete()
    ranks = statistics.mean_ranks(whole.mean)
    seconds = score_table(rows, "seconds", methods=methods).complete().mean
    lines += [
        ["mean", *(f"{x:.4f}" for x in whole.mean.mean(axis=0)), ""],
        ["mean rank", *(f"{x:.2f}" for x in ranks), ""],
        ["seconds", *(f"{x:.1f}" for x in seconds.mean(axis=0)), ""],
    ]
    notes = [
        f"Means over the {len(whole.datasets)} sets that all have done. "
        f"{methods[0]} is above the printed best on {above} of {len(scores.datasets)}; "
        f"{', '.join(sorted(BELOW_MAJORITY))} are printed below the largest class's "
        "share and compared with that.",
        "One fifth of the rows for testing, the same for all; the rest for fitting "
        f"and choosing. Of sets beyond {LARGE:,} rows all methods see at most "
        f"{LARGE_DESIGN.rows:,} in {LARGE_REPEATS} repetitions.",
    ]
    head = ["set", *methods, "printed best"]
    return ResultTable("Accuracy", head, lines, notes)


def _reason(rows, dataset, method):
    found = [r.status for r in rows if (r.dataset, r.method) == (dataset, method)]
    return found[0] if found else "not run"


if __name__ == "__main__":
    main()
