"""Run the trials that a results file lacks, each in a sandbox, several at once.

No row depends on how many trials run at once: the seed of a trial follows from its set
and its repetition.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from joblib import cpu_count

from nearkind.experiments.design import Design, is_count
from nearkind.experiments.methods import METHODS, Method
from nearkind.experiments.progress import ProgressCallback, RunProgress, show_progress
from nearkind.experiments.rows import Row
from nearkind.experiments.sandbox import Resources, Sandbox, wait_for_any
from nearkind.experiments.store import Store, open_store
from nearkind.experiments.trial import Trial, plan

Show = Callable[[int], AbstractContextManager[ProgressCallback]]
"""From the number of rows that are in the file already to a context manager of a
callback that is told of the progress."""


class Limits(NamedTuple):
    """What a trial may use, and how many run at once.

    Attributes
    ----------
    seconds : float or None, default=None
        Time after which its process is killed; None sets no limit.
    megabytes : float or None, default=None
        Memory beyond what the libraries take; None sets no limit.
    jobs : int or None, default=None
        Trials at once; None is one for each core.
    n_threads : int or None, default=None
        Threads of each trial; None is an equal share of the cores.

    Examples
    --------
    >>> Limits(seconds=60.0, jobs=1).megabytes is None
    True
    """

    seconds: float | None = None
    megabytes: float | None = None
    jobs: int | None = None
    n_threads: int | None = None


def run(
    sets: Iterable[str],
    methods: Iterable[str],
    repetitions: int,
    results: str | os.PathLike[str],
    *,
    design: Design | None = None,
    limits: Limits | None = None,
    retry: bool = False,
    table: Mapping[str, Method] = METHODS,
    show: Show = show_progress,
) -> list[Row]:
    """Run methods on sets, small sets first, unless the results file has their rows.

    Parameters
    ----------
    sets, methods : iterable of str
        Names of sets, and of methods in ``table``.
    repetitions : int
        Number of repetitions.
    results, limits, retry, show
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
    >>> from nearkind.experiments.progress import hide_progress
    >>> place = tempfile.mkdtemp() + "/results.jsonl"
    >>> rows = run(["monks1"], ["hamming"], 1, place, show=hide_progress)
    >>> rows[0].n_train, rows[0].status
    (259, 'done')
    """
    _check_count("repetitions", repetitions)
    trials = plan(sets, methods, repetitions, design or Design(), table)
    return run_trials(trials, results, limits=limits, retry=retry, show=show)


def run_trials(
    trials: Sequence[Trial],
    results: str | os.PathLike[str],
    *,
    limits: Limits | None = None,
    retry: bool = False,
    show: Show = show_progress,
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
    limits : Limits or None, default=None
        What a trial may use; None is ``Limits()``.
    retry : bool, default=False
        Run again trials whose row is in the file but not done.
    show : callable, default=show_progress
        Shows the progress.
    """
    limits = _with_jobs(limits or Limits())
    with open_store(results) as store:
        missing = [trial for trial in trials if _is_missing(trial, store, retry)]
        with show(len(trials) - len(missing)) as callback:
            _TrialQueue(store, limits, callback, iter(missing), len(missing)).run()
        return [store.rows[trial.key] for trial in trials]


def _is_missing(trial: Trial, store: Store, retry: bool) -> bool:
    row = store.rows.get(trial.key)
    return row is None or (retry and not row.is_done)


@dataclass
class _TrialQueue:
    """Trials in sandboxes, several at once."""

    store: Store
    limits: Limits
    callback: ProgressCallback
    waiting: Iterator[Trial]
    n_all: int
    n_done: int = 0
    running: dict[Sandbox, Trial] = field(default_factory=dict)

    def run(self) -> None:
        """Run all trials; whatever ends this kills the sandboxes."""
        try:
            self._start()
            while self.running:
                for sandbox in wait_for_any([*self.running]):
                    self._finish(sandbox)
                self._start()
        finally:
            for sandbox in self.running:
                sandbox.kill()

    def _start(self) -> None:
        seconds, megabytes, jobs, n_threads = self.limits
        n_threads = n_threads or max(1, cpu_count() // (jobs or 1))
        resources = Resources(seconds, megabytes, n_threads, preload=True)
        for trial in islice(self.waiting, (jobs or 1) - len(self.running)):
            self.running[Sandbox(Trial.run, [trial], resources)] = trial
            self._report()

    def _finish(self, sandbox: Sandbox) -> None:
        """Write the row of a trial that has ended."""
        status, row, reason, _, peak_memory = sandbox.outcome()
        trial, seconds = self.running.pop(sandbox), sandbox.seconds
        if row is None:
            status = f"{status}: {reason}" if reason else status
            row = trial.row(status=status, seconds=seconds)
        self.store.append(row._replace(peak_memory=peak_memory))
        self.n_done += 1
        self._report(row)

    def _report(self, last: Row | None = None) -> None:
        keys = [trial.key for trial in self.running.values()]
        self.callback(RunProgress(self.n_done, self.n_all, keys, last))


def _with_jobs(limits: Limits) -> Limits:
    """Check limits; return them with the number of jobs filled in."""
    jobs = cpu_count() if limits.jobs is None else limits.jobs
    _check_count("jobs", jobs)
    _check_count("n_threads", limits.n_threads or 1)
    for name in ("seconds", "megabytes"):
        value = getattr(limits, name)
        if value is not None and not value > 0:
            raise ValueError(f"{name!r} must be None or a number > 0; got {value!r}.")
    return limits._replace(jobs=int(jobs))


def _check_count(name: str, value: Any) -> None:
    if not is_count(value):
        raise ValueError(f"{name!r} must be a whole number >= 1; got {value!r}.")
