"""Checks of the arrays of a form that was read from a file."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nearkind.errors import RefusedError
from nearkind.protocols import Array

MAX_NUMBER = 1e140
"""Bound of any number in a model: sums of many squares below it are finite."""


def check_reals(value: Any, what: str, shape: Sequence[int | None]) -> Array:
    """Return an array of finite floats of a shape, in which None is any length.

    Examples
    --------
    >>> check_reals(np.zeros((2, 3)), "weights", (2, None)).shape
    (2, 3)
    >>> check_reals(np.zeros(2), "weights", (3,))
    Traceback (most recent call last):
    nearkind.errors.RefusedError: weights has shape (2,) instead of (3,)
    """
    if not isinstance(value, np.ndarray) or value.dtype != np.float64:
        raise RefusedError(f"{what} is not an array of floats")
    if value.ndim != len(shape):
        raise RefusedError(f"{what} has {value.ndim} axes instead of {len(shape)}")
    both = zip(value.shape, shape, strict=True)
    if any(wanted is not None and size != wanted for size, wanted in both):
        wanted = ", ".join("any" if size is None else str(size) for size in shape)
        wanted += "," if len(shape) == 1 else ""
        raise RefusedError(f"{what} has shape {value.shape} instead of ({wanted})")
    if not (np.abs(value) < MAX_NUMBER).all():
        raise RefusedError(f"{what} holds a number that is enormous or not finite")
    return value


def check_integers(value: Any, what: str, shape: Sequence[int | None]) -> None:
    """Refuse what is not an array of indices of a shape, in which None is any."""
    if getattr(value, "dtype", None) != np.intp or value.ndim != len(shape):
        raise RefusedError(f"{what} is not an array of whole numbers")
    check_reals(value.astype(float), what, shape)


def check_tables(
    tables: Any,
    what: str,
    n_values: Sequence[int],
    *,
    square: bool = False,
    n_axes: int = 2,
) -> None:
    """Refuse tables without one row per value and one for unseen values.

    Parameters
    ----------
    tables : sequence of ndarray of shape (s_d + 1, ...)
    what : str
        Their name, for the message.
    n_values : sequence of int
        s_d of each feature.
    square : bool, default=False
        Whether there must be one column per value as well.
    n_axes : int, default=2
    """
    if not isinstance(tables, list | tuple) or len(tables) != len(n_values):
        raise RefusedError(f"{what} does not have one table per column")
    for table, size in zip(tables, n_values, strict=True):
        if len(check_reals(table, what, (None,) * n_axes)) != size + 1:
            raise RefusedError(f"{what} does not have one row per value")
        if square and table.shape[0] != table.shape[1]:
            raise RefusedError(f"{what} has a table that is not square")


def check_vectors(tables: Any, what: str, n_values: Sequence[int]) -> int:
    """Return the length of the vectors in tables (s_d + 1, q), at least one."""
    check_tables(tables, what, n_values)
    lengths = {table.shape[1] for table in tables}
    if len(lengths) > 1 or 0 in lengths:
        raise RefusedError(f"{what} has vectors of different lengths, or of none")
    return lengths.pop()


def check_codes(
    value: Any, what: str, n_values: Sequence[int], lowest: Sequence[int] | int = -1
) -> None:
    """Refuse what are not codes (m, D) of rows, from the lowest of each column on."""
    if not isinstance(value, np.ndarray) or value.dtype != np.int32:
        raise RefusedError(f"{what} are not an array of whole numbers")
    if value.ndim != 2 or value.shape[1] != len(n_values) or not len(value):
        raise RefusedError(f"{what} are not one per column, of at least one row")
    if (value < np.asarray(lowest)).any() or (value >= np.asarray(n_values)).any():
        raise RefusedError("a code of a row stands for no value")


def check_amount(value: Any, what: str) -> None:
    """Refuse what is not a finite number >= 0."""
    is_number = type(value) is float or (type(value) is int and abs(value) < 2**63)
    if not is_number:
        raise RefusedError(f"{what} is {value!r:.60} instead of a number")
    if not 0.0 <= value < MAX_NUMBER:
        raise RefusedError(f"{what} is negative or not finite")
