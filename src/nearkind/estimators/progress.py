"""Progress of a fit: bars or lines, and scikit-learn's callbacks."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import parent_process
from threading import Event, Thread, current_thread, main_thread
from time import perf_counter
from typing import Any

from nearkind.io import Batches
from nearkind.protocols import TableLike
from nearkind.solvers.solution import Callback, Record

try:
    from sklearn.callback import with_callbacks
except ImportError:  # scikit-learn before 1.9
    with_callbacks = None

SECONDS_BETWEEN_LINES = 10.0
"""Where a search has no terminal to show a bar on."""

Watcher = Callable[[Record, int], None]
"""Is told of a record and of the iterations that there may be in all."""


@contextmanager
def fit_progress(
    model: Any, X: TableLike = None, y: object = None, sample_weight: object = None
) -> Iterator[Callback | None]:
    """Show a fit and tell the model's callbacks of it; give what the solver calls.

    The model must have its fitted attributes when the block is left. A callback that
    asks to stop interrupts the solver as Ctrl-C does: the best metric so far is kept.

    Parameters
    ----------
    model : estimator
        With ``max_iter`` and ``verbose``: 0 is silent, 1 a bar on a terminal and lines
        elsewhere, more is lines.
    X, y, sample_weight : object
        What fit was given, for callbacks that ask for it.

    Yields
    ------
    callable or None
        What the solver calls with each record; None if nobody watches.
    """
    weights = None if sample_weight is None else {"sample_weight": sample_weight}
    data = {"X": X, "y": y, "metadata": weights}
    with _shown(model) as show, _told(model, data) as notify:
        watchers = [] if show is None else [show]
        if notify is not None:
            watchers.append(lambda record, _: notify(f"iteration {record.iteration}"))
        yield _Solves(model.max_iter, watchers) if watchers else None


class _Solves:
    """Makes one of several solves in a row, as ``history_`` does."""

    def __init__(self, max_iter: int, watchers: list[Watcher]) -> None:
        self._max_iter, self._watchers = max_iter, watchers
        self._before = self._last = Record(0, 0.0, 0.0, 0.0)

    def __call__(self, record: Record) -> None:
        before = self._before
        if before.iteration + record.iteration <= self._last.iteration:
            before = self._before = self._last  # counts started again: a new solve
        self._last = record._replace(
            iteration=before.iteration + record.iteration,
            seconds=before.seconds + record.seconds,
        )
        for watch in self._watchers:
            watch(self._last, before.iteration + self._max_iter)


@contextmanager
def _told(model: Any, data: dict[str, Any]) -> Iterator[Callable[[str], None] | None]:
    """Run scikit-learn's task "fit"; give what makes a task in it of each name."""
    if with_callbacks is None:
        yield None
        return

    def notify(name: str) -> None:
        task = root.subcontext(task_name=name)
        task.call_on_fit_task_begin(estimator=model, **data)
        if task.call_on_fit_task_end(estimator=model, **data):
            raise KeyboardInterrupt  # solvers take it for the end, not for an error

    try:
        root = model._init_callback_context(max_subtasks=None)
        root.call_on_fit_task_begin(estimator=model, **data)
        yield notify if hasattr(model, "_skl_callbacks") else None
        root.call_on_fit_task_end(estimator=model, **data, reconstruction_attributes={})
    finally:
        # It tears down after the method it wraps; here there is nothing else to do.
        with_callbacks(lambda model: None)(model)


@contextmanager
def _shown(model: Any) -> Iterator[Watcher | None]:
    console = _terminal() if model.verbose == 1 else None
    if console is not None:
        with _bar(console, model) as show:
            yield show
    else:
        yield _print_record if model.verbose else None


def _print_record(record: Record, limit: int) -> None:
    print(
        f"iteration {record.iteration:5d}  objective {record.value:.6f}  "
        f"gap {record.gap:.2e}  {record.seconds:.1f} s"
    )


def _terminal() -> Any:
    """Return a console on standard error if somebody sees it, else None."""
    # Bars of fits in parallel would overwrite each other.
    alone = current_thread() is main_thread() and parent_process() is None
    if not (alone and _is_terminal(sys.stderr)):
        return None
    from rich.console import Console

    console = Console(stderr=True)
    return console if console.is_interactive else None


def _is_terminal(stream: Any) -> bool:
    return stream is not None and stream.isatty()


@contextmanager
def _bar(console: Any, model: Any) -> Iterator[Watcher]:
    """Show a bar over the iterations; it ends full, with the reason for stopping."""
    from rich import progress
    from rich.table import Column

    bar = progress.Progress(
        progress.SpinnerColumn("line" if console.options.ascii_only else "dots"),
        progress.TextColumn(type(model).__name__),
        progress.BarColumn(None, table_column=Column(max_width=30)),
        progress.TextColumn("{task.description}"),
        progress.TimeElapsedColumn(),
        progress.TextColumn("{task.fields[reason]}"),
        console=console,
        # What others print to a file or a pipe meanwhile must go on going there.
        redirect_stdout=_is_terminal(sys.stdout),
    )
    task = bar.add_task("preparing", total=None, reason="")

    def show(record: Record, limit: int) -> None:
        text = _description(record, limit)
        bar.update(task, completed=record.iteration, total=limit, description=text)

    with bar:
        try:
            yield show
        except BaseException as error:
            bar.update(task, reason=f"[red]{type(error).__name__}")
            raise
        show(Record(model.n_iter_, model.objective_, model.gap_, 0.0), model.n_iter_)
        colour = "green" if model.stop_reason_ in ("TOLERANCE", "SETTLED") else "yellow"
        bar.update(task, reason=f"[{colour}]{model.stop_reason_}")


