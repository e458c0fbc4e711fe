"""Readers of NumPy arrays, lists of rows or of dicts, and dicts of columns."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.tables.column import Column, Factorization, column_of, inferred_column
from nearkind.tables.table import Table
from nearkind.tables.values import COMPLEX_REFUSED


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


def _array_column(name: Any, cells: NDArray[Any]) -> Column:
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


def _is_row(row: Any) -> bool:
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
