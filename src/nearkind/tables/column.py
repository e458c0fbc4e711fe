"""Columns: distinct values, and the value of each row."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.tables.values import (
    canonical,
    is_missing,
    plain,
    refuse_complex,
    refuse_dates,
)

Factorization = tuple[NDArray[np.signedinteger], list[Any]]
"""Place of each row's value among distinct values, -1 where missing; and those."""


class Column:
    """One column: distinct values, and the place of each row's value among them.

    Parameters
    ----------
    factorize : callable
        Returns a Factorization; called once, when ``indices`` or ``values`` are needed.
    numeric : ndarray of float64 of shape (n,), default=None
        The values as numbers, NaN where missing, if all are int, float or Decimal; None
        for a column that the user declared categorical.
    declared : bool, default=False
        Whether the user declared the column categorical.
    plain : bool, default=False
        Whether the values that ``factorize`` returns are plain and distinct already.
    order : sequence, default=None
        All values that there may be, lowest first, if the user declared them ordered.
    exact : bool, default=True
        Whether values that differ, and are below 2^53, differ in ``numeric`` too; not
        so for a mixture of floats, Decimals and integers of any size.

    Attributes
    ----------
    indices : ndarray of int of shape (n,)
        Places in ``values``, -1 where missing. Read-only by convention.
    values : list
        Distinct plain values. Declared categories that no row has may be among them.
    numeric, declared, order
        As given.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> column = read_table([["b"], ["a"], [None], ["b"]]).column(0)
    >>> column.indices.tolist(), column.values, column.numeric
    ([0, 1, -1, 0], ['b', 'a'], None)
    """

    def __init__(
        self,
        factorize: Callable[[], Factorization],
        numeric: NDArray[np.float64] | None = None,
        declared: bool = False,
        *,
        order: Sequence[Any] | None = None,
        plain: bool = False,
        exact: bool = True,
    ) -> None:
        self._factorize = factorize
        self._is_plain, self._is_exact = plain, exact
        self.numeric = numeric
        self.declared = declared
        self.order = order

    @cached_property
    def _factorization(self) -> Factorization:
        found = self._factorize()
        return found if self._is_plain else _merge_equal(*found)

    @property
    def is_read(self) -> bool:
        """Whether the column has been factorized already."""
        return "_factorization" in vars(self)

    @property
    def indices(self) -> NDArray[np.signedinteger]:
        """Place of each row's value in ``values``, -1 where missing (n,)."""
        return self._factorization[0]

    @property
    def values(self) -> list[Any]:
        """Distinct plain values."""
        return self._factorization[1]

    @cached_property
    def occurs(self) -> NDArray[np.bool_]:
        """Which of ``values`` occur in some row."""
        occurs = np.zeros(len(self.values), dtype=bool)
        occurs[self.occurring(slice(None))] = True
        return occurs

    def occurring(self, rows: Any) -> NDArray[np.intp]:
        """Return the places in ``values`` of those that occur in some rows."""
        shifted = self.indices[rows].astype(np.intp) + 1
        counts = np.bincount(shifted, minlength=len(self.values) + 1)
        return np.flatnonzero(counts[1:])

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value (n,)."""
        return self.indices < 0 if self.numeric is None else np.isnan(self.numeric)

    def cells(self) -> list[Any]:
        """Return the value of every row, None where it is missing."""
        values = [*self.values, None]  # the last one for -1
        return [values[place] for place in self.indices.tolist()]

    def take(self, rows: NDArray[np.signedinteger]) -> "Column":
        """Return some rows of the column, by number."""
        numeric = None if self.numeric is None else self.numeric[rows]
        return Column(
            lambda: (self.indices[rows], self.values),
            numeric,
            self.declared,
            order=self.order,
            plain=True,
            exact=self._is_exact,
        )

    def joined(self, other: "Column") -> "Column":
        """Return the rows of this column, then those of another.

        Raises TypeError if one holds numbers and the other text.
        """
        sides = (self, other)
        declared, numeric = any(each.declared for each in sides), None
        if not declared and all(each.numeric is not None for each in sides):
            numeric = np.concatenate([each.numeric for each in sides])
        elif not declared and any(
            each.numeric is not None and not each.missing.all() for each in sides
        ):
            text = next((each for each in sides if each.numeric is None), None)
            if text is not None and not text.missing.all():
                raise TypeError(f"other values, such as {text.values[0]!r}")
        place = {value: i for i, value in enumerate(self.values)}
        places = [place.setdefault(value, len(place)) for value in other.values]
        found = np.array([*places, -1])[other.indices]
        indices, values = np.concatenate([self.indices, found]), list(place)
        return Column(
            lambda: (indices, values),
            numeric,
            declared,
            plain=True,
            exact=False,
            order=self.order or other.order,
        )

    def distinct(self) -> "tuple[NDArray[np.int32], Column]":
        """Factorize the column: each distinct value once, in canonical order.

        Returns
        -------
        codes : ndarray of int32 of shape (n,)
            Place of each row's value in ``column``, -1 where it is missing.
        column : Column
            The distinct values that occur, then a missing one, which index -1 finds.

        Examples
        --------
        >>> from nearkind.tables import read_table
        >>> codes, values = read_table([["b"], ["a"], [None]]).column(0).distinct()
        >>> codes.tolist(), values.values
        ([1, 0, -1], ['a', 'b'])
        """
        x = self.numeric
        if x is not None and self._is_exact and not self.is_read and _are_exact(x):
            return self._distinct_numbers(x)
        used = np.flatnonzero(self.occurs)
        found = [self.values[i] for i in used]
        values = canonical(found)
        place = {value: code for code, value in enumerate(values)}
        code_of = np.full(len(self.values) + 1, -1, np.int32)  # the last is missing
        code_of[used] = [place[value] for value in found]
        places = np.append(np.arange(len(values)), -1)
        numeric = None if self.numeric is None else as_floats(values)
        return code_of[self.indices], Column(
            lambda: (places, values),
            numeric,
            self.declared,
            order=self.order,
            plain=True,
            exact=False,
        )

    def _distinct_numbers(self, x: NDArray[np.float64]) -> "tuple[Any, Column]":
        """Factorize numbers as floats; their exact values are read when needed."""
        known = ~np.isnan(x)
        numbers, first, which = np.unique(
            x[known], return_index=True, return_inverse=True
        )
        codes = np.full(len(x), -1, np.int32)
        codes[known] = which
        rows = np.flatnonzero(known)[first]
        return codes, Column(
            lambda: (np.append(self.indices[rows], -1), self.values),
            np.append(numbers, np.nan),
            self.declared,
            plain=True,
        )


def _are_exact(x: NDArray[np.float64]) -> bool:
    """Return whether integers that differ also differ as floats."""
    finite = x[np.isfinite(x)]
    return not len(finite) or bool(np.abs(finite).max() < 2.0**53)


def _merge_equal(
    indices: NDArray[np.signedinteger], distinct: list[Any]
) -> Factorization:
    """Make the distinct values plain, and merge those that become equal."""
    place: dict[Any, int] = {}
    remap = np.full(len(distinct) + 1, -1, np.int32)  # index -1 reaches the last
    for i, value in enumerate(map(plain, distinct)):
        if value is not None:
            remap[i] = place.setdefault(value, len(place))
    if len(place) == len(distinct):
        return indices, list(place)
    return remap[indices], list(place)


def inferred_column(name: object, factorize: Callable[[], Factorization]) -> Column:
    """Return a column that is numeric if each of its values is a number."""
    factorization = factorize()
    refuse_dates(name, factorization[1])
    column = Column(lambda: factorization, exact=False)
    if all(type(value) in (int, float, Decimal) for value in column.values):
        column.numeric = as_floats(column.values)[column.indices]
    return column


def column_of(name: object, values: Sequence[Any]) -> Column:
    """Return a column of Python values of any kind, one for each row."""
    return inferred_column(name, lambda: factorize(name, values))


def factorize(name: object, values: Sequence[Any]) -> Factorization:
    """Find the distinct values of a column, in order of appearance.

    Raises TypeError for a value that cannot be hashed, such as a list.
    """
    place: dict[Any, int] = {}
    steps = (place.setdefault(value, len(place)) for value in values)
    try:
        indices = np.fromiter(steps, np.intp, len(values))
    except (TypeError, RecursionError):
        # Some kinds of missing cannot be hashed; NumPy's scalars and Decimals compare
        # each other without end.
        return factorize(name, [_hashable(name, *item) for item in enumerate(values)])
    refuse_complex(place, values)
    return indices, list(place)


def _hashable(name: object, row: int, value: object) -> Any:
    if is_missing(value):
        return None
    if isinstance(value, np.generic) and value.dtype.kind in "iuf":
        return plain(value)
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"Column {name!r}, row {row} holds a {type(value).__name__}, "
            f"{value!r:.60}; a cell must be one value, such as text or a number. Join "
            "it to text, or explode it into rows or columns."
        ) from None
    return value


def as_floats(values: Iterable[Any]) -> NDArray[np.float64]:
    """Return numbers as floats, then NaN, which index -1 finds.

    Parameters
    ----------
    values : iterable of numbers
        Integers too large for a float become infinite.

    Returns
    -------
    ndarray of float64 of shape (len(values) + 1,)

    Examples
    --------
    >>> as_floats([1, 10**400]).tolist()
    [1.0, inf, nan]
    """
    return np.array([*map(as_float, values), np.nan])


def as_float(value: Any) -> float:
    """Return a number as a float; an integer too large for one becomes infinite."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
