"""Computation of tasks; if the cluster is lost, an error says so in one sentence."""

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
"""Seconds without a worker after which a cluster is considered lost."""
POLL = 2.0
"""Seconds between two checks for workers."""
BATCH = re.compile(r"(?<!['\"\w])(b|B)atch(?= \d)")
PARTITION = {"b": "p", "B": "P"}


def compute(phase: str, tasks: Sequence[Delayed]) -> list[Any]:
    """Return the results of tasks; they are computed again if a worker is lost.

    Parameters
    ----------
    phase : str
        Name of the phase, for messages.
    tasks : sequence of Delayed
        With small results.

    Examples
    --------
    >>> compute("counting", [delayed(sum)([1, 2])])
    [3]
    """
    with _partitions_in_errors(), _cluster_errors(phase):
        client = _client()
        if client is None:
            return list(dask.compute(*tasks))
        futures = client.compute(list(tasks))
        _wait(client, futures)
        return client.gather(futures)


def persist(thing: object) -> Delayed:
    """Return an object as a task: sent once, and again if its worker is lost."""
    client = _client()
    task = delayed(_identity)(thing)
    if client is None:
        return task
    with _cluster_errors("sending a model"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")
        return client.persist(task)


def _identity(thing: object) -> Any:
    return thing


def _client() -> Any:
    """Return the client of the cluster that dask would use now, or None."""
    return getattr(get_scheduler(), "__self__", None)


def _wait(client: object, futures: list[Any]) -> None:
    """Wait for all futures; raise if there has been no worker for too long."""
    from distributed import wait

    seen = monotonic()
    while True:
        try:
            wait(futures, timeout=POLL)
            return
        except TimeoutError:
            if _n_workers(client):
                seen = monotonic()
            elif monotonic() - seen > PATIENCE:
                raise TimeoutError(f"no worker for {PATIENCE:.0f} seconds") from None


def _n_workers(client: Any) -> int:
    """Return the number of workers; 0 if the scheduler does not answer in time."""
    if client.status != "running":
        return 0
    try:  # its scheduler_info() would wait for ever
        told = client.sync(client.scheduler.identity, callback_timeout=POLL)
    except OSError:
        return 0
    return len(told["workers"])


@contextmanager
def _cluster_errors(phase: str) -> Iterator[None]:
    """Turn the errors of a lost cluster into one RuntimeError."""
    try:
        yield
    except _losses() as error:
        cause = " ".join(str(error).split()) or "no reason given"
        raise RuntimeError(
            f"The cluster was lost while {phase} ({type(error).__name__}: "
            f"{cause:.200}). Look at its workers' logs and memory, then fit again."
        ) from error


def _losses() -> tuple[type[BaseException], ...]:
    """Return the errors that concern a cluster, not its tasks."""
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
def _partitions_in_errors() -> Iterator[None]:
    """Write "partition" for "batch" in the messages of errors."""
    try:
        yield
    except (ValueError, TypeError) as error:
        said = BATCH.sub(lambda b: f"{PARTITION[b[1]]}artition", f"{error}")
        if said == f"{error}":
            raise
        raise type(error)(said) from None
