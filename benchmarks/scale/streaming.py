"""Time and memory of streaming: each pass over a file, and growth with the rows."""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import nearkind as nk
from benchmarks.harness import compile_solvers, no_warnings
from benchmarks.scale import synthetic
from nearkind.estimators.batches import BatchSummarizer
from nearkind.experiments.sandbox import peak_megabytes
from nearkind.streaming import merge_summaries, read_batches

PASSES = "look", "count and sample", "learn", "everything"
BATCH = 1 << 14
"""Rows of a batch in ``seconds_by_size``."""


class Pass(NamedTuple):
    """A pass over the file: rows, time, and the peak of memory until its end."""

    what: str
    n_rows: int
    seconds: float
    peak: float

    @property
    def speed(self) -> float:
        """Rows a second."""
        return self.n_rows / max(self.seconds, 1e-9)


class TimedBatches:
    """Batches that keep the time and the rows of each pass over them."""

    def __init__(self, batches: Any) -> None:
        self.batches = batches
        self.passes: list[tuple[float, int]] = []

    def __iter__(self) -> Iterator[Any]:
        """Yield the batches; a pass that ends early counts as far as it went."""
        start, n_rows = perf_counter(), 0
        self.passes.append((0.0, 0))
        for X, y in self.batches:
            n_rows += len(y)
            yield X, y
            self.passes[-1] = perf_counter() - start, n_rows


def fit(path: Path, n_remembered: int) -> tuple[list[Pass], dict[str, Any]]:
    """Fit a classifier to a file by streaming; return its passes and its results."""
    compile_solvers()
    start = perf_counter()
    batches = nk.batches(path, target="class")
    passes = [Pass("look", batches.n_rows, perf_counter() - start, peak_megabytes())]
    timed = TimedBatches(batches)
    model = nk.CPMLClassifier(nk.CPML(random_state=0, tol=1e-3))
    with no_warnings():
        model.fit_batches(timed, n_remembered=n_remembered)
    for what, (seconds, n_rows) in zip(PASSES[1:], timed.passes, strict=False):
        passes.append(Pass(what, n_rows, seconds, peak_megabytes()))
    whole = perf_counter() - start
    passes.append(Pass(PASSES[-1], batches.n_rows, whole, peak_megabytes()))
    metric = model.metric_
    facts = {
        "objective": metric.objective_,
        "stopped": metric.stop_reason_,
        "steps": metric.n_iter_,
        "remembered": model.n_remembered_,
        "accuracy": _accuracy(model),
    }
    return passes, facts


def _accuracy(model: nk.CPMLClassifier, n_rows: int = 5_000) -> float:
    """Return the accuracy on new rows of the same kind."""
    rows = synthetic.draw(n_rows, np.random.default_rng(99))
    y = rows.column("class").to_pylist()
    return float(model.score(rows.drop_columns("class"), y))


def seconds_by_size(sizes: list[int]) -> dict[str, list[float]]:
    """Return the time of counting, embedding and predicting at each size."""
    compile_solvers()
    rows = synthetic.draw(4_000, np.random.default_rng(7))
    X, y = rows.drop_columns("class"), rows.column("class")
    with no_warnings():
        model = nk.CPMLClassifier(nk.CPML(tol=1e-2, random_state=0)).fit(X, y)
    tasks: dict[str, Callable[[Any, Any], Any]] = {
        "count": _count,
        "embed": lambda X, y: [model.metric_.transform(b) for b in _batches(X)],
        "predict": lambda X, y: [model.predict(batch) for batch in _batches(X)],
    }
    return {
        name: [_seconds(task, size) for size in sizes] for name, task in tasks.items()
    }


def _seconds(task: Callable[[Any, Any], Any], size: int) -> float:
    rows = synthetic.draw(size, np.random.default_rng(size))
    X, y = rows.drop_columns("class"), rows.column("class")
    start = perf_counter()
    with no_warnings():
        task(X, y)
    return perf_counter() - start


def _count(X: Any, y: Any) -> None:
    batches = [(batch, y[at : at + BATCH]) for at, batch in _numbered_batches(X)]
    read = BatchSummarizer("CPML", "auto", 0, 20_000)
    merge_summaries(map(read, read_batches(batches)), 20_000)


def _numbered_batches(X: Any) -> list[tuple[int, Any]]:
    return [(at, X.slice(at, BATCH)) for at in range(0, X.num_rows, BATCH)]


def _batches(X: Any) -> list[Any]:
    return [batch for _, batch in _numbered_batches(X)]
