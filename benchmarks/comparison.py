"""Whole fits of CPML against a learner of a linear map of one-hot rows.

Both learn from the same 60 % of the rows, choose k (and CPML its settings) on 20 %, and
are scored on the last 20 %. The other learner is given rows that are encoded already;
CPML reads the table.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

import nearkind as nk
from benchmarks.harness import compile_solvers, no_warnings, print_status, print_table
from benchmarks.sets import one_hot, split
from nearkind.experiments.rows import DONE, TIMED_OUT
from nearkind.experiments.sandbox import Limits
from nearkind.experiments.splits import Part, Split
from nearkind.protocols import Array

SETS = ["led24", "krvskp", "splice", "dna_nominal", "mushroom", "nursery", "krkopt"]
NEIGHBORS = (1, 3, 5, 9, 15)
SETTINGS: dict[str, dict[str, Any]] = {
    "vdm": {},
    "onehot": {"projection": "onehot"},
    "full local": {"structure": "full", "scope": "local"},
    "onehot local": {"projection": "onehot", "scope": "local"},
    "onehot local weak": {"projection": "onehot", "scope": "local", "strength": 1e-6},
}
EARLY_STOP: dict[str, Any] = {"tol": 1e-2, "max_iter": 20}
"""Stopping rule of our fits: a tighter one does not classify better."""


class LearnedMap(NamedTuple):
    """The linear map that another learner found, and how its fit ended."""

    status: str
    seconds: float  # of its fit, or its limit if that was not enough
    components: Array | None = None  # (q, W)

    @property
    def time(self) -> str:
        """Seconds of the fit, or at least so many; empty if it failed."""
        return self._at_least(f"{self.seconds:.1f} s")

    def ratio(self, seconds: float) -> str:
        """Return the ratio of its time to these seconds."""
        return self._at_least(f"{self.seconds / seconds:.1f}")

    def _at_least(self, text: str) -> str:
        return {DONE: text, TIMED_OUT: f">= {text}"}.get(self.status, "")


class Ours(NamedTuple):
    """A fit of CPML with one setting, and its accuracies at the k that does best."""

    setting: str
    seconds: float
    valid: float
    test: float


Learner = Callable[[Part, Limits], LearnedMap]
"""Learns from one-hot rows."""


def compare(
    name: str, fit: Learner, wanted: Namespace, notes: Sequence[str] = ()
) -> None:
    """Fit both on each of the sets that ``read_arguments`` returns, and print."""
    for setting in wanted.settings:
        compile_solvers(**SETTINGS[setting])
    lines = [
        _line(name, fit, each, wanted.limits, wanted.settings) for each in wanted.sets
    ]
    columns = ("set", "rows", name, "right", "ours", "right", "setting", "ratio")
    columns += ("points", "all settings", "ratio")
    print_table(f"Fit and k-NN accuracy against {name}", columns, lines, notes)


def read_arguments(
    description: str, arguments: Sequence[str] | None, seconds: float
) -> Namespace:
    """Return the sets, limits and settings asked for."""
    parser = ArgumentParser(description=description)
    parser.add_argument("sets", nargs="*", metavar="SET", help=", ".join(SETS))
    parser.add_argument("--cap", type=float, default=seconds, help="seconds a fit")
    parser.add_argument("--gigabytes", type=float, default=16.0, help="of a fit")
    parser.add_argument("--settings", nargs="*", choices=SETTINGS, default=[*SETTINGS])
    wanted = parser.parse_args(arguments)
    wanted.sets = wanted.sets or SETS
    wanted.limits = Limits(wanted.cap, 1024.0 * wanted.gigabytes)
    return wanted


def _line(
    learner: str, fit: Learner, name: str, limits: Limits, settings: Sequence[str]
) -> list[str]:
    parts = split(name)
    indicators = one_hot(parts)
    print_status(f"{name}: ours")
    tried = [fit_ours(setting, parts) for setting in settings]
    print_status(f"{name}: {learner}")
    found = fit(indicators.train, limits)
    right = accuracy(found, indicators)
    best = max(tried, key=lambda ours: ours.valid)  # the first of equal ones
    total = sum(ours.seconds for ours in tried)
    return [
        name,
        f"{len(parts.train.y):,}",
        found.time,
        found.status if right is None else f"{right:.4f}",
        f"{best.seconds:.1f} s",
        f"{best.test:.4f}",
        best.setting,
        found.ratio(best.seconds),
        "" if right is None else f"{100.0 * (best.test - right):+.1f}",
        f"{total:.1f} s",
        found.ratio(total),
    ]


def fit_ours(setting: str, parts: Split) -> Ours:
    """Fit CPML with one setting, and choose k."""
    metric = nk.CPML(**SETTINGS[setting], **EARLY_STOP, random_state=0)
    start = perf_counter()
    with no_warnings():
        model = nk.CPMLClassifier(metric).fit(*parts.train)
    seconds = perf_counter() - start

    def right(k: int, part: Part) -> float:
        with no_warnings():
            answers = model.set_params(n_neighbors=k).predict(part.X)
        return _share(answers, part.y)

    return Ours(setting, seconds, *_chosen(right, parts))


def accuracy(found: LearnedMap, indicators: Split) -> float | None:
    """Return the accuracy of k-NN on mapped rows, None if there is no map."""
    if found.components is None:
        return None
    L = found.components.T  # (W, q)
    train, valid, test = (Part(X @ L, y) for X, y in indicators)
    near = KNeighborsClassifier().fit(*train)

    def right(k: int, part: Part) -> float:
        return _share(near.set_params(n_neighbors=k).predict(part.X), part.y)

    return _chosen(right, Split(train, valid, test))[1]


def _chosen(right: Callable[[int, Part], float], parts: Split) -> tuple[float, float]:
    """Return the accuracies in validation and test at the k that does best."""
    by_k = {k: right(k, parts.valid) for k in NEIGHBORS}
    k = max(by_k, key=by_k.__getitem__)
    return by_k[k], right(k, parts.test)


def _share(answers: Iterable[Any], y: np.ndarray) -> float:
    return float(np.mean(answers == y))
