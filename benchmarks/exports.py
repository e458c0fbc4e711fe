"""Exported SQL: seconds to classify, by the number of columns.

100 new rows against 1,000 training rows of three classes. "vectors": a distance of 64
axes, 5 neighbours; "soft": the same, all rows voting; "Hamming": a distance by tables.
Beside each time stands its ratio to ``predict_proba`` in Python.

``python -m benchmarks.exports [--columns N ...] [--runs N]``.
"""

import sqlite3
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pandas as pd

import nearkind as nk
from benchmarks.harness import best_seconds, no_warnings, print_status, print_table
from nearkind import export

N_NEW, N_TRAINING, N_AXES = 100, 1_000, 64
COLUMNS = 25, 50, 100, 500
HEAD = ("columns", "model", "python", "duckdb", "ratio", "sqlite", "ratio")
QUESTION = "SELECT key, label, probability FROM model_classes"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, nargs="+", default=COLUMNS)
    parser.add_argument("--runs", type=int, default=3)
    wanted = parser.parse_args(arguments)
    title = f"{N_NEW} new rows, {N_TRAINING:,} training rows, in seconds"
    print_table(title, HEAD, measure(wanted.columns, wanted.runs))


def measure(columns: Sequence[int], n_runs: int) -> Iterator[list[str]]:
    """Yield a line for each number of columns and each model."""
    for n_columns in columns:
        X, y = table(n_columns)
        new = X[N_TRAINING:].reset_index(drop=True)
        for name, make in MODELS.items():
            print_status(f"exports: {n_columns} columns, {name}")
            with no_warnings():
                model = make(X[:N_TRAINING], y[:N_TRAINING])
                in_python = best_seconds(partial(model.predict_proba, new), n_runs)
            line = [f"{n_columns}", name, f"{in_python:.3f}"]
            for dialect in ("duckdb", "sqlite"):
                ask = loaded(model, new, dialect)
                seconds = best_seconds(ask, n_runs)
                line += [f"{seconds:.2f}", f"{seconds / in_python:.0f}"]
            yield line


def table(n_columns: int) -> tuple[pd.DataFrame, Any]:
    """Return rows of six values per column, every third of which tells of the class."""
    rng = np.random.default_rng(0)
    n = N_TRAINING + N_NEW
    y = rng.integers(0, 3, n)
    values = np.array(list("abcdef"))
    columns = {
        f"c{d}": values[rng.integers(0, 4, n) + (y if d % 3 == 0 else 0)]
        for d in range(n_columns)
    }
    return pd.DataFrame(columns), np.array(["p", "q", "r"])[y]


def of_axes(X: pd.DataFrame, y: Any, **settings: Any) -> Any:
    """Return a classifier over vectors of 64 axes, which are drawn, not learned."""
    metric, rng = nk.baselines.Euclidean().fit(X, y), np.random.default_rng(1)
    tables = metric.distance_.tables.vectors
    tables[:] = [rng.normal(size=(len(table), N_AXES)) for table in tables]
    return nk.CPMLClassifier(**settings).fit_over(metric, X, y)


MODELS: dict[str, Callable[[pd.DataFrame, Any], Any]] = {
    "vectors": of_axes,
    "soft": lambda X, y: of_axes(X, y, weights="soft", temperature=64.0),
    "Hamming": lambda X, y: nk.CPMLClassifier(nk.baselines.Hamming()).fit(X, y),
}


def loaded(model: Any, new: pd.DataFrame, dialect: str) -> Callable[[], Any]:
    """Load a model and new rows into a database; return what asks for their classes."""
    rows = new.assign(id=range(len(new)))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.sql"
        export.write(model, path, dialect=dialect)
        script = path.read_text()
    base: Any
    if dialect == "duckdb":
        base = duckdb.connect()
        base.execute("CREATE TABLE new_rows AS SELECT * FROM rows")
        base.execute(script)
    else:
        base = sqlite3.connect(":memory:")
        rows.to_sql("new_rows", base, index=False)
        base.executescript(script)
    return lambda: base.execute(QUESTION).fetchall()


if __name__ == "__main__":
    main()
