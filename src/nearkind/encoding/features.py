"""The base of all features, and functions shared by those of numbers."""

from bisect import bisect_right
from decimal import Decimal
from typing import Any, Protocol

import numpy as np

from nearkind.errors import ChangedColumnError, Parameter
from nearkind.protocols import Array, Codes
from nearkind.tables import Column, as_float, as_floats, parse_number

SKIPPED = -2
"""Code of a missing cell that is left out, where ``fit`` saw none in its column."""


class Feature(Protocol):
    """How one column becomes codes.

    Law: every training cell gets the code of its value; codes are below ``n_values``.
    """

    name: Any
    n_values: int
    missing_code: int  # below zero: missing has no level of its own
    lowest_code: int  # -1, unless codes below it hold values that fit did not see
    positions: Array | None  # (n_values,) if its values are places on an axis

    @property
    def n_ordered(self) -> int:
        """How many values, the first ones, are in order; 0 if they are in none."""

    @property
    def values(self) -> list[Any]:
        """Display values in code order; the missing level is None."""

    def encode(self, column: Column) -> Codes:
        """Return codes (n,), -1 where there is no code."""

    def code(self, value: object) -> int:
        """Return the code of one value of ``CELL_TYPES``, as ``encode`` does.

        -1 where there is no code, and for a value that ``encode`` refuses.
        """

    def unseen_values(self, column: Column) -> list[Any]:
        """Return the values of the column that have no code."""


class NumberFeature:
    """Numbers between two edges share a code: ``edges[k - 1] <= x < edges[k]``.

    Parameters
    ----------
    name : object
        The column's name.
    edges : array (n_codes - 1,)
        Increasing.
    has_missing : bool
        Whether missing is a level of its own, the last.
    """

    positions: Array | None = None
    n_ordered = 0
    lowest_code = -1

    def __init__(self, name: object, edges: object, has_missing: bool) -> None:
        self.name = name
        self.edges: Array = np.asarray(edges, dtype=np.float64)
        self.n_values = len(self.edges) + 1 + has_missing
        self.missing_code = len(self.edges) + 1 if has_missing else -1
        self._edges = self.edges.tolist()

    def encode(self, column: Column) -> Codes:
        """Return codes (n,), -1 where there is no code."""
        x = self._numbers(column) if column.numeric is None else column.numeric
        codes = np.searchsorted(self.edges, x, side="right").astype(np.int32)
        codes[np.isnan(x)] = self.missing_code
        return codes

    def code(self, value: object) -> int:
        """Return the code of one value, -1 where there is none."""
        if value is None or value != value:
            return self.missing_code
        number = _as_number(value)
        return -1 if number is None else bisect_right(self._edges, as_float(number))

    def unseen_values(self, column: Column) -> list[Any]:
        """Return nothing: every number lies between some edges."""
        return []

    def _numbers(self, column: Column) -> Array:
        """Return as numbers a column that came as categories or as text."""
        used = np.flatnonzero(column.occurs)
        found = [_as_number(column.values[i]) for i in used]
        for i, number in zip(used, found, strict=True):
            if number is None:
                raise ChangedColumnError(
                    f"Column {self.name!r} held numbers in fit, but now holds "
                    f"{column.values[i]!r}. Turn it into numbers, or fit again with ",
                    Parameter("numeric", "category"),
                    ".",
                )
        numbers = np.full(len(column.values) + 1, np.nan)
        numbers[used] = as_floats(found)[:-1]
        return numbers[column.indices]


def _as_number(value: object) -> Any:
    """Return a number, or the one that a text writes, else None."""
    if isinstance(value, str):
        return parse_number(value)
    return value if isinstance(value, int | float | Decimal) else None


def distinct_numbers(x: Array, weights: Array) -> tuple[Array, Array]:
    """Return the distinct numbers of positive weight, rising, and the weight of each.

    NaN is left out. A number of weight m is m numbers: both sums come from the same
    totals, bit for bit.

    Examples
    --------
    >>> x, totals = distinct_numbers(np.array([3.0, 1.0, 3.0, np.nan]), np.ones(4))
    >>> x.tolist(), totals.tolist()
    ([1.0, 3.0], [1.0, 2.0])
    """
    known = ~np.isnan(x) & (weights > 0.0)
    distinct, which = np.unique(x[known], return_inverse=True)
    return distinct, np.bincount(which, weights[known], len(distinct)).astype(float)
