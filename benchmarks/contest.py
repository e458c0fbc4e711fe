"""Whole fits against a rival that learns a linear map of one-hot rows.

Both learn from the same 60 % of the rows, choose k (and we our settings) on 20 %, and
are judged on the last 20 %. A rival's fit is given rows that are encoded already; ours
reads the table.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

import nearkind as nk
from benchmarks.children import DONE, TOO_SLOW
from benchmarks.report import say, show
from benchmarks.sets import Part, Split, one_hot, split
from benchmarks.warming import no_complaints, warm_up
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
ENOUGH: dict[str, Any] = {"tol": 1e-2, "max_iter": 20}
"""Of each of our fits: a tighter proof does not classify better."""


class Learned(NamedTuple):
    """What a rival learned, and how its fit ended."""

    ending: str
    seconds: float  # of its fit; what it was given, if that was not enough
    components: Array | None = None  # (q, W)

    @property
    def time(self) -> str:
        """Seconds of the fit, at least; nothing if it broke off."""
        return self._at_least(f"{self.seconds:.1f} s")

    def ratio(self, seconds: float) -> str:
        """Return how many times as long it took."""
        return self._at_least(f"{self.seconds / seconds:.1f}")

    def _at_least(self, text: str) -> str:
        return {DONE: text, TOO_SLOW: f">= {text}"}.get(self.ending, "")


class Ours(NamedTuple):
    """One of our settings: accuracies at the k that validation chose."""

    setting: str
    seconds: float
    valid: float
    test: float


class Limits(NamedTuple):
    """What a rival's fit may take."""

    seconds: float
    gigabytes: float


Rival = Callable[[Part, Limits], Learned]
"""Learns from one-hot rows."""


def compete(
    name: str, fit: Rival, wanted: Namespace, notes: Sequence[str] = ()
) -> None:
    """Fit both on each of the sets that ``read_arguments`` found, and print."""
    for setting in wanted.settings:
        warm_up(**SETTINGS[setting])
    lines = [
        _line(name, fit, each, wanted.limits, wanted.settings) for each in wanted.sets
    ]
    columns = ("set", "rows", name, "right", "ours", "right", "setting", "ratio")
    columns += ("points", "all settings", "ratio")
    show(f"Fit and k-NN accuracy against {name}", columns, lines, notes)


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
    wanted.limits = Limits(wanted.cap, wanted.gigabytes)
    return wanted


def _line(
    rival: str, fit: Rival, name: str, limits: Limits, settings: Sequence[str]
) -> list[str]:
    parts = split(name)
    indicators = one_hot(parts)
    say(f"{name}: ours")
    tried = [fit_ours(setting, parts) for setting in settings]
    say(f"{name}: {rival}")
    found = fit(indicators.train, limits)
    right = accuracy(found, indicators)
    best = max(tried, key=lambda ours: ours.valid)  # the first of equal ones
    total = sum(ours.seconds for ours in tried)
    return [
        name,
        f"{len(parts.train.y):,}",
        found.time,
        found.ending if right is None else f"{right:.4f}",
        f"{best.seconds:.1f} s",
        f"{best.test:.4f}",
        best.setting,
        found.ratio(best.seconds),
        "" if right is None else f"{100.0 * (best.test - right):+.1f}",
        f"{total:.1f} s",
        found.ratio(total),
    ]


def fit_ours(setting: str, parts: Split) -> Ours:
    """Fit one of our settings, and choose k."""
    metric = nk.CPML(**SETTINGS[setting], **ENOUGH, random_state=0)
    start = perf_counter()
    with no_complaints():
        model = nk.CPMLClassifier(metric).fit(*parts.train)
    seconds = perf_counter() - start

    def right(k: int, part: Part) -> float:
        with no_complaints():
            answers = model.set_params(n_neighbors=k).predict(part.X)
        return _share(answers, part.y)

    return Ours(setting, seconds, *_chosen(right, parts))


def accuracy(found: Learned, indicators: Split) -> float | None:
    """Return the accuracy of k-NN after a map, None if there is no map."""
    if found.components is None:
        return None
    L = found.components.T  # (W, q)
    train, valid, test = (Part(X @ L, y) for X, y in indicators[1:])
    near = KNeighborsClassifier().fit(*train)

    def right(k: int, part: Part) -> float:
        return _share(near.set_params(n_neighbors=k).predict(part.X), part.y)

    return _chosen(right, Split(indicators.name, train, valid, test))[1]


def _chosen(right: Callable[[int, Part], float], parts: Split) -> tuple[float, float]:
    """Return both accuracies at the k that does best in validation."""
    by_k = {k: right(k, parts.valid) for k in NEIGHBORS}
    k = max(by_k, key=by_k.__getitem__)
    return by_k[k], right(k, parts.test)


def _share(answers: Iterable[Any], y: np.ndarray) -> float:
    return float(np.mean(answers == y))
