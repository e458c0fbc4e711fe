"""Stratified splits into training, validation and test rows, 6 : 2 : 2."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

RowNumbers = NDArray[np.intp]
TRAIN, VALID, TEST = range(3)
DEALING_ORDER = (TRAIN, VALID, TRAIN, TEST, TRAIN)
"""Parts in the order in which the rows of a class are dealt out: 3 : 1 : 1 of every
five, and of any two consecutive rows at least one is for training."""


class Part(NamedTuple):
    """Rows and their labels: a whole set, or a part of its split.

    Attributes
    ----------
    X : ndarray of shape (n, D)
        Values.
    y : ndarray of shape (n,)
        Labels.
    """

    X: NDArray[Any]
    y: NDArray[Any]

    def take(self, rows: RowNumbers) -> "Part":
        """Return the rows with these numbers."""
        return Part(self.X[rows], self.y[rows])


class Split(NamedTuple):
    """The training, validation and test part of a set."""

    train: Part
    valid: Part
    test: Part


def joined(*parts: Part) -> Part:
    """Return the rows of several parts, one part after another."""
    return Part(*map(np.concatenate, zip(*parts, strict=True)))


def split(whole: Part, seed: int, n_rows: int | None = None) -> Split:
    """Return a stratified split of a set, 6 : 2 : 2.

    Parameters
    ----------
    whole : Part
        The set.
    seed : int
        Seed of the shuffle. No method has any other influence on its split.
    n_rows : int or None, default=None
        Split a stratified sample of so many rows of a larger set.

    Examples
    --------
    >>> whole = Part(np.arange(10)[:, None], np.repeat(["a", "b"], 5))
    >>> [part.y.tolist() for part in split(whole, seed=0)]
    [['a', 'a', 'a', 'b', 'b', 'b'], ['a', 'b'], ['a', 'b']]
    """
    rng = np.random.default_rng(seed)
    order = _sample(_by_class(whole.y, rng), n_rows)
    first = rng.integers(len(DEALING_ORDER))
    dealt = np.resize(np.roll(DEALING_ORDER, first), len(order))
    parts = (np.sort(order[dealt == part]) for part in (TRAIN, VALID, TEST))
    return Split(*map(whole.take, parts))


def subsample(part: Part, size: int | None, seed: int) -> Part:
    """Return a stratified sample of a part.

    Parameters
    ----------
    part : Part
        Rows to sample from.
    size : int or None
        Number of rows; None, or more than there are, returns all.
    seed : int
        Seed of the shuffle.

    Examples
    --------
    >>> part = Part(np.arange(8)[:, None], np.repeat(["a", "b"], [6, 2]))
    >>> subsample(part, 4, seed=0).y.tolist()
    ['a', 'a', 'a', 'b']
    """
    order = _by_class(part.y, np.random.default_rng(seed))
    return part.take(np.sort(_sample(order, size)))


def _by_class(y: NDArray[Any], rng: np.random.Generator) -> RowNumbers:
    """Return all row numbers, class by class, classes and rows in random order."""
    classes, numbers = np.unique(y, return_inverse=True)
    order = rng.permutation(len(y))
    places = rng.permutation(len(classes))[numbers]
    return order[np.argsort(places[order], kind="stable")]


def _sample(order: RowNumbers, size: int | None) -> RowNumbers:
    """Return ``size`` entries at even steps, all if there are no more."""
    if size is None or size >= len(order):
        return order
    return order[np.arange(size) * len(order) // size]
