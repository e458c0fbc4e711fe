"""Tables: columns read on demand, or read once and factorized."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearkind.tables.column import Column
from nearkind.tables.values import is_missing

NAMES = {str, int}
"""Types of names that are never missing."""


@dataclass(frozen=True)
class Table:
    """A table of any library, read column by column.

    Attributes
    ----------
    names : list
        Column names; "x0", "x1", ... if the user gave none.
    n_rows : int
        Number of rows.
    named : bool
        Whether the user gave the names.
    read : callable
        Reads the column of a given place.
    list_rows : callable, default=None
        Returns all rows, each a sequence of the values that their columns have too;
        None where reading by rows is no quicker.
    library : str, default=None
        Name of the library that it is a frame of, such as "polars".

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
    list_rows: Callable[[], Sequence[Sequence[Any]]] | None = field(
        default=None, repr=False, kw_only=True
    )
    library: str | None = field(default=None, repr=False, kw_only=True)

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
        """Read column d; raise if it holds values that are not taken."""
        return self.read(d)

    def take(self, rows: NDArray[np.intp]) -> "Table":
        """Return some rows of the table, by number."""
        return Table(
            self.names,
            len(rows),
            self.named,
            lambda d: self.column(d).take(rows),
            library=self.library,
        )

    def select(self, names: list[Any]) -> "Table":
        """Return some columns of the table, by name."""
        places, library = [self.names.index(name) for name in names], self.library

        def read(d: int) -> Column:
            return self.column(places[d])

        return Table(names, self.n_rows, self.named, read, library=library)

    def stacked(self, other: "Table") -> "Table":
        """Return the rows of this table, then those of another with these columns."""

        def read(d: int) -> Column:
            sides = self.column(d), other.column(d)
            for each in sides:
                _ = each.values  # cells of no kind that is read are refused here
            try:
                return sides[0].joined(sides[1])
            except TypeError as error:
                raise TypeError(
                    f"Column {self.names[d]!r} holds numbers in one table and {error}, "
                    "in the other. Leave the column out, or read it as text in both."
                ) from None

        n_rows, library = self.n_rows + other.n_rows, self.library
        return Table(self.names, n_rows, self.named, read, library=library)

    def factorize(self) -> "FactorizedTable":
        """Read every column once and number its distinct values."""
        codes = np.empty((self.n_rows, len(self.names)), np.int32, order="F")
        columns = []
        for d in range(len(self.names)):
            codes[:, d], distinct = self.column(d).distinct()
            columns.append(distinct)
        return FactorizedTable.of(self.names, self.named, columns, codes, self.library)


@dataclass(frozen=True)
class FactorizedTable(Table):
    """A table that has been read: distinct values of each column, and each row's.

    Attributes
    ----------
    names, n_rows, named, read
        As in Table.
    columns : list of Column
        Distinct values of each column in canonical order, then a missing one.
    codes : ndarray of int32 of shape (n, D)
        Place of each value among the distinct ones of its column, -1 where missing.

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
        library: str | None = None,
    ) -> Self:
        """Make a table from distinct values and codes."""

        def column(d: int) -> Column:
            return columns[d].take(codes[:, d])

        n_rows = len(codes)
        return cls(names, n_rows, named, column, columns, codes, library=library)

    def factorize(self) -> "FactorizedTable":
        """Return the table itself."""
        return self

    def counts(self, d: int, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of each distinct value of column d, missing ones last."""
        n_values = len(self.columns[d].missing)
        counts = np.bincount(self.codes[:, d] % n_values, weights, n_values)
        return counts.astype(float)

    def select(self, names: list[Any]) -> "FactorizedTable":
        """Return some columns of the table, by name."""
        places = [self.names.index(name) for name in names]
        columns = [self.columns[d] for d in places]
        codes = np.asfortranarray(self.codes[:, places])
        return FactorizedTable.of(names, self.named, columns, codes, self.library)

    def take(self, rows: NDArray[np.intp]) -> "FactorizedTable":
        """Return some rows of the table, by number."""
        codes = np.asfortranarray(self.codes[rows])
        return FactorizedTable.of(
            self.names, self.named, self.columns, codes, self.library
        )


def _check_names(names: list[Any]) -> None:
    types = set(map(type, names))
    nameless = [] if types <= NAMES else [*map(is_missing, names)]
    if any(nameless):
        place = nameless.index(True)
        raise ValueError(
            f"Column {place}, counted from 0, has no name: it is called "
            f"{names[place]!r}. Name or drop it."
        )
    if len(types) == 1 and len(set(names)) == len(names):
        return
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
