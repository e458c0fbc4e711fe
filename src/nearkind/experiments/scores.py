"""Scores of predictions, and tables of scores: sets down, methods across."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.experiments.rows import Row
from nearkind.protocols import Array


def accuracies(
    answers: NDArray[Any], y: NDArray[Any], y_train: NDArray[Any]
) -> dict[str, float]:
    """Return the scores of predicted labels, as fields of a row.

    Parameters
    ----------
    answers : ndarray of shape (n,)
        Predicted labels.
    y : ndarray of shape (n,)
        True labels.
    y_train : ndarray of shape (n_train,)
        Labels of the training rows.
    """
    return {
        "accuracy": accuracy(answers, y),
        "balanced_accuracy": balanced_accuracy(answers, y),
        "majority_share": majority_share(y_train, y),
    }


def accuracy(answers: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the accuracy."""
    return float(np.mean(answers == y))


def balanced_accuracy(answers: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the mean recall of the classes of y.

    Examples
    --------
    >>> balanced_accuracy(np.array(["a", "a", "a"]), np.array(["a", "a", "b"]))
    0.5
    """
    numbers = np.unique(y, return_inverse=True)[1]
    right = np.bincount(numbers, answers == y) / np.bincount(numbers)
    return float(right.mean())


def majority_share(y_train: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the accuracy of always predicting the largest class in training.

    Examples
    --------
    >>> majority_share(np.array(["a", "b", "b"]), np.array(["a", "b"]))
    0.5
    """
    classes, counts = np.unique(y_train, return_counts=True)
    return accuracy(classes[counts.argmax()], y)


def has_triplets(y: NDArray[Any]) -> bool:
    """Return whether some row has a row of its own class and one of another class."""
    counts = np.unique(y, return_counts=True)[1]
    return len(counts) > 1 and bool(counts.max() > 1)


def pair_accuracy(
    d_valid: Array, y_valid: NDArray[Any], d_test: Array, y_test: NDArray[Any]
) -> float:
    """Return the share of pairs correctly assigned to one class or to two.

    A pair of test rows is assigned to one class if its distance is at most a threshold:
    the smallest one of those that are correct on most pairs of validation rows.

    Parameters
    ----------
    d_valid, d_test : ndarray of shape (n, n)
        Distances between validation rows, and between test rows.
    y_valid, y_test : ndarray of shape (n,)
        Their labels.

    Examples
    --------
    >>> d, y = np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]]), "aab"
    >>> pair_accuracy(d, np.array(list(y)), d, np.array(list("abb")))
    0.3333333333333333
    """
    distances, is_alike = _pairs(d_valid, y_valid)
    order = np.argsort(distances)
    ends = np.concatenate([[-np.inf], distances[order], [np.inf]])
    gained = np.cumsum(np.where(is_alike[order], 1, -1))
    gained = np.concatenate([[0], gained])  # by assigning the k nearest to one class
    allowed = np.flatnonzero(ends[1:] > ends[:-1])
    k = allowed[gained[allowed].argmax()]
    threshold = ends[k] + (ends[k + 1] - ends[k]) / 2 if k else -np.inf
    distances, is_alike = _pairs(d_test, y_test)
    return float(np.mean((distances <= threshold) == is_alike))


def _pairs(d: Array, y: NDArray[Any]) -> tuple[Array, NDArray[np.bool_]]:
    """Return the distance of each pair of rows, and whether they are of one class."""
    i, j = np.triu_indices(len(y), 1)
    return d[i, j], y[i] == y[j]


class Scores(NamedTuple):
    """One score of every method on every set, over repetitions.

    Attributes
    ----------
    datasets : list of str
        Names of the N sets.
    methods : list of str
        Names of the k methods.
    mean, deviation : ndarray of shape (N, k)
        Mean and standard deviation over the repetitions that are done, NaN where
        there is none; the deviation of one repetition is zero.
    n_repetitions : ndarray of shape (N, k)
        Number of repetitions that are done.
    """

    datasets: list[str]
    methods: list[str]
    mean: Array
    deviation: Array
    n_repetitions: NDArray[np.intp]

    def complete(self) -> "Scores":
        """Return the table of the sets on which every method has a score."""
        kept = np.flatnonzero(~np.isnan(self.mean).any(axis=1))
        return Scores(
            [self.datasets[i] for i in kept],
            self.methods,
            self.mean[kept],
            self.deviation[kept],
            self.n_repetitions[kept],
        )


def values_by_cell(
    rows: Iterable[Row], score: str
) -> dict[tuple[str, str], list[float]]:
    """Return the known values of a score by set and method, none for other keys.

    Examples
    --------
    >>> rows = [Row("zoo", "lmnn", r, "k=1", 7, accuracy=float(r)) for r in (0, 1)]
    >>> values_by_cell(rows, "accuracy")["zoo", "lmnn"]
    [0.0, 1.0]
    """
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        if row.is_done and getattr(row, score) is not None:
            found[row.dataset, row.method].append(getattr(row, score))
    return found


def score_table(
    rows: Iterable[Row],
    score: str = "accuracy",
    datasets: Iterable[str] | None = None,
    methods: Iterable[str] | None = None,
) -> Scores:
    """Return means and deviations of one score.

    Parameters
    ----------
    rows : iterable of Row
        Rows of one design.
    score : str, default="accuracy"
        A field of the rows that is a number.
    datasets, methods : iterable of str or None, default=None
        Names to show, in this order; None shows all, in the order of the rows.

    Examples
    --------
    >>> rows = [Row("zoo", "lmnn", r, "k=1", 7, accuracy=float(r)) for r in (0, 1)]
    >>> score_table(rows).mean
    array([[0.5]])
    """
    rows = list(rows)
    _check_one_design(rows)
    found = values_by_cell(rows, score)
    if datasets is None:
        datasets = dict.fromkeys(row.dataset for row in rows)
    if methods is None:
        methods = dict.fromkeys(row.method for row in rows)
    down, across = list(datasets), list(methods)
    cells = [found[cell] for cell in product(down, across)]
    shape = len(down), len(across)
    return Scores(
        down,
        across,
        np.array([_mean(cell) for cell in cells]).reshape(shape),
        np.array([_deviation(cell) for cell in cells]).reshape(shape),
        np.array([len(cell) for cell in cells], dtype=np.intp).reshape(shape),
    )


def mean_text(
    mean: float, deviation: float, n_repetitions: int, digits: int = 3
) -> str:
    """Return a mean and its deviation, which one repetition does not have.

    Examples
    --------
    >>> mean_text(0.5, 0.125, 2), mean_text(0.5, 0.0, 1), mean_text(np.nan, 0.0, 0)
    ('0.500 ± 0.125', '0.500', 'not done')
    """
    if n_repetitions == 0:
        return "not done"
    spread = f" ± {deviation:.{digits}f}" if n_repetitions > 1 else ""
    return f"{mean:.{digits}f}{spread}"


def values_text(values: Sequence[float], digits: int = 3) -> str:
    """Return the mean of some repetitions and their deviation, if there are two."""
    return mean_text(_mean(values), _deviation(values), len(values), digits)


def _mean(cell: Sequence[float]) -> float:
    return float(np.mean(cell)) if cell else np.nan


def _deviation(cell: Sequence[float]) -> float:
    if not cell:
        return np.nan
    return float(np.std(cell, ddof=1)) if len(cell) > 1 else 0.0


def _check_one_design(rows: Sequence[Row]) -> None:
    designs = sorted({row.design for row in rows})
    if len(designs) > 1:
        raise ValueError(
            f"Rows of {len(designs)} designs have no common table: "
            f"{'; '.join(designs)}. Keep those of one."
        )
