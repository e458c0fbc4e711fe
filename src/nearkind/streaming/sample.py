"""A stratified sample of rows, of bounded size, from blocks in any order."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.streaming.priorities import Priorities
from nearkind.tables import Column

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class RowSample:
    """Of each class the rows of lowest priority, as many of each as there is room for.

    Classes smaller than their even part of the room are taken whole, and leave theirs
    to the others. Law: the sample of merged samples is that of all rows; every row of
    a class is as likely to be in it as any other.

    Attributes
    ----------
    names : of the columns
    cells : for each column its plain values (k,), None where one is missing
    labels : (k,)
    priorities : (k,)
    """

    names: Sequence[Any]
    cells: Sequence[NDArray[Any]]
    labels: NDArray[Any]
    priorities: Priorities

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def table(self) -> dict[Any, list[Any]]:
        """The rows, as a dict of columns."""
        return {n: c.tolist() for n, c in zip(self.names, self.cells, strict=True)}

    def take(self, rows: Rows) -> "RowSample":
        """Return some of the rows."""
        cells = [column[rows] for column in self.cells]
        return RowSample(self.names, cells, self.labels[rows], self.priorities[rows])

    def in_order_of(self, names: Sequence[Any]) -> "RowSample":
        """Return it with its columns in another order."""
        place = {name: i for i, name in enumerate(self.names)}
        return replace(self, names=names, cells=[self.cells[place[n]] for n in names])


def sample_of(
    names: Sequence[Any],
    columns: Sequence[Column],
    y: NDArray[np.intp],
    classes: NDArray[Any],
    drawn: Priorities,
    room: int,
) -> RowSample:
    """Return the sample of one block.

    Parameters
    ----------
    names, columns : of its table
    y : (n,), class numbers
    classes : their labels
    drawn : (n,), priorities
    room : rows to keep at most
    """
    rows = lowest(y, drawn, room)
    cells = [cells_of(column, rows) for column in columns]
    return RowSample(names, cells, classes[y[rows]], drawn[rows])


def merged_samples(parts: Sequence[RowSample], room: int) -> RowSample:
    """Return the sample of all blocks that the parts are samples of."""
    parts = [part for part in parts if len(part)]
    if len(parts) == 1:
        return parts[0]
    names = parts[0].names
    placed = [part.in_order_of(names).cells for part in parts]
    cells = [np.concatenate(column) for column in zip(*placed, strict=True)]
    labels = np.concatenate([part.labels for part in parts])
    drawn = np.concatenate([part.priorities for part in parts])
    return RowSample(names, cells, labels, drawn).take(lowest(labels, drawn, room))


def lowest(labels: NDArray[Any], drawn: Priorities, room: int) -> Rows:
    """Return the rows to keep: of each class those of lowest priority.

    Examples
    --------
    >>> labels = np.array(["a", "a", "a", "b"])
    >>> lowest(labels, np.array([5, 3, 4, 9], np.uint64), room=3).tolist()
    [1, 2, 3]
    """
    y = _numbers(labels)
    most = even_part(np.bincount(y), room)
    of_class = [np.flatnonzero(y == c) for c in range(int(y.max(initial=0)) + 1)]
    return np.concatenate([rows[_lowest(drawn[rows], most)] for rows in of_class])


def _lowest(drawn: Priorities, most: int) -> Rows:
    """Return the places of the lowest, rising."""
    if len(drawn) <= most:
        return np.argsort(drawn)
    some = np.argpartition(drawn, most - 1)[:most]
    return some[np.argsort(drawn[some])]


def even_part(sizes: NDArray[np.integer], room: int) -> int:
    """Return the most rows a class may have so that all of them fit.

    At least two: rows of a class are compared with each other.

    Examples
    --------
    >>> even_part(np.array([2, 50, 90]), room=20)
    9
    """
    rising = np.sort(sizes[sizes > 0]).tolist()
    left = room
    for i, size in enumerate(rising):
        part = left // (len(rising) - i)
        if size > part:
            return max(part, 2)
        left -= size
    return max([2, *rising])


def cells_of(column: Column, rows: Rows) -> NDArray[Any]:
    """Return the plain values of some rows, None where one is missing."""
    if column.is_read or column.numeric is None:
        values = np.empty(len(column.values) + 1, dtype=object)
        values[:-1] = column.values
        return values[column.indices[rows]]  # the last, for -1, is None
    x = column.numeric[rows]
    cells = x.astype(object)
    cells[np.isnan(x)] = None
    return cells


def _numbers(labels: NDArray[Any]) -> NDArray[np.intp]:
    """Return a number for each label, rising as they do; numbers are their own."""
    if labels.dtype == np.intp:
        return labels
    cells = labels.tolist()  # few distinct ones: no need to compare all
    place = {label: i for i, label in enumerate(sorted(set(cells)))}
    return np.fromiter((place[cell] for cell in cells), np.intp, len(cells))
