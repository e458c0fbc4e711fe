"""Run the trials that a results file lacks, each in a sandbox, several at once.

No row depends on how many trials run at once: the seed of a trial follows from its set
and its repetition.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice
from signal import Signals
from typing import Any, NamedTuple

from joblib import cpu_count

from nearkind.experiments.design import Design, is_count
from nearkind.experiments.methods import METHODS, Method
from nearkind.experiments.progress import Progress, ProgressCallback, show_progress
from nearkind.experiments.rows import DONE, NO_MEMORY, TIMED_OUT, Row
from nearkind.experiments.sandbox import Outcome, Resources, Sandbox, wait_for_any
from nearkind.experiments.store import Store, open_store
from nearkind.experiments.trial import Trial, plan

LONGEST_REASON = 300
LONGEST_WAIT = 1.0
"""Seconds until the time limits are checked again."""
INHERITED = "NEARKIND_DATA", "XDG_CACHE_HOME"
"""Environment variables to hand on: the server that forks sandboxes may have been
started before they were set."""


class Limits(NamedTuple):
    """What a trial may use, and how many run at once.

    Attributes
    ----------
    seconds : float or None, default=None
        Time after which its process is killed; None sets no limit.
    megabytes : float or None, default=None
        Memory beyond what the libraries take; None sets no limit.
    jobs : int or None, default=None
        Trials at once, which share the cores; None is one for each core.

    Examples
    --------
    >>> Limits(seconds=60.0, jobs=1).megabytes is None
    True
    """

    seconds: float | None = None
    megabytes: float | None = None
    jobs: int | None = None


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
    show: Callable[[int], AbstractContextManager[ProgressCallback]] = show_progress,
) -> list[Row]:
    """Run the trials that a results file lacks, those on small sets first.

    Ctrl-C ends all trials; SIGTERM does where Ctrl-C is ignored, as it is in the
    background of a script. Rows that are written stay, however a run ends.

    Parameters
    ----------
    sets, methods : iterable of str
        Names of sets, and of methods in ``table``.
    repetitions : int
        Number of repetitions.
    results : str or path
        File of rows, new or to be continued. Only one run can write it at a time.
    design : Design or None, default=None
        What is common to all trials; None is ``Design()``.
    limits : Limits or None, default=None
        What a trial may use; None is ``Limits()``.
    retry : bool, default=False
        Run again trials whose row is in the file but not done.
    table : mapping of str to Method, default=METHODS
        Methods by name. They must be importable, as they go to other processes.
    show : callable, default=show_progress
        From the number of rows that are in the file already to a context manager of
        a callback that is told of the progress.

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
    limits = _with_jobs(limits or Limits())
    with open_store(results) as store:
        missing = [trial for trial in trials if _is_missing(trial, store, retry)]
        with show(len(trials) - len(missing)) as callback:
            _Run(store, limits, callback, iter(missing), len(missing)).run()
        return [store.rows[trial.key] for trial in trials]


def _is_missing(trial: Trial, store: Store, retry: bool) -> bool:
    row = store.rows.get(trial.key)
    return row is None or (retry and not row.is_done)


@dataclass
class _Run:
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
                self._finish()
                self._start()
        finally:
            for sandbox in self.running:
                sandbox.kill()

    def _start(self) -> None:
        jobs = self.limits.jobs or 1
        environment = {name: os.environ.get(name, "") for name in INHERITED}
        n_threads = max(1, cpu_count() // jobs)
        resources = Resources(environment, n_threads, self.limits.megabytes, True)
        for trial in islice(self.waiting, jobs - len(self.running)):
            self.running[Sandbox(Trial.run, [trial], resources)] = trial
            self._report()

    def _finish(self) -> None:
        """Wait a while, and write the rows of trials that have ended by then."""
        for sandbox in wait_for_any([*self.running], self._until_next_limit()):
            trial, outcome = self.running[sandbox], sandbox.outcome()
            self._write(sandbox, _row(trial, outcome, sandbox.seconds))
        for sandbox in [each for each in self.running if self._left(each) <= 0.0]:
            sandbox.kill()
            trial, seconds = self.running[sandbox], sandbox.seconds
            self._write(sandbox, trial.row(status=TIMED_OUT, seconds=seconds))

    def _write(self, sandbox: Sandbox, row: Row) -> None:
        del self.running[sandbox]
        self.store.append(row)
        self.n_done += 1
        self._report(row)

    def _left(self, sandbox: Sandbox) -> float:
        """Return the seconds until the time limit of a sandbox."""
        most = self.limits.seconds
        return float("inf") if most is None else most - sandbox.seconds

    def _until_next_limit(self) -> float:
        return max(0.0, min(LONGEST_WAIT, *map(self._left, self.running)))

    def _report(self, last: Row | None = None) -> None:
        keys = [trial.key for trial in self.running.values()]
        self.callback(Progress(self.n_done, self.n_all, keys, last))


def _row(trial: Trial, outcome: Outcome, seconds: float) -> Row:
    """Return the row of a trial that has ended."""
    peak_memory = outcome.peak_memory
    if outcome.status == DONE:
        return outcome.value._replace(peak_memory=peak_memory)
    status = outcome.status
    if status != NO_MEMORY:
        status += f": {_reason(outcome)}"
    return trial.row(status=status, seconds=seconds, peak_memory=peak_memory)


def _reason(outcome: Outcome) -> str:
    """Return one line that says why a trial failed."""
    if outcome.error is not None:
        return " ".join(outcome.error.split())[:LONGEST_REASON]
    code = outcome.exit_code
    if code is None or code >= 0:
        return f"The process ended with code {code} and gave no reason."
    name = Signals(-code).name
    hint = "; the system may have run out of memory" if name == "SIGKILL" else ""
    return f"The process was ended by {name}{hint}."


def _with_jobs(limits: Limits) -> Limits:
    """Check limits; return them with the number of jobs filled in."""
    jobs = cpu_count() if limits.jobs is None else limits.jobs
    _check_count("jobs", jobs)
    for name in ("seconds", "megabytes"):
        value = getattr(limits, name)
        if value is not None and not value > 0:
            raise ValueError(f"{name!r} must be None or a number > 0; got {value!r}.")
    return limits._replace(jobs=int(jobs))


def _check_count(name: str, value: Any) -> None:
    if not is_count(value):
        raise ValueError(f"{name!r} must be a whole number >= 1; got {value!r}.")
