"""Constraints given by row numbers.

Rows with equal codes have distance zero under every metric, so some constraints cannot
be satisfied, and constraints may contradict each other. They are used nevertheless,
with a warning.
"""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.constraints.tuples import (
    TupleList,
    join_lists,
    list_pairs,
    list_quadruplets,
)
from nearkind.encoding.rows import UniqueRows, row_keys

Table = NDArray[np.intp]


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

    def shown(self, table: NDArray[np.generic], at: int) -> str:
        """Return one tuple as it was stated, with its position.

        Examples
        --------
        >>> form = Form("triplets", "i, j, k", "i is nearer to j than to k", 3)
        >>> form.shown(np.array([[0, 1, 2], [3, 4, 5]]), 1)
        'triplets[1] = (3, 4, 5)'
        """
        entries = ", ".join(str(entry) for entry in table[at].tolist())
        return f"{self.name}[{at}] = ({entries})"


@dataclass(frozen=True)
class Comparisons:
    """One distance is smaller than another: triplets and quadruplets.

    ``ends`` are the entries of a tuple that make the near pair and the far pair.
    """

    form: Form
    ends: tuple[int, int, int, int]

    def at(self, where: NDArray[np.intp], table: Table) -> Table:
        """Return the unique rows of each tuple: near pair, far pair (T, 4)."""
        return where[table[:, self.ends]]

    def check(self, table: Table) -> None:
        """Raise where a distance is compared with itself."""
        near, far = np.hsplit(self.claims(table[:, self.ends]), 2)
        same = np.flatnonzero((near == far).all(axis=1))
        if len(same):
            raise ValueError(
                f"{self.form.shown(table, same[0])} compares the distance of rows "
                f"{near[same[0], 0]} and {near[same[0], 1]} with itself. Name two "
                "pairs of rows, or drop it."
            )

    def claims(self, ends: Table) -> Table:
        """Return each constraint in one order of the rows of a pair."""
        return np.sort(ends.reshape(-1, 2, 2), axis=2).reshape(-1, 4)

    def opposite(self, claims: Table) -> Table:
        """Return what would contradict each."""
        return claims[:, [2, 3, 0, 1]]

    def impossible(self, claims: Table) -> NDArray[np.bool_]:
        """Say which cannot hold: the far distance is zero, or is the near one."""
        near, far = np.hsplit(claims, 2)
        none: NDArray[np.bool_] = (far[:, 0] == far[:, 1]) | (near == far).all(axis=1)
        return none

    def bind(self, ends: Table, margin: float) -> TupleList:
        """Return the constraints, each with an equal share."""
        i, j, k, m = ends.T
        return list_quadruplets(i, j, k, m, margin, _equal_shares(len(ends)))


@dataclass(frozen=True)
class SimilarityPairs:
    """Two rows are alike, or not: pairs."""

    form: Form

    def at(self, where: NDArray[np.intp], table: Table) -> Table:
        """Return the unique rows of each pair, and its side (T, 3)."""
        return np.column_stack([where[table[:, :2]], table[:, 2]])

    def check(self, table: Table) -> None:
        """Raise where a side is neither +1 nor -1."""
        odd = np.flatnonzero(~np.isin(table[:, 2], (-1, 1)))
        if len(odd):
            raise ValueError(
                f"{self.form.shown(table, odd[0])} has side {table[odd[0], 2]}; it "
                "must be +1 if the rows are alike, -1 if not."
            )

    def claims(self, ends: Table) -> Table:
        """Return each constraint in one order of its rows."""
        return np.column_stack([np.sort(ends[:, :2], axis=1), ends[:, 2]])

    def opposite(self, claims: Table) -> Table:
        """Return what would contradict each."""
        return claims * (1, 1, -1)

    def impossible(self, claims: Table) -> NDArray[np.bool_]:
        """Say which cannot hold: equal rows are never apart."""
        none: NDArray[np.bool_] = (claims[:, 0] == claims[:, 1]) & (claims[:, 2] == -1)
        return none

    def bind(self, ends: Table, margin: float) -> TupleList:
        """Return the constraints, each with an equal share."""
        i, j, sides = ends.T
        return list_pairs(i, j, sides, margin, _equal_shares(len(ends)))


TRIPLETS = Form("triplets", "i, j, k", "i is nearer to j than to k", 3)
PAIRS = Form("pairs", "i, j, side", "side +1 if alike, -1 if not", 2)
QUADRUPLETS = Form("quadruplets", "i, j, k, l", "i is nearer to j than k is to l", 4)
KINDS: dict[str, Comparisons | SimilarityPairs] = {
    "triplets": Comparisons(TRIPLETS, (0, 1, 0, 2)),
    "pairs": SimilarityPairs(PAIRS),
    "quadruplets": Comparisons(QUADRUPLETS, (0, 1, 2, 3)),
}


def read_stated(stated: Mapping[str, object], n_rows: int) -> dict[str, Table]:
    """Return the tuples of each kind that was stated, as checked row numbers."""
    given = {kind: rows for kind, rows in stated.items() if rows is not None}
    tables = {
        kind: read_tuples(KINDS[kind].form, rows, n_rows)
        for kind, rows in given.items()
    }
    for kind, table in tables.items():
        KINDS[kind].check(table)
    return tables


