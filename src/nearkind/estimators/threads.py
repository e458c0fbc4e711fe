"""The builtin ``map``, over threads."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

from nearkind.protocols import Map

MANY_ROWS = 400


@cache
def _thread_pools() -> ThreadpoolController:
    """Return the thread pools of the process, which take 15 ms to find."""
    import_module("scipy.linalg")  # may bring a linear algebra library of its own
    return ThreadpoolController()


def one_blas_thread() -> Any:
    """Hold the linear algebra library to one thread: sums then have one order."""
    return _thread_pools().limit(limits=1, user_api="blas")


@contextmanager
def thread_map(n_jobs: int | None, n_rows: int = MANY_ROWS) -> Iterator[Map]:
    """Give something shaped like ``map``: same results in the same order.

    NumPy leaves the interpreter free while it sorts and multiplies, so threads do. The
    linear algebra library's own threads are held to one meanwhile: many small products
    are slower with them, and the last bits would depend on their number.

    Parameters
    ----------
    n_jobs : number of threads; None: one a core
    n_rows : rows to compare with each other; few are done before threads have met
    """
    n_threads = effective_n_jobs(-1 if n_jobs is None else n_jobs)
    with one_blas_thread():
        if n_threads == 1 or n_rows < MANY_ROWS:
            yield map
            return
        with ThreadPoolExecutor(n_threads) as pool:
            yield pool.map


def in_threads(run: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any]:
    """Return what ``run`` makes of each part; one part needs no other thread."""
    if len(parts) == 1:
        return [run(parts[0])]
    with thread_map(None) as each:
        return list(each(run, parts))
