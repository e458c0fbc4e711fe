"""Run what a results file lacks: every trial in a process of its own, several at once.

No row depends on how many run together: a trial knows its set, method and repetition,
and takes its seed from the first and the last.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice
from numbers import Integral
from signal import Signals
from typing import Any, NamedTuple

from joblib import cpu_count

from nearkind.experiments.children import Child, Ended, Room, first_to_end
from nearkind.experiments.design import Design
from nearkind.experiments.methods import METHODS, Method
from nearkind.experiments.planning import plan
from nearkind.experiments.progress import State, Watcher, shown
from nearkind.experiments.rows import FAILED, NO_MEMORY, TIMED_OUT, Row
from nearkind.experiments.store import Store, opened
from nearkind.experiments.trial import Trial, make_row

LONGEST_REASON = 300
LONGEST_WAIT = 1.0
"""Seconds until limits are looked at again."""
INHERITED = "NEARKIND_DATA", "XDG_CACHE_HOME"
"""Variables as they are now, whenever the server that forks children was started."""


class Limits(NamedTuple):
    """What a row may take, and how many are made at once.

    Attributes
    ----------
    seconds : until its process is killed; None: no limit
    megabytes : of memory beyond what the libraries take; None: no limit
    jobs : rows at once, which share the cores; None: one a core

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
    show: Callable[[int], AbstractContextManager[Watcher]] = shown,
) -> list[Row]:
    """Make the rows that a results file lacks, small sets first.

    Ctrl-C ends all at once; rows that are written stay, as after any other death.

    Parameters
    ----------
    sets, methods : names; methods of ``table``
    repetitions : how many of each, from 0 on
    results : file of rows, new or to be continued; no two runs may write it at a time
    design : how rows are made; None: Design()
    limits : what a row may take; None: Limits()
    retry : make rows again that are there but not done
    table : methods by name; importable ones, as they go to other processes
    show : gives a watcher of the run, from the number of rows that are there already

    Returns
    -------
    the rows asked for, in the order of ``plan``

    Examples
    --------
    >>> import tempfile
    >>> from nearkind.experiments.progress import unseen
    >>> place = tempfile.mkdtemp() + "/results.jsonl"
    >>> rows = run(["monks1"], ["hamming"], 1, place, show=unseen)
    >>> rows[0].n_train, rows[0].status
    (259, 'done')
    """
    _check_count("repetitions", repetitions)
    trials = plan(sets, methods, repetitions, design or Design(), table)
    limits = _with_jobs(limits or Limits())
    with opened(results) as store:
        wanted = [trial for trial in trials if _is_wanted(trial, store, retry)]
        with show(len(trials) - len(wanted)) as watch:
            _Run(store, limits, watch, iter(wanted), len(wanted)).go()
        return [store.rows[trial.key] for trial in trials]


def _is_wanted(trial: Trial, store: Store, retry: bool) -> bool:
    row = store.rows.get(trial.key)
    return row is None or (retry and not row.is_done)


@dataclass
class _Run:
    """Trials in children, so many at once."""

    store: Store
    limits: Limits
    watch: Watcher
    waiting: Iterator[Trial]
    n_all: int
    n_done: int = 0
    running: list[Child] = field(default_factory=list)

    def go(self) -> None:
        """Run all; whatever ends this ends the children."""
        try:
            self._start()
            while self.running:
                self._finish()
                self._start()
        finally:
            for child in self.running:
                child.kill()

    def _start(self) -> None:
        jobs = self.limits.jobs or 1
        environment = {name: os.environ.get(name, "") for name in INHERITED}
        threads = max(1, cpu_count() // jobs)
        room = Room(environment, threads, self.limits.megabytes)
        for trial in islice(self.waiting, jobs - len(self.running)):
            self.running.append(Child(make_row, trial, room))
            self._tell()

    def _finish(self) -> None:
        """Wait a while, and write the rows of children that have ended by then."""
        for child in first_to_end(self.running, self._until_next_limit()):
            self._write(child, _row(child.given, child.ended(), child.seconds))
        for child in [child for child in self.running if self._left(child) <= 0.0]:
            child.kill()
            row = child.given.row(status=TIMED_OUT, seconds=child.seconds)
            self._write(child, row)

    def _write(self, child: Child, row: Row) -> None:
        self.running.remove(child)
        self.store.append(row)
        self.n_done += 1
        self._tell(row)

    def _left(self, child: Child) -> float:
        """Return the seconds that a child may still take."""
        most = self.limits.seconds
        return float("inf") if most is None else most - child.seconds

    def _until_next_limit(self) -> float:
        return max(0.0, min(LONGEST_WAIT, *map(self._left, self.running)))

    def _tell(self, last: Row | None = None) -> None:
        keys = [child.given.key for child in self.running]
        self.watch(State(self.n_done, self.n_all, keys, last))


def _row(trial: Trial, ended: Ended, seconds: float) -> Row:
    """Return what became of a trial."""
    if ended.value is not None:
        return ended.value._replace(peak_memory=ended.peak_memory)
    status = NO_MEMORY if ended.lacked_memory else f"{FAILED}: {_reason(ended)}"
    return trial.row(status=status, seconds=seconds, peak_memory=ended.peak_memory)


def _reason(ended: Ended) -> str:
    """Say in a sentence why there is no value."""
    if ended.complaint is not None:
        return " ".join(ended.complaint.split())[:LONGEST_REASON]
    code = ended.exit_code
    if code is None or code >= 0:
        return f"The process ended with code {code} and no word."
    name = Signals(-code).name
    hint = "; the system may have run out of memory" if name == "SIGKILL" else ""
    return f"The process was ended by {name}{hint}."


def _with_jobs(limits: Limits) -> Limits:
    """Return limits with the number of jobs filled in, all checked."""
    jobs = cpu_count() if limits.jobs is None else limits.jobs
    _check_count("jobs", jobs)
    for name in ("seconds", "megabytes"):
        value = getattr(limits, name)
        if value is not None and not value > 0:
            raise ValueError(f"{name!r} must be None or a number > 0; got {value!r}.")
    return limits._replace(jobs=int(jobs))


def _check_count(name: str, value: Any) -> None:
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < 1:
        raise ValueError(f"{name!r} must be a whole number >= 1; got {value!r}.")
