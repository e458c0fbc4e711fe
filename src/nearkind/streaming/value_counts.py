"""Counts by value and class: of values as they are, and of numbers in bounded memory.

Up to a million numbers of a column are kept as they are. Beyond that they are rounded
down to floats with fewer binary digits, as few digits less as will do: counts stay
exact, and a number moves by less than 2^-bits of its size. Rounding to a coarse grid by
way of a finer one gives the same result, and parts never need a coarser grid than the
whole, so the result does not depend on how rows were cut into batches or merged.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array

MAX_NUMBERS = 1_000_000
"""Distinct numbers of a column, added up over the classes."""
ALL_BITS = 52
BITS_PER_STEP = 4
"""Binary digits dropped at a time; without any, 4,000 numbers a class are left."""
BUFFER_SIZE = 1 << 17
"""Numbers to gather before they are sorted and merged."""
Counts = NDArray[np.int64]
Places = NDArray[np.intp]
NumbersAndCounts = tuple[Array, Counts]


class ValueCounts:
    """Counts of values by class; values are in order of appearance.

    Examples
    --------
    >>> counts = ValueCounts()
    >>> counts.add(["red", "blue"], np.array([[1, 0], [2, 1]]), np.array([0, 1]))
    >>> counts.add(["blue"], np.array([[5]]), np.array([1]))
    >>> list(counts.place), counts.table.tolist()
    (['red', 'blue'], [[1, 0], [2, 6]])
    """

    def __init__(self) -> None:
        self.place: dict[Any, int] = {}
        self._buffer: Counts = np.zeros((0, 0), np.int64)

    def __len__(self) -> int:
        return len(self.place)

    @property
    def table(self) -> Counts:
        """Counts (n_values, C)."""
        return self._buffer[: len(self.place)]

    def add(self, values: Sequence[Any], table: Counts, classes: Places) -> None:
        """Add counts of distinct values.

        Parameters
        ----------
        values : sequence of length k
        table : ndarray of int64 of shape (k, c)
            Counts by value and class.
        classes : ndarray of int of shape (c,)
            Class number here of each class of ``table``.
        """
        place = self.place
        steps = (place.setdefault(value, len(place)) for value in values)
        rows = np.fromiter(steps, np.intp, len(values))
        self._grow(len(place), int(classes.max(initial=-1)) + 1)
        self._buffer[rows[:, None], classes] += table

    def _grow(self, n_values: int, n_classes: int) -> None:
        """Enlarge the buffer, to twice what is needed, so that it is rarely done."""
        rows, columns = self._buffer.shape
        if n_values <= rows and n_classes <= columns:
            return
        rows = rows if n_values <= rows else 2 * n_values
        larger = np.zeros((rows, max(columns, n_classes)), np.int64)
        larger[: len(self._buffer), :columns] = self._buffer
        self._buffer = larger


class NumberCounts:
    """Counts of numbers by class.

    Parameters
    ----------
    max_size : int, default=1_000_000
        Most numbers to keep, added up over the classes.

    Attributes
    ----------
    bits : int
        Binary digits kept of a number after its first; 52 are all.

    Examples
    --------
    >>> counts = NumberCounts()
    >>> counts.add(0, np.array([1.0, 2.0]), np.array([1, 3]))
    >>> counts.add(0, np.array([2.0]), np.array([4]))
    >>> [part.tolist() for part in counts.class_counts(0)]
    [[1.0, 2.0], [1, 7]]
    """

    def __init__(self, max_size: int = MAX_NUMBERS) -> None:
        self.max_size = max_size
        self.bits = ALL_BITS
        self._parts: list[list[NumbersAndCounts]] = []
        self._size = self._compacted_size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def n_classes(self) -> int:
        """Number of classes, up to the last that has a number."""
        return len(self._parts)

    def add(self, label: int, numbers: Array, counts: Counts) -> None:
        """Add counts of distinct numbers of one class; none may be NaN."""
        while len(self._parts) <= label:
            self._parts.append([])
        self._parts[label].append((numbers, counts))
        self._size += len(numbers)
        if self._size > 2 * max(self._compacted_size, min(BUFFER_SIZE, self.max_size)):
            self.compact()

    def update(self, other: "NumberCounts", classes: Places) -> None:
        """Add the counts of another, whose classes have these numbers here."""
        self.bits = min(self.bits, other.bits)
        for label, parts in zip(classes.tolist(), other._parts, strict=False):
            for numbers, counts in parts:
                self.add(label, numbers, counts)

    def compact(self) -> None:
        """Merge equal numbers; drop binary digits while there are too many."""
        self._merge_equal()
        while self._size > self.max_size and self.bits > 0:
            self.bits -= BITS_PER_STEP
            self._merge_equal()
        self._compacted_size = self._size

    def class_counts(self, label: int) -> NumbersAndCounts:
        """Return the distinct numbers of a class, ascending, and their counts."""
        self.compact()
        if label >= len(self._parts) or not self._parts[label]:
            return np.empty(0), np.empty(0, np.int64)
        return self._parts[label][0]

    def _merge_equal(self) -> None:
        self._parts = [[_sum(p, self.bits)] if p else [] for p in self._parts]
        self._size = sum(len(part[0]) for parts in self._parts for part in parts)


def _sum(parts: list[NumbersAndCounts], bits: int) -> NumbersAndCounts:
    numbers, counts = (np.concatenate(side) for side in zip(*parts, strict=True))
    distinct, which = np.unique(round_down(numbers, bits), return_inverse=True)
    totals = np.zeros(len(distinct), np.int64)
    np.add.at(totals, which, counts)
    return distinct, totals


def round_down(x: Array, bits: int) -> Array:
    """Return the largest floats <= x with ``bits`` binary digits after the first.

    Examples
    --------
    >>> round_down(np.array([1.0, 1.3, -1.3, np.inf]), 2).tolist()
    [1.0, 1.25, -1.5, inf]
    """
    if bits >= ALL_BITS:
        return x
    ordered = _ordered(x.view(np.int64))
    return _ordered(ordered & -(1 << (ALL_BITS - bits))).view(np.float64)


def _ordered(bits: NDArray[np.int64]) -> NDArray[np.int64]:
    """Map the bits of floats to integers in the floats' order; its own inverse."""
    return np.where(bits < 0, np.iinfo(np.int64).min - bits, bits)
