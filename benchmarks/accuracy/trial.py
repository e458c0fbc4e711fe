"""Trials of classifiers: sets, repetitions, their order, and what is measured."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from benchmarks.accuracy.anchors import cpu_seconds
from benchmarks.accuracy.classifiers import BUDGETED, CLASSIFIERS, OURS
from benchmarks.accuracy.scores import probability_scores
from benchmarks.accuracy.sets import N_ROWS, data_set
from nearkind.experiments import Design
from nearkind.experiments.methods import seeded
from nearkind.experiments.rows import versions
from nearkind.experiments.scores import accuracies
from nearkind.experiments.splits import joined
from nearkind.experiments.trial import Trial

SMALL, LARGE = 1_000, 9_000
MOST_ROWS = 20_000
"""All methods use at most so many rows of a large set."""
DESIGN = Design(rows=MOST_ROWS, numbers=True)
REPEATS = {"small": 10, "medium": 5, "large": 3}
SLOW = {"catboost": 3, "ebm": 1, "realmlp": 1, "tabm": 1, "xrfm": 1}
"""Repetitions of methods that take long, which wait for all others of the size."""
DEVELOPMENT = 100
"""The first repetition that settings are chosen on; those before it judge them."""


@dataclass(frozen=True)
class ProbabilityMethod:
    """A classifier that is scored by its answers and by its probabilities.

    Parameters
    ----------
    make : callable
        Returns the unfitted classifier.
    load : callable, default=dict
        Loads what the classifier needs and returns versions of its packages, if they
        are not scikit-learn and nearkind. Is called before any clock is started.
    """

    make: Callable
    load: Callable = dict

    def facts(self, parts, seed, design):
        """Fit on all rows but the test part, score on the test part."""
        known, (X, y) = joined(parts.train, parts.valid), parts.test
        packages = self.load()
        model = seeded(self.make(), seed)
        start, cpu_start = perf_counter(), cpu_seconds()
        model.fit(*known)
        fitted, cpu_fitted = perf_counter(), cpu_seconds()
        shares = model.predict_proba(X)
        predicted = perf_counter()
        return {
            "n_training_used": len(known.y),
            "n_classes": len(model.classes_),
            **accuracies(model.predict(X), y, known.y),
            **probability_scores(shares, model.classes_, y),
            "fit_seconds": fitted - start,
            "fit_cpu_seconds": cpu_fitted - cpu_start,
            "predict_seconds": predicted - fitted,
            "versions": versions() | packages,
            "commit": commit(),
        }


METHODS = {name: ProbabilityMethod(*made) for name, made in CLASSIFIERS.items()}


def size_of(dataset):
    """Return whether a set is small, medium or large."""
    n = N_ROWS[dataset]
    return "small" if n <= SMALL else "medium" if n <= LARGE else "large"


def plan(sets, methods, repeats=None, first=0):
    """Return trials by size of the set, repetition, set and method, small sets first.

    Parameters
    ----------
    sets, methods : sequence of str
        Names.
    repeats : int or None, default=None
        Repetitions at most; None is as many as the size of a set has.
    first : int, default=0
        Number of the first repetition.
    """
    trials = [
        Trial(data_set(dataset), name, method_on(dataset, name), repetition, DESIGN)
        for dataset in sets
        for name in methods
        for repetition in range(first, first + n_repeats(dataset, name, repeats))
    ]
    return sorted(trials, key=_order)


def n_repeats(dataset, method, most=None):
    """Return how often a method is repeated on a set; ``most`` stands for its own."""
    n = REPEATS[size_of(dataset)]
    return min(n, SLOW.get(method, n) if most is None else most)


def method_on(dataset, name):
    """Return a method as it is used on a set."""
    is_budgeted = name == OURS and size_of(dataset) == "large"
    return ProbabilityMethod(BUDGETED) if is_budgeted else METHODS[name]


def _order(trial):
    size = [*REPEATS].index(size_of(trial.dataset.name))
    place = [*METHODS].index(trial.name)
    waits, rows = trial.name in SLOW, N_ROWS[trial.dataset.name]
    return size, waits, trial.repetition, rows, trial.dataset.name, place


def commit():
    """Return what of this repository runs; "-dirty" if files differ from it."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    here = Path(__file__).parent
    told = subprocess.run(command, cwd=here, capture_output=True, text=True)
    return told.stdout.strip() or None
