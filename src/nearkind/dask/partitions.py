"""Partitions of dask tables: tasks that read a part of the rows each."""

from typing import Any

import dask.array as da
from dask import is_dask_collection
from dask.delayed import Delayed, delayed

LabelledPartition = tuple[Delayed, Delayed]
"""Tasks that read some rows, and their labels."""


def partitions(X: object) -> list[Delayed]:
    """Return the partitions of a DataFrame, or the chunks of rows of an Array.

    Examples
    --------
    >>> import dask.array as da
    >>> X = da.ones((3, 1), chunks=(2, 1))
    >>> [part.compute().tolist() for part in partitions(X)]
    [[[1.0], [1.0]], [[1.0]]]
    """
    if not _has_partitions(X) or getattr(X, "ndim", None) != 2:
        raise TypeError(
            "A dask table is a DataFrame or a 2-d Array; got "
            f"{_kind(X)}. Pass dask.dataframe.from_delayed(...), for example."
        )
    return _tasks(X)


def labelled_partitions(X: Any, y: object) -> list[LabelledPartition]:
    """Return the partitions of a table, each with its labels.

    Parameters
    ----------
    X : dask DataFrame or Array
    y : dask Series or Array, or str
        Labels in the same partitions as X, or the name of a column of X.
    """
    parts = partitions(X)
    if isinstance(y, str):
        if isinstance(X, da.Array) or y not in X.columns:
            raise ValueError(
                f"y={y!r} names no column of X. Pass the name of one, or a Series."
            )
        split = delayed(_split, nout=2)
        return [tuple(split(part, y, i)) for i, part in enumerate(parts)]
    if not _has_partitions(y):
        raise TypeError(
            "Labels of a dask table are a dask Series or Array with the same "
            f"partitions, or the name of a column; got {_kind(y)}."
        )
    _check_same_partitions(X, y)
    return list(zip(parts, _tasks(y), strict=True))


def partition_lengths(X: Any) -> tuple[float, ...]:
    """Return the number of rows of each partition, NaN where it is not known yet."""
    if isinstance(X, da.Array):
        return X.chunks[0]
    return (float("nan"),) * X.npartitions


def _has_partitions(thing: object) -> bool:
    """Return whether it has partitions; what a Delayed will be is not known."""
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


def _check_same_partitions(X: Any, y: Any) -> None:
    """Raise if labels are known to be partitioned differently from the rows."""
    advice = "Take both from one table, or repartition y as X is."
    n_parts, n_labels = len(partition_lengths(X)), len(partition_lengths(y))
    if n_parts != n_labels:
        raise ValueError(f"X has {n_parts} partitions, y has {n_labels}. {advice}")
    if _divisions(X) and _divisions(y) and _divisions(X) != _divisions(y):
        raise ValueError(
            f"X is divided at {_listed(X.divisions)}, y at {_listed(y.divisions)}. "
            f"{advice}"
        )


def _divisions(table: Any) -> tuple[Any, ...]:
    """Return the divisions of a table; none if they are not known."""
    is_known = getattr(table, "known_divisions", False)
    return tuple(table.divisions) if is_known else ()


def _listed(divisions: Any) -> str:
    shown = ", ".join(map(str, divisions[:4]))
    return f"{shown}, ..." if len(divisions) > 4 else shown


def _kind(thing: object) -> str:
    return f"a {type(thing).__module__.split('.')[0]} {type(thing).__name__}"
