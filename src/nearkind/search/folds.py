"""Folds of training rows: some to learn from, some to be classified."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.rows import CodedRows
from nearkind.estimators.params import generator, is_whole, wrong

Rows = NDArray[np.intp]

SMALL, MANY_FOLDS, FEW_FOLDS = 1_000, 5, 3
MOST_HELD = 4_500
"""Rows that are asked for their class in all folds together; their error is then known
to half a percent."""

MOST_TAUGHT = 40_000
"""Rows that a distance is learned from and that vote, while it is chosen."""


HEAT_ROWS, HEAT_HELD = 2_000, 1_500
"""Rows to learn from, and to be classified, in a first heat."""
MANY_TO_LEARN = 2 * HEAT_ROWS
"""Rows to learn from beyond which there is a first heat on some of them."""


class Fold(NamedTuple):
    """Rows to learn from, and rows to be classified."""

    train: Rows
    held: Rows


def limit_training(
    fold: Fold, y: NDArray[np.intp], rng: np.random.Generator, most: int = MOST_TAUGHT
) -> Fold:
    """Limit the rows to learn from; one of each class stays.

    Examples
    --------
    >>> fold, y = Fold(np.arange(9), np.array([9])), np.array([0] * 8 + [1, 0])
    >>> some = limit_training(fold, y, np.random.default_rng(0), most=4)
    >>> len(some.train) <= 6, 8 in some.train
    (True, True)
    """
    train = fold.train
    if len(train) <= most:
        return fold
    _, first = np.unique(y[train], return_index=True)
    drawn = rng.choice(train, most, replace=False)
    return Fold(np.union1d(drawn, train[first]), fold.held)


def heat_of(fold: Fold, y: NDArray[np.intp]) -> Fold | None:
    """Return some rows of a fold for a first heat, or None if it has few.

    Examples
    --------
    >>> y = np.zeros(9_000, dtype=int)
    >>> heat = heat_of(Fold(np.arange(6_000), np.arange(6_000, 9_000)), y)
    >>> len(heat.train), len(heat.held)
    (2001, 1500)
    """
    if len(fold.train) <= MANY_TO_LEARN:
        return None
    rng = np.random.default_rng(0)
    some = limit_training(fold, y, rng, HEAT_ROWS)
    held = fold.held
    if len(held) > HEAT_HELD:
        held = np.sort(rng.choice(held, HEAT_HELD, replace=False))
    return Fold(some.train, held)


def n_folds_for(n_rows: int) -> int:
    """Return how many folds a table of this size is dealt into."""
    return min(MANY_FOLDS if n_rows <= SMALL else FEW_FOLDS, n_rows)


def deal_by_size(y: NDArray[np.intp], rng: np.random.Generator) -> list[Fold]:
    """Deal rows into folds; of many rows one fold is as good a judge as all.

    Examples
    --------
    >>> y, rng = np.zeros(20_000, dtype=int), np.random.default_rng(0)
    >>> [(len(fold.train), len(fold.held)) for fold in deal_by_size(y, rng)]
    [(15000, 4500)]
    """
    n_folds = len(y) // MOST_HELD
    if n_folds < FEW_FOLDS:
        return list(deal(y, n_folds_for(len(y)), rng))
    return list(islice(deal(y, n_folds, rng, n_folds * MOST_HELD), 1))


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


def split_by(cv: Any, rows: Rows, y: NDArray[Any]) -> Iterator[Fold]:
    """Give folds as scikit-learn makes or takes them.

    Parameters
    ----------
    cv : a splitter, or pairs of arrays of row numbers
    rows : numbers of the rows that take part; the others have no weight
    y : labels of all rows
    """
    from sklearn.model_selection import check_cv  # loads much, and few ask for it

    place = np.full(len(y), -1, dtype=np.intp)
    place[rows] = np.arange(len(rows))
    for fold in check_cv(cv, y, classifier=True).split(np.empty((len(y), 1)), y):
        train, held = (place[part] for part in fold)
        yield Fold(train[train >= 0], held[held >= 0])


def can_judge(fold: Fold, y: NDArray[np.intp]) -> bool:
    """Return whether there are two classes to learn from, and rows to be judged by.

    A fold may hold the only row of one of two classes.

    Examples
    --------
    >>> can_judge(Fold(np.array([0, 1]), np.array([2])), np.array([0, 0, 1]))
    False
    """
    return len(np.unique(y[fold.train])) > 1 and len(fold.held) > 0


def folds_of(model: Any, rows: CodedRows, y: Any) -> list[Fold]:
    """Return the folds of rows, y the labels of all as they were given."""
    rng = generator(0 if model.random_state is None else model.random_state)
    found = [
        fold for fold in _all_folds(model, rows, y, rng) if can_judge(fold, rows.y)
    ]
    if not found:
        raise ValueError(
            f"{type(model).__name__} holds rows out to choose by, but no fold of "
            f"{len(rows.y)} rows leaves two classes to learn from. Give more rows, or "
            "take CPMLClassifier."
        )
    return [limit_training(fold, rows.y, rng) for fold in found]


def _all_folds(
    model: Any, rows: CodedRows, y: Any, rng: np.random.Generator
) -> Iterable[Fold]:
    cv = model.cv
    if cv is None:
        return deal_by_size(rows.y, rng)
    if is_whole(cv) and cv >= 2:
        return deal(rows.y, min(int(cv), len(rows.y)), rng)
    if isinstance(cv, str) or not (hasattr(cv, "split") or isinstance(cv, Iterable)):
        raise wrong(model, "cv", "a whole number >= 2, a splitter or a list of folds")
    return split_by(cv, rows.row_numbers, np.ravel(np.asarray(y)))
