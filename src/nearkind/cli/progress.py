"""A bar for commands that take long, on a terminal only."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from nearkind.estimators.progress import is_watched

PATIENCE = 1.0
"""Seconds before a bar is shown."""


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Give what is called with each number of steps done; show a bar if it takes long.

    Parameters
    ----------
    what : str
        What is being done.
    total : int
        Steps in all.
    """
    if not is_watched():
        yield lambda steps: None
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task, start = bar.add_task(what, total=total), perf_counter()

    def advance(steps: int) -> None:
        bar.advance(task, steps)
        if not bar.live.is_started and perf_counter() - start > PATIENCE:
            bar.start()

    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()
