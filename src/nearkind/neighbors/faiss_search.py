"""Candidate neighbours among vectors by FAISS, with a measured recall.

``DistinctVectors`` merges equal vectors, a searcher (``FlatSearch``, ``ListSearch`` or
``GraphSearch``) finds some of them near a query in single precision,
``nearest_vectors`` ranks those in double precision, and ``build_searcher`` raises the
search effort until queries that are new to it find nearly all their neighbours.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.form import query_chunks
from nearkind.encoding.rows import unique_rows
from nearkind.neighbors.k_nearest import DISTANCES_AT_ONCE, TIE
from nearkind.neighbors.training_rows import RowGroups
from nearkind.neighbors.vector_rows import lengths
from nearkind.protocols import Array

GRID = 2.0**30
"""Steps from the centre to the farthest vector; those within a step are equal."""
ROUNDING = float(np.finfo(np.float32).eps)

FLAT_UP_TO = 20_000
"""Number of vectors up to which a query is compared with all of them."""
GRAPH_FROM = 2_000_000
"""Number of vectors from which on a graph is worth its building.

Building takes 3 to 10 times as long as that of lists. What a query looks at grows as
n^0.24 by a graph and n^0.67 by lists (time as n^0.31 and n^0.73 in one run, hardly in
another), so what it gains grows with the table. See docs/index-of-neighbors.md.
"""
SEED = 1
N_CLUSTERING_STEPS = 10
VECTORS_PER_LIST = 64
"""Vectors for each list that the clustering looks at."""
N_LINKS = 16
"""Links of each vector of a graph."""

MIN_RECALL = 0.99
"""Share of the true neighbours that must be found, two standard errors aside."""
N_HELD_OUT = 1_000
"""Vectors that recall is measured on before they are added, a fifth at most."""
MIN_NEIGHBORS = 5
"""Neighbours of each that must be found, or as many as will be asked for."""

Found = tuple[NDArray[np.float32], NDArray[np.int64]]


@dataclass(frozen=True)
class DistinctVectors:
    """Vectors of unique rows, equal ones merged, shifted and scaled into the unit ball.

    A metric of low rank, or with columns of weight zero, gives many unique rows one
    vector, up to rounding. A search over distinct vectors finds them all as one.
    """

    centre: Array  # (q,)
    scale: float
    vectors: Array  # (s, q)
    of_row: NDArray[np.intp]  # (m,), the vector of each unique row
    rows: RowGroups  # the unique rows of each vector

    @classmethod
    def of(cls, U: Array) -> "DistinctVectors":
        """Merge equal vectors of U (m, q).

        Examples
        --------
        >>> DistinctVectors.of(np.array([[3.0], [1.0], [3.0]])).of_row
        array([1, 0, 1])
        """
        centre = U.mean(axis=0)
        V = U - centre
        scale = float(lengths(V).max()) or 1.0
        V /= scale
        grid = np.rint(GRID * V).astype(np.int32)
        one_class = np.zeros(len(V), dtype=np.intp)
        of_row = unique_rows(grid, one_class, np.ones(len(V))).of_row
        rows = RowGroups.of(of_row, np.arange(len(V)))
        return cls(centre, scale, V[rows.first_rows], of_row, rows)

    def __len__(self) -> int:
        return len(self.vectors)

    def transform(self, U: Array) -> Array:
        """Shift and scale other vectors in the same way."""
        return (U - self.centre) / self.scale

    def with_last(self, n: int) -> "DistinctVectors":
        """Return the same vectors renumbered, so that n drawn at random come last."""
        numbers = np.arange(len(self))
        drawn = np.random.default_rng(0).permutation(numbers)[:n]
        order = np.concatenate([np.delete(numbers, drawn), drawn])
        of_row = np.argsort(order)[self.of_row]
        rows = RowGroups.of(of_row, np.arange(len(of_row)))
        return replace(self, vectors=self.vectors[order], of_row=of_row, rows=rows)


class FlatSearch:
    """Compares a query with every vector."""

    kind = "flat"

    def __init__(self, V: Array) -> None:
        self._index = import_faiss().IndexFlatL2(V.shape[1])
        self.add(V)

    def add(self, V: Array) -> None:
        """Add vectors, numbered on from those before."""
        with one_thread():
            self._index.add(as_float32(V))

    @property
    def effort(self) -> int:
        """How much a search looks at: here the number of vectors."""
        return len(self)

    def efforts(self) -> Iterator[int]:
        """Set one effort after the other, from little to all, and yield each."""
        yield self.effort

    def search(self, V: Array, n: int) -> Found:
        """Return squared distances and numbers of the n nearest (b, n).

        Numbers are -1 where fewer than n were found.
        """
        with one_thread():
            found: Found = self._index.search(as_float32(V), n)
        return found

    def __len__(self) -> int:
        return int(self._index.ntotal)


class ListSearch(FlatSearch):
    """Compares a query with the vectors of the nearest clusters (inverted lists)."""

    kind = "ivf"

    def __init__(self, V: Array) -> None:
        n_lists = int(2.0 * len(V) ** 0.5)
        faiss = import_faiss()
        lists = faiss.IndexFlatL2(V.shape[1])
        self._index = faiss.IndexIVFFlat(lists, V.shape[1], n_lists)
        clustering = self._index.cp
        clustering.seed, clustering.niter = SEED, N_CLUSTERING_STEPS
        clustering.max_points_per_centroid = VECTORS_PER_LIST
        clustering.min_points_per_centroid = 1
        with one_thread():
            self._index.train(as_float32(V))
        self.add(V)

    @property
    def effort(self) -> int:
        """Number of clusters to look into."""
        return int(self._index.nprobe)

    def efforts(self) -> Iterator[int]:
        """Set one number of clusters after the other, and yield each."""
        for effort in rising_numbers(1, self._index.nlist):
            self._index.nprobe = effort
            yield effort


class GraphSearch(FlatSearch):
    """Walks along links between near vectors (HNSW)."""

    kind = "hnsw"

    def __init__(self, V: Array) -> None:
        self._index = import_faiss().IndexHNSWFlat(V.shape[1], N_LINKS)
        self.add(V)

    @property
    def effort(self) -> int:
        """Number of vectors to walk on from, the nearest so far."""
        return int(self._index.hnsw.efSearch)

    def efforts(self) -> Iterator[int]:
        """Set one number of vectors to walk on from after the other, and yield each."""
        for effort in rising_numbers(16, len(self)):
            self._index.hnsw.efSearch = effort
            yield effort


def searcher_for(n: int) -> type[FlatSearch]:
    """Return the class of searcher for n vectors.

    Examples
    --------
    >>> [searcher_for(n).kind for n in (1_000, 1_000_000, 10_000_000)]
    ['flat', 'ivf', 'hnsw']
    """
    if n <= FLAT_UP_TO:
        return FlatSearch
    return ListSearch if n < GRAPH_FROM else GraphSearch


class NearestVectors(NamedTuple):
    """Distinct vectors found near each query, nearest first.

    Distances are in units of ``DistinctVectors.scale``.
    """

    number: NDArray[np.int64]  # (b, n), -1 where there are no more
    distance: Array  # (b, n)
    beyond: Array  # (b,), vectors looked at and not found are farther
    tie: Array  # (b,), how close two distances are that count as equal

    def take(self, queries: NDArray[np.intp]) -> "NearestVectors":
        """Return those of some queries."""
        return NearestVectors._make(part[queries] for part in self)


def nearest_vectors(
    distinct: DistinctVectors, searcher: FlatSearch, V: Array, n: int
) -> NearestVectors:
    """Return the n nearest vectors of queries V (b, q), already transformed.

    Single precision mistakes a squared distance by (q + 8) roundings of the square of
    the largest at most; ``beyond`` leaves room for that.
    """
    n = min(n, len(distinct))
    d2, number = searcher.search(V, n)
    largest = lengths(V) + 1.0  # none is farther, and some is at a third of it
    room = (V.shape[1] + 8) * ROUNDING * largest**2
    beyond = np.sqrt(np.maximum(d2[:, -1] - room, 0.0))
    if n == len(distinct):
        beyond = np.full(len(V), np.inf)
    distance = _distances(distinct, V, number)
    order = np.argsort(distance, axis=1, kind="stable")
    number = np.take_along_axis(number, order, axis=1)
    distance = np.take_along_axis(distance, order, axis=1)
    return NearestVectors(number, distance, beyond, TIE * largest)


def n_candidates(k: float) -> int:
    """Return how many candidates to ask for at first if k rows are wanted."""
    return 2 * ceil(k) + 16


def build_searcher(
    distinct: DistinctVectors, kind: type[FlatSearch], k: int
) -> tuple[DistinctVectors, FlatSearch, float]:
    """Build a searcher whose effort suffices for queries that are new to it.

    A searcher finds vectors that it holds more easily than new ones. So some are held
    out until its effort has been raised for them.

    Parameters
    ----------
    distinct : DistinctVectors
    kind : type
        Of the searcher.
    k : int
        How many neighbours will be asked for.

    Returns
    -------
    distinct : DistinctVectors
        Renumbered: those held out are now the last.
    searcher : FlatSearch
        Over all of them, by their numbers.
    recall : float
        Share of their true neighbours that those held out found among the others.
    """
    n_held_out = min(N_HELD_OUT, len(distinct) // 5)
    distinct = distinct.with_last(n_held_out)
    held, new = np.split(distinct.vectors, [len(distinct) - n_held_out])
    searcher = kind(held)
    recall = raise_effort(distinct, searcher, held, new, k) if n_held_out else 1.0
    searcher.add(new)
    return distinct, searcher, recall


def raise_effort(
    distinct: DistinctVectors, searcher: FlatSearch, held: Array, new: Array, k: int
) -> float:
    """Raise a searcher's effort until its recall suffices, and return the recall.

    Parameters
    ----------
    distinct : DistinctVectors
    searcher : FlatSearch
    held : ndarray of shape (m, q)
        The vectors that the searcher holds, which are the first of ``distinct``.
    new : ndarray of shape (b, q)
        Queries.
    k : int
        How many neighbours will be asked for.
    """
    k = min(max(k, MIN_NEIGHBORS), len(held))
    exact = nearest_vectors(distinct, FlatSearch(held), new, n_candidates(k))
    kth = exact.distance[:, k - 1]
    for _ in searcher.efforts():
        found = shares_found(distinct, searcher, new, kth, k)
        recall = float(found.mean())
        if recall - 2.0 * found.std() / len(found) ** 0.5 >= MIN_RECALL:
            break
    return recall


def shares_found(
    distinct: DistinctVectors, searcher: FlatSearch, V: Array, kth: Array, k: int
) -> Array:
    """Return which share of its k neighbours each query V finds (b,).

    Whatever is as near as the true k-th distances ``kth`` (b,) counts as found.
    """
    found = nearest_vectors(distinct, searcher, V, n_candidates(k))
    hits = (found.distance <= (kth + found.tie)[:, None]).sum(axis=1)
    return np.minimum(hits, k) / k


def rising_numbers(first: int, last: int) -> Iterator[int]:
    """Yield numbers, each a third more than the one before, and the last.

    Examples
    --------
    >>> list(rising_numbers(1, 9))
    [1, 2, 3, 4, 5, 6, 8, 9]
    """
    while first < last:
        yield first
        first += max(1, first // 3)
    yield last


def import_faiss() -> Any:
    """Return the package faiss, or raise ValueError that says how to install it."""
    try:
        import faiss
    except ImportError:
        raise ValueError(
            "index='faiss' needs the package faiss-cpu; run "
            '`pip install "nearkind[faiss]"`, or take index="exact".'
        ) from None
    return faiss


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold FAISS to the calling thread: chunks of queries share the cores already."""
    faiss = import_faiss()
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def as_float32(V: Array) -> NDArray[np.float32]:
    """Return vectors as FAISS takes them."""
    return np.ascontiguousarray(V, dtype=np.float32)


def _distances(distinct: DistinctVectors, V: Array, number: NDArray[np.int64]) -> Array:
    """Return exact distances (b, n), infinite where there is no vector."""
    distance = np.empty(number.shape)
    for at in query_chunks(len(V), number.shape[1] * V.shape[1], DISTANCES_AT_ONCE):
        distance[at] = lengths(V[at, None] - distinct.vectors[number[at]])
    distance[number < 0] = np.inf
    return distance
