"""How one column becomes codes: a code for each level, or for each bin of numbers.

A code is a row of the feature's lookup table; -1 is the row for values that ``fit`` did
not see. Levels stand in a canonical order, so codes do not depend on the order of rows
or on the library that holds the table.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from numbers import Number
from typing import Any, Protocol

import numpy as np

from nearkind.tables import Column, as_floats
from nearkind.typing import Array, Codes

MAX_BINS = 10


class Feature(Protocol):
    """How one column becomes codes.

    Law: every training cell gets the code of its value; codes are below ``n_values``.
    """

    name: Any
    n_values: int
    missing_code: int  # -1: missing has no level of its own

    @property
    def values(self) -> list[Any]:
        """Display values in code order; the missing level is None."""

    def encode(self, column: Column) -> Codes:
        """Return codes (n,), -1 where there is no code."""

    def strangers(self, column: Column) -> list[Any]:
        """Return the values of the column that have no code."""


class Levels:
    """Every distinct value is a code.

    Parameters
    ----------
    name : object
        The column's name.
    levels : sequence
        Distinct plain values in code order.
    has_missing : bool
        Whether missing is a level of its own, the last.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> levels = Levels("size", ["large", "small"], has_missing=True)
    >>> levels.encode(read_table([["small"], [None], ["huge"]]).column(0)).tolist()
    [1, 2, -1]
    """

    def __init__(self, name: Any, levels: Sequence[Any], has_missing: bool) -> None:
        self.name = name
        self.n_values = len(levels) + has_missing
        self.missing_code = len(levels) if has_missing else -1
        self.code_of = {level: code for code, level in enumerate(levels)}

    @property
    def values(self) -> list[Any]:
        """Display values in code order."""
        return [*self.code_of, *([None] if self.missing_code >= 0 else [])]

    def encode(self, column: Column) -> Codes:
        """Return codes (n,), -1 where there is no code."""
        table = self._table(column.values)
        indices = column.indices
        if _is_identity(table) and (table[-1] < 0 or indices.min() >= 0):
            return indices.astype(np.int32)
        return table.take(indices, mode="wrap")  # half the time of table[indices]

    def strangers(self, column: Column) -> list[Any]:
        """Return the values of the column that have no code."""
        unknown = (self._table(column.values)[:-1] < 0) & column.occurs
        return [column.values[i] for i in np.flatnonzero(unknown)]

    def _table(self, values: list[Any]) -> Codes:
        """Return the code of each value, and of missing, where index -1 finds it."""
        codes = (self.code_of.get(value, -1) for value in values)
        return np.array([*codes, self.missing_code], np.int32)


def _is_identity(table: Codes) -> bool:
    return bool((table[:-1] == np.arange(len(table) - 1)).all())


class Bins:
    """Numbers between two edges share a code.

    Parameters
    ----------
    name : object
        The column's name.
    edges : array (n_bins - 1,)
        Increasing; bin k holds ``edges[k - 1] <= x < edges[k]``.
    has_missing : bool
        Whether missing is a level of its own, the last.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> bins = Bins("age", [3.5, 7.0], has_missing=False)
    >>> bins.values
    ['< 3.5', '3.5 to 7', '>= 7']
    >>> bins.encode(read_table([[1], [3.5], [float("inf")], [None]]).column(0)).tolist()
    [0, 1, 2, -1]
    """

    def __init__(self, name: Any, edges: Any, has_missing: bool) -> None:
        self.name = name
        self.edges: Array = np.asarray(edges, dtype=np.float64)
        self.n_values = len(self.edges) + 1 + has_missing
        self.missing_code = len(self.edges) + 1 if has_missing else -1

    @property
    def values(self) -> list[Any]:
        """Display values in code order."""
        bins = _bin_names(
            [repr(edge).removesuffix(".0") for edge in self.edges.tolist()]
        )
        return [*bins, *([None] if self.missing_code >= 0 else [])]

    def encode(self, column: Column) -> Codes:
        """Return codes (n,), -1 where there is no code."""
        x = self._numbers(column) if column.numeric is None else column.numeric
        codes = np.searchsorted(self.edges, x, side="right").astype(np.int32)
        codes[np.isnan(x)] = self.missing_code
        return codes

    def strangers(self, column: Column) -> list[Any]:
        """Return nothing: every number lies in some bin."""
        return []

    def _numbers(self, column: Column) -> Array:
        """Return as numbers a column that came as categories."""
        used = np.flatnonzero(column.occurs)
        for value in (column.values[i] for i in used):
            if not isinstance(value, int | float | Decimal):
                raise ValueError(
                    f"Column {self.name!r} held numbers in fit and was cut into bins, "
                    f"but now holds {value!r}. Turn it into numbers, or fit again with "
                    "numeric='category'."
                )
        numbers = np.full(len(column.values) + 1, np.nan)
        numbers[used] = as_floats(column.values[i] for i in used)[:-1]
        return numbers[column.indices]


def _bin_names(edges: list[str]) -> list[str]:
    if not edges:
        return ["any number"]
    between = [f"{low} to {high}" for low, high in pairwise(edges)]
    return [f"< {edges[0]}", *between, f">= {edges[-1]}"]


def quantile_edges(
    x: Array, max_bins: int = MAX_BINS, weights: Array | None = None
) -> Array:
    """Return the edges of bins that share the numbers about evenly.

    Edges are numbers of x, so that no bin is empty. Equal quantiles merge; where the
    smallest number is tied across quantiles, it gets a bin of its own.

    Parameters
    ----------
    x : ndarray (n,)
        Numbers; infinite ones count, but are never an edge. NaN is left out.
    max_bins : int
        At most so many bins.
    weights : ndarray (n,), optional
        How many numbers each stands for; none: one.

    Returns
    -------
    ndarray (n_bins - 1,)
        Finite, increasing.

    Examples
    --------
    >>> quantile_edges(np.arange(8.0), max_bins=4).tolist()
    [2.0, 4.0, 6.0]
    """
    weights = np.ones(len(x)) if weights is None else weights
    known = ~np.isnan(x) & (weights > 0.0)
    x, which = np.unique(x[known], return_inverse=True)
    if len(x) == 0:
        return x
    upto = np.cumsum(np.bincount(which, weights[known]))  # rows up to each number
    at = np.ceil(np.arange(1, max_bins) / max_bins * (upto[-1] - 1.0))
    at = np.maximum(at, upto[0])  # above the smallest
    edges = np.unique(x[np.searchsorted(upto, at[at < upto[-1]], side="right")])
    return edges[np.isfinite(edges)]


def canonical(values: Iterable[Any]) -> list[Any]:
    """Sort values of any types: numbers, then text, then the rest by type and repr.

    Parameters
    ----------
    values : iterable
        Distinct plain values, none missing.

    Returns
    -------
    list
        The same values, in an order that does not depend on the one they came in.

    Examples
    --------
    >>> canonical(["b", 10, "a", 2.5, (1, 2)])
    [2.5, 10, 'a', 'b', (1, 2)]
    """
    numbers: list[Any] = []
    texts: list[str] = []
    others: list[Any] = []
    for value in values:
        is_text = isinstance(value, str)
        home = texts if is_text else numbers if isinstance(value, Number) else others
        home.append(value)
    try:
        numbers.sort()
    except TypeError:  # a Decimal and a Fraction do not compare
        numbers.sort(key=_type_and_repr)
    return numbers + sorted(texts) + sorted(others, key=_type_and_repr)


def _type_and_repr(value: Any) -> tuple[str, str]:
    return type(value).__name__, repr(value)
