"""Neighbours among candidates that FAISS finds, ranked again by exact distances."""

from functools import cached_property
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.constraints.weighted_labels import AT_ONCE
from nearkind.neighbors.candidates import Candidates, candidates, first_try
from nearkind.neighbors.exact import Exact
from nearkind.neighbors.reach import ENOUGH, Near, Reach, joined, query_blocks
from nearkind.neighbors.searchers import Flat, faiss, fitting
from nearkind.neighbors.sites import Sites, lengths
from nearkind.neighbors.tuning import tuned
from nearkind.protocols import Array, Dissimilarity

A_BLOCK = 256
"""Queries that one thread answers at a time."""


class Searchable(NamedTuple):
    """What is built once."""

    sites: Sites
    searcher: Flat
    recall: float
    seconds: float


class Approximate:
    """An index of vectors, by FAISS: looks at all of them, or at the most promising.

    Law: ``near`` is that of ``Exact``, up to rounding of distances, for every query
    whose neighbours are among the candidates. A query whose candidates may lack one
    that ties with the k-th is asked again for more, and at last compared with all.

    Parameters
    ----------
    metric : a fitted distance with ``value_vectors_``
    cells : vectors of distinct rows (m, q)
    k : how many neighbours will be asked for

    Attributes
    ----------
    kind : "flat" up to 20,000 distinct vectors, "ivf" below 2,000,000, "hnsw" beyond
    recall_ : share of the true neighbours that were found for some of the rows before
        they were put in; search effort was raised until it was 0.99 by two standard
        errors
    n_rows : number of cells
    seconds : what it took to build and to measure

    It is built when it is first asked, or by ``build``.

    Examples
    --------
    >>> import nearkind as nk
    >>> metric = nk.baselines.Euclidean().fit([["a"], ["b"]], [0, 1])
    >>> index = Approximate(metric, np.array([[0.0], [3.0], [4.0]]), k=1)
    >>> index.near(np.array([[3.2]]), Reach(np.ones(3)), 1).cell
    array([1])
    """

    def __init__(self, metric: Dissimilarity, cells: Array, k: int) -> None:
        self.metric = metric
        self.cells = cells
        self.k = k
        self._pool: tuple[Array, Array] | None = None  # see _weights

    @staticmethod
    def takes(metric: Any) -> bool:
        """Say whether a distance, fitted or not, is Euclidean between vectors."""
        return hasattr(type(metric), "value_vectors_")

    @classmethod
    def check(cls, metric: Any, owner: str) -> None:
        """Raise if a distance has no vectors, or if there is no FAISS."""
        if not cls.takes(metric):
            raise ValueError(
                f"The 'index' parameter of {owner} must be 'exact' over "
                f"{type(metric).__name__}, which gives values no vectors that FAISS "
                "could search; got 'faiss'. Take index='exact', or a metric with "
                "value_vectors_, such as CPML, Euclidean or NCA."
            )
        faiss()

    def build(self) -> "Approximate":
        """Build it now, unless it is built."""
        _ = self._built
        return self

    @property
    def kind(self) -> str:
        """What FAISS calls it."""
        return self._built.searcher.kind

    @property
    def recall_(self) -> float:
        """Share of the true neighbours found."""
        return self._built.recall

    @property
    def seconds(self) -> float:
        """What it took to build."""
        return self._built.seconds

    @property
    def n_rows(self) -> int:
        """Number of cells."""
        return len(self.cells)

    def blocks(self, n_queries: int, at_once: int) -> list[slice]:
        """Split queries so that no block has many more numbers than that."""
        numbers = first_try(self.build().k) * self.cells.shape[1]
        return query_blocks(n_queries, numbers, min(at_once, A_BLOCK * numbers))

    def near(self, rows: Array, reach: Reach, k: float) -> Near:
        """Return the cells within reach of the k-th neighbour of each row."""
        k = reach.at_most(k)
        n = first_try(k)
        return self._near(rows, reach, k, (n, 16 * n))

    def _near(
        self, rows: Array, reach: Reach, k: float, tries: tuple[int, ...]
    ) -> Near:
        """Ask for as many candidates as the first try says, and more if need be."""
        if not tries:
            return self._compared(rows, reach, k)
        sites, searcher, *_ = self._built
        found = candidates(sites, searcher, sites.place(rows), tries[0])
        last, sure = self._kth(found, reach, k)
        done, left = np.flatnonzero(sure), np.flatnonzero(~sure)
        near = self._within(rows[done], found.of(done), reach, last[done], k)
        if not len(left):
            return near
        rest = self._near(rows[left], reach, k, tries[1:])
        return joined([near, rest], [done, left])

    def _kth(
        self, found: Candidates, reach: Reach, k: float
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Return the k-th distance, and whether all that tie with it were found."""
        weights = np.where(found.site < 0, 0.0, self._weights(reach)[found.site])
        reached = np.cumsum(weights, axis=1) >= k * ENOUGH
        last = found.distance[np.arange(len(reached)), reached.argmax(axis=1)]
        return last, reached.any(axis=1) & (last + found.tie < found.beyond)

    def _within(
        self, rows: Array, found: Candidates, reach: Reach, last: Array, k: float
    ) -> Near:
        """Return the cells of all sites within reach of the k-th distance (b,)."""
        sites = self._built.sites
        query, place = np.nonzero(found.distance <= (last + found.tie)[:, None])
        cell, owner = sites.cells.members_of(found.site[query, place])
        query = query[owner]
        order = np.lexsort((cell, query))
        query, cell = query[order], cell[order]
        distance = lengths(rows[query] - self.cells[cell])
        scaled = sites.scale * last, sites.scale * found.tie
        return reach.shared(query, cell, distance, *scaled, k)

    def _compared(self, rows: Array, reach: Reach, k: float) -> Near:
        """Compare with every cell."""
        exact = Exact(self.metric, self.cells, self.k)
        blocks = exact.blocks(len(rows), AT_ONCE)
        numbers = [np.arange(len(rows))[at] for at in blocks]
        return joined([exact.near(rows[at], reach, k) for at in blocks], numbers)

    def _weights(self, reach: Reach) -> Array:
        """Return the weight of each site, kept until others are asked for (s,)."""
        pool = self._pool
        if pool is None or pool[0] is not reach.weights:
            pooled = np.bincount(self._built.sites.of_cell, reach.weights)
            self._pool = pool = reach.weights, pooled.astype(float)
        return pool[1]

    @cached_property
    def _built(self) -> Searchable:
        start = perf_counter()
        sites = Sites.of(self.cells)
        found = tuned(sites, fitting(len(sites.vectors)), self.k)
        return Searchable(*found, perf_counter() - start)
