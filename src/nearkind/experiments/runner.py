"""Run the trials that a results file lacks, each in a sandbox, several at once.

No row depends on how many trials run at once: the seed of a trial follows from its set
and its repetition.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from time import monotonic
from typing import Any, NamedTuple

from joblib import cpu_count

from nearkind.experiments.design import Design
from nearkind.experiments.methods import METHODS, Method
from nearkind.experiments.rows import Key, Row
from nearkind.experiments.sandbox import NO_LIMITS, Limits, Sandbox, wait_for_any
from nearkind.experiments.sets import DataSet
from nearkind.experiments.store import Store, open_store
from nearkind.experiments.trial import Trial, plan
from nearkind.validation.parameters import check_whole, wrong


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


def run(
    sets: Iterable[str | DataSet],
    methods: Iterable[str],
    repetitions: int,
    results: str | os.PathLike[str],
    *,
    design: Design | None = None,
    limits: Limits = NO_LIMITS,
    jobs: int | None = None,
    retry: bool = False,
    table: Mapping[str, Method] = METHODS,
    verbose: int = 1,
) -> list[Row]:
    """Run methods on sets, small sets first, unless the results file has their rows.

    Parameters
    ----------
    sets : iterable of str or DataSet
        Sets, built-in ones by their names.
    methods : iterable of str
        Names of methods in ``table``.
    repetitions : int
        Number of repetitions.
    results, limits, jobs, retry, verbose
        As in ``run_trials``.
    design : Design or None, default=None
        What is common to all trials; None is ``Design()``.
    table : mapping of str to Method, default=METHODS
        Methods by name. They must be importable, as they go to other processes.

    Returns
    -------
    list of Row
        The rows of all trials, in the order of ``plan``.

    Examples
    --------
    >>> import tempfile
    >>> place = tempfile.mkdtemp() + "/results.jsonl"
    >>> rows = run(["monks1"], ["hamming"], 1, place, verbose=0)
    >>> rows[0].n_train, rows[0].status
    (259, 'done')
    """
    check_whole(repetitions, "repetitions", "run")
    trials = plan(sets, methods, repetitions, design or Design(), table)
    return run_trials(
        trials, results, limits=limits, jobs=jobs, retry=retry, verbose=verbose
    )


def run_trials(
    trials: Sequence[Trial],
    results: str | os.PathLike[str],
    *,
    limits: Limits = NO_LIMITS,
    jobs: int | None = None,
    retry: bool = False,
    verbose: int = 1,
) -> list[Row]:
    """Run the trials that a results file lacks, and return the rows of all.

    Ctrl-C ends all trials; SIGTERM does where Ctrl-C is ignored, as it is in the
    background of a script. Rows that are written stay, however a run ends.

    Parameters
    ----------
    trials : sequence of Trial
        The trials, in the order in which they start.
    results : str or path
        File of rows, new or to be continued. Only one run can write it at a time.
    limits : Limits, default=NO_LIMITS
        What a trial may use. Without a number of threads it has an equal share of the
        cores.
    jobs : int or None, default=None
        Trials at once; None is one for each core.
    retry : bool, default=False
        Run again trials whose row is in the file but not done.
    verbose : int, default=1
        1 shows the progress on standard error, 0 nothing.
    """
    jobs = cpu_count() if jobs is None else jobs
    _check(jobs, limits)
    if limits.n_threads is None:
        limits = limits._replace(n_threads=max(1, cpu_count() // jobs))
    with open_store(results) as store:
        missing = [trial for trial in trials if _is_missing(trial, store, retry)]
        with show_progress(len(trials) - len(missing), verbose) as callback:
            _run(missing, store, limits, jobs, callback)
        return [store.rows[trial.key] for trial in trials]


def _is_missing(trial: Trial, store: Store, retry: bool) -> bool:
    row = store.rows.get(trial.key)
    return row is None or (retry and not row.is_done)


def _run(
    trials: Sequence[Trial],
    store: Store,
    limits: Limits,
    jobs: int,
    callback: ProgressCallback,
) -> None:
    """Run trials in sandboxes and write their rows; an error kills the sandboxes."""
    waiting, running, n_done = iter(trials), dict[Sandbox, Trial](), 0

    def report(last: Row | None = None) -> None:
        keys = [trial.key for trial in running.values()]
        callback(RunProgress(n_done, len(trials), keys, last))

    try:
        while n_done < len(trials):
            for trial in islice(waiting, jobs - len(running)):
                sandbox = Sandbox(Trial.run, [trial], limits, preload=True)
                running[sandbox] = trial
                report()
            for sandbox in wait_for_any([*running]):
                row = _row(running.pop(sandbox), sandbox)
                store.append(row)
                n_done += 1
                report(row)
    finally:
        for sandbox in running:
            sandbox.kill()


def _row(trial: Trial, sandbox: Sandbox) -> Row:
    """Return the row of a trial that has ended, however that was."""
    status, row, reason, _, peak_memory = sandbox.outcome()
    if row is None:
        status = f"{status}: {reason}" if reason else status
        row = trial.row(status=status, seconds=sandbox.seconds)
    return row._replace(peak_memory=peak_memory)


def _check(jobs: object, limits: Limits) -> None:
    check_whole(jobs, "jobs", "run")
    if limits.n_threads is not None:
        check_whole(limits.n_threads, "n_threads", "Limits")
    for name in ("seconds", "megabytes"):
        value = getattr(limits, name)
        if value is not None and not value > 0:
            raise wrong(limits, name, "None or a number > 0")
