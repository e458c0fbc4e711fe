"""Every baseline on every set: time, peak memory and accuracy.

Each runs in a process of its own over all sets of up to 8,124 rows; those that scale
also over nursery, krkopt and adult (its eight categorical columns). A split of 8 : 2,
five nearest neighbours, all other settings at their defaults.

``python -m benchmarks.baselines [NAME ...] [--cap SECONDS]``
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

import nearkind as nk
from benchmarks.harness import no_warnings, print_status, print_table
from benchmarks.sets import load_categorical, two_parts
from nearkind.experiments.rows import DONE
from nearkind.experiments.sandbox import Limits, call

SMALL = (
    "audiology", "balance", "car", "dna_nominal", "dna_promoter", "housevotes",
    "krvskp", "led24", "lymphography", "monks1", "monks2", "monks3", "mushroom",
    "soybean_large", "spect", "splice", "tic_tac_toe", "voting", "zoo",
)  # fmt: skip
LARGE = ("nursery", "krkopt", "adult")
LEARNERS = {
    "cheng", "helic", "kdml", "kernel_lmca", "chi2_lmnn", "gb_lmnn", "itml", "dml_eig",
    "mmc", "nca", "rfm",
}  # fmt: skip
"""Not asked to scale."""


class Result(NamedTuple):
    """One baseline on one set."""

    name: str
    fit: float  # seconds
    predict: float
    accuracy: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--cap", type=float, default=600.0, help="seconds a baseline")
    wanted = parser.parse_args(arguments)
    names = wanted.names or [*nk.baselines.all()]
    small = [_line(name, SMALL, wanted.cap) for name in names]
    columns = ("baseline", "fit", "slowest set", "its fit", "predict", "peak", "right")
    print_table(f"{len(SMALL)} sets of up to 8,124 rows", columns, small)
    scaling = [name for name in names if name not in LEARNERS]
    large = [_line(name, LARGE, wanted.cap) for name in scaling]
    print_table(f"Sets of 12,960 to 48,842 rows: {', '.join(LARGE)}", columns, large)


def _line(name: str, sets: Sequence[str], cap: float) -> list[str]:
    print_status(name)
    outcome = call(run, name, sets, limits=Limits(seconds=cap))
    if outcome.status != DONE:
        return [name, outcome.status, "", "", "", "", ""]
    results: list[Result] = outcome.value
    slowest = max(results, key=lambda result: result.fit)
    return [
        name,
        f"{sum(result.fit for result in results):.1f} s",
        slowest.name,
        f"{slowest.fit:.1f} s",
        f"{sum(result.predict for result in results):.1f} s",
        f"{outcome.peak_memory:.0f} MB",
        f"{sum(result.accuracy for result in results) / len(results):.4f}",
    ]


def run(name: str, sets: Sequence[str]) -> list[Result]:
    """Fit and predict on each set."""
    return [_one(name, each) for each in sets]


def _one(name: str, each: str) -> Result:
    train, test = two_parts(load_categorical(each))
    with no_warnings():
        start = perf_counter()
        model = nk.CPMLClassifier(nk.baselines.all()[name]()).fit(*train)
        fitted = perf_counter()
        right = model.score(*test)
        return Result(each, fitted - start, perf_counter() - fitted, right)


if __name__ == "__main__":
    main()
