"""Progress bars and messages on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from time import perf_counter

from nearkind.estimators.progress import is_watched
from nearkind.validation.threads import watched

PATIENCE = 1.0
"""Seconds before something is shown."""


@contextmanager
def progress_bar(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Give what is called with each number of steps done; show a bar if it takes long.

    Parameters
    ----------
    what : str
        What is being done.
    total : int or None
        Steps in all; None: unknown, so that the steps per second are shown.
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
        if total is None:
            speed = bar.tasks[task].completed / max(perf_counter() - start, 1e-9)
            bar.update(task, description=f"{what}, {speed:,.0f} per second")
        if not bar.live.is_started and perf_counter() - start > PATIENCE:
            bar.start()

    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()


@contextmanager
def said_if_long(message: str) -> Iterator[None]:
    """Show a message on the terminal, if there is one, when the block takes long.

    Beside it is a bar of the parts of rows that are done.
    """
    if not is_watched():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task, timer = bar.add_task(message, total=None), Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        with watched(lambda done, n: bar.update(task, completed=done, total=n)):
            yield
    finally:
        timer.cancel()
        timer.join()
        if bar.live.is_started:
            bar.stop()
