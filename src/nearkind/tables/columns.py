"""What every reader returns: a table, read column by column, of distinct values."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearkind.tables.moments import refuse_moments
from nearkind.tables.values import canonical, is_missing, plain

Factored = tuple[NDArray[np.signedinteger], list[Any]]


class Column:
    """One column: where each row's value stands in a list of distinct values.

    Attributes
    ----------
    indices : ndarray of int (n,)
        Positions in ``values``, -1 where the cell is missing. Not to be written to.
    values : list
        Distinct plain values. Declared categories that no row has may be among them.
    numeric : ndarray of float64 (n,) or None
        The cells as numbers, NaN where missing, if all are int, float or Decimal. None
        for a column that its owner declared categorical.
    declared : bool
        Whether its owner declared it categorical.

    Parameters
    ----------
    factorise : callable
        Returns the positions and the distinct values; called when they are first asked.
    numeric, declared : as above
    plain : bool, default=False
        Whether those values are plain and distinct already.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> column = read_table([["b"], ["a"], [None], ["b"]]).column(0)
    >>> column.indices.tolist(), column.values, column.numeric
    ([0, 1, -1, 0], ['b', 'a'], None)
    """

    def __init__(
        self,
        factorise: Callable[[], Factored],
        numeric: NDArray[np.float64] | None = None,
        declared: bool = False,
        *,
        plain: bool = False,
    ) -> None:
        self._factorise = factorise
        self._is_plain = plain
        self.numeric = numeric
        self.declared = declared

    @cached_property
    def _factored(self) -> Factored:
        found = self._factorise()
        return found if self._is_plain else _merged(*found)

    @property
    def is_read(self) -> bool:
        """Whether its distinct values have been found, and cost nothing more."""
        return "_factored" in vars(self)

    @property
    def indices(self) -> NDArray[np.signedinteger]:
        """Positions in ``values``."""
        return self._factored[0]

    @property
    def values(self) -> list[Any]:
        """Distinct plain values."""
        return self._factored[1]

    @cached_property
    def occurs(self) -> NDArray[np.bool_]:
        """Which of ``values`` some row has."""
        occurs = np.zeros(len(self.values), dtype=bool)
        occurs[self.occurring(slice(None))] = True
        return occurs

    def occurring(self, rows: Any) -> NDArray[np.intp]:
        """Return the places in ``values`` that some of these rows have."""
        shifted = self.indices[rows].astype(np.intp) + 1
        counts = np.bincount(shifted, minlength=len(self.values) + 1)
        return np.flatnonzero(counts[1:])

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows are missing (n,)."""
        return self.indices < 0 if self.numeric is None else np.isnan(self.numeric)

    def take(self, rows: NDArray[np.signedinteger]) -> "Column":
        """Return the column of some rows."""
        numeric = None if self.numeric is None else self.numeric[rows]
        return Column(
            lambda: (self.indices[rows], self.values),
            numeric,
            self.declared,
            plain=True,
        )

    def distinct(self) -> "tuple[NDArray[np.int32], Column]":
        """Factorize the column: each distinct value once, in canonical order.

        Returns
        -------
        codes : ndarray of int32 (n,)
            Place of each row's value in the second, -1 where it is missing.
        column : Column
            The distinct values that occur, and a missing cell after them, where index
            -1 finds it.

        Examples
        --------
        >>> from nearkind.tables import read_table
        >>> codes, values = read_table([["b"], ["a"], [None]]).column(0).distinct()
        >>> codes.tolist(), values.values
        ([1, 0, -1], ['a', 'b'])
        """
        if self.numeric is not None and not self.is_read and _is_exact(self.numeric):
            return self._distinct_numbers(self.numeric)
        used = np.flatnonzero(self.occurs)
        found = [self.values[i] for i in used]
        values = canonical(found)
        place = {value: code for code, value in enumerate(values)}
        code_of = np.full(len(self.values) + 1, -1, np.int32)  # the last is missing
        code_of[used] = [place[value] for value in found]
        places = np.append(np.arange(len(values)), -1)
        numeric = None if self.numeric is None else as_floats(values)
        return code_of[self.indices], Column(
            lambda: (places, values), numeric, self.declared, plain=True
        )

    def _distinct_numbers(self, x: NDArray[np.float64]) -> "tuple[Any, Column]":
        """Factorize numbers as they are; their exact values are looked up if asked."""
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


def _is_exact(x: NDArray[np.float64]) -> bool:
    """Return whether different numbers are different as floats."""
    finite = x[np.isfinite(x)]
    return not len(finite) or bool(np.abs(finite).max() < 2.0**53)


def _merged(indices: NDArray[np.signedinteger], distinct: list[Any]) -> Factored:
    """Make the distinct values plain; those that become equal become one."""
    place: dict[Any, int] = {}
    remap = np.full(len(distinct) + 1, -1, np.int32)  # index -1 reaches the last
    for i, value in enumerate(map(plain, distinct)):
        if value is not None:
            remap[i] = place.setdefault(value, len(place))
    if len(place) == len(distinct):
        return indices, list(place)
    return remap[indices], list(place)


def inferred_column(name: Any, factorise: Callable[[], Factored]) -> Column:
    """Return a column that is numeric if every value it has is a number."""
    factored = factorise()
    refuse_moments(name, factored[1])
    column = Column(lambda: factored)
    if all(type(value) in (int, float, Decimal) for value in column.values):
        column.numeric = as_floats(column.values)[column.indices]
    return column


