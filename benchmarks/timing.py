"""The clock that all benchmarks share."""

from collections.abc import Callable
from time import perf_counter
from typing import Any


def seconds_of(run: Callable[[], Any]) -> float:
    """Return the time of one run."""
    start = perf_counter()
    run()
    return perf_counter() - start


def best_seconds(run: Callable[[], Any], n_runs: int) -> float:
    """Return the shortest time of several runs."""
    return min(seconds_of(run) for _ in range(n_runs))
