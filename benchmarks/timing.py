"""The clock that all benchmarks share."""

from collections.abc import Callable
from time import perf_counter
from typing import Any


def best_seconds(run: Callable[[], Any], n_runs: int) -> float:
    """Return the shortest time of several runs."""
    times = []
    for _ in range(n_runs):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times)
