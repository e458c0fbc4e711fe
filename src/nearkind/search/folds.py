"""Folds of training rows."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtr

from nearkind.encoding.rows import CodedRows, row_keys
from nearkind.protocols import Codes
from nearkind.validation.parameters import generator, is_whole, wrong

Rows = NDArray[np.intp]

SMALL, MANY_FOLDS, FEW_FOLDS = 1_000, 5, 3
MANY_FOR_FOLDS = 9_000
"""Rows from which one fold of a third of them says enough."""
MOST_HELD = 4_500
"""Rows that are asked for their class in all folds together; their error is then known
to half a percent."""

MOST_TAUGHT = 40_000
"""Rows that a distance is learned from and that vote, while it is chosen."""


MOST_COPIES = 10
"""Equal rows up to which they may share a fold, a tenth of a small table. New rows are
likely to equal a row that occurs more often."""
UNLIKELY = 0.001
"""Probability below which the copies are not those of independent rows."""

SCREENING_ROWS, SCREENING_HELD = 2_000, 1_500
"""Rows to learn from, and to be classified, in a screening round."""
MANY_TO_LEARN = 2 * SCREENING_ROWS
"""Rows to learn from beyond which there is a screening round on some of them."""


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


def screening_fold(fold: Fold, y: NDArray[np.intp]) -> Fold | None:
    """Return some rows of a fold for a screening round, or None if it has few.

    Examples
    --------
    >>> y = np.zeros(9_000, dtype=int)
    >>> screening = screening_fold(Fold(np.arange(6_000), np.arange(6_000, 9_000)), y)
    >>> len(screening.train), len(screening.held)
    (2001, 1500)
    """
    if len(fold.train) <= MANY_TO_LEARN:
        return None
    rng = np.random.default_rng(0)
    some = limit_training(fold, y, rng, SCREENING_ROWS)
    held = fold.held
    if len(held) > SCREENING_HELD:
        held = np.sort(rng.choice(held, SCREENING_HELD, replace=False))
    return Fold(some.train, held)


def n_folds_for(n_rows: int) -> int:
    """Return how many folds a table of this size is dealt into."""
    return min(MANY_FOLDS if n_rows <= SMALL else FEW_FOLDS, n_rows)


def deal_by_size(groups: Rows, rng: np.random.Generator) -> list[Fold]:
    """Deal rows into folds; a large table is judged by one fold.

    Examples
    --------
    >>> groups, rng = np.arange(20_000), np.random.default_rng(0)
    >>> [(len(fold.train), len(fold.held)) for fold in deal_by_size(groups, rng)]
    [(15000, 4500)]
    """
    if len(groups) < MANY_FOR_FOLDS:
        return list(deal(groups, n_folds_for(len(groups)), rng))
    n_folds = max(FEW_FOLDS, len(groups) // MOST_HELD)
    return list(islice(deal(groups, n_folds, rng, n_folds * MOST_HELD), 1))


def deal(
    groups: Rows, n_folds: int, rng: np.random.Generator, most: int = MOST_HELD
) -> Iterator[Fold]:
    """Deal groups of rows into folds of about the same size, at random.

    Labels play no part, so that a held row is exchangeable with a new one.

    Parameters
    ----------
    groups : ndarray of int (n,)
        Rows of the same number share a fold.
    n_folds : int
    rng : Generator
    most : int, default=MOST_HELD
        Rows held in all folds together; of larger folds some are drawn.

    Examples
    --------
    >>> folds = deal(np.array([0, 0, 1, 2]), 2, np.random.default_rng(0))
    >>> [fold.held.tolist() for fold in folds]
    [[0, 1, 3], [2]]
    """
    numbers, group = np.unique(groups, return_inverse=True)
    sizes = np.bincount(group)
    order = rng.permutation(len(numbers))
    first = np.cumsum(sizes[order]) - sizes[order]  # rows before each group
    fold_of = np.empty(len(numbers), dtype=np.intp)
    fold_of[order] = first * n_folds // len(groups)
    yield from _folds(fold_of[group], n_folds, rng, most)


def deal_by_class(
    y: NDArray[np.intp], n_folds: int, rng: np.random.Generator, most: int = MOST_HELD
) -> Iterator[Fold]:
    """Deal the rows of each class out in turn, after a shuffle.

    Examples
    --------
    >>> folds = deal_by_class(np.array([0, 0, 1, 1]), 2, np.random.default_rng(0))
    >>> [len(fold.held) for fold in folds]
    [2, 2]
    """
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    fold_of = np.empty(len(y), dtype=np.intp)
    fold_of[order] = np.arange(len(y)) % n_folds
    yield from _folds(fold_of, n_folds, rng, most)


def _folds(
    fold_of: Rows, n_folds: int, rng: np.random.Generator, most: int
) -> Iterator[Fold]:
    """Give the folds, from the number of the fold that holds each row (n,)."""
    most_each = max(1, most // n_folds)
    for fold in range(n_folds):
        train, held = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        if len(held) > most_each:
            held = np.sort(rng.choice(held, most_each, replace=False))
        yield Fold(train, held)


def copies_together(codes: Codes) -> Rows:
    """Return a group for each row (n,): its copies, if the table repeats itself.

    Examples
    --------
    >>> codes = np.arange(6)[:, None]
    >>> copies_together(np.vstack([codes, codes]))
    array([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5])
    >>> copies_together(np.array([[0], [1], [0], [2]]))
    array([0, 1, 2, 3])
    """
    _, group = np.unique(row_keys(codes), return_inverse=True)
    sizes, single = np.bincount(group), np.arange(len(group))
    if not repeats_itself(sizes):
        return single
    most = np.clip(len(group) / 10, 2, MOST_COPIES)
    return np.where(sizes[group] > most, len(sizes) + single, group)


def repeats_itself(sizes: Rows) -> bool:
    """Return whether more rows occur several times than independent rows would.

    In a sample of n independent rows, a distinct row of probability p occurs k times
    with nearly the Poisson probability of mean n p. Let f_k be the expected number of
    distinct rows that occur k times. Then the k! f_k are the moments of one measure,
    and by the Cauchy-Schwarz inequality

        f_(k + 1) >= k / (k + 1) f_k^2 / f_(k - 1).

    A table given twice has many rows that occur twice, and none that occur once or
    three times. The right side is lowered by one standard error of each count.

    Parameters
    ----------
    sizes : ndarray of int (m,)
        How often each distinct row occurs.

    Examples
    --------
    >>> repeats_itself(np.full(6, 2)), repeats_itself(np.array([3, 2, 2, 1, 1, 1]))
    (True, False)
    """
    k = np.arange(2, MOST_COPIES + 1)
    f = np.bincount(np.minimum(sizes, MOST_COPIES + 2), minlength=MOST_COPIES + 3)
    before, after = f[k - 1], f[k + 1]
    f_k = np.maximum(f[k] - np.sqrt(f[k]), 0.0)
    least = k / (k + 1) * f_k**2 / (before + np.sqrt(before) + 1.0)
    return bool((pdtr(after, least) < UNLIKELY).any())


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
    seed = 0 if model.random_state is None else model.random_state
    rng = generator(seed)
    folds = _judging(_all_folds(model, rows, y, rng), rows.y)
    if not folds and (model.cv is None or is_whole(model.cv)):  # few rows of a class
        n_folds = min(model.cv or n_folds_for(len(rows.y)), len(rows.y))
        folds = _judging(deal_by_class(rows.y, n_folds, rng), rows.y)
    if not folds:
        raise ValueError(
            f"{type(model).__name__} selects on held-out rows, but no fold of "
            f"{len(rows.y)} rows leaves two classes for training. Pass more rows, "
            "or use CPMLClassifier."
        )
    return [limit_training(fold, rows.y, rng) for fold in folds]


def _judging(folds: Iterable[Fold], y: NDArray[np.intp]) -> list[Fold]:
    return [fold for fold in folds if can_judge(fold, y)]


def _all_folds(
    model: Any, rows: CodedRows, y: Any, rng: np.random.Generator
) -> Iterable[Fold]:
    cv = model.cv
    if cv is None:
        return deal_by_size(copies_together(rows.codes), rng)
    if is_whole(cv) and cv >= 2:
        n_folds = min(int(cv), len(rows.y))
        return deal(copies_together(rows.codes), n_folds, rng)
    return given_folds(model, rows, np.ravel(np.asarray(y)))


def given_folds(model: Any, rows: CodedRows, y: NDArray[Any]) -> Iterator[Fold]:
    """Return the folds that ``cv`` of a model gives, a splitter or a list of them."""
    cv = model.cv
    if isinstance(cv, str) or not (hasattr(cv, "split") or isinstance(cv, Iterable)):
        raise wrong(model, "cv", "a whole number >= 2, a splitter or a list of folds")
    return split_by(cv, rows.row_numbers, y)
