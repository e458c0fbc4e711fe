"""Counts of one column: its values, or its numbers where they are many."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding import MAX_LEVELS_OF_NUMBERS, Feature
from nearkind.protocols import Array
from nearkind.streaming.numbers import ALL_BITS, NumberCounts
from nearkind.streaming.values import MOST_VALUES, Places, ValueCounts, Whole
from nearkind.tables import Column, as_floats

NUMBERS = (int, float, Decimal)


@dataclass
class ColumnCounts:
    """How often each class has each value of one column.

    Blocks with many numbers count them as floats, others count values as they are; the
    two are merged apart, and meet when all has been counted.

    Attributes
    ----------
    name : the column's
    values, numbers : counts of either kind
    missing : (C,), cells without a value
    declared : whether its owner declared it categorical, in some block
    """

    name: Any
    values: ValueCounts = field(default_factory=ValueCounts)
    numbers: NumberCounts = field(default_factory=NumberCounts)
    missing: Whole = field(default_factory=lambda: np.zeros(0, np.int64))
    declared: bool = False

    def add(self, other: "ColumnCounts", classes: Places) -> None:
        """Add another's counts, its classes standing at these places here."""
        table = other.values.table
        self.values.add(list(other.values.place), table, classes[: table.shape[1]])
        self.numbers.update(other.numbers, classes)
        self.missing = _wide(self.missing, int(classes.max(initial=-1)) + 1)
        self.missing[classes[: len(other.missing)]] += other.missing
        self.declared |= other.declared
        if len(self.values) > MOST_VALUES:
            raise ValueError(
                f"Column {self.name!r} has more than {MOST_VALUES:,} different values, "
                "so it names rows rather than kinds of them. Drop it, or coarsen it."
            )

    def settled(self) -> "ColumnCounts":
        """Return the same counts, all of one kind: as numbers if all are."""
        if not len(self.numbers):
            return self
        words = (v for v in self.values.place if type(v) not in NUMBERS)
        word = next(words, None)
        if word is None and not self.declared:
            return self._as_numbers()
        if self.numbers.bits < ALL_BITS:
            raise ValueError(
                f"Column {self.name!r} holds {word!r} beside more than "
                f"{self.numbers.most:,} different numbers. Write None for what is no "
                "number, or turn all of it into text if it names categories."
            )
        return self._as_values()

    def column(self) -> tuple[Column, Array]:
        """Return the distinct values as a column, and how many rows have each."""
        numbers, totals = self._distinct_numbers()
        if len(numbers):
            column = Column(lambda: _in_order(numbers.tolist()), numbers)
        else:
            values = list(self.values.place)
            column = Column(lambda: _in_order(values), declared=self.declared)
            totals = self.values.table.sum(axis=1)
            if not self.declared and all(type(v) in NUMBERS for v in values):
                column.numeric = as_floats(values)[:-1]
        return _with_missing(column), np.append(totals, self.missing.sum()).astype(
            float
        )

    def by_code(self, feature: Feature, n_classes: int) -> Array:
        """Return how often each class has each code of a feature (n_values, C)."""
        total = np.zeros((feature.n_values, n_classes))
        if len(self.numbers):
            for label in range(self.numbers.n_classes):
                x, counts = self.numbers.of_class(label)
                codes = feature.encode(Column(lambda: _in_order([]), x))
                total[:, label] = np.bincount(codes, counts, feature.n_values)
        elif len(self.values):
            table = self.values.table
            column = Column(lambda: _in_order(list(self.values.place)))
            np.add.at(total[:, : table.shape[1]], feature.encode(column), table)
        if feature.missing_code >= 0:
            total[feature.missing_code, : len(self.missing)] += self.missing
        return total

    def _distinct_numbers(self) -> tuple[Array, Array]:
        """Return all numbers, rising, and how often each is."""
        every = [self.numbers.of_class(c) for c in range(self.numbers.n_classes)]
        if not every:
            return np.empty(0), np.empty(0)
        keys, counts = (np.concatenate(side) for side in zip(*every, strict=True))
        distinct, which = np.unique(keys, return_inverse=True)
        return distinct, np.bincount(which, counts, len(distinct)).astype(float)

    def _as_numbers(self) -> "ColumnCounts":
        both = ColumnCounts(self.name, missing=self.missing)
        everywhere = np.arange(self.numbers.n_classes)
        both.numbers = NumberCounts(self.numbers.most)
        both.numbers.update(self.numbers, everywhere)
        x = as_floats(self.values.place)[:-1]
        for label, counts in enumerate(self.values.table.T):
            some = counts > 0
            both.numbers.add(label, x[some], counts[some])
        both.numbers.settle()
        return both

    def _as_values(self) -> "ColumnCounts":
        both = ColumnCounts(self.name, missing=self.missing, declared=self.declared)
        table = self.values.table
        both.values.add(list(self.values.place), table, np.arange(table.shape[1]))
        for label in range(self.numbers.n_classes):
            x, counts = self.numbers.of_class(label)
            shown = [int(v) if v.is_integer() else v for v in x.tolist()]
            both.values.add(shown, counts[:, None], np.array([label]))
        return both


def column_counts(
    name: Any, column: Column, y: NDArray[np.intp], n_classes: int, numeric: str
) -> ColumnCounts:
    """Count one column of a block.

    Parameters
    ----------
    name : of the column
    column : of the block
    y : (n,), class numbers
    n_classes : of the block
    numeric : what becomes of columns of numbers, as in Codebook
    """
    found = ColumnCounts(name, declared=column.declared)
    gone = column.missing
    found.missing = np.bincount(y[gone], minlength=n_classes)
    if column.numeric is not None and numeric != "category":
        parts = _numbers_of(column.numeric[~gone], y[~gone], n_classes)
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


def _numbers_of(x: Array, y: NDArray[np.intp], n_classes: int) -> list[Any]:
    """Return the distinct numbers of each class, and how often each is."""
    x = x + 0.0  # no minus zero
    return [np.unique(x[y == c], return_counts=True) for c in range(n_classes)]


def _are_many(parts: list[Any]) -> bool:
    """Say whether there are more than could ever be levels of their own."""
    if max(len(numbers) for numbers, _ in parts) > MAX_LEVELS_OF_NUMBERS:
        return True
    together = np.unique(np.concatenate([numbers for numbers, _ in parts]))
    return len(together) > MAX_LEVELS_OF_NUMBERS


def _in_order(values: list[Any]) -> tuple[NDArray[np.intp], list[Any]]:
    return np.arange(len(values)), values


def _with_missing(column: Column) -> Column:
    """Return a column with one row more, whose cell is missing."""
    numeric = column.numeric
    return Column(
        lambda: (np.append(column.indices, -1), column.values),
        None if numeric is None else np.append(numeric, np.nan),
        column.declared,
    )


def _wide(counts: Whole, size: int) -> Whole:
    return np.pad(counts, (0, max(size - len(counts), 0)))
