"""The progress of a run: a bar on a terminal, elsewhere a line for each row."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple

from nearkind.experiments.rows import Key, Row


class RunProgress(NamedTuple):
    """The progress of a run.

    Attributes
    ----------
    n_done, n_all : int
        Number of rows that are done, and of all.
    running : sequence of Key
        Trials that are running.
    last : Row or None, default=None
        Row of the trial that has just ended.
    """

    n_done: int
    n_all: int
    running: Sequence[Key]
    last: Row | None = None


ProgressCallback = Callable[[RunProgress], None]
"""Is called at the start and at the end of each trial."""


@contextmanager
def show_progress(n_skipped: int = 0, verbose: int = 1) -> Iterator[ProgressCallback]:
    """Show a run on standard error: a bar on a terminal, lines elsewhere.

    Parameters
    ----------
    n_skipped : int, default=0
        Number of rows that were in the results file already.
    verbose : int, default=1
        0 shows nothing.
    """
    if not verbose:
        yield lambda progress: None
        return
    from rich.console import Console

    console = Console(stderr=True)
    if n_skipped:
        print(f"{n_skipped} rows are there already", file=sys.stderr, flush=True)
    if console.is_terminal:
        with _bar(console) as callback:
            yield callback
    else:
        start = monotonic()
        yield lambda progress: _print_row(progress, monotonic() - start)


def _print_row(progress: RunProgress, seconds: float) -> None:
    """Print a line for the row that has just been made, if there is one."""
    n_done, n_all, _, last = progress
    if last is not None:
        count = f"{n_done:{len(str(n_all))}d}/{n_all}"
        left = time_left(n_done, n_all, seconds)
        print(f"{count}  {summary(last)}{left}", file=sys.stderr, flush=True)


def summary(row: Row) -> str:
    """Return a row in one line.

    Examples
    --------
    >>> summary(Row("zoo", "lmnn", 2, "shares, k=1", 7, accuracy=0.9, seconds=1.25))
    'zoo  lmnn  #2  accuracy 0.9000  1.2 s'
    """
    facts = [row.dataset, row.method, f"#{row.repetition}"]
    is_scored = row.accuracy is not None
    facts += [f"accuracy {row.accuracy:.4f}" if is_scored else row.status]
    facts += [] if row.seconds is None else [f"{row.seconds:.1f} s"]
    return "  ".join(facts)


def time_left(n_done: int, n_all: int, seconds: float) -> str:
    """Return a text with the least time left, as the large sets come last.

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
def _bar(console: Any) -> Iterator[ProgressCallback]:
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

    def show(state: RunProgress) -> None:
        running = ", ".join(
            f"{k.dataset} {k.method} #{k.repetition}" for k in state.running
        )
        bar.update(task, completed=state.n_done, total=state.n_all, description=running)
        if state.last is not None and not state.last.is_done:
            bar.console.print(summary(state.last), markup=False, highlight=False)

    with bar:
        yield show
