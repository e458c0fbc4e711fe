"""Tuples of row numbers as users have them -> one checked array."""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Form(NamedTuple):
    """What one tuple of a kind looks like."""

    name: str
    entries: str
    meaning: str
    n_rows: int  # of its entries, how many are row numbers; they come first

    @property
    def width(self) -> int:
        """Number of entries."""
        return self.entries.count(",") + 1

    def shown(self, table: NDArray[Any], at: int) -> str:
        """Return one tuple as it was stated, with its position.

        Examples
        --------
        >>> form = Form("triplets", "i, j, k", "i is nearer to j than to k", 3)
        >>> form.shown(np.array([[0, 1, 2], [3, 4, 5]]), 1)
        'triplets[1] = (3, 4, 5)'
        """
        entries = ", ".join(str(entry) for entry in table[at].tolist())
        return f"{self.name}[{at}] = ({entries})"


def read_tuples(form: Form, stated: Any, n_rows: int) -> NDArray[np.intp]:
    """Return tuples (T, width), each a row number that is there.

    Parameters
    ----------
    form : what is wanted
    stated : array, DataFrame or any iterable of tuples
    n_rows : of the table

    Examples
    --------
    >>> form = Form("triplets", "i, j, k", "i is nearer to j than to k", 3)
    >>> read_tuples(form, ((i, i + 1, 9) for i in range(2)), n_rows=10)
    array([[0, 1, 9],
           [1, 2, 9]])
    """
    table = _table(form, stated)
    if table.dtype.kind not in "iu":
        _refuse_fractions(form, table, n_rows)
    _refuse_outside(form, table, n_rows)
    return table.astype(np.intp)


def _table(form: Form, stated: Any) -> NDArray[Any]:
    """Return the tuples as an array (T, width) of whatever they hold."""
    table = stated.to_numpy() if hasattr(stated, "to_numpy") else stated
    if not isinstance(table, np.ndarray) or table.ndim != 2:
        table = _listed(form, table)
    if not len(table):
        raise ValueError(f"{_wanted(form)}; got none. Leave it out if there are none.")
    if table.shape[1] != form.width:
        raise ValueError(f"{_wanted(form)}; got {table.shape[1]} columns.")
    return table


def _listed(form: Form, stated: Any) -> NDArray[Any]:
    """Return an iterable of tuples as an array of objects."""
    if not isinstance(stated, Iterable):
        raise ValueError(f"{_wanted(form)}; got {type(stated).__name__}.")
    rows = list(stated)
    for at, row in enumerate(rows):
        if not isinstance(row, Iterable) or isinstance(row, str):
            raise ValueError(f"{_wanted(form)}; {form.name}[{at}] is {row!r}.")
        rows[at] = entries = tuple(row)
        if len(entries) != form.width:
            raise ValueError(f"{_wanted(form)}; {form.name}[{at}] is {entries}.")
    return np.array(rows, dtype=object).reshape(len(rows), form.width)


def _wanted(form: Form) -> str:
    return f"{form.name} must hold tuples ({form.entries}): {form.meaning}"


def _refuse_fractions(form: Form, table: NDArray[Any], n_rows: int) -> None:
    whole = np.frompyfunc(_is_whole, 1, 1)(table).astype(bool)
    if not whole.all():
        at, entry = np.argwhere(~whole)[0]
        raise ValueError(
            f"{form.shown(table, at)} holds {table[at, entry]!r}, which is no row "
            f"number: they are whole and go from 0 to {n_rows - 1}."
        )


def _is_whole(entry: Any) -> bool:
    if isinstance(entry, bool):
        return False
    return isinstance(entry, Integral) or (
        isinstance(entry, Real) and float(entry).is_integer()
    )


def _refuse_outside(form: Form, table: NDArray[Any], n_rows: int) -> None:
    numbers = table[:, : form.n_rows]
    outside = np.argwhere(((numbers < 0) | (numbers >= n_rows)).astype(bool))
    if len(outside):
        at, entry = outside[0]
        raise ValueError(
            f"{form.shown(table, at)} names row {table[at, entry]}, which is not "
            f"there: rows go from 0 to {n_rows - 1}, in the order of X."
        )
