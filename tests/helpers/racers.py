"""Distances for races: one that is right, one that is blind, ones that refuse."""

from dataclasses import replace
from typing import ClassVar

import numpy as np

import nearkind as nk
from nearkind.baselines import Euclidean, Hamming
from nearkind.encoding.codebook import Codebook
from nearkind.estimators.labels import labelled_rows
from nearkind.search.elimination import Elimination
from nearkind.solvers.solution import Deadline

SOFT = nk.CPML(constraints="neighbors", max_iter=20, tol=1e-2, warm_start=True)
FEW = [Hamming(), Euclidean(), SOFT]


def few(**given):
    """Return a search among few candidates."""
    return nk.CPMLClassifierCV(**{"candidates": FEW, "n_neighbors": (1, 5), **given})


class Counted(Hamming):
    """Counts its fits by class of distance, and tells a clock of them."""

    fits: ClassVar[dict] = {}
    clock: ClassVar[list] = [0.0]

    def fit(self, X, y=None, sample_weight=None):
        name = type(self).__name__
        self.fits[name] = self.fits.get(name, 0) + 1
        self.clock[0] += 1.0
        return super().fit(X, y, sample_weight)


def blinded(model):
    """Return a fitted distance after making all rows alike under it."""
    nothing = np.zeros_like(model.distance_.weights)
    model.distance_ = replace(model.distance_, weights=nothing)
    return model


class Right(Counted):
    pass


class Blind(Counted):
    """Sees no difference between any rows."""

    def fit(self, X, y=None, sample_weight=None):
        return blinded(super().fit(X, y, sample_weight))


class Fading(Counted):
    """Right on its first three fits, then blind."""

    def fit(self, X, y=None, sample_weight=None):
        super().fit(X, y, sample_weight)
        return self if self.fits["Fading"] <= 3 else blinded(self)


class Refusing(Counted):
    def fit(self, X, y=None, sample_weight=None):
        raise ValueError("no such rows")


class Tiring(Counted):
    """Refuses from its second fit on."""

    def fit(self, X, y=None, sample_weight=None):
        super().fit(X, y, sample_weight)
        if self.fits["Tiring"] > 1:
            raise TypeError("tired")
        return self


class Turning(Counted):
    """Blind but at the strengths up to ``sees``."""

    visited: ClassVar[list] = []

    def __init__(
        self,
        strength="auto",
        sees=1.0,
        unseen="prior",
        missing="level",
        numeric="auto",
    ):
        super().__init__(unseen=unseen, missing=missing, numeric=numeric)
        self.strength = strength
        self.sees = sees

    def fit(self, X, y=None, sample_weight=None):
        self.visited.append(self.strength)
        super().fit(X, y, sample_weight)
        return self if self.is_right() else blinded(self)

    def is_right(self):
        return self.strength <= self.sees


def easy(n_rows=60, n_classes=3):
    """Return rows whose first column is the class, and the classes."""
    y = np.arange(n_rows) % n_classes
    noise = np.random.default_rng(0).integers(0, 2, n_rows)
    return np.column_stack([y, noise]).astype(str), y


class CountedDeadline(Deadline):
    """A deadline by the clock of fits."""

    @property
    def has_passed(self):
        return Counted.clock[0] > self.at


def race(
    X,
    y,
    weights=None,
    ks=(1, 3),
    votes=("uniform", "distance"),
    deadline=np.inf,
    **options,
):
    rows = labelled_rows(X, y, weights, Codebook(numeric="category"), "Elimination")
    ways = [(k, vote) for vote in votes for k in ks]
    return Elimination(rows, ways, CountedDeadline(deadline), **options)
