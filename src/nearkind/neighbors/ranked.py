"""One search for neighbours, for every k up to the largest."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkind.neighbors.reach import Near
from nearkind.protocols import Array


@dataclass(frozen=True)
class Ranked:
    """The cells within reach of the largest k, query by query, the nearest first.

    Law: ``near(k)`` has the votes of ``Reach.near(distances, k)``, for every k up to
    the largest, from one search.
    """

    query: NDArray[np.intp]
    cell: NDArray[np.intp]
    distance: Array
    weights: Array  # of the cell
    before: Array  # rows in cells that are nearer, of the same query
    level: Array  # rows in cells that are equally near, itself among them
    tie: Array  # (b,)

    @classmethod
    def of(cls, near: Near, cell_weights: Array) -> "Ranked":
        """Rank the cells within reach of the largest k."""
        order = np.lexsort((near.distance, near.query))
        query, cell = near.query[order], near.cell[order]
        distance, weights = near.distance[order], cell_weights[cell].astype(float)
        starts = np.diff(query, prepend=-1) > 0
        with np.errstate(invalid="ignore"):  # infinity less infinity is no step
            steps = np.diff(distance, prepend=distance[:1]) > near.tie[query]
        group = np.cumsum(starts | steps) - 1
        level = np.bincount(group, weights)
        first = np.flatnonzero(np.diff(group, prepend=-1))
        upto = np.cumsum(level) - level  # over all queries
        own = upto[group[np.flatnonzero(starts)]]  # what came before each query
        before = (upto - own[query[first]])[group]
        return cls(query, cell, distance, weights, before, level[group], near.tie)

    def near(self, k: float) -> Near:
        """Return them with their votes for this k, none for those out of its reach."""
        votes = self.weights * np.clip((k - self.before) / self.level, 0.0, 1.0)
        return Near(self.query, self.cell, self.distance, votes, self.tie)
