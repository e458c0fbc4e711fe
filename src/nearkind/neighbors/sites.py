"""Where cells lie: cells with one vector, up to rounding, are one site.

A metric of low rank, or with idle columns, puts many distinct rows at one place. An
index over places finds them all as one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.rows import unique_rows
from nearkind.neighbors.groups import RowGroups
from nearkind.protocols import Array

GRID = 2.0**30
"""Steps from the centre to the farthest cell; vectors of one step are one site."""


@dataclass(frozen=True)
class Sites:
    """Distinct vectors, moved and scaled into the ball of radius one."""

    centre: Array  # (q,)
    scale: float
    vectors: Array  # (s, q)
    of_cell: NDArray[np.intp]  # (m,)
    cells: RowGroups  # of each site

    @classmethod
    def of(cls, U: Array) -> "Sites":
        """Find the sites of cells with vectors U (m, q).

        Examples
        --------
        >>> Sites.of(np.array([[3.0], [1.0], [3.0]])).of_cell
        array([1, 0, 1])
        """
        centre = U.mean(axis=0)
        V = U - centre
        scale = float(lengths(V).max()) or 1.0
        V /= scale
        grid = np.rint(GRID * V).astype(np.int32)
        nothing = np.zeros(len(V), dtype=np.intp)
        of_cell = unique_rows(grid, nothing, np.ones(len(V))).of_row
        cells = RowGroups.of(of_cell, np.arange(len(V)))
        first = cells.rows[cells.starts[:-1]]
        return cls(centre, scale, V[first], of_cell, cells)

    def place(self, U: Array) -> Array:
        """Move and scale other vectors in the same way."""
        return (U - self.centre) / self.scale


def lengths(V: Array) -> Array:
    """Return the length of each vector, the last axis."""
    return np.sqrt(np.einsum("...q,...q->...", V, V))
