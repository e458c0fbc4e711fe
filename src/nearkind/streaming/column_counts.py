"""Counts of one column by value and class."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding import MAX_LEVELS_OF_NUMBERS, Feature
from nearkind.protocols import Array
from nearkind.streaming.value_counts import (
    ALL_BITS,
    Counts,
    NumberCounts,
    NumbersAndCounts,
    Places,
    ValueCounts,
)
from nearkind.tables import Column, as_floats

MAX_VALUES = 2_000_000
"""Distinct values of a column; one with more identifies its rows."""
NUMBERS = (int, float, Decimal)


@dataclass
class ColumnCounts:
    """Counts of one column by value and class.

    Batches with many distinct numbers count them as floats, others count values as they
    are. The two kinds are merged separately, until ``unified``.

    Attributes
    ----------
    name : object
        Name of the column.
    values : ValueCounts
        Counts of values as they are.
    numbers : NumberCounts
        Counts of numbers as floats.
    missing : ndarray of int64 of shape (C,)
        Rows without a value.
    declared : bool
        Whether the user declared the column categorical, in some batch.
    """

    name: Any
    values: ValueCounts = field(default_factory=ValueCounts)
    numbers: NumberCounts = field(default_factory=NumberCounts)
    missing: Counts = field(default_factory=lambda: np.zeros(0, np.int64))
    declared: bool = False

    @classmethod
    def of(
        cls,
        name: object,
        column: Column,
        y: NDArray[np.intp],
        n_classes: int,
        numeric: str,
    ) -> Self:
        """Count one column of a batch.

        Parameters
        ----------
        name : object
            Name of the column.
        column : Column
        y : ndarray of int of shape (n,)
            Class numbers.
        n_classes : int
            Number of classes of the batch.
        numeric : str
            How columns of numbers are treated, as in Codebook.
        """
        found = cls(name, declared=column.declared)
        gone = column.missing
        found.missing = np.bincount(y[gone], minlength=n_classes)
        if column.numeric is not None and numeric != "category":
            parts = _count_numbers(column.numeric[~gone], y[~gone], n_classes)
            if _are_many(parts):
                for label, (numbers, counts) in enumerate(parts):
                    found.numbers.add(label, numbers, counts)
                return found
        indices, size = column.indices.astype(np.intp) + 1, len(column.values) + 1
        table = np.bincount(indices * n_classes + y, minlength=size * n_classes)
        table = table.reshape(size, n_classes)[1:]
        used = np.flatnonzero(column.occurs)
        values = [column.values[i] for i in used]
        found.values.add(values, table[used], np.arange(n_classes))
        return found

    def add(self, other: "ColumnCounts", classes: Places) -> None:
        """Add the counts of another, whose classes have these numbers here."""
        table = other.values.table
        self.values.add(list(other.values.place), table, classes[: table.shape[1]])
        self.numbers.update(other.numbers, classes)
        n_new = int(classes.max(initial=-1)) + 1 - len(self.missing)
        self.missing = np.pad(self.missing, (0, max(n_new, 0)))
        self.missing[classes[: len(other.missing)]] += other.missing
        self.declared |= other.declared
        if len(self.values) > MAX_VALUES:
            raise ValueError(
                f"Column {self.name!r} has more than {MAX_VALUES:,} different values, "
                "so it identifies rows instead of grouping them. Fit without it."
            )

    def unified(self) -> "ColumnCounts":
        """Return the same counts, all of one kind: numbers if every value is one."""
        if not len(self.numbers):
            return self
        words = (v for v in self.values.place if type(v) not in NUMBERS)
        word = next(words, None)
        if word is None and not self.declared:
            return self._as_numbers()
        if self.numbers.bits < ALL_BITS:
            raise ValueError(
                f"Column {self.name!r} holds {word!r} beside more than "
                f"{self.numbers.max_size:,} different numbers. Write None for what is "
                "no number, or turn all of it into text if it names categories."
            )
        return self._as_values()

    def distinct(self) -> tuple[Column, Array]:
        """Return the distinct values, then a missing one, and the count of each."""
        numbers, totals = self._distinct_numbers()
        if len(numbers):
            column = Column(lambda: _all_distinct(numbers.tolist()), numbers)
        else:
            values = list(self.values.place)
            column = Column(lambda: _all_distinct(values), declared=self.declared)
            totals = self.values.table.sum(axis=1)
            if not self.declared and all(type(v) in NUMBERS for v in values):
                column.numeric = as_floats(values)[:-1]
        totals = np.append(totals, self.missing.sum()).astype(float)
        return _with_missing(column), totals

    def histogram(self, feature: Feature, n_classes: int) -> Array:
        """Return the counts by code of a feature and class (n_values, C)."""
        total = np.zeros((feature.n_values, n_classes))
        if len(self.numbers):
            for label in range(self.numbers.n_classes):
                x, counts = self.numbers.class_counts(label)
                codes = feature.encode(Column(lambda: _all_distinct([]), x))
                total[:, label] = np.bincount(codes, counts, feature.n_values)
        elif len(self.values):
            table = self.values.table
            column = Column(lambda: _all_distinct(list(self.values.place)))
            np.add.at(total[:, : table.shape[1]], feature.encode(column), table)
        if feature.missing_code >= 0:
            total[feature.missing_code, : len(self.missing)] += self.missing
        return total

    def _distinct_numbers(self) -> tuple[Array, Array]:
        """Return all numbers, ascending, and the count of each."""
        every = [self.numbers.class_counts(c) for c in range(self.numbers.n_classes)]
        if not every:
            return np.empty(0), np.empty(0)
        keys, counts = (np.concatenate(side) for side in zip(*every, strict=True))
        distinct, which = np.unique(keys, return_inverse=True)
        return distinct, np.bincount(which, counts, len(distinct)).astype(float)

    def _as_numbers(self) -> "ColumnCounts":
        both = ColumnCounts(self.name, missing=self.missing)
        everywhere = np.arange(self.numbers.n_classes)
        both.numbers = NumberCounts(self.numbers.max_size)
        both.numbers.update(self.numbers, everywhere)
        x = as_floats(self.values.place)[:-1]
        for label, counts in enumerate(self.values.table.T):
            some = counts > 0
            both.numbers.add(label, x[some], counts[some])
        both.numbers.compact()
        return both

    def _as_values(self) -> "ColumnCounts":
        both = ColumnCounts(self.name, missing=self.missing, declared=self.declared)
        table = self.values.table
        both.values.add(list(self.values.place), table, np.arange(table.shape[1]))
        for label in range(self.numbers.n_classes):
            x, counts = self.numbers.class_counts(label)
            shown = [int(v) if v.is_integer() else v for v in x.tolist()]
            both.values.add(shown, counts[:, None], np.array([label]))
        return both


def _count_numbers(
    x: Array, y: NDArray[np.intp], n_classes: int
) -> list[NumbersAndCounts]:
    """Return the distinct numbers of each class, and the count of each."""
    x = x + 0.0  # no minus zero
    return [np.unique(x[y == c], return_counts=True) for c in range(n_classes)]


def _are_many(parts: list[NumbersAndCounts]) -> bool:
    """Return whether there are more distinct numbers than may be levels."""
    if max(len(numbers) for numbers, _ in parts) > MAX_LEVELS_OF_NUMBERS:
        return True
    together = np.unique(np.concatenate([numbers for numbers, _ in parts]))
    return len(together) > MAX_LEVELS_OF_NUMBERS


def _all_distinct(values: list[Any]) -> tuple[NDArray[np.intp], list[Any]]:
    return np.arange(len(values)), values


def _with_missing(column: Column) -> Column:
    """Return a column with one more row, without a value."""
    numeric = column.numeric
    return Column(
        lambda: (np.append(column.indices, -1), column.values),
        None if numeric is None else np.append(numeric, np.nan),
        column.declared,
    )
