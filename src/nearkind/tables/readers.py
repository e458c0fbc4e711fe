"""Readers of tables in memory, of some of their rows, and of single columns."""

import sys
from collections.abc import Callable, Mapping
from numbers import Number
from typing import Any

import numpy as np

from nearkind.tables.arrays import flat_error, read_array, read_columns, read_sequence
from nearkind.tables.column import Column
from nearkind.tables.frames import (
    read_arrow,
    read_narwhals,
    read_pandas,
    read_polars,
)
from nearkind.tables.table import Table


def read_table(X: Any) -> Table:
    """Read a table of any kind, without changing it.

    Parameters
    ----------
    X : table
        DataFrame of pandas, polars or anything that narwhals knows; Table or
        RecordBatch of pyarrow; 2-d array, masked or not; list of dicts (a key that a
        row lacks is a missing value); list of rows; dict of columns.

    Returns
    -------
    Table
        Columns are read on demand.

    Raises
    ------
    ValueError, TypeError
        If X is not such a table; the message says what to pass instead.

    Examples
    --------
    >>> table = read_table([["red", 3], ["blue", 4]])
    >>> table.names, table.column(0).values
    (['x0', 'x1'], ['red', 'blue'])
    """
    if isinstance(X, Table):
        return X
    for fits, read in _READERS:
        if fits(X):
            return read(X)
    _refuse(X)
    return read_columns(X) if isinstance(X, Mapping) else _read_foreign(X)


def is_from(X: Any, library: str, *names: str) -> bool:
    """Return whether X is of a class of a library, without importing the library."""
    module = sys.modules.get(library)
    if module is None:
        return False
    return any(isinstance(X, getattr(module, name, ())) for name in names)


def _refuse(X: Any) -> None:
    """Raise for what is often passed by mistake, and say what to pass instead."""
    if type(X).__module__.startswith("scipy.sparse"):
        raise TypeError(
            "Sparse X is not supported: tables of categories have no zeros to omit. "
            "Pass X.toarray(), or the table that it was made from."
        )
    if is_from(X, "polars", "LazyFrame"):
        raise TypeError("A polars LazyFrame has no rows yet. Pass X.collect().")
    if X is None or isinstance(X, str | bytes):
        raise TypeError(
            f"X must be a table (a DataFrame, a 2D array, a list of dicts or of rows), "
            f"got {X!r:.60}. To read a file, pass pandas.read_csv(path), for example."
        )
    if isinstance(X, Number):
        raise ValueError(f"Expected 2D array, got scalar array instead: {X!r}.")
    if is_from(X, "pandas", "Series", "Index") or is_from(X, "polars", "Series"):
        raise flat_error(X)
    if is_from(X, "pyarrow", "Array", "ChunkedArray"):
        raise flat_error(X)


def _read_foreign(X: Any) -> Table:
    """Try narwhals, then the array protocol."""
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"A lazy {type(X).__name__} has no rows yet. Collect it into a data "
            "frame first."
        )
    if isinstance(frame, nw.DataFrame):
        return read_narwhals(frame)
    if hasattr(X, "__array__"):
        return read_array(np.asarray(X))
    raise TypeError(
        "X must be a table (a DataFrame, a 2D array, a list of dicts or of rows), got "
        f"a {type(X).__name__}: {X!r:.60}."
    )


_READERS: list[tuple[Callable[[Any], bool], Callable[[Any], Table]]] = [
    (lambda X: isinstance(X, list | tuple), read_sequence),
    (lambda X: isinstance(X, np.ndarray), read_array),
    (lambda X: type(X) is dict, read_columns),
    (lambda X: is_from(X, "pandas", "DataFrame"), read_pandas),
    (lambda X: is_from(X, "polars", "DataFrame"), read_polars),
    (lambda X: is_from(X, "pyarrow", "Table", "RecordBatch"), read_arrow),
    (
        lambda X: is_from(X, "narwhals", "DataFrame", "LazyFrame"),
        lambda X: read_table(X.to_native()),
    ),
]


def read_column(values: Any, name: str = "y") -> Column:
    """Read a single column: a Series, an array or a list.

    Parameters
    ----------
    values : array-like
    name : str, default="y"
        Name of the column in messages; a Series has its own.

    Examples
    --------
    >>> read_column(["b", "a", "b"]).indices.tolist()
    [0, 1, 0]
    """
    if is_from(values, "pandas", "Series") or is_from(values, "polars", "Series"):
        return read_table(values.to_frame()).column(0)
    if is_from(values, "pyarrow", "Array", "ChunkedArray"):
        import pyarrow as pa

        return read_table(pa.table({name: values})).column(0)
    return read_columns({name: values}).column(0)


def one_row(row: Any, many: str = "") -> Any:
    """Return a table of one row.

    Parameters
    ----------
    row : dict, list, pandas Series, 1-d array, or a table of one row
    many : str, default=""
        A clause on what takes several rows, for the message that refuses them.

    Examples
    --------
    >>> one_row({"colour": "red"}), one_row(["red", 3])
    ([{'colour': 'red'}], [['red', 3]])
    """
    if isinstance(row, Mapping):
        return [dict(row)]
    if getattr(row, "ndim", None) == 1:
        return [row.to_dict() if hasattr(row, "to_dict") else list(row)]
    if isinstance(row, list | tuple) and not _holds_rows(row):
        return [list(row)]
    n_rows = read_table(row).n_rows
    if n_rows != 1:
        raise ValueError(
            f"Expected one row, got a table of {n_rows}. Pass X.iloc[[i]], or a dict "
            f"of column name to value{many}."
        )
    return row


def _holds_rows(row: Any) -> bool:
    return bool(row) and isinstance(row[0], Mapping | list | tuple | np.ndarray)