def read_tuples(form: Form, stated: object, n_rows: int) -> NDArray[np.intp]:
    """Return tuples (T, width) of row numbers, all of them between 0 and n_rows - 1.

    Parameters
    ----------
    form : Form
        What is wanted.
    stated : array, DataFrame or iterable of tuples
    n_rows : int
        Number of rows of the table.

    Examples
    --------
    >>> form = Form("triplets", "i, j, k", "i is nearer to j than to k", 3)
    >>> read_tuples(form, ((i, i + 1, 9) for i in range(2)), n_rows=10)
    array([[0, 1, 9],
           [1, 2, 9]])
    """
    table = _table(form, stated)
    if table.dtype.kind not in "iu":
        _require_whole(form, table, n_rows)
    _require_inside(form, table, n_rows)
    return table.astype(np.intp)


def _table(form: Form, stated: Any) -> NDArray[np.generic]:
    """Return the tuples as an array (T, width) of whatever they hold."""
    given = stated.to_numpy() if hasattr(stated, "to_numpy") else stated
    is_table = isinstance(given, np.ndarray) and given.ndim == 2
    table: NDArray[np.generic] = given if is_table else _listed(form, given)
    if not len(table):
        raise ValueError(f"{_wanted(form)}; got none. Leave it out if there are none.")
    if table.shape[1] != form.width:
        raise ValueError(f"{_wanted(form)}; got {table.shape[1]} columns.")
    return table


def _listed(form: Form, stated: object) -> NDArray[np.generic]:
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


def _require_whole(form: Form, table: NDArray[np.generic], n_rows: int) -> None:
    whole = np.frompyfunc(_is_whole, 1, 1)(table).astype(bool)
    if not whole.all():
        at, entry = np.argwhere(~whole)[0]
        raise ValueError(
            f"{form.shown(table, at)} holds {table[at, entry]!r}, which is not a "
            f"row number; row numbers are integers from 0 to {n_rows - 1}."
        )


def _is_whole(entry: object) -> bool:
    if isinstance(entry, bool):
        return False
    return isinstance(entry, Integral) or (
        isinstance(entry, Real) and float(entry).is_integer()
    )


def _require_inside(form: Form, table: NDArray[Any], n_rows: int) -> None:
    numbers = table[:, : form.n_rows]
    outside = np.argwhere(((numbers < 0) | (numbers >= n_rows)).astype(bool))
    if len(outside):
        at, entry = outside[0]
        raise ValueError(
            f"{form.shown(table, at)} names row {table[at, entry]}, which does not "
            f"exist; rows go from 0 to {n_rows - 1}, in the order of X."
        )


def rows_compared(
    tables: Mapping[str, Table], rows: UniqueRows
) -> tuple[UniqueRows, NDArray[np.intp]]:
    """Return the unique rows that constraints name, and the place of each row there.

    The loss depends on no other row. Rows that no constraint names have no place.

    Parameters
    ----------
    tables : dict of ndarray of shape (T, 3 or 4)
        The tuples of row numbers of each kind.
    rows : UniqueRows
        All rows.
    """
    named = [
        table[:, : KINDS[kind].form.n_rows].ravel() for kind, table in tables.items()
    ]
    used = np.unique(rows.of_row[np.concatenate(named)])
    parts = rows.codes[used], rows.y[used], rows.weights[used]
    return UniqueRows(*parts, used), np.searchsorted(used, rows.of_row)


def stated_constraints(
    tables: Mapping[str, Table],
    of_row: NDArray[np.intp],
    places: NDArray[np.intp],
    margin: float,
) -> TupleList:
    """Return the stated constraints on unique rows: the mean losses of all kinds.

    Parameters
    ----------
    tables : dict of ndarray of shape (T, 3 or 4)
        The tuples of row numbers of each kind.
    of_row : ndarray of shape (n,)
        The unique row of each row.
    places : ndarray of shape (n,)
        A number for each row, equal for rows that no metric tells apart.
    margin : float
        By how much a distance must be smaller.
    """
    for kind, table in tables.items():
        _warn_of_conflicts(KINDS[kind], table, places)
    return join_lists(
        [
            KINDS[kind].bind(KINDS[kind].at(of_row, table), margin)
            for kind, table in tables.items()
        ]
    )


def _warn_of_conflicts(
    kind: Comparisons | SimilarityPairs, table: Table, places: NDArray[np.intp]
) -> None:
    """Warn of constraints that cannot be met, by themselves or beside others."""
    claims = kind.claims(kind.at(places, table))
    impossible = kind.impossible(claims)
    if impossible.any():
        first = kind.form.shown(table, int(impossible.argmax()))
        _warn(
            f"{impossible.sum()} of {len(table)} {kind.form.name} cannot be met by any "
            f"distance, such as {first}: rows that are equal in all columns are at "
            "distance zero. They count as lost; drop them, or add a column that tells "
            "these rows apart."
        )
    live = np.flatnonzero(~impossible)
    keys = row_keys(np.vstack([claims[live], kind.opposite(claims[live])]))
    mine, theirs = np.split(keys, 2)
    opposed = np.isin(mine, theirs)
    if opposed.any():
        one = int(opposed.argmax())
        other = int((mine == theirs[one]).argmax())
        _warn(
            f"{opposed.sum()} of {len(table)} {kind.form.name} contradict others, such "
            f"as {kind.form.shown(table, live[one])} and "
            f"{kind.form.shown(table, live[other])}. Both count, so that neither wins; "
            "drop the wrong one of each."
        )


def _warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=5)


def _equal_shares(size: int) -> NDArray[np.float64]:
    return np.full(size, 1.0 / size)
