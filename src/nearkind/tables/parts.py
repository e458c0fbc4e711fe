"""Parts of tables: a column on its own, and some rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.tables.arrays import read_columns
from nearkind.tables.columns import Column, Table
from nearkind.tables.reading import is_from, read_table


def read_column(cells: Any, name: str = "y") -> Column:
    """Read cells that stand on their own: a Series, an array or a list.

    Examples
    --------
    >>> read_column(["b", "a", "b"]).indices.tolist()
    [0, 1, 0]
    """
    if is_from(cells, "pandas", "Series") or is_from(cells, "polars", "Series"):
        return read_table(cells.to_frame()).column(0)
    if is_from(cells, "pyarrow", "Array", "ChunkedArray"):
        import pyarrow as pa

        return read_table(pa.table({name: cells})).column(0)
    return read_columns({name: cells}).column(0)


def some_rows(X: Any, rows: NDArray[np.intp]) -> Table:
    """Read some rows of a table; those of data frames before their cells are looked at.

    Examples
    --------
    >>> some_rows({"colour": ["red", "blue"]}, np.array([1])).column(0).values
    ['blue']
    """
    if is_from(X, "pandas", "DataFrame"):
        return read_table(X.iloc[rows])
    if is_from(X, "polars", "DataFrame"):
        return read_table(X[rows])
    if is_from(X, "pyarrow", "Table", "RecordBatch"):
        return read_table(X.take(rows))
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return read_table(X[rows])
    if isinstance(X, Mapping):
        X = {name: _cells_at(cells, rows) for name, cells in X.items()}
        return read_table(X)
    return read_table(X).take(rows)


def _cells_at(cells: Any, rows: NDArray[np.intp]) -> Any:
    """Return some cells of a column: an array of an array, else a list."""
    if isinstance(cells, np.ndarray):
        return cells[rows]
    return [cells[i] for i in rows.tolist()]
