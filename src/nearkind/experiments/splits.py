"""Sets in three parts, 6 : 2 : 2, by a seed that no method can move."""

from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind import datasets
from nearkind.experiments.generated import Synthetic
from nearkind.experiments.user_tables import UserTable, called

Rows = NDArray[np.intp]
TRAIN, VALID, TEST = range(3)
TURN = (TRAIN, VALID, TRAIN, TEST, TRAIN)
"""Rows of a class take turns, so that five in a row are shared out 3 : 1 : 1; of two
that follow each other one is always for training."""
NUMERIC = {
    "adult": {
        "age",
        "fnlwgt",
        "education-num",
        "capital-gain",
        "capital-loss",
        "hours-per-week",
    },
    "census": {
        "age",
        "wage_per_hour",
        "capital_gains",
        "capital_losses",
        "dividends_from_stocks",
        "instance_weight",
        "num_persons_worked_for_employer",
        "weeks_worked_in_year",
    },
}
"""Columns that measure or count."""


class Part(NamedTuple):
    """Rows and their labels."""

    X: NDArray[Any]  # (n, D)
    y: NDArray[Any]  # (n,)

    def take(self, rows: Rows) -> "Part":
        """Return these rows."""
        return Part(self.X[rows], self.y[rows])


class Split(NamedTuple):
    """A set in three parts."""

    train: Part
    valid: Part
    test: Part


def seed_of(dataset: str, repetition: int) -> int:
    """Return the seed of a repetition: a hash of it and of the name of the set.

    Examples
    --------
    >>> seed_of("monks1", 0) == seed_of("monks1", 0) != seed_of("monks1", 1)
    True
    """
    digest = sha256(f"{called(dataset)}\n{repetition}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1  # what any generator takes


def load(name: str, seed: int = 0, numbers: bool = False) -> Part:
    """Return a set as strings, without its columns of numbers, as in the paper.

    Parameters
    ----------
    name : of a built-in set, of a drawn one (see ``generated``), or of a user's table
    seed : of the draw
    numbers : keep columns of numbers, as numbers

    Examples
    --------
    >>> load("monks1").X.shape
    (432, 6)
    """
    if (drawn := Synthetic.from_name(name)) is not None:
        return Part(*drawn.draw(seed))
    if (table := UserTable.from_name(name)) is not None:
        return Part(*table.load())
    data = datasets.load(name, as_frame=False)
    numeric = NUMERIC.get(name, set())
    if numbers and numeric:
        return Part(_with_numbers(data, numeric), data.y)
    kept = [d for d, column in enumerate(data.feature_names) if column not in numeric]
    return Part(data.X[:, kept], data.y)


def _with_numbers(data: Any, numeric: set[str]) -> NDArray[Any]:
    """Return cells (n, D), those of numeric columns as floats, missing as None."""
    X = data.X.astype(object)
    for d, column in enumerate(data.feature_names):
        if column in numeric:
            X[:, d] = [None if cell is None else float(cell) for cell in X[:, d]]
    return X


def split(whole: Part, seed: int, n_rows: int | None = None) -> Split:
    """Split 6 : 2 : 2, every class in these shares as nearly as it can be.

    Parameters
    ----------
    whole : the set
    seed : of the shuffle
    n_rows : take so many of a larger set

    Examples
    --------
    >>> whole = Part(np.arange(10)[:, None], np.repeat(["a", "b"], 5))
    >>> [part.y.tolist() for part in split(whole, seed=0)]
    [['a', 'a', 'a', 'b', 'b', 'b'], ['a', 'b'], ['a', 'b']]
    """
    rng = np.random.default_rng(seed)
    order = _sample(_by_class(whole.y, rng), n_rows)
    turns = np.resize(np.roll(TURN, rng.integers(len(TURN))), len(order))
    parts = (np.sort(order[turns == part]) for part in (TRAIN, VALID, TEST))
    return Split(*map(whole.take, parts))


def subsample(part: Part, size: int | None, seed: int) -> Part:
    """Return so many rows of a larger part, every class in its share, else all.

    Examples
    --------
    >>> part = Part(np.arange(8)[:, None], np.repeat(["a", "b"], [6, 2]))
    >>> subsample(part, 4, seed=0).y.tolist()
    ['a', 'a', 'a', 'b']
    """
    order = _by_class(part.y, np.random.default_rng(seed))
    return part.take(np.sort(_sample(order, size)))


def _by_class(y: NDArray[Any], rng: np.random.Generator) -> Rows:
    """Return all rows, those of a class together, both in random order."""
    classes, numbers = np.unique(y, return_inverse=True)
    order = rng.permutation(len(y))
    places = rng.permutation(len(classes))[numbers]
    return order[np.argsort(places[order], kind="stable")]


def _sample(order: Rows, size: int | None) -> Rows:
    """Return so many entries at even steps; all if there are no more."""
    if size is None or size >= len(order):
        return order
    return order[np.arange(size) * len(order) // size]
