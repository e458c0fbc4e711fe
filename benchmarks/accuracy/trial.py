"""Trials: one method on one set in one repetition, each in a process of its own."""

import subprocess
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.accuracy.anchors import cpu_seconds
from benchmarks.accuracy.classifiers import BUDGETED, METHODS, OURS
from benchmarks.accuracy.rows import Row
from benchmarks.accuracy.scores import probability_scores
from nearkind.datasets.catalogue import CATALOGUE
from nearkind.experiments.methods import seeded
from nearkind.experiments.rows import DONE, versions
from nearkind.experiments.sandbox import Resources, call
from nearkind.experiments.scores import accuracies
from nearkind.experiments.sets import load, seed_of
from nearkind.experiments.splits import Part, split

SMALL, LARGE = 1_000, 9_000
MOST_ROWS = 20_000
"""All methods use at most so many rows of a large set."""
REPEATS = {"small": 10, "medium": 5, "large": 3}
LAST = ("catboost",)
"""Methods that wait for all others of the size."""
ONE_THREAD = Resources(n_threads=1, preload=True)
LONGEST_REASON = 300


def size_of(dataset):
    """Return whether a set is small, medium or large."""
    n = CATALOGUE[dataset].n_samples
    return "small" if n <= SMALL else "medium" if n <= LARGE else "large"


@dataclass(frozen=True)
class Trial:
    """One method on one set in one repetition."""

    dataset: str
    method: str
    repetition: int

    @property
    def key(self):
        """The key of its row."""
        return self.dataset, self.method, self.repetition

    @property
    def seed(self):
        """Seed of the split and of our method."""
        return seed_of(self.dataset, self.repetition)

    def parts(self):
        """Return the rows for fitting and choosing, and the rows for testing."""
        most = MOST_ROWS if size_of(self.dataset) == "large" else None
        whole = load(self.dataset, self.seed, numbers=True)
        train, valid, test = split(whole, self.seed, most)
        return Part(*map(np.concatenate, zip(train, valid, strict=True))), test

    def row(self, seconds=None):
        """Run in a process of its own, at most so long; return the row."""
        start = perf_counter()
        known = {"seed": self.seed, "commit": commit()}
        try:
            outcome = call(run, self, seconds=seconds, resources=ONE_THREAD)
            facts = {} if outcome.status != DONE else outcome.value
            facts["status"] = outcome.status
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[-1][:LONGEST_REASON]
            facts = {"status": f"failed: {reason}"}
        facts["seconds"] = perf_counter() - start
        return Row(*self.key, **known, **facts)


def plan(sets, methods, repeats=None):
    """Return trials by size of the set, repetition, set and method, small sets first.

    Parameters
    ----------
    sets, methods : sequence of str
        Names.
    repeats : int or None, default=None
        Repetitions at most; None is as many as the size of a set has.
    """
    trials = [
        Trial(dataset, method, repetition)
        for dataset in sets
        for method in methods
        for repetition in range(REPEATS[size_of(dataset)])[:repeats]
    ]
    return sorted(trials, key=_turn)


def _turn(trial):
    size = [*REPEATS].index(size_of(trial.dataset))
    rows = CATALOGUE[trial.dataset].n_samples
    place = [*METHODS].index(trial.method)
    waits = trial.method in LAST
    return size, waits, trial.repetition, rows, trial.dataset, place


def run(trial):
    """Load and split the set, learn and test in this process; return facts."""
    is_budgeted = trial.method == OURS and size_of(trial.dataset) == "large"
    method = BUDGETED if is_budgeted else METHODS[trial.method]
    train, test = trial.parts()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        packages = method.load()
        model = seeded(method.make(), trial.seed)
        with stopwatch() as fit:
            model.fit(*train)
        with stopwatch() as predict:
            shares = model.predict_proba(test.X)
        answers = model.predict(test.X)
    return {
        "n_train": len(train.y),
        "n_test": len(test.y),
        "n_classes": len(model.classes_),
        **accuracies(answers, test.y, train.y),
        **probability_scores(shares, model.classes_, test.y),
        "fit_seconds": fit["seconds"],
        "fit_cpu_seconds": fit["cpu_seconds"],
        "predict_seconds": predict["seconds"],
        "versions": versions() | packages,
    }


@contextmanager
def stopwatch():
    """Yield a dict that holds, in the end, the time by the clock and the processor."""
    found = {}
    start, cpu_start = perf_counter(), cpu_seconds()
    yield found
    found["seconds"] = perf_counter() - start
    found["cpu_seconds"] = cpu_seconds() - cpu_start


def commit():
    """Return what of this repository runs; "-dirty" if files differ from it."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    here = Path(__file__).parent
    told = subprocess.run(command, cwd=here, capture_output=True, text=True)
    return told.stdout.strip() or None
