"""Checks of numeric targets, and classes of their quantiles."""

from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.estimators.labels import require_labels
from nearkind.estimators.weights import check_weights
from nearkind.protocols import Array, LabelArray, TableLike
from nearkind.tables import is_missing, read_table

N_QUANTILES = 5
"""Classes of a target, for distances that learn from classes."""
FARTHEST = 4.0
"""Standard deviations beyond which a numeric feature says no more of a target."""


def numbered_rows(
    X: TableLike, y: object, sample_weight: object, book: Codebook, owner: str
) -> CodedRows:
    """Return rows with a number each, read once and coded.

    Parameters
    ----------
    X : table of any kind, or CodedRows
        Rows that have been read already are taken with their targets and weights.
    y : array-like (n,)
        One finite number per row.
    sample_weight : array-like (n,) or None
        One weight >= 0 per row; rows of weight zero are left out.
    book : Codebook
        Fitted to the rows if it is not fitted yet.
    owner : str
        Whom to name in messages.
    """
    if isinstance(X, CodedRows):
        return X
    table = read_table(X)
    weights = check_weights(sample_weight, table.n_rows)
    target = checked_target(y, table.n_rows, owner)[weights > 0.0]
    if len(target) < 2:
        raise ValueError(
            f"{owner} needs at least 2 rows with a weight above zero to learn from; "
            f"got n_samples = {len(target)}."
        )
    if target.min() == target.max():
        raise ValueError(
            f"{owner} learns from differences of the target, but y holds only one "
            f"number, {target[0]:g}. Give rows with at least two."
        )
    return with_target(CodedRows.of(table, book, weights=weights), target)


def with_target(rows: CodedRows, target: Array) -> CodedRows:
    """Return rows with these numbers, their classes being quantile ranges.

    Examples
    --------
    >>> rows = CodedRows.of(read_table([["a"], ["b"], ["c"]]), Codebook())
    >>> with_target(rows, np.array([1.0, 1.0, 7.0])).y.tolist()
    [0, 0, 1]
    """
    order = np.argsort(target, kind="stable")
    reached = np.cumsum(rows.weights[order])
    levels = np.arange(1, N_QUANTILES) / N_QUANTILES * reached[-1]
    edges = target[order][np.minimum(np.searchsorted(reached, levels), len(order) - 1)]
    edges = np.unique(np.minimum(edges, _below(target)))
    classes, y = np.unique(np.searchsorted(edges, target), return_inverse=True)
    return replace(rows, target=target, classes=classes, y=y)


def _below(target: Array) -> float:
    """Return the largest number but one."""
    others = target[target < target.max()]
    return float(others.max(initial=target.min()))


def checked_target(y: Any, n_rows: int, owner: str) -> Array:
    """Return the target as finite floats, refusing what is no number."""
    require_labels(y, owner)
    if hasattr(y, "to_pylist"):  # pyarrow
        y = y.to_pylist()
    y = column_or_1d(_plain(y), warn=True)
    if len(y) != n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: X has "
            f"{n_rows} rows, y has {len(y)} numbers. Give one number per row."
        )
    numbers = y.astype(float) if y.dtype.kind in "biuf" else _floats(y, owner)
    for what, bad in (("NaN", np.isnan(numbers)), ("infinity", np.isinf(numbers))):
        if bad.any():
            raise ValueError(
                f"Input y contains {what}: {bad.sum()} of {len(y)} rows, the first is "
                f"row {np.argmax(bad)}. {owner} needs a finite number for every row it "
                "learns from; leave these rows out of fit."
            )
    return numbers


def _plain(y: object) -> LabelArray:
    try:
        array = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    except ValueError:  # some of them are sequences
        array = np.array(y, dtype=object)
    return array.astype(object) if array.dtype.kind in "USOMmV" else array


def _floats(y: LabelArray, owner: str) -> Array:
    """Return objects as floats, a missing one as NaN."""
    numbers = np.full(len(y), np.nan)
    for row, value in enumerate(y.tolist()):
        if is_missing(value):
            continue
        if not isinstance(value, Real) and not hasattr(type(value), "as_integer_ratio"):
            is_text = isinstance(value, str | bytes)
            found = f"text, {value!r:.40}," if is_text else f"{value!r:.40}"
            help_ = (
                "CPMLClassifier and CPMLClassifierCV predict classes; if these are "
                "numbers, pass y.astype(float)"
                if is_text
                else "pass one number per row; of dates, days since the first"
            )
            raise ValueError(
                f"{owner} predicts numbers, and y has {found} in row {row}: {help_}."
            )
        try:
            numbers[row] = float(value)
        except OverflowError:
            numbers[row] = np.inf
    return numbers
