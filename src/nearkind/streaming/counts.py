"""Counts of a table by column, value and class, from batches in any order."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.codebook import Codebook
from nearkind.protocols import Array
from nearkind.streaming.column_counts import ColumnCounts
from nearkind.streaming.sample import RowSample, merge_samples, priorities
from nearkind.streaming.value_counts import Counts, Places
from nearkind.tables import Column, Table

NO_BATCH = 1 << 62


class TableCounts:
    """Counts of rows by column, value and class.

    Law: merging is exact and does not depend on order and grouping, except for which of
    two equal values (such as 1 and 1.0) represents both: that of the first merged. A
    codebook and histograms made from counts equal those of the whole table, bit for
    bit, as long as no column has more than a million distinct numbers; see
    ``value_counts``.

    Attributes
    ----------
    first : int
        Number of the first batch, which gives the order of the columns.
    names : list
        Names of the columns; empty before any row.
    named : bool
        Whether the user gave the names.
    n_rows : int
        Rows counted.
    classes : ndarray of shape (C,)
        Labels in order of appearance.
    class_counts : ndarray of int64 of shape (C,)
        Rows of each class.
    columns : list of ColumnCounts
        Counts of each column.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> y = np.array([0, 1])
    >>> table = read_table([["red"], ["blue"]])
    >>> one = TableCounts.of(0, table, y, np.array(["a", "b"]))
    >>> two = TableCounts.of(1, read_table([["red"]]), y[:1], np.array(["b"]))
    >>> both = TableCounts().add(one).add(two)
    >>> book = both.fit_codebook(Codebook())
    >>> book.values(0), both.histograms(book, np.array(["a", "b"]))[0].tolist()
    (['blue', 'red'], [[0.0, 1.0], [1.0, 1.0]])
    """

    def __init__(self) -> None:
        self.first = NO_BATCH
        self.names: list[Any] = []
        self.named = False
        self.n_rows = 0
        self.classes: NDArray[Any] = np.empty(0)
        self.class_counts: Counts = np.zeros(0, np.int64)
        self.columns: list[ColumnCounts] = []

    @classmethod
    def of(
        cls,
        number: int,
        table: Table,
        y: NDArray[np.intp],
        classes: NDArray[Any],
        numeric: str = "auto",
        columns: list[Column] | None = None,
    ) -> Self:
        """Count one batch.

        Parameters
        ----------
        number : int
            Number of the batch.
        table : Table
            Its rows.
        y : ndarray of int of shape (n,)
            Class numbers.
        classes : ndarray of shape (C,)
            Labels of the class numbers.
        numeric : str, default="auto"
            How columns of numbers are treated, as in Codebook.
        columns : list of Column, default=None
            Columns of the table, if they have been read already.
        """
        found = cls()
        found.first, found.n_rows = number, table.n_rows
        found.names, found.named = table.names, table.named
        found.classes = classes
        found.class_counts = np.bincount(y, minlength=len(classes))
        columns = columns or [table.column(d) for d in range(len(table.names))]
        found.columns = [
            ColumnCounts.of(name, column, y, len(classes), numeric)
            for name, column in zip(table.names, columns, strict=True)
        ]
        return found

    def add(self, other: "TableCounts") -> Self:
        """Add the counts of other batches, which are left unchanged."""
        if not other.n_rows:
            return self
        if not self.n_rows:
            self.named, self.first = other.named, other.first
            self._order_columns_as(other)
        order = self._places_of_columns(other)
        classes = self._places_of_classes(other)
        self.n_rows += other.n_rows
        np.add.at(self.class_counts, classes, other.class_counts)
        for column, place in zip(self.columns, order, strict=True):
            column.add(other.columns[place], classes)
        if other.first < self.first:
            self._order_columns_as(other)
        self.first = min(self.first, other.first)
        return self

    def fit_codebook(self, book: Codebook) -> Codebook:
        """Fit a codebook to the values counted, and return it."""
        self.columns = [column.unified() for column in self.columns]
        columns = (column.distinct() for column in self.columns)
        return book.fit_counts(self.names, self.named, columns, self.n_rows)

    def histograms(self, book: Codebook, classes: NDArray[Any]) -> list[Array]:
        """Return the counts of each feature by code and class (n_values, C).

        Parameters
        ----------
        book : Codebook
            Returned by ``fit_codebook``.
        classes : ndarray of shape (C,)
            Sorted labels, all that were counted among them.
        """
        at = np.searchsorted(classes, self.classes)
        tables = []
        for column, feature in zip(self.columns, book.features_, strict=True):
            table = np.zeros((feature.n_values, len(classes)))
            table[:, at] = column.histogram(feature, len(at))
            tables.append(table)
        return tables

    def class_totals(self, classes: NDArray[Any]) -> Array:
        """Return the number of rows of each of these sorted labels (C,)."""
        totals = np.zeros(len(classes))
        totals[np.searchsorted(classes, self.classes)] = self.class_counts
        return totals

    def _order_columns_as(self, other: "TableCounts") -> None:
        """Take order and names of the columns from another batch."""
        known = dict(zip(self.names, self.columns, strict=True))
        self.columns = [known.get(n) or ColumnCounts(n) for n in other.names]
        self.names = other.names

    def _places_of_columns(self, other: "TableCounts") -> list[int]:
        """Return the place of each column in another batch; raise if they differ."""
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

    def _places_of_classes(self, other: "TableCounts") -> Places:
        """Return the class numbers here of another's classes; append new classes."""
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
        self.class_counts = np.pad(self.class_counts, (0, len(fresh)))
        place = {label: i for i, label in enumerate(self.classes.tolist())}
        return np.array([place[v] for v in other.classes.tolist()], np.intp)


