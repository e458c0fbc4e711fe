"""Tables of dask as lists of partitions, each a task that reads it."""

from typing import Any

import dask.array as da
from dask import is_dask_collection
from dask.delayed import Delayed, delayed

Part = tuple[Delayed, Delayed]


def parts_of(X: Any) -> list[Delayed]:
    """Return the partitions of a DataFrame, or the blocks of rows of an Array.

    Examples
    --------
    >>> import dask.array as da
    >>> [part.compute().tolist() for part in parts_of(da.ones((3, 1), chunks=(2, 1)))]
    [[[1.0], [1.0]], [[1.0]]]
    """
    if not _is_cut(X) or getattr(X, "ndim", None) != 2:
        raise TypeError(
            "Of dask's collections DataFrames and 2-d Arrays are tables; got "
            f"{_kind(X)}. Pass dask.dataframe.from_delayed(...), for example."
        )
    return _tasks(X)


def labelled_parts(X: Any, y: Any) -> list[Part]:
    """Return the partitions of a table, each with its labels.

    Parameters
    ----------
    X : DataFrame or Array
    y : Series or Array cut as X is, or the name of a column of X
    """
    parts = parts_of(X)
    if isinstance(y, str):
        _check_name(X, y)
        taken = delayed(_split, nout=2)
        return [tuple(taken(part, y, i)) for i, part in enumerate(parts)]
    _check_labels(y)
    _check_cuts(X, y)
    return list(zip(parts, _tasks(y), strict=True))


def lengths_of(X: Any) -> tuple[float, ...]:
    """Return how many rows each partition has, NaN where nobody knows yet."""
    if isinstance(X, da.Array):
        return X.chunks[0]
    return (float("nan"),) * X.npartitions


def _is_cut(thing: Any) -> bool:
    """Say whether it has partitions; what a Delayed will be is not known."""
    if isinstance(thing, Delayed) or not is_dask_collection(thing):
        return False
    return hasattr(thing, "to_delayed")


def _tasks(collection: Any) -> list[Delayed]:
    if not isinstance(collection, da.Array):
        return list(collection.to_delayed())
    if collection.ndim == 2:
        collection = collection.rechunk({1: -1})
    return collection.to_delayed().ravel().tolist()


def _split(part: Any, name: str, number: int) -> tuple[Any, Any]:
    """Return a partition without a column, and that column."""
    if name not in part.columns:
        raise ValueError(
            f"Partition {number} lacks column {name!r}, which holds the labels. Give "
            "every partition the same columns."
        )
    return part.drop(columns=name), part[name]


def _check_name(X: Any, name: str) -> None:
    if isinstance(X, da.Array) or name not in X.columns:
        raise ValueError(
            f"y={name!r} names no column of X. Pass the name of one, or a Series."
        )


def _check_labels(y: Any) -> None:
    if not _is_cut(y):
        raise TypeError(
            "Labels of a table of dask are a Series or Array of dask cut into the "
            f"same partitions, or the name of a column; got {_kind(y)}."
        )


def _check_cuts(X: Any, y: Any) -> None:
    """Refuse labels that are known to be cut in other places than the rows."""
    advice = "Take both from one table, or repartition y as X is."
    n_parts, n_labels = len(lengths_of(X)), len(lengths_of(y))
    if n_parts != n_labels:
        raise ValueError(f"X has {n_parts} partitions, y has {n_labels}. {advice}")
    if _divisions(X) and _divisions(y) and _divisions(X) != _divisions(y):
        raise ValueError(
            f"X is cut at {_listed(X.divisions)}, y at {_listed(y.divisions)}. {advice}"
        )


def _divisions(table: Any) -> tuple[Any, ...]:
    """Return where a table is cut, as far as that is known."""
    is_known = getattr(table, "known_divisions", False)
    return tuple(table.divisions) if is_known else ()


def _listed(divisions: Any) -> str:
    shown = ", ".join(map(str, divisions[:4]))
    return f"{shown}, ..." if len(divisions) > 4 else shown


def _kind(thing: Any) -> str:
    return f"a {type(thing).__module__.split('.')[0]} {type(thing).__name__}"
