"""Cells of columns as they were read, and the values that they become.

A text column whose every filled cell is written as a number holds numbers: digits
without a leading zero, perhaps a minus, a decimal point, an exponent. So "007", "+49"
and "1,5" are text and keep their column text, as do whole numbers of more than 15
digits, which are names of things. A cell is missing if it is empty or one of MISSING.

A column whose every filled cell is a date, as 2020-02-03 or with a time of day after
it, holds dates, in whatever format it came; it is refused unless it is to be text.

Cells of some rows of a column come as a list or as an array of pyarrow: ``ListCells``
and ``ArrowCells`` have the same methods.
"""

import datetime as dt
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from nearkind.io.options import Columns
from nearkind.tables import Table, plain
from nearkind.tables.frames import read_arrow
from nearkind.tables.numerals import NUMERAL, WHOLE

DATE = re.compile(
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
    r"([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?",
    re.ASCII,
)
"""A date by ISO 8601, perhaps with a time of day."""
MISSING = frozenset({"NA", "N/A", "NaN", "nan", "NULL", "null", "?"})


def is_missing(cell: Any) -> bool:
    """Return whether a cell as it was read is missing."""
    return cell is None or (isinstance(cell, str) and cell in MISSING)


class ColumnType(NamedTuple):
    """How the filled cells of a column are written, as far as they have been seen.

    Attributes
    ----------
    text : bool, default=True
        Whether all cells are text.
    numbers : bool, default=True
        Whether they are text and all write numbers.
    whole : bool, default=True
        Whether they are text and all write whole numbers.
    dates : bool, default=True
        Whether all are dates or write one.
    """

    text: bool = True
    numbers: bool = True
    whole: bool = True
    dates: bool = True

    @classmethod
    def of(cls, cells: Collection[Any]) -> "ColumnType":
        """Return the type of a column by its distinct cells; missing ones are ignored.

        Examples
        --------
        >>> ColumnType.of({"1", "007", "NA"})
        ColumnType(text=True, numbers=False, whole=False, dates=False)
        """
        filled = [cell for cell in cells if not is_missing(cell)]
        if not all(isinstance(cell, str) for cell in filled):
            return cls(False, False, False, all(isinstance(c, dt.date) for c in filled))
        whole = all(map(WHOLE.fullmatch, filled))
        numbers = whole or all(map(NUMERAL.fullmatch, filled))
        return cls(True, numbers, whole, all(map(DATE.fullmatch, filled)))

    def __and__(self, other: "ColumnType") -> "ColumnType":
        """Return the type of the cells of both.

        Examples
        --------
        >>> ColumnType.of({"1", "2"}) & ColumnType.of({"1.5"})
        ColumnType(text=True, numbers=True, whole=False, dates=False)
        """
        return ColumnType(*(a and b for a, b in zip(self, other, strict=True)))

    def refuse_dates(self, name: str) -> None:
        """Raise ``ValueError`` if the column of this name holds dates."""
        if self.dates and not self.numbers:  # of a column without cells both hold
            raise ValueError(
                f"Column {name!r} holds dates, and new rows would bring others. Drop "
                "it, or put its month, weekday or age in days in its place; if its "
                "dates name categories, say that it is text (--text)."
            )

    def value(self, cell: Any) -> Any:
        """Return the value of a cell: a number, None if missing, or the cell itself."""
        if is_missing(cell):
            return None
        if not (self.text and self.numbers):
            return cell
        return int(cell) if self.whole else float(cell)


def infer_types(columns: Columns, text: Collection[str] = ()) -> Columns:
    """Return columns with numbers as numbers and None for what is missing.

    Parameters
    ----------
    columns : dict of str to list
        Cells as they were read.
    text : collection of str, default=()
        Columns to take as text; there, only an empty cell is missing.

    Returns
    -------
    dict of str to list

    Raises
    ------
    ValueError
        If a column that is not in ``text`` holds dates.

    Examples
    --------
    >>> infer_types({"n": ["1", "?", "20"], "zip": ["007", "12", None]})
    {'n': [1, None, 20], 'zip': ['007', '12', None]}
    """
    return {
        name: _infer_type(ListCells(name, cells), name in text)
        for name, cells in columns.items()
    }


def _infer_type(column: "ListCells", is_text: bool) -> list[Any]:
    if is_text:
        return column.texts()
    column_type = column.infer_type()
    column_type.refuse_dates(column.name)
    return column.values(column_type)


def _text(cell: Any) -> str | None:
    """Return a cell as text, None if it is empty."""
    return cell if cell is None or isinstance(cell, str) else str(plain(cell))


