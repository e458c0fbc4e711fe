"""Readers of tables in memory, of single columns, and of arrays, lists and dicts."""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.tables.column import Column, Factorization, column_of, inferred_column
from nearkind.tables.frames import (
    read_arrow,
    read_narwhals,
    read_pandas,
    read_polars,
)
from nearkind.tables.table import Table
from nearkind.tables.values import COMPLEX_REFUSED


def read_table(X: object) -> Table:
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


def is_from(X: object, library: str, *names: str) -> bool:
    """Return whether X is of a class of a library, without importing the library."""
    module = sys.modules.get(library)
    if module is None:
        return False
    return any(isinstance(X, getattr(module, name, ())) for name in names)


def _refuse(X: object) -> None:
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


def _read_foreign(X: object) -> Table:
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


def read_array(X: NDArray[Any]) -> Table:
    """Read a 2-d array, masked or not."""
    if X.dtype.kind == "V":
        raise TypeError(
            "A structured array is not supported. Pass pandas.DataFrame(X), or a dict "
            "of columns {name: X[name] for name in X.dtype.names}."
        )
    if X.dtype.kind == "c":
        raise ValueError(COMPLEX_REFUSED)
    if X.ndim == 1:
        raise flat_error(X)
    if X.ndim != 2:
        raise ValueError(
            f"Found array with dim {X.ndim}, while dim 2 is required: rows by columns."
        )
    if not isinstance(X, np.ma.MaskedArray):
        X = np.asarray(X)  # a column of np.matrix would still be 2-d
    names = [f"x{d}" for d in range(X.shape[1])]
    return Table(
        names,
        len(X),
        False,
        lambda d: _array_column(names[d], X[:, d]),
        list_rows=None if X.dtype.kind in "mM" else X.tolist,  # integers, of dates
    )


def _array_column(name: object, cells: NDArray[Any]) -> Column:
    if isinstance(cells, np.ma.MaskedArray):
        return column_of(name, _unmasked(cells))
    if cells.dtype.kind in "iuf":
        return Column(lambda: _array_distinct(cells), cells.astype(np.float64))
    if cells.dtype.kind in "bmM":
        return inferred_column(name, lambda: _array_distinct(cells))
    return column_of(name, cells.tolist())


def _unmasked(cells: Any) -> list[Any]:
    """Return the Python values of a masked array, None where masked."""
    if cells.dtype.kind in "mM":  # in Python, nanoseconds are bare integers
        cells = cells.astype(f"{cells.dtype.kind}8[us]")
    return cells.tolist()


def _array_distinct(cells: NDArray[Any]) -> Factorization:
    distinct, indices = np.unique(cells, return_inverse=True)
    fits_python = cells.dtype.kind not in "mM"
    return indices, distinct.tolist() if fits_python else list(distinct)


def read_sequence(X: Sequence[Any]) -> Table:
    """Read a list of rows or of dicts."""
    if not X:
        return Table([], 0, False, lambda d: column_of(d, []))  # refused there
    if isinstance(X[0], Mapping):
        return _read_records(X)
    if not _is_row(X[0]):
        raise flat_error(X)
    width = len(X[0])
    for i, row in enumerate(X):
        if not _is_row(row) or len(row) != width:
            came = f"{len(row)} cells" if _is_row(row) else f"{row!r:.60}"
            raise ValueError(
                f"Rows must be of one length: row 0 has {width} cells, row {i} has "
                f"{came}. Write None where a cell is missing."
            )
    names = [f"x{d}" for d in range(width)]
    columns = cache(lambda: list(zip(*X, strict=True)))
    return Table(
        names,
        len(X),
        False,
        lambda d: column_of(names[d], columns()[d]),
        list_rows=lambda: [[*row] for row in X],
    )


def _is_row(row: object) -> bool:
    if type(row) in (list, tuple):
        return True
    if isinstance(row, np.ndarray):
        return row.ndim > 0
    return hasattr(row, "__len__") and not isinstance(
        row, str | bytes | Mapping | set | frozenset
    )


def _read_records(X: Sequence[Any]) -> Table:
    for i, row in enumerate(X):
        if not isinstance(row, Mapping):
            raise TypeError(
                f"Row 0 is a dict, so every row must be one, but row {i} is a "
                f"{type(row).__name__}: {row!r:.60}. Write {{}} for an empty row."
            )
    names = list(dict.fromkeys(key for row in X for key in row))
    return Table(
        names,
        len(X),
        True,
        lambda d: column_of(names[d], [row.get(names[d]) for row in X]),
        list_rows=lambda: [[row.get(name) for name in names] for row in X],
    )


def read_columns(X: Mapping[Any, Any]) -> Table:
    """Read a dict of columns."""
    for name, cells in X.items():
        if not _is_row(cells):
            raise TypeError(
                f"A dict must hold one sequence per column, but {name!r} holds "
                f"{cells!r:.60}. For a table of one row pass [X]."
            )
    lengths = {name: len(cells) for name, cells in X.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"Columns must have the same length, got {lengths}.")
    names, n_rows = list(X), max(lengths.values(), default=0)
    return Table(names, n_rows, True, lambda d: _sequence_column(names[d], X[names[d]]))


def _sequence_column(name: Any, cells: Any) -> Column:
    if isinstance(cells, np.ndarray) and cells.ndim == 1:
        return _array_column(name, cells)
    return column_of(name, list(cells))


def flat_error(X: Any) -> ValueError:
    """Return the error for a single row or column given as a table."""
    return ValueError(
        f"Expected 2D array, got 1D array instead ({type(X).__name__} of length "
        f"{len(X)}). Reshape your data either using array.reshape(-1, 1) if your data "
        "has a single feature or array.reshape(1, -1) if it contains a single sample; "
        "of a data frame pass X[['name']]."
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
