"""Rows and cells of a table or column, in the kind that the user has."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.tables.readers import is_from, read_table

Numbers = NDArray[np.intp]


def take_rows(X: Any, rows: Numbers) -> Any:
    """Return some rows of a table as a table of its own kind.

    Parameters
    ----------
    X : table
        Anything that ``read_table`` takes.
    rows : ndarray of int (k,)
        Numbers of the rows.

    Examples
    --------
    >>> take_rows([["red", 1], ["blue", 2]], np.array([1]))
    [['blue', 2]]
    """
    if is_from(X, "pandas", "DataFrame"):
        return X.iloc[rows]
    if is_from(X, "pyarrow", "Table", "RecordBatch"):
        return X.take(rows)
    if isinstance(X, Mapping):
        return {name: take_values(cells, rows) for name, cells in X.items()}
    if isinstance(X, list | tuple):
        return type(X)([X[row] for row in rows.tolist()])
    is_frame = is_from(X, "polars", "DataFrame") or is_from(X, "narwhals", "DataFrame")
    return X[rows] if is_frame else np.asanyarray(X)[rows]


def take_values(values: Any, rows: Numbers) -> Any:
    """Return some values of a column, or labels, as a column of its own kind.

    A pandas Series or DataFrame of labels is numbered anew.

    Examples
    --------
    >>> take_values(["a", "b"], np.array([1, 1]))
    ['b', 'b']
    """
    if is_from(values, "pandas", "Series", "DataFrame"):
        return values.iloc[rows].reset_index(drop=True)
    if is_from(values, "pyarrow", "Array", "ChunkedArray"):
        return values.take(rows)
    if isinstance(values, list | tuple):
        return type(values)([values[row] for row in rows.tolist()])
    if is_from(values, "polars", "Series", "DataFrame"):
        return values[rows]
    return np.asanyarray(values)[rows]


def take_cells(X: Any, rows: Numbers) -> Any:
    """Return a table of the kind of X, each cell from a row of its own.

    Types and categories of columns are kept.

    Parameters
    ----------
    X : table
        Anything that ``read_table`` takes.
    rows : ndarray of int (k, D)
        For each new row and column, the number of the row whose cell it takes.

    Examples
    --------
    >>> take_cells([["red", 1], ["blue", 2]], np.array([[0, 1]]))
    [['red', 2]]
    """
    if is_from(X, "narwhals", "DataFrame"):
        import narwhals as nw

        return nw.from_native(take_cells(X.to_native(), rows))
    each = range(rows.shape[1])
    if is_from(X, "pandas", "DataFrame"):
        return _pandas_cells(X, rows)
    if is_from(X, "polars", "DataFrame"):
        return X.select([X.to_series(d)[rows[:, d]] for d in each])
    if is_from(X, "pyarrow", "Table", "RecordBatch"):
        columns = [X.column(d).take(rows[:, d]) for d in each]
        return type(X).from_arrays(columns, schema=X.schema)
    if isinstance(X, Mapping):
        pairs = zip(X.items(), rows.T, strict=True)
        return {name: take_values(cells, at) for (name, cells), at in pairs}
    if isinstance(X, list | tuple):
        kind = type(X)
        return kind(_records(X, rows) if isinstance(X[0], Mapping) else _lists(X, rows))
    return np.asanyarray(X)[rows, np.arange(rows.shape[1])]


def _pandas_cells(X: Any, rows: Numbers) -> Any:
    import pandas as pd

    each = range(X.shape[1])
    made = pd.DataFrame({d: take_values(X.iloc[:, d], rows[:, d]) for d in each})
    made.columns = X.columns
    return made


def _lists(X: Any, rows: Numbers) -> list[Any]:
    kind = type(X[0]) if isinstance(X[0], list | tuple) else list
    return [kind([X[i][d] for d, i in enumerate(row)]) for row in rows.tolist()]


def _records(X: Any, rows: Numbers) -> list[Any]:
    """Return dicts; a key that the other row lacks is lacking here too."""
    names = read_table(X).names
    pairs = (zip(names, row, strict=True) for row in rows.tolist())
    return [{name: X[i][name] for name, i in row if name in X[i]} for row in pairs]
