"""Stratified samples of bounded size, from batches in any order.

Each row has a pseudo-random priority that depends on the seed, its batch and its place
there alone; a sample keeps the rows of lowest priority of each class. Such bottom-k
samples can be merged in any order (E. Cohen and H. Kaplan, Summarizing data using
bottom-k sketches, PODC 2007).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearkind.tables import Column

Priorities = NDArray[np.uint64]
Rows = NDArray[np.intp]

_GOLDEN = np.uint64(0x9E37_79B9_7F4A_7C15)


@dataclass(frozen=True)
class RowSample:
    """Rows of lowest priority, equally many of each class as far as it has them.

    A class smaller than its share is taken whole, and leaves the rest to the others.
    Laws: the sample of merged samples is the sample of all rows; all rows of a class
    are equally likely to be in it.

    Attributes
    ----------
    names : sequence
        Names of the columns.
    columns : sequence of ndarray of shape (k,)
        Plain values of each column, None where missing.
    labels : ndarray of shape (k,)
        Labels of the rows.
    priorities : ndarray of uint64 of shape (k,)
        Priorities of the rows.
    """

    names: Sequence[Any]
    columns: Sequence[NDArray[Any]]
    labels: NDArray[Any]
    priorities: Priorities

    @classmethod
    def of(
        cls,
        names: Sequence[Any],
        columns: Sequence[Column],
        y: NDArray[np.intp],
        classes: NDArray[Any],
        drawn: Priorities,
        size: int,
    ) -> Self:
        """Sample one batch.

        Parameters
        ----------
        names : sequence
            Names of the columns.
        columns : sequence of Column
            Columns of the batch.
        y : ndarray of int of shape (n,)
            Class numbers.
        classes : ndarray of shape (C,)
            Labels of the class numbers.
        drawn : ndarray of uint64 of shape (n,)
            Priorities of the rows.
        size : int
            Most rows of the sample.
        """
        rows = lowest_priority(y, drawn, size)
        values = [plain_values(column, rows) for column in columns]
        return cls(names, values, classes[y[rows]], drawn[rows])

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def table(self) -> dict[Any, list[Any]]:
        """The rows as a dict of columns."""
        return {n: c.tolist() for n, c in zip(self.names, self.columns, strict=True)}

    def take(self, rows: Rows) -> "RowSample":
        """Return some of the rows, by their place in the sample."""
        columns = [column[rows] for column in self.columns]
        return RowSample(self.names, columns, self.labels[rows], self.priorities[rows])

    def reorder(self, names: Sequence[Any]) -> "RowSample":
        """Return the sample with its columns in another order."""
        place = {name: i for i, name in enumerate(self.names)}
        return replace(
            self, names=names, columns=[self.columns[place[n]] for n in names]
        )


def merge_samples(parts: Sequence[RowSample], size: int) -> RowSample:
    """Return the sample of all batches, from samples of some each."""
    parts = [part for part in parts if len(part)]
    if len(parts) == 1:
        return parts[0]
    names = parts[0].names
    placed = [part.reorder(names).columns for part in parts]
    columns = [np.concatenate(column) for column in zip(*placed, strict=True)]
    labels = np.concatenate([part.labels for part in parts])
    drawn = np.concatenate([part.priorities for part in parts])
    rows = lowest_priority(labels, drawn, size)
    return RowSample(names, columns, labels, drawn).take(rows)


def priorities(seed: int, batch: int, n_rows: int) -> Priorities:
    """Return the priorities of the rows of a batch, uniform on 64 bits (n,).

    They follow from seed, batch and row by SplitMix64 (G. Steele, D. Lea and C. Flood,
    OOPSLA 2014), so every machine computes the same.

    Examples
    --------
    >>> bool((priorities(0, 3, 9)[:5] == priorities(0, 3, 5)).all())
    True
    """
    of_seed = _split_mix(np.array([seed], np.uint64))
    of_batch = _split_mix(of_seed + np.array([batch + 1], np.uint64) * _GOLDEN)
    return _split_mix(of_batch + np.arange(1, n_rows + 1, dtype=np.uint64) * _GOLDEN)


def _split_mix(z: Priorities) -> Priorities:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return z ^ (z >> np.uint64(31))


def lowest_priority(labels: NDArray[Any], drawn: Priorities, size: int) -> Rows:
    """Return the rows of lowest priority of each class, at most ``size`` in all.

    Examples
    --------
    >>> labels = np.array(["a", "a", "a", "b"])
    >>> lowest_priority(labels, np.array([5, 3, 4, 9], np.uint64), size=3).tolist()
    [1, 2, 3]
    """
    y = _class_numbers(labels)
    most = rows_per_class(np.bincount(y), size)
    of_class = [np.flatnonzero(y == c) for c in range(int(y.max(initial=0)) + 1)]
    return np.concatenate([rows[_lowest(drawn[rows], most)] for rows in of_class])


def _lowest(drawn: Priorities, most: int) -> Rows:
    """Return the places of the lowest, in ascending order of priority."""
    if len(drawn) <= most:
        return np.argsort(drawn)
    some = np.argpartition(drawn, most - 1)[:most]
    return some[np.argsort(drawn[some])]


def rows_per_class(class_counts: NDArray[np.integer], size: int) -> int:
    """Return the most rows a class may have so that a sample of ``size`` holds all.

    It is at least two, because rows of a class are compared with each other.

    Examples
    --------
    >>> rows_per_class(np.array([2, 50, 90]), size=20)
    9
    """
    ascending = np.sort(class_counts[class_counts > 0]).tolist()
    left = size
    for i, count in enumerate(ascending):
        share = left // (len(ascending) - i)
        if count > share:
            return max(share, 2)
        left -= count
    return max([2, *ascending])


def plain_values(column: Column, rows: Rows) -> NDArray[Any]:
    """Return the plain values of some rows of a column, None where missing."""
    if column.is_read or column.numeric is None:
        values = np.empty(len(column.values) + 1, dtype=object)
        values[:-1] = column.values
        return values[column.indices[rows]]  # the last, for -1, is None
    x = column.numeric[rows]
    found = x.astype(object)
    found[np.isnan(x)] = None
    return found


def _class_numbers(labels: NDArray[Any]) -> NDArray[np.intp]:
    """Return a class number for each label; class numbers stay as they are."""
    if labels.dtype == np.intp:
        return labels
    listed = labels.tolist()  # few distinct ones: no need to compare all
    place = {label: i for i, label in enumerate(sorted(set(listed)))}
    return np.fromiter((place[label] for label in listed), np.intp, len(listed))
