"""Seconds, rows a second and memory of each pass over a file beyond memory."""

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import nearkind as nk
from benchmarks.children import peak_megabytes
from benchmarks.warming import no_complaints, warm_up

PASSES = "look", "count and sample", "learn", "everything"


class Pass(NamedTuple):
    """What was read, how long it took, and the most memory held until then."""

    what: str
    n_rows: int
    seconds: float
    peak: float

    @property
    def speed(self) -> float:
        """Rows a second."""
        return self.n_rows / max(self.seconds, 1e-9)


class Timed:
    """Batches that note when each pass over them began and ended."""

    def __init__(self, batches: Any) -> None:
        self.batches = batches
        self.passes: list[tuple[float, int]] = []

    def __iter__(self) -> Iterator[Any]:
        """Yield the batches; a pass that is left early counts as far as it went."""
        start, n_rows = perf_counter(), 0
        self.passes.append((0.0, 0))
        for X, y in self.batches:
            n_rows += len(y)
            yield X, y
            self.passes[-1] = perf_counter() - start, n_rows


def fit(path: Path, n_remembered: int) -> tuple[list[Pass], dict[str, Any]]:
    """Fit a classifier to a file by streaming; return its passes and some facts."""
    warm_up()
    start = perf_counter()
    batches = nk.batches(path, target="class")
    passes = [Pass("look", batches.n_rows, perf_counter() - start, peak_megabytes())]
    timed = Timed(batches)
    model = nk.CPMLClassifier(nk.CPML(random_state=0, tol=1e-3))
    with no_complaints():
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
    """Return the share of right answers on fresh rows of the same kind."""
    from numpy.random import default_rng

    from benchmarks.scale.rows import block

    table = block(n_rows, default_rng(99))
    y = table.column("class").to_pylist()
    return float(model.score(table.drop_columns("class"), y))
