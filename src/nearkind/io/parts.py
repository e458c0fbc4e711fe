"""Columns of some rows of a file: lists of cells, or arrays of pyarrow."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nearkind.io.asked import Columns
from nearkind.io.cells import Written, cell_as, distinct, is_missing, written
from nearkind.tables import Table
from nearkind.tables.frames import read_arrow


class Cells(Protocol):
    """One column of some rows."""

    def __len__(self) -> int: ...

    def filled(self) -> NDArray[np.bool_]:
        """Say which cells are not missing (n,)."""

    def at(self, rows: NDArray[np.bool_]) -> "Cells":
        """Return some rows."""

    def kinds(self) -> set[type]:
        """Return the types of the cells."""

    def distinct(self) -> set[Any]:
        """Return the distinct cells."""

    def written(self) -> Written:
        """Say how the filled cells are written."""

    def values(self, how: Written | None) -> Any:
        """Return the values of cells written like this; None: as they are."""


@dataclass(frozen=True)
class ListedCells:
    """Cells in a list."""

    name: str
    cells: list[Any]

    def __len__(self) -> int:
        return len(self.cells)

    def filled(self) -> NDArray[np.bool_]:
        """Say which cells are not missing (n,)."""
        return np.array([not is_missing(cell) for cell in self.cells], dtype=bool)

    def at(self, rows: NDArray[np.bool_]) -> "ListedCells":
        """Return some rows."""
        if rows.all():
            return self
        both = zip(self.cells, rows.tolist(), strict=True)
        return ListedCells(self.name, [cell for cell, kept in both if kept])

    def kinds(self) -> set[type]:
        """Return the types of the cells."""
        return set(map(type, self.cells))

    def distinct(self) -> set[Any]:
        """Return the distinct cells."""
        return distinct(self.name, self.cells)

    def written(self) -> Written:
        """Say how the filled cells are written."""
        return written(self.distinct())

    def values(self, how: Written | None) -> list[Any]:
        """Return the values of cells written like this; None: as they are."""
        if how is None:
            return self.cells
        becomes = {cell: cell_as(how, cell) for cell in self.distinct()}
        return [becomes[cell] for cell in self.cells]


@dataclass(frozen=True)
class ArrowCells:
    """Cells in a chunked array of pyarrow that is not of text."""

    array: Any

    def __len__(self) -> int:
        return len(self.array)

    def filled(self) -> NDArray[np.bool_]:
        """Say which cells are not missing (n,)."""
        return self.array.is_valid().to_numpy()

    def at(self, rows: NDArray[np.bool_]) -> "ArrowCells":
        """Return some rows."""
        return self if rows.all() else ArrowCells(self.array.filter(rows))

    def kinds(self) -> set[type]:
        """Return the type of the cells; there is one."""
        return {object}

    def distinct(self) -> set[Any]:
        """Return the distinct cells."""
        return set(self.array.unique().to_pylist())

    def written(self) -> Written:
        """Say that none is written as text."""
        return Written(text=False, numbers=False, whole=False)

    def values(self, how: Written | None) -> Any:
        """Return the cells as they are."""
        return self.array


@dataclass(frozen=True)
class CodedCells:
    """Text in an array of pyarrow, as places in a list of distinct texts."""

    coded: Any

    def __len__(self) -> int:
        return len(self.coded)

    def filled(self) -> NDArray[np.bool_]:
        """Say which cells are not missing (n,)."""
        known = [not is_missing(cell) for cell in self._texts]
        return np.array([*known, False])[self._places]

    def at(self, rows: NDArray[np.bool_]) -> "CodedCells":
        """Return some rows."""
        return self if rows.all() else CodedCells(self.coded.filter(rows))

    def kinds(self) -> set[type]:
        """Return the type of the cells; there is one."""
        return {str}

    def distinct(self) -> set[Any]:
        """Return the distinct cells."""
        texts = [*self._texts, None]
        return {texts[i] for i in np.flatnonzero(np.bincount(self._places + 1)) - 1}

    def written(self) -> Written:
        """Say how the filled cells are written."""
        return written(self.distinct())

    def values(self, how: Written | None) -> Any:
        """Return the values of cells written like this; None: as they are."""
        import pyarrow as pa

        texts = self._texts
        values = texts if how is None else [cell_as(how, cell) for cell in texts]
        if values == texts:
            return self.coded
        return pa.DictionaryArray.from_arrays(self.coded.indices, pa.array(values))

    @cached_property
    def _texts(self) -> list[str]:
        return self.coded.dictionary.to_pylist()

    @cached_property
    def _places(self) -> NDArray[np.intp]:
        """Which text each cell is (n,), -1 where there is none."""
        return self.coded.indices.cast("int64").fill_null(-1).to_numpy()


def of_columns(columns: Columns) -> dict[str, Cells]:
    """Return a part of a file that was read as lists."""
    return {name: ListedCells(name, cells) for name, cells in columns.items()}


def of_table(table: Any) -> dict[str, Cells]:
    """Return a part of a file that was read as a table of pyarrow."""
    columns = zip(table.column_names, table.columns, strict=True)
    return {name: _arrow_cells(column) for name, column in columns}


def _arrow_cells(column: Any) -> Cells:
    from pyarrow import types

    kind = column.type
    if types.is_dictionary(kind):
        kind = kind.value_type
        if not _is_text(kind) or _has_many(column):
            column = column.cast(kind)
    if not _is_text(kind):
        return ArrowCells(column)
    return CodedCells(column.dictionary_encode().combine_chunks())


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return types.is_string(kind) or types.is_large_string(kind)


def _has_many(column: Any) -> bool:
    """Say whether a dictionary is longer than what it is for."""
    return any(len(chunk.dictionary) > len(column) for chunk in column.chunks)


def as_table(columns: dict[str, Any]) -> Table:
    """Return columns of pyarrow as one table; what is coded is not declared to be."""
    import pyarrow as pa

    return read_arrow(pa.table(columns), declared=False)
