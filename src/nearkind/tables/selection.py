"""Selection of rows and cells of a table, in the library of the user."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.tables.frames import frame
from nearkind.tables.readers import is_from, one_row, read_table
from nearkind.tables.table import Table

Numbers = NDArray[np.intp]


def read_rows(X: Any, rows: Numbers) -> Table:
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


def with_cells(
    X: Any,
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
    added = added or {}
    if is_from(X, "narwhals", "DataFrame"):
        import narwhals as nw

        return nw.from_native(with_cells(X.to_native(), cells, added))
    if is_from(X, "pandas", "DataFrame"):
        made = X.copy()
        for d, changed in cells.items():
            made.isetitem(d, _pandas_with_cells(X.iloc[:, d], *changed))
        return made.assign(**added)
    if is_from(X, "polars", "DataFrame"):
        return _polars_with_cells(X, cells, added)
    if is_from(X, "pyarrow", "Table", "RecordBatch"):
        import pyarrow as pa

        for d, changed in cells.items():
            field, column = X.schema.field(d), X.column(d).to_pylist()
            X = X.set_column(d, field, pa.array(_patched(column, *changed), field.type))
        for name, column in added.items():
            X = X.append_column(name, pa.array(column))
        return X
    if isinstance(X, Mapping):
        names = list(X)
        changed_columns = {names[d]: _patched(X[names[d]], *cells[d]) for d in cells}
        return {**X, **changed_columns, **added}
    if isinstance(X, list | tuple):
        return _rows_with_cells(X, cells, added)
    array = np.asanyarray(X).copy()
    for d, (rows, values) in cells.items():
        array[rows, d] = values
    return np.column_stack([array, *added.values()]) if added else array


def _patched(column: Any, rows: Numbers, values: list[Any]) -> list[Any]:
    column = list(column)
    for row, value in zip(rows.tolist(), values, strict=True):
        column[row] = value
    return column


def _pandas_with_cells(series: Any, rows: Numbers, values: list[Any]) -> Any:
    series = series.copy()
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


def _polars_with_cells(X: Any, cells: Any, added: Mapping[str, NDArray[Any]]) -> Any:
    import polars as pl

    made = [pl.Series(name, column) for name, column in added.items()]
    for d, changed in cells.items():
        old = X.to_series(d)
        column = _patched(old, *changed)
        try:
            made.append(pl.Series(old.name, column, old.dtype))
        except (TypeError, pl.exceptions.PolarsError):
            made.append(pl.Series(old.name, column, strict=False))
    return X.with_columns(made)


def _rows_with_cells(X: Any, cells: Any, added: Mapping[str, NDArray[Any]]) -> Any:
    is_named = isinstance(X[0], Mapping)
    names = read_table(X).names
    rows: list[Any] = [dict(row) if is_named else list(row) for row in X]
    for d, (numbers, values) in cells.items():
        for row, value in zip(numbers.tolist(), values, strict=True):
            rows[row][names[d] if is_named else d] = value
    for name, column in added.items():
        for row, value in zip(rows, column.tolist(), strict=True):
            if is_named:
                row[name] = value
            else:
                row.append(value)
    kind = type(X[0]) if isinstance(X[0], tuple) else lambda row: row
    return type(X)([kind(row) for row in rows])


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
    table = read_table(one_row(row))
    if isinstance(row, Mapping):
        return {**row, **{table.names[place]: new for place, new in values.items()}}
    if isinstance(row, list | tuple):
        if row and isinstance(row[0], Mapping | list | tuple | np.ndarray):
            return [changed_row(row[0], values)]
        return [values.get(place, cell) for place, cell in enumerate(row)]
    if getattr(row, "ndim", 2) == 1:
        changed = row.astype(_kind(row.dtype))
        (changed.iloc if hasattr(changed, "iloc") else changed)[[*values]] = [
            *values.values()
        ]
        return changed
    if isinstance(row, np.ndarray):
        return changed_row(row[0], values)[None]
    named = {
        name: [values[d] if d in values else table.column(d).cells()[0]]
        for d, name in enumerate(table.names)
    }
    return frame(named, library=table.library)


def _kind(dtype: Any) -> Any:
    """Return the type that holds any new value of a column: numbers stay such."""
    return float if getattr(dtype, "kind", "O") in "iuf" else object
