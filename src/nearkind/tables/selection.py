"""Selection of rows and cells of a table, in the library of the user."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.tables.readers import is_from, one_row, read_table
from nearkind.tables.table import Table

Numbers = NDArray[np.intp]
ABSENT = object()
"""What stands in a column for a key that a dict lacks."""


def read_rows(X: object, rows: Numbers) -> Table:
    """Read some rows of a table; the others are skipped where the library allows.

    Parameters
    ----------
    X : table
        Anything that ``read_table`` takes.
    rows : ndarray of int of shape (k,)
        Numbers of the rows.

    Examples
    --------
    >>> read_rows({"colour": ["red", "blue"]}, np.array([1])).column(0).values
    ['blue']
    """
    is_frame = is_from(X, "pandas", "DataFrame") or is_from(X, "polars", "DataFrame")
    is_arrow = is_from(X, "pyarrow", "Table", "RecordBatch")
    if is_frame or is_arrow or isinstance(X, Mapping | np.ndarray):
        return read_table(take_rows(X, rows))
    return read_table(X).take(rows)


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
    if isinstance(X, Mapping):
        return {name: take_values(cells, rows) for name, cells in X.items()}
    return take_values(X, rows)


def take_values(values: Any, rows: Numbers) -> Any:
    """Return some values of a column, or labels, as a column of its own kind.

    A pandas Series or DataFrame of labels gets a new index.

    Examples
    --------
    >>> take_values(["a", "b"], np.array([1, 1]))
    ['b', 'b']
    """
    if is_from(values, "pandas", "Series", "DataFrame"):
        return values.iloc[rows].reset_index(drop=True)
    if is_from(values, "pyarrow", "Array", "ChunkedArray", "Table", "RecordBatch"):
        return values.take(rows)
    if isinstance(values, list | tuple):
        return type(values)([values[row] for row in rows.tolist()])
    is_polars = is_from(values, "polars", "Series", "DataFrame")
    if is_polars or is_from(values, "narwhals", "DataFrame"):
        return values[rows]
    return np.asanyarray(values)[rows]


def take_cells(X: object, rows: Numbers) -> Any:
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
    return _rebuilt(X, lambda d, column: take_values(column, rows[:, d]), {})


def with_cells(
    X: object,
    cells: Mapping[int, tuple[Numbers, list[Any]]],
    added: Mapping[str, NDArray[Any]] | None = None,
) -> Any:
    """Return a table of the kind of X with some other cells, and more columns.

    Types of columns are kept where they can hold the new cells.

    Parameters
    ----------
    X : table
        Anything that ``read_table`` takes; it is left as it is.
    cells : dict of int to (ndarray of int (k,), list)
        By the place of a column, numbers of rows and the cells that they get.
    added : dict of str to ndarray (n,), default=None
        Columns to add at the end.

    Examples
    --------
    >>> with_cells([["red", 1], [None, 2]], {0: (np.array([1]), ["blue"])})
    [['red', 1], ['blue', 2]]
    """

    def changed(d: int, column: object) -> Any:
        return _patched(column, *cells[d]) if d in cells else column

    return _rebuilt(X, changed, added or {})


def _rebuilt(
    X: Any, change: Callable[[int, Any], Any], added: Mapping[str, NDArray[Any]]
) -> Any:
    """Return a table of the kind of X with changed columns, and more at the end."""
    if is_from(X, "narwhals", "DataFrame"):
        import narwhals as nw

        return nw.from_native(_rebuilt(X.to_native(), change, added))
    if is_from(X, "pandas", "DataFrame"):
        import pandas as pd

        made = pd.concat([change(d, X.iloc[:, d]) for d in range(X.shape[1])], axis=1)
        made.columns = X.columns
        return made.assign(**added)
    if is_from(X, "polars", "DataFrame"):
        made = X.select([change(d, X.to_series(d)) for d in range(X.width)])
        return made.with_columns(**added)
    if is_from(X, "pyarrow", "Table", "RecordBatch"):
        import pyarrow as pa

        columns = [change(d, column) for d, column in enumerate(X.columns)]
        made = type(X).from_arrays(columns, schema=X.schema)
        for name, column in added.items():
            made = made.append_column(name, pa.array(column))
        return made
    if isinstance(X, Mapping):
        return {name: change(d, X[name]) for d, name in enumerate(X)} | dict(added)
    if isinstance(X, list | tuple):
        return type(X)(_rebuilt_rows(X, change, added))
    array = np.asanyarray(X)
    stack = np.ma.column_stack if np.ma.isMA(array) else np.column_stack
    return stack([*(change(d, x) for d, x in enumerate(array.T)), *added.values()])


def _rebuilt_rows(X: Any, change: Any, added: Mapping[str, Any]) -> list[Any]:
    """Return lists, tuples or dicts; a key that a row lacks is lacking there too."""
    names, is_named = read_table(X).names, isinstance(X[0], Mapping)
    cells = ([row.get(name, ABSENT) for row in X] for name in names)
    columns = cells if is_named else map(list, zip(*X, strict=True))
    changed = [change(d, column) for d, column in enumerate(columns)]
    rows = zip(*changed, *(each.tolist() for each in added.values()), strict=True)
    if not is_named:
        return list(map(tuple if isinstance(X[0], tuple) else list, rows))
    pairs = (zip([*names, *added], row, strict=True) for row in rows)
    return [{name: cell for name, cell in row if cell is not ABSENT} for row in pairs]


def _patched(column: Any, rows: Numbers, values: list[Any]) -> Any:
    """Return a column with other cells, of its type where that can hold them."""
    if is_from(column, "pandas", "Series"):
        return _patched_series(column.copy(), rows, values)
    if isinstance(column, np.ndarray):
        array = column.copy()
        array[rows] = values
        return array
    is_arrow = is_from(column, "pyarrow", "Array", "ChunkedArray")
    made = column.to_pylist() if is_arrow else list(column)
    for row, value in zip(rows.tolist(), values, strict=True):
        made[row] = value
    if is_arrow:
        import pyarrow as pa

        return pa.array(made, column.type)
    if is_from(column, "polars", "Series"):
        import polars as pl

        try:
            return pl.Series(column.name, made, column.dtype)
        except (TypeError, pl.exceptions.PolarsError):
            return pl.Series(column.name, made, strict=False)
    return made


def _patched_series(series: Any, rows: Numbers, values: list[Any]) -> Any:
    if series.dtype == "category":
        known = set(series.cat.categories)
        series = series.cat.add_categories(
            [value for value in dict.fromkeys(values) if value not in known]
        )
    try:
        series.iloc[rows] = values
    except (TypeError, ValueError):  # the type of the column does not hold them
        series = series.astype(object)
        series.iloc[rows] = values
    return series


def changed_row(row: Any, values: Mapping[int, Any]) -> Any:
    """Return a row with other values, in the kind of table that it came in.

    Parameters
    ----------
    row : one row: a dict, a list, a pandas Series, an array or a table of one row
        It is left as it is.
    values : dict of int to object
        New values by the place of their column in the row.

    Returns
    -------
    as ``row``; arrays of text become arrays of objects

    Examples
    --------
    >>> changed_row({"colour": "red", "size": 3}, {0: "blue"})
    {'colour': 'blue', 'size': 3}
    >>> changed_row([["red", 3]], {1: 4})
    [['red', 4]]
    """
    if isinstance(row, Mapping):
        names = read_table(one_row(row)).names
        return {**row, **{names[place]: new for place, new in values.items()}}
    nested = Mapping | list | tuple | np.ndarray
    if isinstance(row, list | tuple) and not isinstance(row[0], nested):
        return [values.get(place, cell) for place, cell in enumerate(row)]
    if getattr(row, "ndim", 2) == 1:
        changed = row.astype(_kind(row.dtype))
        (changed.iloc if hasattr(changed, "iloc") else changed)[[*values]] = [
            *values.values()
        ]
        return changed
    X = row.astype(_kind(row.dtype)) if isinstance(row, np.ndarray) else row
    return with_cells(X, {d: (np.zeros(1, int), [new]) for d, new in values.items()})


def _kind(dtype: object) -> Any:
    """Return the type that holds any new value of a column: numbers stay such."""
    return float if getattr(dtype, "kind", "O") in "iuf" else object
