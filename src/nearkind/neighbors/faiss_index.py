"""Approximate search by FAISS, with candidates ranked by exact distances."""

from functools import cached_property
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind import optimizations
from nearkind.distances.form import FittedDistance, query_chunks
from nearkind.neighbors.exact import ExactIndex
from nearkind.neighbors.faiss_search import (
    DistinctVectors,
    FlatSearch,
    NearestVectors,
    build_searcher,
    import_faiss,
    n_candidates,
    nearest_vectors,
    searcher_for,
)
from nearkind.neighbors.k_nearest import (
    DISTANCES_AT_ONCE,
    ENOUGH,
    Candidates,
    KNearest,
    Near,
    join_near,
    near_by_chunk,
)
from nearkind.neighbors.vector_rows import lengths
from nearkind.protocols import Array

QUERIES_AT_ONCE = 256
"""Queries that one thread answers at a time."""


class BuiltSearch(NamedTuple):
    """What an index builds once."""

    distinct: DistinctVectors
    searcher: FlatSearch
    recall: float
    seconds: float


class FaissIndex:
    """An index of vectors by FAISS, which compares with all or the most promising ones.

    Law: ``near`` is that of ``ExactIndex``, up to rounding of distances, for every
    query whose neighbours are among the candidates. A query whose candidates may lack
    one that ties with the k-th is asked again for more, and at last compared with all,
    as all queries are with optimisations turned off.

    Parameters
    ----------
    metric : FittedDistance
        Fitted, with ``value_vectors_``.
    rows : ndarray of shape (m, q)
        Vectors of unique rows.
    k : int
        How many neighbours will be asked for.

    Attributes
    ----------
    built : BuiltSearch
        Built when it is first asked for, or by ``build``.
    kind : {"flat", "ivf", "hnsw"}
        "flat" up to 20,000 distinct vectors, "ivf" below 2,000,000, "hnsw" beyond.
    recall_ : float
        Share of the true neighbours that were found for some of the rows before they
        were added; search effort was raised until it was 0.99 by two standard errors.
    n_rows : int
        Number of unique rows.
    seconds : float
        Time of building and measuring.

    Examples
    --------
    >>> import nearkind as nk
    >>> metric = nk.baselines.Euclidean().fit([["a"], ["b"]], [0, 1])
    >>> index = FaissIndex(metric, np.array([[0.0], [3.0], [4.0]]), k=1)
    >>> index.near(np.array([[3.2]]), KNearest(np.ones(3)), 1).unique_row
    array([1])
    """

    def __init__(self, metric: FittedDistance, rows: Array, k: int) -> None:
        self.metric = metric
        self.rows = rows
        self.k = k
        self._summed: tuple[Array, Array] | None = None  # see _vector_weights

    @staticmethod
    def takes(metric: Any) -> bool:
        """Return whether a distance, fitted or not, is Euclidean between vectors."""
        return bool(metric.is_euclidean)

    @classmethod
    def check(cls, metric: Any, method: str, owner: str) -> None:
        """Raise if a distance has no vectors, or if FAISS is not installed."""
        if not cls.takes(metric):
            raise ValueError(
                f"The 'index' parameter of {owner} must be 'exact' over "
                f"{method}, which has no value vectors that FAISS "
                "could search; got 'faiss'. Take index='exact', or a metric with "
                "value_vectors_, such as CPML, Euclidean or NCA."
            )
        import_faiss()

    def build(self) -> "FaissIndex":
        """Build it now, unless it is built, and return it."""
        _ = self.built
        return self

    @cached_property
    def built(self) -> BuiltSearch:
        """What is built once."""
        start = perf_counter()
        distinct = DistinctVectors.of(self.rows)
        found = build_searcher(distinct, searcher_for(len(distinct)), self.k)
        return BuiltSearch(*found, perf_counter() - start)

    @property
    def kind(self) -> str:
        """How it searches, in FAISS's words."""
        return self.built.searcher.kind

    @property
    def recall_(self) -> float:
        """Share of the true neighbours found."""
        return self.built.recall

    @property
    def seconds(self) -> float:
        """Time of building and measuring."""
        return self.built.seconds

    @property
    def n_rows(self) -> int:
        """Number of unique rows."""
        return len(self.rows)

    def chunks(self, n_queries: int, at_once: int) -> list[slice]:
        """Split queries into chunks of about ``at_once`` numbers at most."""
        numbers = n_candidates(self.build().k) * self.rows.shape[1]
        return query_chunks(n_queries, numbers, min(at_once, QUERIES_AT_ONCE * numbers))

    def near(self, queries: Array, k_nearest: KNearest, k: float) -> Near:
        """Return the unique rows within reach of the k-th neighbour of each query."""
        if not optimizations.enabled():
            return self._compare_with_all(queries, k_nearest, k)
        k = k_nearest.at_most(k)
        n = n_candidates(k)
        return self._near(queries, k_nearest, k, (n, 16 * n))

    def _near(
        self, queries: Array, k_nearest: KNearest, k: float, tries: tuple[int, ...]
    ) -> Near:
        """Ask for as many candidates as the first try says, and more if need be."""
        if not tries:
            return self._compare_with_all(queries, k_nearest, k)
        distinct, searcher, *_ = self.built
        V = distinct.transform(queries)
        found = nearest_vectors(distinct, searcher, V, tries[0])
        kth, is_sure = self._kth_distances(found, k_nearest, k)
        done, left = np.flatnonzero(is_sure), np.flatnonzero(~is_sure)
        near = self._within(queries[done], found.take(done), k_nearest, kth[done], k)
        if not len(left):
            return near
        rest = self._near(queries[left], k_nearest, k, tries[1:])
        return join_near([near, rest], [done, left])

    def _kth_distances(
        self, found: NearestVectors, k_nearest: KNearest, k: float
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Return the k-th distance, and whether all that tie with it were found."""
        weights = self._vector_weights(k_nearest)[found.number]
        weights = np.where(found.number < 0, 0.0, weights)
        reached = np.cumsum(weights, axis=1) >= k * ENOUGH
        kth = found.distance[np.arange(len(reached)), reached.argmax(axis=1)]
        return kth, reached.any(axis=1) & (kth + found.tie < found.beyond)

    def _within(
        self,
        queries: Array,
        found: NearestVectors,
        k_nearest: KNearest,
        kth: Array,
        k: float,
    ) -> Near:
        """Return the rows of all vectors within reach of the k-th distances (b,)."""
        distinct = self.built.distinct
        query, place = np.nonzero(found.distance <= (kth + found.tie)[:, None])
        row, owner = distinct.rows.members_of(found.number[query, place])
        query = query[owner]
        order = np.lexsort((row, query))
        query, row = query[order], row[order]
        within = Candidates(query, row, lengths(queries[query] - self.rows[row]))
        scaled = distinct.scale * kth, distinct.scale * found.tie
        return k_nearest.share_votes(within, *scaled, k)

    def _compare_with_all(self, queries: Array, k_nearest: KNearest, k: float) -> Near:
        exact = ExactIndex(self.metric, self.rows, self.k)
        chunks = exact.chunks(len(queries), DISTANCES_AT_ONCE)
        return near_by_chunk(
            lambda some: exact.near(some, k_nearest, k), queries, chunks
        )

    def _vector_weights(self, k_nearest: KNearest) -> Array:
        """Return the weight of each vector, kept until others are asked for (s,)."""
        summed = self._summed
        if summed is None or summed[0] is not k_nearest.weights:
            weights = np.bincount(self.built.distinct.of_row, k_nearest.weights)
            self._summed = summed = k_nearest.weights, weights.astype(float)
        return summed[1]
