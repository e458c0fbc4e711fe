"""Training rows dealt into folds: each is held out once."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

Rows = NDArray[np.intp]

SMALL, MANY_FOLDS, FEW_FOLDS = 1_000, 5, 3
MOST_HELD = 4_500
"""Rows that are asked for their class in all folds together; their error is then known
to half a percent."""

MOST_VOTING = 40_000
"""Rows that vote on those held; all of them teach the distance."""


class Fold(NamedTuple):
    """Rows to learn from, and rows to be classified."""

    train: Rows
    held: Rows


def voting(train: Rows, y: NDArray[np.intp], most: int = MOST_VOTING) -> Rows:
    """Return the rows that vote: all, or of many every so manieth and one a class.

    Examples
    --------
    >>> voting(np.arange(6), np.array([0, 0, 0, 0, 0, 1]), most=3).tolist()
    [0, 2, 4, 5]
    """
    step = -(-len(train) // most)
    if step <= 1:
        return train
    _, first = np.unique(y[train], return_index=True)
    return np.union1d(train[::step], train[first])


def n_folds_for(n_rows: int) -> int:
    """Return how many folds a table of this size is dealt into."""
    return min(MANY_FOLDS if n_rows <= SMALL else FEW_FOLDS, n_rows)


def deal(
    y: NDArray[np.intp], n_folds: int, rng: np.random.Generator, most: int = MOST_HELD
) -> Iterator[Fold]:
    """Deal the rows of each class out in turn, after a shuffle.

    Of many rows only some are held.

    Examples
    --------
    >>> folds = deal(np.array([0, 0, 1, 1]), 2, np.random.default_rng(0))
    >>> [len(fold.held) for fold in folds]
    [2, 2]
    """
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    turn = np.empty(len(y), dtype=np.intp)
    turn[order] = np.arange(len(y)) % n_folds
    most_each = max(1, most // n_folds)
    for fold in range(n_folds):
        train, held = np.flatnonzero(turn != fold), np.flatnonzero(turn == fold)
        if len(held) > most_each:
            held = np.sort(rng.choice(held, most_each, replace=False))
        yield Fold(train, held)


def given(cv: Any, rows: Rows, y: NDArray[Any]) -> Iterator[Fold]:
    """Give folds as scikit-learn makes or takes them.

    Parameters
    ----------
    cv : a splitter, or pairs of arrays of row numbers
    rows : numbers of the rows that take part; the others have no weight
    y : labels of all rows
    """
    place = np.full(len(y), -1, dtype=np.intp)
    place[rows] = np.arange(len(rows))
    for fold in check_cv(cv, y, classifier=True).split(np.empty((len(y), 1)), y):
        train, held = (place[part] for part in fold)
        yield Fold(train[train >= 0], held[held >= 0])


def can_judge(fold: Fold, y: NDArray[np.intp]) -> bool:
    """Say whether there are two classes to learn from, and rows to be judged by.

    A fold may hold the only row of one of two classes.

    Examples
    --------
    >>> can_judge(Fold(np.array([0, 1]), np.array([2])), np.array([0, 0, 1]))
    False
    """
    return len(np.unique(y[fold.train])) > 1 and len(fold.held) > 0
