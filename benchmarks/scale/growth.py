"""How time grows with rows: counting, embedding, predicting."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import nearkind as nk
from benchmarks.scale.rows import block
from benchmarks.warming import no_complaints, warm_up
from nearkind.estimators.batch_labels import SurveyBatch
from nearkind.streaming import merged_surveys, numbered

PART = 1 << 14


def seconds_by_size(sizes: list[int]) -> dict[str, list[float]]:
    """Return the seconds of each task at each size."""
    warm_up()
    learnt = block(4_000, np.random.default_rng(7))
    X, y = learnt.drop_columns("class"), learnt.column("class")
    with no_complaints():
        model = nk.CPMLClassifier(nk.CPML(tol=1e-2, random_state=0)).fit(X, y)
    tasks: dict[str, Callable[[Any, Any], Any]] = {
        "count": _count,
        "embed": lambda X, y: [model.metric_.transform(part) for part in _parts(X)],
        "predict": lambda X, y: [model.predict(part) for part in _parts(X)],
    }
    return {
        name: [_timed(task, size) for size in sizes] for name, task in tasks.items()
    }


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """Return b of seconds ~ rows^b."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def _timed(task: Callable[[Any, Any], Any], size: int) -> float:
    table = block(size, np.random.default_rng(size))
    X, y = table.drop_columns("class"), table.column("class")
    start = perf_counter()
    with no_complaints():
        task(X, y)
    return perf_counter() - start


def _count(X: Any, y: Any) -> None:
    batches = [(part, y[at : at + PART]) for at, part in _placed(X)]
    read = SurveyBatch("CPML", "auto", 0, 20_000)
    merged_surveys(map(read, numbered(batches)), 20_000)


def _placed(X: Any) -> list[tuple[int, Any]]:
    return [(at, X.slice(at, PART)) for at in range(0, X.num_rows, PART)]


def _parts(X: Any) -> list[Any]:
    return [part for _, part in _placed(X)]
