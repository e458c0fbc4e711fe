"""Exact search of nearest neighbours."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nearkind import optimizations
from nearkind.distances.form import FittedDistance, query_chunks
from nearkind.neighbors.k_nearest import KNearest, Near, tie_widths
from nearkind.neighbors.vector_rows import VectorRows
from nearkind.neighbors.vector_search import ProductSearch, TreeSearch
from nearkind.protocols import Array

PLAIN_UP_TO = 64
"""Number of vectors up to which every distance is computed exactly."""
TREE_FROM = 1 << 8
"""Number of vectors from which on a tree is faster, doubled by each wide direction."""
TREE_DIRECTIONS = 64
"""Number of directions from which on there is no tree."""


@dataclass(frozen=True)
class PlainIndex:
    """An index that computes every distance, under any metric; it builds nothing.

    Distances between vectors are tied within ``VectorRows.tie_widths``, all others
    within ``tie_widths``.

    Parameters
    ----------
    metric : FittedDistance
        Fitted.
    rows : sequence of length m
        Unique rows, as the metric represents them.
    k : int
        How many neighbours will be asked for; not used.

    Attributes
    ----------
    kind, recall_, n_rows, seconds : as in ``protocols.Index``
    """

    metric: FittedDistance
    rows: Any
    k: int

    kind = "exact"
    recall_ = 1.0
    seconds = 0.0

    @staticmethod
    def takes(metric: Any) -> bool:
        """Return True: it can search under any metric."""
        return True

    @staticmethod
    def check(metric: Any, method: str, owner: str) -> None:
        """Accept any metric."""

    @property
    def n_rows(self) -> int:
        """Number of unique rows."""
        return len(self.rows)

    @cached_property
    def vectors(self) -> VectorRows:
        """The rows, under a Euclidean metric."""
        return VectorRows(self.rows)

    def build(self) -> "PlainIndex":
        """Return itself."""
        return self

    def chunks(self, n_queries: int, at_once: int) -> list[slice]:
        """Split queries into chunks of at most ``at_once`` distances, or one query."""
        return query_chunks(n_queries, self.n_rows, at_once)

    def near(self, queries: Any, k_nearest: KNearest, k: float) -> Near:
        """Return the unique rows within reach of the k-th neighbour of each query."""
        distances, tie = self.distances(queries)
        return k_nearest.near(distances, k, tie)

    def distances(self, queries: Any) -> tuple[Array, Array]:
        """Return all distances (b, m), and how close two count as equal (b,)."""
        if not self.metric.is_euclidean:
            distances = self.metric.compare(queries, self.rows)
            return distances, tie_widths(distances)
        return self.vectors.all_distances(queries), self.vectors.tie_widths(queries)


class ExactIndex(PlainIndex):
    """An index that finds what ``PlainIndex`` finds, to the last bit, and faster.

    Vectors are searched by a tree if they are many and spread in few directions, else
    by a product of matrices in single precision that selects candidates. Few vectors,
    and metrics without vectors, are compared one by one. So are all with optimisations
    turned off.

    Parameters
    ----------
    metric, rows, k : as in ``PlainIndex``

    Attributes
    ----------
    kind, recall_, n_rows, seconds : as in ``protocols.Index``

    Examples
    --------
    >>> import numpy as np
    >>> import nearkind as nk
    >>> metric = nk.baselines.Hamming().fit([["a"], ["b"]]).distance_
    >>> index = ExactIndex(metric, metric.represent(np.array([[0], [1]])), 1)
    >>> query = metric.represent(np.array([[1]]))
    >>> index.near(query, KNearest(np.ones(2)), 1).unique_row
    array([1])
    """

    @property
    def search(self) -> ProductSearch | TreeSearch | None:
        """What finds candidates; None: every distance is computed."""
        return self.fast_search if optimizations.enabled() else None

    @cached_property
    def fast_search(self) -> ProductSearch | TreeSearch | None:
        """What finds candidates where that is faster than every distance."""
        if not self.metric.is_euclidean or self.n_rows <= PLAIN_UP_TO:
            return None
        if not 0 < self.rows.shape[1] < TREE_DIRECTIONS:
            return ProductSearch(self.vectors)
        is_tree = self.n_rows >= TREE_FROM * 2.0**self.vectors.n_wide
        return (TreeSearch if is_tree else ProductSearch)(self.vectors)

    def chunks(self, n_queries: int, at_once: int) -> list[slice]:
        """Split queries into chunks of about ``at_once`` numbers, or more if few.

        What threads will share is built before they start.
        """
        if self.search is None:
            return super().chunks(n_queries, at_once)
        self.search.build()
        size = min(at_once, self.search.queries_at_once(n_queries, at_once))
        return query_chunks(n_queries, 1, size)

    def near(self, queries: Any, k_nearest: KNearest, k: float) -> Near:
        """Return the unique rows within reach of the k-th neighbour of each query."""
        if self.search is None or not len(queries):
            return super().near(queries, k_nearest, k)
        return self.search.near(queries, k_nearest, k)
