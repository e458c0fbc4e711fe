"""The builtin ``map``, over threads."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from numbers import Integral
from threading import Lock, local
from typing import Any

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

from nearkind import optimizations
from nearkind.protocols import Map

ALL_CORES = -1
"""Number of threads that stands for one per core."""
MANY_ROWS = 400


@cache
def _thread_pools() -> ThreadpoolController:
    """Return the thread pools of the process, which take 15 ms to find."""
    import_module("scipy.linalg")  # may bring a linear algebra library of its own
    return ThreadpoolController()


class _BlasLimit:
    """Holds the linear algebra library to one thread while anybody asks for it.

    The limit is the process's, so the first one in sets it and the last one out lifts
    it, from whichever threads they are.
    """

    def __init__(self) -> None:
        self._lock, self._n_inside, self._limit = Lock(), 0, None

    def __enter__(self) -> None:
        with self._lock:
            if self._n_inside == 0:
                self._limit = _thread_pools().limit(limits=1, user_api="blas")
            self._n_inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0 and self._limit is not None:
                self._limit.restore_original_limits()


_BLAS_LIMIT = _BlasLimit()
_thread = local()
_WATCHER: ContextVar[Callable[[int, int], None]] = ContextVar(
    "watcher", default=lambda done, n_parts: None
)


def one_blas_thread() -> Any:
    """Hold the linear algebra library to one thread: sums then have one order."""
    return _BLAS_LIMIT


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` asks for.

    Parameters
    ----------
    n_jobs : int or None
        None: one, unless joblib's ``parallel_config`` says otherwise; below zero, as in
        joblib: all cores but -1 - n_jobs.

    Examples
    --------
    >>> n_threads(3)
    3
    """
    if n_jobs is None:
        return effective_n_jobs(None)
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(
            "The 'n_jobs' parameter must be None, for one thread, -1, for one per "
            f"core, or another whole number other than 0; got {n_jobs!r:.60}."
        )
    return effective_n_jobs(int(n_jobs))


@contextmanager
def thread_map(n_jobs: int | None, n_rows: int = MANY_ROWS) -> Iterator[Map]:
    """Give something shaped like ``map``: same results in the same order.

    NumPy leaves the interpreter free while it sorts and multiplies, so threads do. The
    linear algebra library's own threads are held to one meanwhile: many small products
    are slower with them, and the last bits would depend on their number. Within one of
    these threads it is the builtin: the cores are busy. So it is with optimisations
    turned off.

    Parameters
    ----------
    n_jobs : number of threads, as ``n_threads`` takes it
    n_rows : rows to compare with each other; few are done before threads have met
    """
    n = n_threads(n_jobs)
    is_busy = getattr(_thread, "is_ours", False)
    with one_blas_thread():
        if n == 1 or n_rows < MANY_ROWS or is_busy or not optimizations.enabled():
            yield map
            return
        with ThreadPoolExecutor(n, initializer=_mark_thread) as pool:
            yield pool.map


def _mark_thread() -> None:
    _thread.is_ours = True


@contextmanager
def watched(tell: Callable[[int, int], None]) -> Iterator[None]:
    """Call ``tell`` with the number of parts done, and of all, in ``in_threads``."""
    token = _WATCHER.set(tell)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def in_threads(run: Callable[[Any], Any], parts: Sequence[object]) -> list[Any]:
    """Return what ``run`` makes of each part; one part needs no other thread."""
    if len(parts) == 1:
        return [run(parts[0])]
    tell, found = _WATCHER.get(), []
    with thread_map(ALL_CORES) as each:
        for done, result in enumerate(each(run, parts), start=1):
            found.append(result)
            tell(done, len(parts))
    return found