@dataclass(frozen=True)
class ListCells:
    """Cells in a list."""

    name: str
    cells: list[Any]

    def __len__(self) -> int:
        return len(self.cells)

    def present(self) -> NDArray[np.bool_]:
        """Return which cells are not missing, of shape (n,)."""
        return np.array([not is_missing(cell) for cell in self.cells], dtype=bool)

    def filter(self, mask: NDArray[np.bool_]) -> "ListCells":
        """Return the cells of some rows."""
        if mask.all():
            return self
        pairs = zip(self.cells, mask.tolist(), strict=True)
        return ListCells(self.name, [cell for cell, kept in pairs if kept])

    def python_types(self) -> set[type]:
        """Return the Python types of the cells."""
        return set(map(type, self.cells))

    def distinct(self) -> set[Any]:
        """Return the distinct cells.

        Raises
        ------
        ValueError
            If a cell is a list or a dictionary.
        """
        try:
            return set(self.cells)
        except TypeError:
            nested = (isinstance(cell, list | dict) for cell in self.cells)
            row = list(nested).index(True)
            raise ValueError(
                f"Column {self.name!r}, row {row} holds {self.cells[row]!r:.60}; a "
                "cell must be one value, such as text or a number. Drop the column, or "
                "join it to text."
            ) from None

    def infer_type(self) -> ColumnType:
        """Return how the filled cells are written."""
        return ColumnType.of(self.distinct())

    def values(self, column_type: ColumnType | None) -> list[Any]:
        """Return the values of the cells in a column of this type; None: as read."""
        if column_type is None:
            return self.cells
        return self.mapped(column_type.value)

    def mapped(self, value: Callable[[Any], Any]) -> list[Any]:
        """Return a value for each cell, computed once for equal ones."""
        value_of = {cell: value(cell) for cell in self.distinct()}
        return [value_of[cell] for cell in self.cells]

    def texts(self) -> list[str | None]:
        """Return the cells as text; a date as ISO 8601 has it."""
        return [_text(cell) for cell in self.cells]


@dataclass(frozen=True)
class ArrowCells:
    """Cells in a chunked array of pyarrow that is not of text."""

    array: Any

    def __len__(self) -> int:
        return len(self.array)

    def present(self) -> NDArray[np.bool_]:
        """Return which cells are not missing, of shape (n,)."""
        return self.array.is_valid().to_numpy()

    def filter(self, mask: NDArray[np.bool_]) -> Self:
        """Return the cells of some rows."""
        return self if mask.all() else replace(self, array=self.array.filter(mask))

    def python_types(self) -> set[type]:
        """Return one type for all cells, which an array has."""
        return {object}

    def distinct(self) -> set[Any]:
        """Return the distinct cells."""
        return set(self.array.unique().to_pylist())

    def infer_type(self) -> ColumnType:
        """Return that no cell is written as text, and whether they are dates."""
        from pyarrow import types

        kind = self.array.type
        dates = types.is_date(kind) or types.is_timestamp(kind)
        return ColumnType(text=False, numbers=False, whole=False, dates=dates)

    def values(self, column_type: ColumnType | None) -> Any:
        """Return the cells as they are."""
        return self.array

    def texts(self) -> Any:
        """Return the cells as text; a date as ISO 8601 has it."""
        import pyarrow as pa

        return pa.array(map(_text, self.array.to_pylist()), pa.string())


@dataclass(frozen=True)
class DictionaryCells(ArrowCells):
    """Text in a dictionary-encoded array of pyarrow."""

    def present(self) -> NDArray[np.bool_]:
        """Return which cells are not missing, of shape (n,)."""
        known = [not is_missing(cell) for cell in self._texts]
        return np.array([*known, False])[self._indices]

    def python_types(self) -> set[type]:
        """Return the type of all cells, which is text."""
        return {str}

    def distinct(self) -> set[Any]:
        """Return the distinct cells."""
        texts = [*self._texts, None]
        return {texts[i] for i in np.flatnonzero(np.bincount(self._indices + 1)) - 1}

    def infer_type(self) -> ColumnType:
        """Return how the filled cells are written."""
        return ColumnType.of(self.distinct())

    def values(self, column_type: ColumnType | None) -> Any:
        """Return the values of the cells in a column of this type; None: as read."""
        import pyarrow as pa

        texts = self._texts
        values = texts if column_type is None else list(map(column_type.value, texts))
        if values == texts:
            return self.array
        return pa.DictionaryArray.from_arrays(self.array.indices, pa.array(values))

    def texts(self) -> Any:
        """Return the cells as they are."""
        return self.array

    @cached_property
    def _texts(self) -> list[str]:
        return self.array.dictionary.to_pylist()

    @cached_property
    def _indices(self) -> NDArray[np.intp]:
        """Which text each cell is, of shape (n,), -1 where there is none."""
        return self.array.indices.cast("int64").fill_null(-1).to_numpy()


Cells = ListCells | ArrowCells
"""Cells of some rows of one column."""


def cells_of_lists(columns: Columns) -> dict[str, Cells]:
    """Return the cells of columns that were read as lists."""
    return {name: ListCells(name, cells) for name, cells in columns.items()}


def cells_of_arrow(table: Any) -> dict[str, Cells]:
    """Return the cells of the columns of a table of pyarrow."""
    columns = zip(table.column_names, table.columns, strict=True)
    return {name: _arrow_cells(column) for name, column in columns}


def _arrow_cells(column: Any) -> Cells:
    from pyarrow import types

    kind = column.type
    if types.is_dictionary(kind):
        kind = kind.value_type
        if not is_arrow_text(kind) or _has_long_dictionary(column):
            column = column.cast(kind)
    if not is_arrow_text(kind):
        return ArrowCells(column)
    return DictionaryCells(column.dictionary_encode().combine_chunks())


def is_arrow_text(kind: Any) -> bool:
    """Return whether a type of pyarrow is a string."""
    from pyarrow import types

    return types.is_string(kind) or types.is_large_string(kind)


def _has_long_dictionary(column: Any) -> bool:
    """Return whether a dictionary has more entries than the column has cells."""
    return any(len(chunk.dictionary) > len(column) for chunk in column.chunks)


def arrow_table(columns: dict[str, Any]) -> Table:
    """Return columns of pyarrow as a table; dictionaries declare no categories."""
    import pyarrow as pa

    return read_arrow(pa.table(columns), declared=False)
