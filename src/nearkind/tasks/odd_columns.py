"""Constant columns, identifiers and leaks."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from nearkind.encoding.numeric import MAX_LEVELS_OF_NUMBERS
from nearkind.tables import Column
from nearkind.tasks.audited_rows import AuditedRows

FEW_NAMES = 20
"""Fewer different values never name rows."""
NEARLY_ALL = 0.9
"""Different values among the cells of a column that names rows, as a share."""
SPREAD = 10
"""Whole numbers that name rows lie within so many times their count."""
TOLD = 0.95
"""Share of the error of the majority-class baseline that a leak takes away."""
BY_CHANCE = 0.01
"""Chance, over all columns, that one without a meaning tells as much."""

KINDS = {
    "constant": "has one value",
    "identifier": "identifies rows",
    "leak": "leaks the label",
}
"""What is odd, in words."""


@dataclass(frozen=True)
class OddColumn:
    """A column to check before fitting a model.

    Attributes
    ----------
    column : object
        Its name.
    what : {"constant", "identifier", "leak"}
        All rows have the same value; nearly every row has a different value; or the
        column alone predicts nearly every label.
    n_values : int
        Number of distinct values, including missing.
    accuracy : float or None
        For a leak, the leave-one-out accuracy of predictions from this column alone.
    """

    column: object
    what: str
    n_values: int
    accuracy: float | None = None

    def in_words(self) -> tuple[str, str]:
        """Return what this is about, and what is odd about it."""
        told = KINDS[self.what]
        if self.accuracy is not None:
            told += (
                f": it alone predicts {self.accuracy:.1%} of the labels "
                "(leave-one-out); check that it is known before the label"
            )
        return f"column {self.column!r}", told


def odd_columns(rows: AuditedRows) -> list[OddColumn]:
    """Return the odd columns of a table, in its order; one may be odd twice.

    Examples
    --------
    >>> X = {"key": [f"k{i}" for i in range(40)], "unit": ["kg"] * 40}
    >>> rows = AuditedRows.of(X, ["no", "yes"] * 20)
    >>> [(each.column, each.what) for each in odd_columns(rows)]
    [('key', 'identifier'), ('unit', 'constant')]
    """
    table, y = rows.table, rows.y
    known = np.flatnonzero(y >= 0)
    found = []
    for d, (name, column) in enumerate(zip(table.names, table.columns, strict=True)):
        codes = table.codes[:, d]
        n_values = len(np.unique(codes))
        if n_values == 1:
            found.append(OddColumn(name, "constant", n_values))
            continue
        if names_rows(column, codes):
            found.append(OddColumn(name, "identifier", n_values))
        if rows.n_classes > 1 and len(known):
            accuracy = left_out_accuracy(column, codes[known], y[known], rows.n_classes)
            if is_leak(accuracy, y[known], len(table.names)):
                found.append(OddColumn(name, "leak", n_values, accuracy))
    return found


def names_rows(column: Column, codes: NDArray[np.int32]) -> bool:
    """Return whether nearly every row has a value of its own.

    Numbers that are not whole are measured, and whole ones that lie far apart may be:
    these name no rows.

    Parameters
    ----------
    column : Column
        Distinct values.
    codes : ndarray of int32 (n,)
        Place of each row's value among them, -1 where missing.
    """
    used = np.unique(codes[codes >= 0])
    if len(used) < max(FEW_NAMES, NEARLY_ALL * (codes >= 0).sum()):
        return False
    if column.numeric is None:
        return True
    x = column.numeric[used]
    is_whole = bool(np.isfinite(x).all() and (x == np.floor(x)).all())
    return is_whole and float(np.ptp(x)) < SPREAD * len(used)


def left_out_accuracy(
    column: Column, codes: NDArray[np.int32], y: NDArray[np.intp], n_classes: int
) -> float:
    """Return the share of labels that one column tells, each row left out in turn.

    A row is given the most frequent label of the others with its value; with numbers of
    many values, of those with the next number on either side too. Where there is no
    other, or labels are tied, it is given the largest class of all, so that a column
    of identifiers tells no more than that.

    Parameters
    ----------
    column : Column
        Distinct values.
    codes : ndarray of int32 (n,)
        Place of each row's value among them, -1 where missing.
    y : ndarray of int (n,)
        Class numbers.
    n_classes : int

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> table = read_table([["a"], ["a"], ["b"], ["b"], ["c"]]).factorize()
    >>> y = np.array([0, 0, 1, 1, 1])
    >>> left_out_accuracy(table.columns[0], table.codes[:, 0], y, 2)
    1.0
    """
    used, value = np.unique(codes, return_inverse=True)
    is_ordered = column.numeric is not None and len(used) > MAX_LEVELS_OF_NUMBERS
    steps = (-1, 0, 1) if is_ordered else (0,)
    value = np.where(codes < 0, len(used) + 2, value + 1)  # missing is far from all
    keys = np.concatenate([(value + step) * n_classes + y for step in steps])
    keys, counts = np.unique(keys, return_counts=True)
    own = counts[np.searchsorted(keys, value * n_classes + y)] - 1
    others = _most_others(keys, counts, value, y, n_classes)
    largest = int(np.bincount(y).argmax())
    right = np.where(own == others, y == largest, own > others)
    return float(right.mean())


def _most_others(
    keys: NDArray[np.intp],
    counts: NDArray[np.intp],
    value: NDArray[np.intp],
    y: NDArray[np.intp],
    n_classes: int,
) -> NDArray[np.intp]:
    """Return for each row the rows of the most frequent label but its own (n,)."""
    at, label = np.divmod(keys, n_classes)
    order = np.lexsort((counts, at))
    at, label, counts = at[order], label[order], counts[order]
    last = np.searchsorted(at, value, side="right") - 1
    has_second = (last > 0) & (at[last - 1] == value)
    second = np.where(has_second, counts[last - 1], 0)
    return np.where(label[last] == y, second, counts[last])


def is_leak(accuracy: float, y: NDArray[np.intp], n_columns: int) -> bool:
    """Return whether a column tells nearly every label, and not by chance.

    Parameters
    ----------
    accuracy : float
        Share of labels that it tells.
    y : ndarray of int (n,)
        Class numbers.
    n_columns : int
        Columns that were looked at.
    """
    n_rows = len(y)
    largest = np.bincount(y).max() / n_rows
    if largest == 1.0 or accuracy - largest < TOLD * (1.0 - largest):
        return False
    n_right = round(accuracy * n_rows)
    by_chance = bdtrc(n_right - 1, n_rows, largest)  # so many or more
    return bool(n_columns * by_chance < BY_CHANCE)
