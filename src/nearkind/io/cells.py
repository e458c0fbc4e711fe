"""Cells of columns as they were read, and the values that they become.

A text column whose every filled cell is written as a number holds numbers: digits
without a leading zero, perhaps a minus, a decimal point, an exponent. So "007", "+49"
and "1,5" are text and keep their column text, as do whole numbers of more than 15
digits, which are names of things. A cell is missing if it is empty or one of MISSING.

A column whose every filled cell is a date, as 2020-02-03, 14.07.2022 or 7/14/22 or with
a time of day after it, holds dates; its year, month and weekday take its place.

Cells of some rows of a column come as a list or as an array of pyarrow: ``ListCells``
and ``ArrowCells`` have the same methods.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from nearkind.io.dates import DATES, date_columns, date_order, date_orders
from nearkind.io.options import Columns, ReadingWarning
from nearkind.tables import Table, plain
from nearkind.tables.frames import read_arrow
from nearkind.tables.numerals import NUMERAL, SEPARATED, WHOLE

MISSING = frozenset({"NA", "N/A", "NaN", "nan", "NULL", "null", "?"})


def is_missing(cell: object) -> bool:
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
    ymd, dmy, mdy : bool, default=True
        Whether all are dates or write one, with year, day or month first.
    comma, point : bool, default=True
        Whether all write numbers with this decimal mark, perhaps with separators of
        thousands.
    """

    text: bool = True
    numbers: bool = True
    whole: bool = True
    ymd: bool = True
    dmy: bool = True
    mdy: bool = True
    comma: bool = True
    point: bool = True

    @classmethod
    def of(cls, cells: Collection[Any]) -> "ColumnType":
        """Return the type of a column by its distinct cells; missing ones are ignored.

        Examples
        --------
        >>> ColumnType.of({"1", "x", "NA"}) == ColumnType(True, *[False] * 7)
        True
        """
        filled = [cell for cell in cells if not is_missing(cell)]
        orders = date_orders(filled)
        dates = [order in orders for order in DATES]
        if not all(isinstance(cell, str) for cell in filled):
            return cls._make([False, False, False, *dates, False, False])
        whole = all(map(WHOLE.fullmatch, filled))
        numbers = whole or all(map(NUMERAL.fullmatch, filled))
        marks = [all(map(SEPARATED[mark].fullmatch, filled)) for mark in ",."]
        return cls._make([True, numbers, whole, *dates, *marks])

    def __and__(self, other: "ColumnType") -> "ColumnType":
        """Return the type of the cells of both.

        Examples
        --------
        >>> both = ColumnType.of({"1", "2"}) & ColumnType.of({"1.5"})
        >>> both.numbers, both.whole
        (True, False)
        """
        return ColumnType(*(a and b for a, b in zip(self, other, strict=True)))

    def date_order(self, name: str, given: str | None) -> str | None:
        """Return the order in which a column's dates are read, None if it has none."""
        orders = [order for order in DATES if getattr(self, order)]
        return None if self.numbers else date_order(name, orders, given)

    def warn(self, name: str, dates: str | None) -> None:
        """Warn of dates that are replaced, and of numbers that are read as text."""
        if self.date_order(name, dates):
            warn(
                f"Column {name!r} holds dates; their year, month and weekday are used. "
                f"Keep the dates as categories with --categorical {name!r}.",
                ReadingWarning,
                stacklevel=3,
            )
        elif marks := self._marks():
            warn(
                f"Column {name!r} is read as text, but looks like numbers with "
                f"separators. Pass {marks} to read them as numbers.",
                ReadingWarning,
                stacklevel=3,
            )

    def refuse_separators(self, name: str) -> None:
        """Raise ``ValueError`` if a column that must hold numbers has separators."""
        if marks := self._marks():
            raise ValueError(
                f"Column {name!r} held numbers in fit, and now holds numbers with "
                f"separators. Pass {marks} to read them."
            )

    def _marks(self) -> str:
        """Return the options by which text is read as numbers; empty if none is."""
        fits = {",": self.comma, ".": self.point}
        marks = [f"--decimal {mark}" for mark in fits if fits[mark]]
        return "" if self.numbers else " or ".join(marks)

    def columns(self, name: str, cells: "Cells", dates: str | None) -> dict[str, Any]:
        """Return the values of cells in a column of this type, or the parts of dates.

        Parameters
        ----------
        name : str
            Of the column.
        cells : ListCells or ArrowCells
        dates : {"dmy", "mdy"} or None
            How to read dates that can be read either way.
        """
        order = self.date_order(name, dates)
        if order is None:
            return {name: cells.values(self)}
        texts = cells.texts()
        texts = texts if isinstance(texts, list) else texts.to_pylist()
        return date_columns(name, texts, order)

    def value(self, cell: Any) -> Any:
        """Return the value of a cell: a number, None if missing, or the cell itself."""
        if is_missing(cell):
            return None
        if not (self.text and self.numbers):
            return cell
        return int(cell) if self.whole else float(cell)


def infer_types(
    columns: Columns, text: Collection[str] = (), dates: str | None = None
) -> Columns:
    """Return columns with numbers as numbers and None for what is missing.

    Parameters
    ----------
    columns : dict of str to list
        Cells as they were read.
    text : collection of str, default=()
        Columns to take as text; there, only an empty cell is missing.
    dates : {"dmy", "mdy"} or None, default=None
        How to read dates that can be read either way.

    Returns
    -------
    dict of str to list

    Examples
    --------
    >>> infer_types({"n": ["1", "?", "20"], "zip": ["007", "12", None]})
    {'n': [1, None, 20], 'zip': ['007', '12', None]}
    """
    found: Columns = {}
    for name, values in columns.items():
        cells = ListCells(name, values)
        if name in text:
            found[name] = cells.texts()
            continue
        column_type = cells.infer_type()
        column_type.warn(name, dates)
        found |= column_type.columns(name, cells, dates)
    return found


def _text(cell: object) -> str | None:
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
        is_date = types.is_date(kind) or types.is_timestamp(kind)
        return ColumnType._make([*[False] * 3, is_date, *[False] * 4])

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


def is_arrow_text(kind: object) -> bool:
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
