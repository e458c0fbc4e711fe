"""The cells that hold the k nearest rows, ties included, and their votes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array

TIE = 1e-7
"""Distances closer than this share of the query's largest finite one are equal."""
ENOUGH = 1.0 - 1e-12
"""Share of k that weights must add up to: they may be sums of fractions."""


class Near(NamedTuple):
    """The cells within reach of the k-th neighbour, as one list over all queries.

    It goes from query to query, and within one by the number of the cell.
    """

    query: NDArray[np.intp]
    cell: NDArray[np.intp]
    distance: Array
    votes: Array  # the cell's weight; at the k-th distance, its share of what is left
    tie: Array  # (b,), how close two distances of a query are that count as equal


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
        k = self.at_most(k)
        tie = ties(distances)  # (b,)
        last = self._kth(distances, k)  # (b,)
        query, cell = np.nonzero(distances <= (last + tie)[:, None])
        return self.shared(query, cell, distances[query, cell], last, tie, k)

    def shared(
        self,
        query: NDArray[np.intp],
        cell: NDArray[np.intp],
        distance: Array,
        last: Array,
        tie: Array,
        k: float,
    ) -> Near:
        """Give votes to all cells within reach of the k-th distances ``last`` (b,)."""
        votes = self.weights[cell].astype(float)
        tied = distance >= (last - tie)[query]
        nearer = np.bincount(query[~tied], votes[~tied], len(last))
        at_last = np.bincount(query[tied], votes[tied], len(last))
        share = (k - nearer) / at_last  # never more than 1: the k-th row is among them
        votes[tied] *= share[query[tied]]
        return Near(query, cell, distance, votes, tie)

    def at_most(self, k: float) -> float:
        """Return k, or the number of all rows if there are fewer."""
        return min(k, self._total)

    @cached_property
    def _total(self) -> float:
        return float(self.weights.sum())

    @cached_property
    def _lightest_first(self) -> Array:
        """Weight of the 1, 2, ... lightest cells (m,)."""
        return np.cumsum(np.sort(self.weights))

    def _kth(self, distances: Array, k: float) -> Array:
        """Return the distance at which the weights first add up to k."""
        enough = np.searchsorted(self._lightest_first, k * ENOUGH)
        n_cells = min(int(enough) + 1, len(self.weights))
        nearest = np.argpartition(distances, n_cells - 1, axis=1)[:, :n_cells]
        d = np.take_along_axis(distances, nearest, axis=1)
        order = np.argsort(d, axis=1, kind="stable")
        d = np.take_along_axis(d, order, axis=1)
        weights = self.weights[np.take_along_axis(nearest, order, axis=1)]
        reached = np.cumsum(weights, axis=1) >= k * ENOUGH
        return d[np.arange(len(d)), reached.argmax(axis=1)]


def ties(distances: Array) -> Array:
    """Return how close two distances of a query are that count as equal (b,)."""
    largest = distances.max(axis=1)
    if not np.isfinite(largest).all():
        largest = distances.max(axis=1, where=np.isfinite(distances), initial=0.0)
    return TIE * largest


def joined(parts: Sequence[Near], numbers: Sequence[NDArray[np.intp]]) -> Near:
    """Return one list of several, given the numbers of the queries of each.

    Examples
    --------
    >>> one = Reach(np.ones(2)).near(np.array([[0.0, 1.0]]), 1)
    >>> joined([one, one], [np.array([1]), np.array([0])]).query
    array([0, 1])
    """
    query = np.concatenate([at[p.query] for p, at in zip(parts, numbers, strict=True)])
    cell = np.concatenate([part.cell for part in parts])
    order = np.lexsort((cell, query))
    distance, votes = (
        np.concatenate([part[place] for part in parts])[order] for place in (2, 3)
    )
    tie = np.empty(sum(map(len, numbers)))
    tie[np.concatenate(numbers)] = np.concatenate([part.tie for part in parts])
    return Near(query[order], cell[order], distance, votes, tie)


def query_blocks(n_queries: int, n_cells: int, at_once: int) -> list[slice]:
    """Split queries into blocks of at most so many distances, or one row."""
    size = max(1, at_once // max(n_cells, 1))
    return [slice(at, at + size) for at in range(0, n_queries, size)]
