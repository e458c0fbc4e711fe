"""Constraints that users state by row number.

Rows of equal codes are at one place whatever the metric, so some constraints cannot be
met, and two may contradict each other. They count all the same; users are told.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.constraints import tuples
from nearkind.constraints.row_tuples import Form, read_tuples
from nearkind.constraints.tuples import TupleList
from nearkind.encoding.rows import row_keys

Table = NDArray[np.intp]


@dataclass(frozen=True)
class Comparisons:
    """One distance is smaller than another: triplets and quadruplets.

    ``ends`` are the entries of a tuple that make the near pair and the far pair.
    """

    form: Form
    ends: tuple[int, int, int, int]

    def at(self, where: NDArray[np.intp], table: Table) -> Table:
        """Return where the rows of each tuple are: near pair, far pair (T, 4)."""
        return where[table[:, self.ends]]

    def check(self, table: Table) -> None:
        """Refuse a distance that is compared with itself."""
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

    def hopeless(self, claims: Table) -> NDArray[np.bool_]:
        """Say which need a larger distance that is zero, or the smaller one itself."""
        near, far = np.hsplit(claims, 2)
        return (far[:, 0] == far[:, 1]) | (near == far).all(axis=1)

    def bind(self, ends: Table, margin: float) -> TupleList:
        """Return the constraints, each with an equal share."""
        i, j, k, m = ends.T
        return tuples.quadruplets(i, j, k, m, margin, _equal_shares(len(ends)))


@dataclass(frozen=True)
class Alikes:
    """Two rows are alike, or not."""

    form: Form

    def at(self, where: NDArray[np.intp], table: Table) -> Table:
        """Return where the rows of each pair are, and its side (T, 3)."""
        return np.column_stack([where[table[:, :2]], table[:, 2]])

    def check(self, table: Table) -> None:
        """Refuse sides that are none."""
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

    def hopeless(self, claims: Table) -> NDArray[np.bool_]:
        """Say which want equal rows to be apart."""
        return (claims[:, 0] == claims[:, 1]) & (claims[:, 2] == -1)

    def bind(self, ends: Table, margin: float) -> TupleList:
        """Return the constraints, each with an equal share."""
        i, j, sides = ends.T
        return tuples.pairs(i, j, sides, margin, _equal_shares(len(ends)))


TRIPLETS = Form("triplets", "i, j, k", "i is nearer to j than to k", 3)
PAIRS = Form("pairs", "i, j, side", "side +1 if alike, -1 if not", 2)
QUADRUPLETS = Form("quadruplets", "i, j, k, l", "i is nearer to j than k is to l", 4)
KINDS: dict[str, Comparisons | Alikes] = {
    "triplets": Comparisons(TRIPLETS, (0, 1, 0, 2)),
    "pairs": Alikes(PAIRS),
    "quadruplets": Comparisons(QUADRUPLETS, (0, 1, 2, 3)),
}


def read_stated(stated: Mapping[str, Any], n_rows: int) -> dict[str, Table]:
    """Return the tuples of each kind that was stated, as row numbers that are there."""
    given = {kind: rows for kind, rows in stated.items() if rows is not None}
    tables = {
        kind: read_tuples(KINDS[kind].form, rows, n_rows)
        for kind, rows in given.items()
    }
    for kind, table in tables.items():
        KINDS[kind].check(table)
    return tables


def stated_constraints(
    tables: Mapping[str, Table],
    of_row: NDArray[np.intp],
    places: NDArray[np.intp],
    margin: float,
) -> TupleList:
    """Return what was stated, on cells: the mean losses of the kinds, added up.

    Parameters
    ----------
    tables : for each kind the tuples of row numbers (T, 3 or 4)
    of_row : the cell of each row
    places : a number for each row, equal for rows that no metric tells apart
    margin : by how much a distance must be smaller
    """
    for kind, table in tables.items():
        _warn_of_conflicts(KINDS[kind], table, places)
    return tuples.together(
        [
            KINDS[kind].bind(KINDS[kind].at(of_row, table), margin)
            for kind, table in tables.items()
        ]
    )


def _warn_of_conflicts(
    kind: Comparisons | Alikes, table: Table, places: NDArray[np.intp]
) -> None:
    """Say how many constraints cannot be met, by themselves or beside others."""
    claims = kind.claims(kind.at(places, table))
    hopeless = kind.hopeless(claims)
    if hopeless.any():
        first = kind.form.shown(table, int(hopeless.argmax()))
        _warn(
            f"{hopeless.sum()} of {len(table)} {kind.form.name} cannot be met by any "
            f"distance, such as {first}: rows that are equal in all columns are at "
            "distance zero. They count as lost; drop them, or add a column that tells "
            "these rows apart."
        )
    live = np.flatnonzero(~hopeless)
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
