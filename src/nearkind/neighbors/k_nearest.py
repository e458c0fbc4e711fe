"""The k nearest rows with ties, and their votes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array

TIE = 1e-7
"""Distances closer than this share of the query's largest finite one are equal.

Between vectors, of a bound on it: see ``VectorRows.largest``.
"""
ENOUGH = 1.0 - 1e-9
"""Share of k that weights must add up to: sums of millions of fractions are rounded."""
DISTANCES_AT_ONCE = 1 << 21
"""Distances that one thread holds at a time."""


class Candidates(NamedTuple):
    """Pairs of a query and a unique row, sorted by query and then by row.

    Attributes
    ----------
    query : ndarray of int
        Number of the query.
    unique_row : ndarray of int
        Number of the unique row, its place in the index.
    distance : ndarray
        Between the two.
    """

    query: NDArray[np.intp]
    unique_row: NDArray[np.intp]
    distance: Array


class Near(NamedTuple):
    """The unique rows within reach of the k-th neighbour, listed over all queries.

    Attributes
    ----------
    query, unique_row, distance : ndarray
        As in ``Candidates``.
    votes : ndarray
        The weight of the unique row; at the k-th distance, its share of what is left.
    tie : ndarray of shape (n_queries,)
        How close two distances of a query are that count as equal.
    """

    query: NDArray[np.intp]
    unique_row: NDArray[np.intp]
    distance: Array
    votes: Array
    tie: Array

    def take(self, places: NDArray[np.intp]) -> "Near":
        """Return some places of the list, rising."""
        query, row = self.query[places], self.unique_row[places]
        return Near(query, row, self.distance[places], self.votes[places], self.tie)


@dataclass(frozen=True)
class KNearest:
    """Finds the unique rows that hold the k nearest rows.

    Parameters
    ----------
    weights : ndarray of shape (m,)
        Number of rows that each unique row represents.
    """

    weights: Array

    def near(self, distances: Array, k: float, tie: Array | None = None) -> Near:
        """Return the unique rows within reach; votes add up to k for each query.

        Parameters
        ----------
        distances : ndarray of shape (b, m)
            From each query to each unique row.
        k : float
            How many rows vote; all of them if there are fewer.
        tie : ndarray of shape (b,), default=None
            How close two distances of a query are that count as equal; None:
            ``tie_widths``.

        Returns
        -------
        Near
        """
        tie = tie_widths(distances) if tie is None else tie
        bound = nth_smallest(distances, self.n_nearest(k)) + tie  # (b,)
        query, row = np.divmod(
            np.flatnonzero(distances <= bound[:, None]), len(self.weights)
        )
        return self.among(Candidates(query, row, distances[query, row]), tie, k)

    def among(self, found: Candidates, tie: Array, k: float) -> Near:
        """Return the unique rows within reach, given some that hold all of these.

        Law: the bits of the result do not depend on what else is given.

        Parameters
        ----------
        found : Candidates
        tie : ndarray of shape (b,)
        k : float
            As in ``near``.
        """
        k = self.at_most(k)
        kth = self._kth_distances(found, len(tie), k)
        near = found.distance <= (kth + tie)[found.query]
        query, row = found.query[near], found.unique_row[near]
        within = Candidates(query, row, found.distance[near])
        return self.share_votes(within, kth, tie, k)

    def share_votes(self, found: Candidates, kth: Array, tie: Array, k: float) -> Near:
        """Return all rows within reach of the k-th distances (b,) with their votes."""
        query, unique_row, distance = found
        votes = self.weights[unique_row].astype(float)
        tied = distance >= (kth - tie)[query]
        at_kth = np.bincount(query, np.where(tied, votes, 0.0), len(kth))
        nearer = np.bincount(query, np.where(tied, 0.0, votes), len(kth))
        share = (k - nearer) / at_kth  # at most 1: the k-th row is among them
        votes *= np.where(tied, share[query], 1.0)
        return Near(*found, votes, tie)

    def at_most(self, k: float) -> float:
        """Return k, or the number of all rows if there are fewer."""
        return min(k, self._total)

    @cached_property
    def _total(self) -> float:
        return float(self.weights.sum())

    @cached_property
    def _lightest_first(self) -> Array:
        """Weight of the 1, 2, ... lightest unique rows (m,)."""
        return np.cumsum(np.sort(self.weights))

    def n_nearest(self, k: float) -> int:
        """Return how many unique rows hold k rows, whichever they are."""
        enough = np.searchsorted(self._lightest_first, self.at_most(k) * ENOUGH)
        return min(int(enough) + 1, len(self.weights))

    def _kth_distances(self, found: Candidates, n_queries: int, k: float) -> Array:
        """Return the distance at which the weights first add up to k (b,)."""
        query, unique_row, distance = found
        if n_queries == 1:  # the same in fewer steps
            order = np.argsort(distance, kind="stable")
            reached = np.cumsum(self.weights[unique_row[order]]) >= k * ENOUGH
            return distance[order[[reached.argmax()]]]
        sizes = np.bincount(query, minlength=n_queries)
        place = np.arange(len(query)) - (np.cumsum(sizes) - sizes)[query]
        shape = n_queries, int(sizes.max(initial=1))
        d, weights = np.full(shape, np.inf), np.zeros(shape)
        d[query, place], weights[query, place] = distance, self.weights[unique_row]
        n_nearest = min(self.n_nearest(k), shape[1])
        nearest = np.argpartition(d, n_nearest - 1, axis=1)[:, :n_nearest]
        d = np.take_along_axis(d, nearest, axis=1)
        order = np.argsort(d, axis=1, kind="stable")
        d = np.take_along_axis(d, order, axis=1)
        nearest = np.take_along_axis(nearest, order, axis=1)
        weights = np.take_along_axis(weights, nearest, axis=1)
        reached = np.cumsum(weights, axis=1) >= k * ENOUGH
        return d[np.arange(n_queries), reached.argmax(axis=1)]


@dataclass(frozen=True)
class RankedNear:
    """The unique rows within reach of the largest k, query by query, nearest first.

    Law: ``near(k)`` has the votes of ``KNearest.near(distances, k)``, for every k up to
    the largest, from one search.
    """

    query: NDArray[np.intp]
    unique_row: NDArray[np.intp]
    distance: Array
    weights: Array  # of the unique row
    group: NDArray[np.intp]  # those equally near to one query, numbered on
    before: Array  # rows that are nearer, of the same query
    level: Array  # rows that are equally near, its own among them
    tie: Array  # (b,)

    @classmethod
    def of(cls, near: Near, weights: Array) -> "RankedNear":
        """Rank the unique rows within reach of the largest k.

        Parameters
        ----------
        near : Near
        weights : ndarray
            Of each unique row in the list, above zero.
        """
        order = np.lexsort((near.distance, near.query))
        query, row = near.query[order], near.unique_row[order]
        distance, weights = near.distance[order], weights[order].astype(float)
        starts = np.diff(query, prepend=-1) > 0
        with np.errstate(invalid="ignore"):  # infinity less infinity is no step
            steps = np.diff(distance, prepend=distance[:1]) > near.tie[query]
        group = np.cumsum(starts | steps) - 1
        level = np.bincount(group, weights)
        upto = np.cumsum(level) - level  # over all queries
        first = np.flatnonzero(starts)
        own = np.repeat(upto[group[first]], np.diff(first, append=len(query)))
        before = upto[group] - own  # less what came before each query
        return cls(query, row, distance, weights, group, before, level[group], near.tie)

    @property
    def first_of_groups(self) -> NDArray[np.intp]:
        """Place in the list where each group begins."""
        return np.flatnonzero(np.diff(self.group, prepend=-1))

    def near(self, k: float) -> Near:
        """Return them with their votes for this k, zero for those beyond its reach."""
        votes = self.weights * np.clip((k - self.before) / self.level, 0.0, 1.0)
        return Near(self.query, self.unique_row, self.distance, votes, self.tie)


def nth_smallest(numbers: NDArray[Any], n: int) -> NDArray[Any]:
    """Return for each row a number that n of its numbers do not exceed (b,).

    It is the n-th smallest or little more: where there are many, some are taken
    together, and the least stands for them. Infinite if there are fewer than n.

    Examples
    --------
    >>> nth_smallest(np.array([[3.0, 1.0, 2.0]]), 2)
    array([2.])
    """
    b, m = numbers.shape
    if n > m:
        return np.full(b, np.inf)
    n_together = m // max(8 * n, 512)
    if n_together > 1:
        whole = numbers[:, : m // n_together * n_together]
        numbers = whole.reshape(b, n_together, -1).min(axis=1)
    return np.partition(numbers, n - 1, axis=1)[:, n - 1]


def tie_widths(distances: Array) -> Array:
    """Return how close two distances of a query are that count as equal (b,)."""
    largest = distances.max(axis=1)
    if not np.isfinite(largest).all():
        largest = distances.max(axis=1, where=np.isfinite(distances), initial=0.0)
    return TIE * largest


def ranks(distances: Array, tie: float) -> NDArray[np.intp]:
    """Return the rank of each distance; those tied share one, as infinite ones do.

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


def join_near(parts: Sequence[Near], numbers: Sequence[NDArray[np.intp]]) -> Near:
    """Return several lists as one, given the numbers of the queries of each.

    No query is in two of them.

    Examples
    --------
    >>> one = KNearest(np.ones(2)).near(np.array([[0.0, 1.0]]), 1)
    >>> join_near([one, one], [np.array([1]), np.array([0])]).query
    array([0, 1])
    """
    query = np.concatenate([at[p.query] for p, at in zip(parts, numbers, strict=True)])
    order = np.argsort(query, kind="stable")
    row = np.concatenate([part.unique_row for part in parts])
    distance = np.concatenate([part.distance for part in parts])[order]
    votes = np.concatenate([part.votes for part in parts])[order]
    tie = np.empty(sum(map(len, numbers)))
    tie[np.concatenate(numbers)] = np.concatenate([part.tie for part in parts])
    return Near(query[order], row[order], distance, votes, tie)


def near_by_chunk(
    near: Callable[[Array], Near], queries: Array, chunks: Sequence[slice]
) -> Near:
    """Return what ``near`` finds for some queries at a time, as one list."""
    numbers = [np.arange(len(queries))[at] for at in chunks]
    return join_near([near(queries[at]) for at in chunks], numbers)