def _description(record: Record, limit: int) -> str:
    """Say how far it is, in as many letters each time, so that the bar stands still."""
    share = 100.0 * record.gap / max(record.value, 1e-300)
    gap = f"gap {share:.3g} %" if share == share else "estimate"  # NaN: no proof
    count = f"{record.iteration:{len(str(limit))}d}/{limit}"
    return f"{count}  objective {record.value:.6f}  {gap:13}"


Notify = Callable[[float, float, str, float], None]
"""Is told how much work is done or no longer needed, how much there was in all, what
comes next, and the best accuracy so far."""


@contextmanager
def search_progress(
    model: Any, X: TableLike = None, y: object = None, sample_weight: object = None
) -> Iterator[Notify]:
    """Show the fits of a search and tell the model's callbacks of them.

    The model must have its fitted attributes when the block is left. A callback that
    asks to stop interrupts the search as Ctrl-C does: the best so far is learned.

    Parameters
    ----------
    model : estimator
        With ``verbose``: 0 is silent, 1 a bar on a terminal and a line every 10 seconds
        elsewhere, more a bar on a terminal and a line for each fit elsewhere.
    X, y, sample_weight : object
        What fit was given, for callbacks that ask for it.
    """
    weights = None if sample_weight is None else {"sample_weight": sample_weight}
    data = {"X": X, "y": y, "metadata": weights}
    with _shown_search(model.verbose) as show, _told(model, data) as notify:

        def tell_all(done: float, total: float, what: str, best: float) -> None:
            show(done, total, what, best)
            if notify is not None:
                notify(what)

        yield tell_all


@contextmanager
def _shown_search(verbose: int) -> Iterator[Notify]:
    console = _terminal() if verbose else None
    if console is not None:
        with _search_bar(console) as show:
            yield show
    elif verbose == 1:
        with _lines_now_and_then() as show:
            yield show
    elif verbose:
        yield lambda *told: print(_line_of_fit(*told), file=sys.stderr)
    else:
        yield lambda *told: None


@contextmanager
def _lines_now_and_then() -> Iterator[Notify]:
    """Print how far a search is every 10 seconds, however long a single fit takes."""
    start, last, over = perf_counter(), "reading the table", Event()

    def show(*told: Any) -> None:
        nonlocal last
        last = _line_of_fit(*told)

    def print_lines() -> None:
        while not over.wait(SECONDS_BETWEEN_LINES):
            line = f"searching for {perf_counter() - start:.0f} s: {last}"
            with suppress(OSError, ValueError):  # nobody reads standard error any more
                print(line, file=sys.stderr, flush=True)

    thread = Thread(target=print_lines, daemon=True)
    with suppress(RuntimeError):  # the system may allow no further thread
        thread.start()
    try:
        yield show
    finally:
        over.set()
        if thread.is_alive():
            thread.join()


def _line_of_fit(done: float, total: float, what: str, best: float) -> str:
    share = done / max(total, 1e-300)
    return f"{share:.0%} done{_best_clause(best)}; next: {what}"


def _best_clause(best: float) -> str:
    return f", best score {best:.1%}" if best == best else ""


@contextmanager
def _search_bar(console: Any) -> Iterator[Notify]:
    """Show a bar over the work: what is tried, the best so far and the time left.

    What turns out not to be needed counts as done, so that the bar never goes back and
    ends full.
    """
    from rich import progress
    from rich.table import Column

    bar = progress.Progress(
        progress.SpinnerColumn("line" if console.options.ascii_only else "dots"),
        progress.TextColumn("{task.description}", table_column=Column(min_width=24)),
        progress.BarColumn(None, table_column=Column(max_width=14)),
        progress.TaskProgressColumn(),
        progress.TextColumn("{task.fields[best]}"),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
        console=console,
        transient=True,
        redirect_stdout=_is_terminal(sys.stdout),
    )
    task = bar.add_task("reading", total=None, best="")
    with bar:
        yield lambda done, total, what, best: bar.update(
            task,
            completed=done,
            total=total,
            description=what,
            best=_best_clause(best).removeprefix(", "),
        )
        bar.update(task, completed=bar.tasks[0].total)


def is_watched() -> bool:
    """Return whether somebody sees standard error, on which progress is shown."""
    return _terminal() is not None


class BatchProgress:
    """Batches that show on a terminal how far they have been read.

    Parameters
    ----------
    batches : Batches
    passes : tuple of str, default=("counting", "learning")
        What each pass over the batches does; the last one stands for all further.
    """

    def __init__(
        self, batches: Batches, passes: tuple[str, ...] = ("counting", "learning")
    ) -> None:
        self.batches, self.passes = batches, passes
        self._n_passes = 0

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Yield the batches, with a bar on a terminal."""
        console = _terminal()
        if console is None:
            yield from self.batches
            return
        from rich.progress import Progress

        what = self.passes[min(self._n_passes, len(self.passes) - 1)]
        self._n_passes += 1
        with Progress(console=console, transient=True) as bar:
            task = bar.add_task(f"looking at {self.batches.where}", total=None)
            bar.update(task, total=self.batches.n_rows, description=what)
            for X, y in self.batches:
                yield X, y
                bar.advance(task, len(y))
