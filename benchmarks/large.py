"""A table of 299,285 rows: the census, its 33 categorical columns, on two cores.

Seconds and peak memory of ``CPML()``, then of 5-NN predictions for 10,000 rows held
out, in a process of its own; ratios are to the time of reading and encoding the table.
Aims: fit in less than 300 s and 4 GB, predict in less than 60 s, and more accurate than
the largest class alone.

``python -m benchmarks.large [--rows N] [--held N]`` learns from a sample of rows.
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from time import perf_counter
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.model_selection import train_test_split

import nearkind as nk
from benchmarks.harness import compile_solvers, no_warnings, print_status, print_table
from benchmarks.sets import load_categorical
from nearkind.encoding.codebook import Codebook
from nearkind.experiments.sandbox import call, peak_megabytes

COLUMNS = ("what", "seconds", "ratio", "peak MB", "aim")


class TimedCPML(nk.CPML):
    """CPML that keeps the time of its fit and the peak of memory so far."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the distance from labels."""
        start = perf_counter()
        super().fit(X, y, sample_weight)
        self.seconds_, self.peak_ = perf_counter() - start, peak_megabytes()
        return self


class Lap(NamedTuple):
    """A step, its time, and the peak of memory until its end."""

    what: str
    seconds: float
    peak: float
    aim: str = ""


class Results(NamedTuple):
    """Measures of the whole run."""

    n_rows: int
    laps: list[Lap]
    accuracy: float
    majority: float
    stopped: str


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, help="learn from so many; default: all")
    parser.add_argument("--held", type=int, default=10_000, help="rows to predict")
    wanted = parser.parse_args(arguments)
    print_status("large: census")
    found = call(run, wanted.rows, wanted.held).value
    base = sum(lap.seconds for lap in found.laps[:2])
    rows = [
        [what, f"{seconds:.1f}", f"{seconds / base:.1f}", f"{peak:,.0f}", aim]
        for what, seconds, peak, aim in found.laps
    ]
    notes = [
        f"accuracy {found.accuracy:.4f}, of the largest class {found.majority:.4f}",
        f"fit ended by {found.stopped}",
    ]
    title = f"Census, {found.n_rows:,} rows; ratios to reading and encoding"
    print_table(title, COLUMNS, rows, notes)


def run(n_rows: int | None, n_held: int) -> Results:
    """Read, encode, fit and predict."""
    compile_solvers()
    laps = []
    start = perf_counter()
    data = load_categorical("census")
    laps.append(Lap("read", perf_counter() - start, peak_megabytes()))
    X, X_held, y, y_held = train_test_split(
        data.X,
        data.y,
        train_size=n_rows,
        test_size=n_held,
        random_state=0,
        stratify=data.y,
    )
    start = perf_counter()
    Codebook().fit_encode(X)
    laps.append(Lap("encode", perf_counter() - start, peak_megabytes()))
    model, more = fit(X, y)
    laps += more
    start = perf_counter()
    answers = model.predict(X_held)
    what = f"predict {n_held:,} rows"
    laps.append(Lap(what, perf_counter() - start, peak_megabytes(), "60 s"))
    accuracy = float(np.mean(answers == y_held))
    majority = float(np.mean(y_held == y.mode()[0]))
    return Results(len(X), laps, accuracy, majority, model.metric_.stop_reason_)


def fit(X: Any, y: Any) -> tuple[nk.CPMLClassifier, list[Lap]]:
    """Fit the classifier; CPML takes nearly all of it."""
    start = perf_counter()
    with no_warnings():
        model = nk.CPMLClassifier(TimedCPML(random_state=0)).fit(X, y)
    learner = model.metric_
    rest = perf_counter() - start - learner.seconds_
    return model, [
        Lap("fit CPML", learner.seconds_, learner.peak_, "300 s, 4,000 MB"),
        Lap("keep rows", rest, peak_megabytes()),
    ]


if __name__ == "__main__":
    main()
