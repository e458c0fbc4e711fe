"""The builtin ``map``, over threads."""

from collections.abc import Callable, Iterable
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs

from nearkind.typing import Map


def thread_map(n_jobs: int | None) -> Map:
    """Return something shaped like ``map``: same results in the same order.

    NumPy leaves the interpreter free while it sorts and multiplies, so threads do.
    """
    if n_jobs is None or effective_n_jobs(n_jobs) == 1:
        return map

    def run(function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        threads = Parallel(n_jobs=n_jobs, prefer="threads")
        return threads(delayed(function)(item) for item in items)

    return run
