"""What a person sees of a run: a bar on a terminal, a line a row elsewhere."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple

from nearkind.experiments.rows import Key, Row


class State(NamedTuple):
    """How far a run is."""

    n_done: int
    n_all: int
    running: Sequence[Key]
    last: Row | None = None  # the row that has just ended


Watcher = Callable[[State], None]
"""Is told of each start and each end."""


@contextmanager
def shown(n_skipped: int = 0) -> Iterator[Watcher]:
    """Show a run on standard error, as suits whoever reads that."""
    from rich.console import Console

    console = Console(stderr=True)
    if n_skipped:
        print(f"{n_skipped} rows are there already", file=sys.stderr, flush=True)
    if console.is_terminal:
        with _bar(console) as watcher:
            yield watcher
    else:
        yield Lines()


@contextmanager
def unseen(n_skipped: int = 0) -> Iterator[Watcher]:
    """Show nothing."""
    yield lambda state: None


class Lines:
    """A line for every row that ends."""

    def __init__(self) -> None:
        self._start = monotonic()

    def __call__(self, state: State) -> None:
        """Print if a row has ended."""
        if state.last is None:
            return
        count = f"{state.n_done:{len(str(state.n_all))}d}/{state.n_all}"
        left = time_left(state.n_done, state.n_all, monotonic() - self._start)
        print(f"{count}  {in_words(state.last)}{left}", file=sys.stderr, flush=True)


def in_words(row: Row) -> str:
    """Return what became of a row.

    Examples
    --------
    >>> in_words(Row("zoo", "lmnn", 2, "shares, k=1", 7, accuracy=0.9, seconds=1.25))
    'zoo  lmnn  #2  0.9000 right  1.2 s'
    """
    facts = [row.dataset, row.method, f"#{row.repetition}"]
    facts += [row.status] if row.accuracy is None else [f"{row.accuracy:.4f} right"]
    facts += [] if row.seconds is None else [f"{row.seconds:.1f} s"]
    return "  ".join(facts)


def time_left(n_done: int, n_all: int, seconds: float) -> str:
    """Say how long the rest may take if it is as fast; large sets come last.

    Examples
    --------
    >>> time_left(2, 6, 61.0)
    '  at least 2 min left'
    """
    if n_done == n_all:
        return ""
    rest = seconds * (n_all - n_done) / n_done
    return f"  at least {f'{rest:.0f} s' if rest < 90 else f'{rest / 60:.0f} min'} left"


@contextmanager
def _bar(console: Any) -> Iterator[Watcher]:
    from rich import progress

    bar = progress.Progress(
        progress.TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        progress.BarColumn(30),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
        progress.TextColumn("{task.description}", markup=False),
        console=console,
    )
    task = bar.add_task("", total=1)

    def show(state: State) -> None:
        at_work = ", ".join(
            f"{k.dataset} {k.method} #{k.repetition}" for k in state.running
        )
        bar.update(task, completed=state.n_done, total=state.n_all, description=at_work)
        if state.last is not None and not state.last.is_done:
            bar.console.print(in_words(state.last), markup=False, highlight=False)

    with bar:
        yield show
