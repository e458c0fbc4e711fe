"""Equal rows of one class are one cell with a weight.

Categorical tables repeat themselves. A row of weight m stands for m rows at one place,
so everything that is learned from cells equals what the rows themselves would give.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array, Codes


@dataclass(frozen=True)
class Cells:
    """Distinct (codes, label) rows, sorted by label, then by codes.

    Attributes
    ----------
    codes : (m, D)
    y : (m,), -1 where the label is not known
    weights : (m,), how many rows each stands for
    of_row : (n,), the cell of each row
    own : (m,), weight of each as its own partner, as in ``Labels``; None: by weight
    """

    codes: Codes
    y: NDArray[np.intp]
    weights: Array
    of_row: NDArray[np.intp]
    own: Array = None  # type: ignore[assignment]

    @property
    def labelled(self) -> "Cells":
        """Those whose label is known, of the rows that have one."""
        first = int((self.y < 0).sum())  # unknown labels come first
        of_row = self.of_row[self.of_row >= first] - first
        return Cells(self.codes[first:], self.y[first:], self.weights[first:], of_row)


def collapse(codes: Codes, y: NDArray[np.intp], weights: Array) -> Cells:
    """Merge equal rows of one label, adding their weights.

    Examples
    --------
    >>> codes = np.array([[0, 1], [0, 1], [2, 0]], dtype=np.int32)
    >>> collapse(codes, np.array([0, 0, 1]), np.ones(3)).weights
    array([2., 1.])
    """
    keys = row_keys(np.column_stack([y, codes]))
    _, first, of_row = np.unique(keys, return_index=True, return_inverse=True)
    totals: Array = np.bincount(of_row, weights, len(first)).astype(float)
    return Cells(codes[first], y[first], totals, of_row)


def collapse_drawn(codes: Codes, y: NDArray[np.intp], totals: Array) -> Cells:
    """Merge equal rows of one label that were drawn to stand for others too.

    A class keeps its weight, shared among the rows drawn from it. A row stands for
    others elsewhere, so it is its own partner only as often as it was drawn again: the
    mean over pairs of drawn rows then estimates that over all pairs. Where every row
    was drawn these are the cells of all rows.

    Parameters
    ----------
    codes, y : of the rows drawn
    totals : (C,), rows of each class among all

    Examples
    --------
    >>> codes = np.array([[0], [0], [1]], dtype=np.int32)
    >>> cells = collapse_drawn(codes, np.array([0, 0, 0]), np.array([6.0]))
    >>> cells.weights.tolist(), cells.own.tolist()
    ([4.0, 2.0], [2.0, 0.0])
    """
    drawn = np.maximum(np.bincount(y, minlength=len(totals)), 1)
    each = totals / drawn  # rows that one row stands for
    cells = collapse(codes, y, np.ones(len(y)))
    weights = cells.weights * each[cells.y]
    own = np.maximum(weights - each[cells.y], 0.0)
    return replace(cells, weights=weights, own=own)


def row_keys(table: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return one integer a row, equal for equal rows and sorted as the rows are."""
    keys = np.zeros(len(table), dtype=np.int64)
    room = 1
    for column in table.T:
        low, high = int(column.min(initial=0)), int(column.max(initial=0))
        if room * (high - low + 1) >= 2**62:
            distinct, keys = np.unique(keys, return_inverse=True)
            room = len(distinct)
        keys = keys * (high - low + 1) + (column - low)
        room *= high - low + 1
    return keys
