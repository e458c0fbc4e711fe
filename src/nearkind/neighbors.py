"""Nearest neighbours among weighted cells of equal rows, ties included.

Categorical distances tie all the time, so the k nearest rows are often not k. Rows tied
at the k-th distance share what is left of the k votes; no vote depends on row order.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.typing import Array

TIE = 1e-7
"""Distances closer than this share of the query's largest finite one are equal."""


class Near(NamedTuple):
    """The cells within reach of the k-th neighbour, as one list over all queries."""

    query: NDArray[np.intp]
    cell: NDArray[np.intp]
    distance: Array
    votes: Array  # the cell's weight; at the k-th distance, its share of what is left


@dataclass(frozen=True)
class Reach:
    """Finds the cells that hold the k nearest rows, ``weights`` rows in each."""

    weights: Array

    def near(self, distances: Array, k: float) -> Near:
        """Return who is within reach, with their votes, which add up to k a query.

        Parameters
        ----------
        distances : (b, m), from each query to each cell
        k : how many rows vote; all of them if there are fewer
        """
        k = min(k, float(self.weights.sum()))
        tie = ties(distances)  # (b,)
        last = self._kth(distances, k)  # (b,)
        query, cell = np.nonzero(distances <= (last + tie)[:, None])
        distance = distances[query, cell]
        votes = self.weights[cell].astype(float)
        tied = distance >= (last - tie)[query]
        n_queries = len(distances)
        nearer = np.bincount(query[~tied], votes[~tied], n_queries)
        at_last = np.bincount(query[tied], votes[tied], n_queries)
        share = (k - nearer) / at_last  # never more than 1: the k-th row is among them
        votes[tied] *= share[query[tied]]
        return Near(query, cell, distance, votes)

    @cached_property
    def _lightest_first(self) -> Array:
        """Weight of the 1, 2, ... lightest cells (m,)."""
        return np.cumsum(np.sort(self.weights))

    def _kth(self, distances: Array, k: float) -> Array:
        """Return the distance at which the weights first add up to k."""
        enough = np.searchsorted(self._lightest_first, k * (1 - 1e-12))
        n_cells = min(int(enough) + 1, len(self.weights))
        nearest = np.argpartition(distances, n_cells - 1, axis=1)[:, :n_cells]
        d = np.take_along_axis(distances, nearest, axis=1)
        order = np.argsort(d, axis=1, kind="stable")
        d = np.take_along_axis(d, order, axis=1)
        weights = self.weights[np.take_along_axis(nearest, order, axis=1)]
        reached = np.cumsum(weights, axis=1) >= k * (1 - 1e-12)
        return d[np.arange(len(d)), reached.argmax(axis=1)]


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

    @classmethod
    def of(cls, reach: Reach, distances: Array, largest: float) -> "Ranked":
        """Rank the cells within reach of the ``largest`` k."""
        near = reach.near(distances, largest)
        order = np.lexsort((near.distance, near.query))
        query, cell = near.query[order], near.cell[order]
        distance, weights = near.distance[order], reach.weights[cell].astype(float)
        starts = np.diff(query, prepend=-1) > 0
        with np.errstate(invalid="ignore"):  # infinity less infinity is no step
            steps = np.diff(distance, prepend=distance[:1]) > ties(distances)[query]
        group = np.cumsum(starts | steps) - 1
        level = np.bincount(group, weights)
        first = np.flatnonzero(np.diff(group, prepend=-1))
        upto = np.cumsum(level) - level  # over all queries
        own = upto[group[np.flatnonzero(starts)]]  # what came before each query
        before = upto - own[query[first]]
        return cls(query, cell, distance, weights, before[group], level[group])

    def near(self, k: float) -> Near:
        """Return them with their votes for this k, none for those out of its reach."""
        votes = self.weights * np.clip((k - self.before) / self.level, 0.0, 1.0)
        return Near(self.query, self.cell, self.distance, votes)


@dataclass(frozen=True)
class GroupedRows:
    """Which rows each cell stands for: rows[starts[c]:starts[c + 1]], rising."""

    rows: NDArray[np.intp]
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, cells: NDArray[np.intp], numbers: NDArray[np.intp]) -> "GroupedRows":
        """Group rows, given by rising number, by the cell of each."""
        order = np.argsort(cells, kind="stable")
        starts = np.searchsorted(cells[order], np.arange(cells.max() + 2))
        return cls(numbers[order], starts)

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """Number of rows in each cell."""
        return np.diff(self.starts)

    @cached_property
    def _reach(self) -> Reach:
        return Reach(self.sizes.astype(float))

    def by_row(self, cells: Array) -> tuple[NDArray[np.intp], Array]:
        """Return the row numbers, rising, and the entry of ``cells`` of each."""
        cell = np.repeat(np.arange(len(self.sizes)), self.sizes)
        order = np.argsort(self.rows, kind="stable")
        return self.rows[order], cells[cell[order]]

    def nearest(
        self, distances: Array, k: int, itself: int
    ) -> tuple[Array, NDArray[np.intp]]:
        """Return the k nearest rows of one query, by distance, then by row number.

        Parameters
        ----------
        distances : (m,), to each cell
        k : how many rows
        itself : a row to leave out, or -1
        """
        near = self._reach.near(distances[None], k + (itself >= 0))
        spans = [self.rows[self.starts[c] : self.starts[c + 1]] for c in near.cell]
        d = np.repeat(near.distance, self.sizes[near.cell])
        rows = np.concatenate(spans)
        place = ranks(d, ties(distances[None])[0])
        order = np.lexsort((rows, place))
        order = order[rows[order] != itself][:k]
        return np.sort(d[order]), rows[order]


def ties(distances: Array) -> Array:
    """Return how close two distances of a query are that count as equal (b,)."""
    largest = distances.max(axis=1)
    if not np.isfinite(largest).all():
        largest = distances.max(axis=1, where=np.isfinite(distances), initial=0.0)
    return TIE * largest


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


def query_blocks(n_queries: int, n_cells: int, at_once: int) -> list[slice]:
    """Split queries into blocks of at most so many distances, or one row."""
    size = max(1, at_once // max(n_cells, 1))
    return [slice(at, at + size) for at in range(0, n_queries, size)]
