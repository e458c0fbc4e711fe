"""One row at a time, and one command: how long they take.

Rows: the 50th and 99th percentile over 2,000 calls of ``predict`` and of ``transform``,
which is all of it but the search for neighbours and their votes, with 20,000 unique
rows to compare with; beside them scikit-learn's k nearest neighbours on a row that is
encoded already. Aims, at the 99th percentile: predict below 0.3 ms for lists and dicts
and below 1 ms for data frames.

Commands: the shortest of some runs, and its ratio to ``import sklearn.neighbors``.
Aims: ``import nearkind`` below 0.1 s, ``nearkind --help`` below 0.25 s and ``nearkind
predict`` below 1.2 s.

``python -m benchmarks.latency [--calls N] [--runs N]``.
"""

import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
from sklearn.neighbors import KNeighborsClassifier

import nearkind as nk
from benchmarks.harness import no_warnings, print_status, print_table, seconds_of
from benchmarks.sets import indicators, load, load_categorical
from nearkind.experiments.splits import Part

N_UNIQUE = 20_000
N_LEARNED = 2_000
"""Rows that the distance is learned from; the time of a prediction is the same."""
KINDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "list of lists": lambda row: row.to_numpy(dtype=object).tolist(),
    "list of dicts": lambda row: row.to_dict("records"),
    "object array": lambda row: row.to_numpy(dtype=object),
    "pandas": lambda row: row,
    "polars": pl.from_pandas,
}
ROW_COLUMNS = ("from", "predict p50", "p99", "ratios", "transform p50", "p99")
COMMAND_COLUMNS = ("command", "seconds", "ratio")


class Milliseconds(NamedTuple):
    """Percentiles of many calls."""

    half: float
    most: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--runs", type=int, default=7)
    wanted = parser.parse_args(arguments)
    print_status("latency: rows")
    title = f"One row of adult, {N_UNIQUE:,} unique rows remembered, in ms"
    print_table(title, ROW_COLUMNS, measure_rows(wanted.calls))
    print_status("latency: commands")
    print_table("Commands", COMMAND_COLUMNS, measure_commands(wanted.runs))


def measure_rows(n_calls: int) -> Iterator[list[str]]:
    """Yield a line for each kind of table."""
    table = words_and_numbers("adult")
    model = remembering(table, N_UNIQUE)
    at = np.random.default_rng(0).integers(len(table.X), size=n_calls)
    peer = neighbors(model, table, at)
    yield ["one-hot array, scikit-learn", *cells(peer), "1 1", "", ""]
    for kind, convert in KINDS.items():
        rows = [convert(table.X.iloc[[i]]) for i in at]
        predict = percentiles(model.predict, rows)
        transform = percentiles(model.metric_.transform, rows)
        ratios = f"{predict.half / peer.half:.3f} {predict.most / peer.most:.3f}"
        yield [kind, *cells(predict), ratios, *cells(transform)]


def words_and_numbers(name: str) -> Part:
    """Load a set, its columns of numbers as numbers, in a random order."""
    data = load(name)
    numbers = data.X.columns.difference(load_categorical(name).X.columns)
    X = data.X.assign(**{column: pd.to_numeric(data.X[column]) for column in numbers})
    order = np.random.default_rng(0).permutation(len(X))
    return Part(X.iloc[order], np.asarray(data.y)[order])


def remembering(table: Part, n_unique: int) -> nk.CPMLClassifier:
    """Return a classifier that remembers so many unique rows."""
    with no_warnings():
        metric = nk.CPML(random_state=0)
        metric.fit(table.X[:N_LEARNED], table.y[:N_LEARNED])
        first = np.unique(metric.codebook_.encode(table.X), axis=0, return_index=True)[
            1
        ]
        rows = np.sort(first)[:n_unique]
        return nk.CPMLClassifier().fit_over(metric, table.X.iloc[rows], table.y[rows])


def neighbors(model: nk.CPMLClassifier, table: Part, at: np.ndarray) -> Milliseconds:
    """Time scikit-learn on the same rows, as indicators of the same values."""
    U = indicators(pd.DataFrame(model.codebook_.encode(table.X)))
    kept = np.unique(U, axis=0, return_index=True)[1][:N_UNIQUE]
    peer = KNeighborsClassifier().fit(U[kept], table.y[kept])
    return percentiles(peer.predict, [U[[i]] for i in at])


def percentiles(call: Callable[[Any], Any], rows: list[Any]) -> Milliseconds:
    """Return the percentiles of a call for each row, after some that do not count."""
    with no_warnings():
        for row in rows[:20]:
            call(row)
        times = [1e3 * seconds_of(partial(call, row)) for row in rows]
    return Milliseconds(*np.percentile(times, [50, 99]))


def measure_commands(n_runs: int) -> Iterator[list[str]]:
    """Yield a line for each command, run in turns."""
    with TemporaryDirectory() as folder:
        model, rows = write_model("car", Path(folder))
        commands = {
            "import sklearn.neighbors": ["-c", "import sklearn.neighbors"],
            "import nearkind": ["-c", "import nearkind"],
            "nearkind --help": ["-m", "nearkind", "--help"],
            "nearkind predict": ["-m", "nearkind", "predict", model, rows],
        }
        turns = [
            [seconds_of(partial(run, command)) for command in commands.values()]
            for _ in range(n_runs)
        ]
    shortest = np.min(turns, axis=0)
    for name, seconds in zip(commands, shortest, strict=True):
        yield [name, f"{seconds:.3f}", f"{seconds / shortest[0]:.2f}"]


def write_model(name: str, folder: Path) -> tuple[str, str]:
    """Write the default model of a set and a few of its rows; return both paths."""
    data, model, rows = load(name), folder / "model", folder / "rows.csv"
    with no_warnings():
        nk.save(nk.CPMLClassifierCV().fit(data.X, data.y), model)
    data.X[:10].to_csv(rows, index=False)
    return str(model), str(rows)


def run(command: list[str]) -> None:
    """Run Python in a process of its own."""
    subprocess.run([sys.executable, *command], check=True, capture_output=True)


def cells(times: Milliseconds) -> list[str]:
    return [f"{value:.3f}" for value in times]


if __name__ == "__main__":
    main()
