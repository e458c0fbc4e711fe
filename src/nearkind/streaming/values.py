"""Distinct values of one column, and how often each class has each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_VALUES = 2_000_000
"""Of a column; one that has more names its rows."""
Whole = NDArray[np.int64]
Places = NDArray[np.intp]


class ValueCounts:
    """Counts by value and class, in the order in which values came.

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
        self._room: Whole = np.zeros((0, 0), np.int64)

    def __len__(self) -> int:
        return len(self.place)

    @property
    def table(self) -> Whole:
        """Counts (n_values, C)."""
        return self._room[: len(self.place)]

    def add(self, values: Sequence[Any], table: Whole, classes: Places) -> None:
        """Add the counts (k, c) of distinct values, their classes standing at these."""
        place = self.place
        steps = (place.setdefault(value, len(place)) for value in values)
        rows = np.fromiter(steps, np.intp, len(values))
        self._grow(len(place), int(classes.max(initial=-1)) + 1)
        self._room[rows[:, None], classes] += table

    def _grow(self, n_values: int, n_classes: int) -> None:
        """Make room; twice as much as is needed, so that it is rarely done."""
        rows, columns = self._room.shape
        if n_values <= rows and n_classes <= columns:
            return
        rows = rows if n_values <= rows else 2 * n_values
        room = np.zeros((rows, max(columns, n_classes)), np.int64)
        room[: len(self._room), :columns] = self._room
        self._room = room
