"""Counts of a table by column, value and class, from blocks in any order."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.codebook import Codebook
from nearkind.protocols import Array
from nearkind.streaming.columns import ColumnCounts, column_counts
from nearkind.tables import Column, Table

NO_BLOCK = 1 << 62


class Counts:
    """How often each class has each value of each column.

    Law: merging is exact, and the same in any order and grouping, but for which of two
    equal values (1 and 1.0, say) stands for both: that of the first merged. A codebook
    and histograms made from counts are those of the whole table, bit for bit, as long
    as no column has more than a million different numbers; see ``numbers``.

    Attributes
    ----------
    first : number of the first block; columns stand in its order
    names, named : of the columns; empty before there is a row
    n_rows : counted
    classes : (C,), labels in the order in which they came
    by_class : (C,), rows of each
    columns : list of ColumnCounts

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> y = np.array([0, 1])
    >>> one = Counts.of(0, read_table([["red"], ["blue"]]), y, np.array(["a", "b"]))
    >>> two = Counts.of(1, read_table([["red"]]), y[:1], np.array(["b"]))
    >>> both = Counts().add(one).add(two)
    >>> book = both.codebook(Codebook())
    >>> book.values(0), both.histograms(book, np.array(["a", "b"]))[0].tolist()
    (['blue', 'red'], [[0.0, 1.0], [1.0, 1.0]])
    """

    def __init__(self) -> None:
        self.first = NO_BLOCK
        self.names: list[Any] = []
        self.named = False
        self.n_rows = 0
        self.classes: NDArray[Any] = np.empty(0)
        self.by_class: NDArray[np.int64] = np.zeros(0, np.int64)
        self.columns: list[ColumnCounts] = []

    @classmethod
    def of(
        cls,
        block: int,
        table: Table,
        y: NDArray[np.intp],
        classes: NDArray[Any],
        numeric: str = "auto",
        read: list[Column] | None = None,
    ) -> Self:
        """Count a block.

        Parameters
        ----------
        block : its number
        table, y : its rows and their class numbers (n,)
        classes : labels of the class numbers
        numeric : what becomes of columns of numbers, as in Codebook
        read : the columns of the table, if they have been read already
        """
        found = cls()
        found.first, found.n_rows = block, table.n_rows
        found.names, found.named = table.names, table.named
        found.classes = classes
        found.by_class = np.bincount(y, minlength=len(classes))
        columns = read or [table.column(d) for d in range(len(table.names))]
        found.columns = [
            column_counts(name, column, y, len(classes), numeric)
            for name, column in zip(table.names, columns, strict=True)
        ]
        return found

    def add(self, other: "Counts") -> Self:
        """Add the counts of other blocks; those stay as they are."""
        if not other.n_rows:
            return self
        if not self.n_rows:
            self.named, self.first = other.named, other.first
            self._take_order(other)
        order = self._order(other)
        places = self._places(other)
        self.n_rows += other.n_rows
        np.add.at(self.by_class, places, other.by_class)
        for column, place in zip(self.columns, order, strict=True):
            column.add(other.columns[place], places)
        if other.first < self.first:
            self._take_order(other)
        self.first = min(self.first, other.first)
        return self

    def codebook(self, book: Codebook) -> Codebook:
        """Teach a codebook the values counted, and return it."""
        self.columns = [column.settled() for column in self.columns]
        columns = (column.column() for column in self.columns)
        return book.fit_counts(self.names, self.named, columns, self.n_rows)

    def histograms(self, book: Codebook, classes: NDArray[Any]) -> list[Array]:
        """Return how often each class has each code of a feature (n_values, C), each.

        Parameters
        ----------
        book : what ``codebook`` returned
        classes : sorted labels, all that were counted among them
        """
        at = np.searchsorted(classes, self.classes)
        tables = []
        for column, feature in zip(self.columns, book.features_, strict=True):
            table = np.zeros((feature.n_values, len(classes)))
            table[:, at] = column.by_code(feature, len(at))
            tables.append(table)
        return tables

    def class_totals(self, classes: NDArray[Any]) -> Array:
        """Return the rows of each of these sorted labels (C,)."""
        totals = np.zeros(len(classes))
        totals[np.searchsorted(classes, self.classes)] = self.by_class
        return totals

    def _take_order(self, other: "Counts") -> None:
        """Let columns stand, and be called, as in another block."""
        known = dict(zip(self.names, self.columns, strict=True))
        self.columns = [known.get(n) or ColumnCounts(n) for n in other.names]
        self.names = other.names

    def _order(self, other: "Counts") -> list[int]:
        """Return where each column stands in another block."""
        mine, theirs = f"batch {self.first}", f"Batch {other.first}"
        advice = "Give every batch the same columns."
        if self.named != other.named:
            raise ValueError(
                f"Of {mine} and {theirs.lower()} one has names of columns, the other "
                f"none. {advice}"
            )
        if not self.named and len(self.names) != len(other.names):
            raise ValueError(
                f"{theirs} has {len(other.names)} columns, {mine} {len(self.names)}. "
                f"{advice}"
            )
        place = {name: i for i, name in enumerate(other.names)}
        for name in self.names:
            if name not in place:
                raise ValueError(
                    f"{theirs} lacks column {name!r}, which {mine} has. {advice}"
                )
        for name in set(place).difference(self.names):
            raise ValueError(
                f"{theirs} has column {name!r}, which {mine} lacks. {advice}"
            )
        return [place[name] for name in self.names]

    def _places(self, other: "Counts") -> NDArray[np.intp]:
        """Return where another's classes stand among mine, new ones at the end."""
        if not len(self.classes):
            self.classes = other.classes[:0]
        if _kind(self.classes) != _kind(other.classes):
            raise TypeError(
                f"Batch {other.first} has the label {other.classes[:1].tolist()[0]!r}, "
                f"batch {self.first} {self.classes[:1].tolist()[0]!r}: words and "
                "numbers have no common order. Give all labels one type."
            )
        place = {label: i for i, label in enumerate(self.classes.tolist())}
        fresh = [i for i, v in enumerate(other.classes.tolist()) if v not in place]
        self.classes = np.concatenate([self.classes, other.classes[fresh]])
        self.by_class = np.pad(self.by_class, (0, len(fresh)))
        place = {label: i for i, label in enumerate(self.classes.tolist())}
        return np.array([place[v] for v in other.classes.tolist()], np.intp)


def _kind(labels: NDArray[Any]) -> str:
    """Return the kind of labels: of numbers, or of words."""
    return "number" if labels.dtype.kind in "biuf" else "word"