def column_of_cells(name: Any, cells: Sequence[Any]) -> Column:
    """Return a column of cells of any kind, refusing those that hold many values."""
    return inferred_column(name, lambda: distinct_cells(name, cells))


def distinct_cells(name: Any, cells: Sequence[Any]) -> Factored:
    """Find the distinct cells; the column's name is for the message."""
    place: dict[Any, int] = {}
    steps = (place.setdefault(cell, len(place)) for cell in cells)
    try:
        indices = np.fromiter(steps, np.intp, len(cells))
    except TypeError:  # some kinds of missing cannot be hashed either
        return distinct_cells(
            name, [_hashable(name, *item) for item in enumerate(cells)]
        )
    return indices, list(place)


def _hashable(name: Any, row: int, cell: Any) -> Any:
    if is_missing(cell):
        return None
    try:
        hash(cell)
    except TypeError:
        raise TypeError(
            f"Column {name!r}, row {row} holds a {type(cell).__name__}, {cell!r:.60}; "
            "a cell must be one value, such as text or a number. Join it to text, or "
            "explode it into rows or columns."
        ) from None
    return cell


def as_floats(values: Iterable[Any]) -> NDArray[np.float64]:
    """Return numbers as floats, and NaN after the last, where index -1 finds it.

    Parameters
    ----------
    values : iterable of numbers
        Integers too large for a float become infinite.

    Returns
    -------
    ndarray of float64 (len(values) + 1,)
        The numbers, then NaN.

    Examples
    --------
    >>> as_floats([1, 10**400]).tolist()
    [1.0, inf, nan]
    """
    return np.array([*map(_as_float, values), np.nan])


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


@dataclass(frozen=True)
class Table:
    """A table of any library, read column by column.

    Attributes
    ----------
    names : list
        Column names; "x0", "x1", ... where the user gave none.
    n_rows : int
    named : bool
        True if the names came from the user.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> table = read_table([{"colour": "red", "size": 3}, {"colour": "blue"}])
    >>> table.names, table.n_rows, table.named
    (['colour', 'size'], 2, True)
    """

    names: list[Any]
    n_rows: int
    named: bool
    read: Callable[[int], Column] = field(repr=False)

    def __post_init__(self) -> None:
        shape = (self.n_rows, len(self.names))
        for count, what in zip(shape, ("sample(s)", "feature(s)"), strict=True):
            if count == 0:
                raise ValueError(
                    f"Found array with 0 {what} (shape={shape}) while a minimum of 1 "
                    "is required."
                )
        _check_names(self.names)

    def column(self, d: int) -> Column:
        """Return column d; its cells are read, and refused, here."""
        return self.read(d)

    def take(self, rows: NDArray[np.intp]) -> "Table":
        """Return the table of some rows, by number."""
        return Table(
            self.names, len(rows), self.named, lambda d: self.column(d).take(rows)
        )

    def factorize(self) -> "FactorizedTable":
        """Read every column, once, and number its distinct values."""
        codes = np.empty((self.n_rows, len(self.names)), np.int32, order="F")
        columns = []
        for d in range(len(self.names)):
            codes[:, d], distinct = self.column(d).distinct()
            columns.append(distinct)
        return FactorizedTable.of(self.names, self.named, columns, codes)


@dataclass(frozen=True)
class FactorizedTable(Table):
    """A table that has been read: the distinct values of each column, and who has them.

    Attributes
    ----------
    names, n_rows, named : as in Table
    columns : list of Column
        Of each column its distinct values in canonical order, then a missing cell.
    codes : ndarray of int32 (n, D)
        Place of each cell among the distinct values of its column, -1 where missing.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> table = read_table([["b", 1], ["a", 1]]).factorize()
    >>> table.codes.tolist(), table.take(np.array([1])).column(0).values
    ([[1, 0], [0, 0]], ['a', 'b'])
    """

    columns: list[Column]
    codes: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        names: list[Any],
        named: bool,
        columns: list[Column],
        codes: NDArray[np.int32],
    ) -> Self:
        """Make a table of distinct values and codes."""

        def column(d: int) -> Column:
            return columns[d].take(codes[:, d])

        return cls(names, len(codes), named, column, columns, codes)

    def factorize(self) -> "FactorizedTable":
        """Return the table itself."""
        return self

    def counts(self, d: int, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of each distinct value of column d, and of missing last."""
        n_values = len(self.columns[d].missing)
        counts = np.bincount(self.codes[:, d] % n_values, weights, n_values)
        return counts.astype(float)

    def take(self, rows: NDArray[np.intp]) -> "FactorizedTable":
        """Return the table of some rows, by number."""
        codes = np.asfortranarray(self.codes[rows])
        return FactorizedTable.of(self.names, self.named, self.columns, codes)


def _check_names(names: list[Any]) -> None:
    kinds = sorted({type(name).__name__ for name in names})
    if len(kinds) > 1 and any(isinstance(name, str) for name in names):
        raise TypeError(
            "Feature names are only supported if all input features have string names, "
            f"but your input has {kinds} as feature name / column name types. Convert "
            "them all to strings, with X.columns = X.columns.astype(str) for example."
        )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        listed = ", ".join(map(repr, twice))
        raise ValueError(
            f"Column names must differ, but these come more than once: {listed}. "
            "Rename or drop the copies."
        )