def _kind(labels: NDArray[Any]) -> str:
    """Return whether labels are numbers or words."""
    return "number" if labels.dtype.kind in "biuf" else "word"


MAX_SAMPLES = 8
"""Samples that a summary gathers before it merges them."""


@dataclass
class BatchSummary:
    """Counts and a sample of the rows of some batches.

    Attributes
    ----------
    sample_size : int
        Most rows of the sample.
    counts : TableCounts
        Counts of all rows.
    samples : list of RowSample
        Samples of some batches each, yet to be merged.
    n_batches : int
        Number of batches, empty ones among them.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> y, classes = np.array([0, 1]), np.array(["a", "b"])
    >>> table = read_table([["red"], ["blue"]])
    >>> summary = BatchSummary.of(0, table, y, classes, sample_size=9)
    >>> summary.counts.n_rows, summary.sample.table
    (2, {'x0': ['red', 'blue']})
    """

    sample_size: int
    counts: TableCounts = field(default_factory=TableCounts)
    samples: list[RowSample] = field(default_factory=list)
    n_batches: int = 0

    @classmethod
    def of(
        cls,
        number: int,
        table: Table,
        y: NDArray[np.intp],
        classes: NDArray[Any],
        sample_size: int,
        numeric: str = "auto",
        seed: int = 0,
    ) -> Self:
        """Count and sample one batch, reading each column once.

        Parameters
        ----------
        number : int
            Number of the batch in its source; the sample depends on it.
        table : Table
            Rows of the batch.
        y : ndarray of int of shape (n,)
            Class numbers.
        classes : ndarray of shape (C,)
            Labels of the class numbers.
        sample_size : int
            Most rows of the sample.
        numeric : str, default="auto"
            How columns of numbers are treated, as in Codebook.
        seed : int, default=0
            Seed of the sample.
        """
        columns = [table.column(d) for d in range(len(table.names))]
        counts = TableCounts.of(number, table, y, classes, numeric, columns)
        drawn = priorities(seed, number, table.n_rows)
        sample = RowSample.of(table.names, columns, y, classes, drawn, sample_size)
        return cls(sample_size, counts, [sample], 1)

    def add(self, other: "BatchSummary") -> Self:
        """Add the summary of other batches, which is left unchanged."""
        self.counts.add(other.counts)
        self.n_batches += other.n_batches
        self.samples += other.samples
        if len(self.samples) > MAX_SAMPLES:
            self.samples = [merge_samples(self.samples, self.sample_size)]
        return self

    @property
    def sample(self) -> RowSample:
        """Sample of all batches; its columns are in the order of ``counts``."""
        merged = merge_samples(self.samples, self.sample_size)
        return merged.reorder(self.counts.names)


def merge_summaries(parts: Iterable[BatchSummary], sample_size: int) -> BatchSummary:
    """Return the summary of all batches, from summaries of some each."""
    whole = BatchSummary(sample_size)
    for part in parts:
        whole.add(part)
    return whole
