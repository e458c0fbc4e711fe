"""Distinct numbers of one column in each class, in bounded room.

Up to a million numbers are kept as they are. Beyond that they move down to a grid of
floats with fewer binary digits, as few digits less as will do: counts stay exact, and a
number moves by less than 2^-bits of its size. Moving to a coarser grid by way of a
finer one ends at the same place, and parts never need a coarser grid than the whole, so
the result does not depend on how rows were cut or merged.
"""

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array

MOST_NUMBERS = 1_000_000
"""Of a column, over all classes."""
ALL_BITS = 52
COARSER = 4
"""Bits given up at a time; without any there are some four thousand numbers a class."""
UNSORTED = 1 << 17
"""Numbers to gather before they are sorted in."""
Part = tuple[Array, NDArray[np.int64]]


class NumberCounts:
    """Counts by number and class.

    Parameters
    ----------
    most : numbers to keep apart

    Attributes
    ----------
    bits : binary digits kept of a number after its first; 52 are all

    Examples
    --------
    >>> counts = NumberCounts()
    >>> counts.add(0, np.array([1.0, 2.0]), np.array([1, 3]))
    >>> counts.add(0, np.array([2.0]), np.array([4]))
    >>> [part.tolist() for part in counts.of_class(0)]
    [[1.0, 2.0], [1, 7]]
    """

    def __init__(self, most: int = MOST_NUMBERS) -> None:
        self.most = most
        self.bits = ALL_BITS
        self._parts: list[list[Part]] = []
        self._held = self._sorted = 0

    def __len__(self) -> int:
        return self._held

    @property
    def n_classes(self) -> int:
        """Classes that have a number, or come before one that has."""
        return len(self._parts)

    def add(self, label: int, numbers: Array, counts: NDArray[np.int64]) -> None:
        """Add the counts of distinct numbers of one class; none is NaN."""
        while len(self._parts) <= label:
            self._parts.append([])
        self._parts[label].append((numbers, counts))
        self._held += len(numbers)
        if self._held > 2 * max(self._sorted, min(UNSORTED, self.most)):
            self.settle()

    def update(self, other: "NumberCounts", classes: NDArray[np.intp]) -> None:
        """Add all of another, its classes standing at these places here."""
        self.bits = min(self.bits, other.bits)
        for label, parts in zip(classes.tolist(), other._parts, strict=False):
            for numbers, counts in parts:
                self.add(label, numbers, counts)

    def settle(self) -> None:
        """Merge equal numbers; move to a coarser grid while there are too many."""
        self._merge()
        while self._held > self.most and self.bits > 0:
            self.bits -= COARSER
            self._merge()
        self._sorted = self._held

    def of_class(self, label: int) -> Part:
        """Return the distinct numbers of a class, rising, and how often each is."""
        self.settle()
        if label >= len(self._parts) or not self._parts[label]:
            return np.empty(0), np.empty(0, np.int64)
        return self._parts[label][0]

    def _merge(self) -> None:
        self._parts = [[_summed(p, self.bits)] if p else [] for p in self._parts]
        self._held = sum(len(part[0]) for parts in self._parts for part in parts)


def _summed(parts: list[Part], bits: int) -> Part:
    numbers, counts = (np.concatenate(side) for side in zip(*parts, strict=True))
    distinct, which = np.unique(floored(numbers, bits), return_inverse=True)
    totals = np.zeros(len(distinct), np.int64)
    np.add.at(totals, which, counts)
    return distinct, totals


def floored(x: Array, bits: int) -> Array:
    """Return the largest floats <= x with so many binary digits after the first.

    Examples
    --------
    >>> floored(np.array([1.0, 1.3, -1.3, np.inf]), 2).tolist()
    [1.0, 1.25, -1.5, inf]
    """
    if bits >= ALL_BITS:
        return x
    ordered = _turned(x.view(np.int64))
    return _turned(ordered & -(1 << (ALL_BITS - bits))).view(np.float64)


def _turned(bits: NDArray[np.int64]) -> NDArray[np.int64]:
    """Make integers rise as the floats of these bits do; the way back is the same."""
    return np.where(bits < 0, np.iinfo(np.int64).min - bits, bits)
