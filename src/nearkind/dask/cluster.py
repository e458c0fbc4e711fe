"""Tasks done elsewhere: waited for, and given up with a sentence if nobody is left."""

import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any

import dask
from dask.base import get_scheduler
from dask.delayed import Delayed, delayed

PATIENCE = 60.0
"""Seconds without a worker after which a cluster counts as gone."""
LOOK = 2.0
"""Seconds between two looks at who is there."""
BATCH = re.compile(r"(?<!['\"\w])(b|B)atch(?= \d)")
PARTITION = {"b": "p", "B": "P"}


def computed(phase: str, tasks: Sequence[Delayed]) -> list[Any]:
    """Return what tasks return; the same tasks are done again if a worker is lost.

    Parameters
    ----------
    phase : of the work, to be named in messages
    tasks : return something small

    Examples
    --------
    >>> computed("counting", [delayed(sum)([1, 2])])
    [3]
    """
    with _in_partitions(), _told_of(phase):
        client = _client()
        if client is None:
            return list(dask.compute(*tasks))
        futures = client.compute(list(tasks))
        _wait(client, futures)
        return client.gather(futures)


def held(thing: Any) -> Delayed:
    """Return something as a task: sent once, made again if its worker is lost."""
    client = _client()
    task = delayed(_itself)(thing)
    if client is None:
        return task
    with _told_of("sending a model"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")
        return client.persist(task)


def _itself(thing: Any) -> Any:
    return thing


def _client() -> Any:
    """Return the client of a cluster that dask would use now, or None."""
    return getattr(get_scheduler(), "__self__", None)


def _wait(client: Any, futures: list[Any]) -> None:
    """Wait until all is done, or until there has been no worker for too long."""
    from distributed import wait

    seen = monotonic()
    while True:
        try:
            wait(futures, timeout=LOOK)
            return
        except TimeoutError:
            if _n_workers(client):
                seen = monotonic()
            elif monotonic() - seen > PATIENCE:
                raise TimeoutError(f"no worker for {PATIENCE:.0f} seconds") from None


def _n_workers(client: Any) -> int:
    """Return how many workers there are; none, if nobody answers."""
    try:
        return len(client.scheduler_info()["workers"])
    except OSError:
        return 0


@contextmanager
def _told_of(phase: str) -> Iterator[None]:
    """Turn what dask says of lost workers into one sentence."""
    try:
        yield
    except _losses() as error:
        cause = " ".join(str(error).split()) or "no reason given"
        raise RuntimeError(
            f"The cluster was lost while {phase} ({type(error).__name__}: "
            f"{cause:.200}). Look at its workers' logs and memory, then fit again."
        ) from error


def _losses() -> tuple[type[BaseException], ...]:
    """Return the errors that speak of a cluster, not of its tasks."""
    if "distributed" not in sys.modules:
        return ()
    from concurrent.futures import CancelledError

    from distributed import CancelledError as Cancelled
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError
    from distributed.comm import CommClosedError

    return (
        KilledWorker,
        CommClosedError,
        CancelledError,
        Cancelled,
        FutureCancelledError,
        TimeoutError,
    )


@contextmanager
def _in_partitions() -> Iterator[None]:
    """Let complaints speak of partitions: here these are the batches."""
    try:
        yield
    except (ValueError, TypeError) as error:
        said = BATCH.sub(lambda b: f"{PARTITION[b[1]]}artition", f"{error}")
        if said == f"{error}":
            raise
        raise type(error)(said) from None
