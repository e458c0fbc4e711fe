"""From cells back to the rows that they stand for."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nearkind.neighbors.reach import Near, Reach
from nearkind.protocols import Array


@dataclass(frozen=True)
class RowGroups:
    """Which rows each cell stands for: rows[starts[c]:starts[c + 1]], rising."""

    rows: NDArray[np.intp]
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, cells: NDArray[np.intp], numbers: NDArray[np.intp]) -> "RowGroups":
        """Group rows, given by rising number, by the cell of each."""
        order = np.argsort(cells, kind="stable")
        starts = np.searchsorted(cells[order], np.arange(cells.max() + 2))
        return cls(numbers[order], starts)

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """Number of rows in each cell."""
        return np.diff(self.starts)

    @cached_property
    def reach(self) -> Reach:
        """Finds the cells of the k nearest rows, whatever they weigh."""
        return Reach(self.sizes.astype(float))

    def by_row(self, cells: Array) -> tuple[NDArray[np.intp], Array]:
        """Return the row numbers, rising, and the entry of ``cells`` of each."""
        cell = np.repeat(np.arange(len(self.sizes)), self.sizes)
        order = np.argsort(self.rows, kind="stable")
        return self.rows[order], cells[cell[order]]

    def members_of(
        self, cells: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows of some cells, one cell after the other, and whose each is.

        Examples
        --------
        >>> groups = RowGroups.of(np.array([0, 1, 0]), np.array([4, 5, 6]))
        >>> [part.tolist() for part in groups.members_of(np.array([1, 0]))]
        [[5, 4, 6], [0, 1, 1]]
        """
        sizes = self.sizes[cells]
        owner = np.repeat(np.arange(len(cells)), sizes)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return self.rows[self.starts[cells][owner] + within], owner

    def nearest(
        self, near: Near, k: int, itself: NDArray[np.intp]
    ) -> tuple[Array, NDArray[np.intp]]:
        """Return the k nearest rows of each query, by distance, then by row number.

        Parameters
        ----------
        near : cells within reach of k rows, of one more where a row is left out
        k : how many rows
        itself : (b,), a row to leave out, or -1

        Returns
        -------
        distances, rows : (b, k), or fewer if there are no more
        """
        bounds = np.searchsorted(near.query, np.arange(len(itself) + 1))
        found = [
            self._nearest(near.cell[a:b], near.distance[a:b], tie, k, row)
            for a, b, tie, row in zip(
                bounds, bounds[1:], near.tie, itself, strict=False
            )
        ]
        distances, rows = zip(*found, strict=True)
        return np.array(distances), np.array(rows)

    def _nearest(
        self, cells: NDArray[np.intp], distances: Array, tie: float, k: int, itself: int
    ) -> tuple[Array, NDArray[np.intp]]:
        rows, owner = self.members_of(cells)
        d = distances[owner]
        order = np.lexsort((rows, ranks(d, tie)))
        order = order[rows[order] != itself][:k]
        return np.sort(d[order]), rows[order]


def ranks(distances: Array, tie: float) -> NDArray[np.intp]:
    """Return the rank of each distance, tied ones sharing it, as infinite ones do.

    Examples
    --------
    >>> ranks(np.array([0.5, 0.1, 0.5 + 1e-12]), 1e-9)
    array([1, 0, 1])
    """
    order = np.argsort(distances, kind="stable")
    with np.errstate(invalid="ignore"):  # infinity less infinity is no step
        steps = np.diff(distances[order], prepend=distances[order[:1]]) > tie
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.cumsum(steps)
    return place
