"""Constraints that users state by row number."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.constraints import tuples
from nearkind.constraints.tuples import TupleList

WIDTHS = {"triplets": 3, "pairs": 3, "quadruplets": 4}
MEANING = {
    "triplets": "(i, j, k): i is nearer to j than to k",
    "pairs": "(i, j, side): side +1 if alike, -1 if not",
    "quadruplets": "(i, j, k, l): i is nearer to j than k is to l",
}


def stated_constraints(
    stated: Mapping[str, Any], of_row: NDArray[np.intp], margin: float
) -> TupleList:
    """Return the one kind of constraint that was stated, on cells.

    Parameters
    ----------
    stated : for each kind an array of row numbers (T, 3 or 4), or None
    of_row : the cell of each row
    margin : by how much a distance must be smaller
    """
    given = {kind: rows for kind, rows in stated.items() if rows is not None}
    if len(given) != 1:
        raise ValueError(
            "State exactly one of triplets, pairs or quadruplets; "
            f"got {', '.join(given) or 'none'}."
        )
    ((kind, rows),) = given.items()
    table = _checked(kind, rows, len(of_row))
    shares = np.full(len(table), 1.0 / len(table))
    if kind == "pairs":
        i, j = of_row[table[:, :2]].T
        return tuples.pairs(i, j, table[:, 2], margin, shares)
    make: Any = tuples.triplets if kind == "triplets" else tuples.quadruplets
    return make(*of_row[table].T, margin, shares)


def _checked(kind: str, rows: Any, n_rows: int) -> NDArray[np.intp]:
    table = np.asarray(rows)
    width = WIDTHS[kind]
    if table.ndim != 2 or table.shape[1] != width or not len(table):
        raise ValueError(
            f"{kind} must be a table with at least one row {MEANING[kind]}; got shape "
            f"{table.shape}."
        )
    if table.dtype.kind not in "iu":
        raise ValueError(f"{kind} must hold whole row numbers, got {table.dtype}.")
    numbers = table[:, :2] if kind == "pairs" else table
    outside = np.argwhere((numbers < 0) | (numbers >= n_rows))
    if len(outside):
        at = outside[0][0]
        raise ValueError(
            f"{kind}[{at}] = {table[at].tolist()} names a row that is not there: they "
            f"go from 0 to {n_rows - 1}."
        )
    if kind == "pairs" and not np.isin(table[:, 2], (-1, 1)).all():
        at = int(np.flatnonzero(~np.isin(table[:, 2], (-1, 1)))[0])
        raise ValueError(f"pairs[{at}] has side {table[at, 2]}; it must be +1 or -1.")
    return table.astype(np.intp)
