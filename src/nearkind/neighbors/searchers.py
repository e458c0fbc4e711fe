"""Candidates by FAISS, in single precision: the kinds of its indexes that pay here."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array

FLAT_UP_TO = 20_000
"""Vectors up to which every one is looked at."""
GRAPH_FROM = 2_000_000
"""Vectors from which on a graph is worth its building.

Building takes 3 to 10 times as long as that of lists. What a query looks at grows as
n^0.24 by a graph and n^0.67 by lists (time as n^0.31 and n^0.73 in one run, hardly in
another), so what it gains grows with the table. See docs/index-of-neighbors.md.
"""
SEED = 1
ROUNDS = 10
"""Of the clustering."""
A_LIST = 64
"""Vectors for each list that the clustering looks at."""
LINKS = 16
"""Of each vector of a graph."""

Found = tuple[NDArray[np.float32], NDArray[np.int64]]


class Flat:
    """Looks at every vector."""

    kind = "flat"

    def __init__(self, V: Array) -> None:
        self._index = faiss().IndexFlatL2(V.shape[1])
        self.add(V)

    def add(self, V: Array) -> None:
        """Hold more vectors, numbered on from those before."""
        with one_thread():
            self._index.add(single(V))

    @property
    def effort(self) -> int:
        """How much it looks at."""
        return len(self)

    def efforts(self) -> Iterator[int]:
        """Yield the only effort there is."""
        yield self.effort

    def search(self, V: Array, n: int) -> Found:
        """Return squared distances and numbers of the n nearest (b, n); -1: no more."""
        with one_thread():
            found: Found = self._index.search(single(V), n)
        return found

    def __len__(self) -> int:
        return int(self._index.ntotal)


class Lists(Flat):
    """Looks at the vectors of the nearest of some clusters (inverted lists)."""

    kind = "ivf"

    def __init__(self, V: Array) -> None:
        n_lists = int(2.0 * len(V) ** 0.5)
        lists = faiss().IndexFlatL2(V.shape[1])
        self._index = faiss().IndexIVFFlat(lists, V.shape[1], n_lists)
        clustering = self._index.cp
        clustering.seed, clustering.niter = SEED, ROUNDS
        clustering.max_points_per_centroid = A_LIST
        clustering.min_points_per_centroid = 1
        with one_thread():
            self._index.train(single(V))
        self.add(V)

    @property
    def effort(self) -> int:
        """Number of clusters to look into."""
        return int(self._index.nprobe)

    def efforts(self) -> Iterator[int]:
        """Raise the number of clusters to look into, and yield it."""
        for effort in rising(1, self._index.nlist):
            self._index.nprobe = effort
            yield effort


class Graph(Flat):
    """Walks from vector to vector, along links between near ones (HNSW)."""

    kind = "hnsw"

    def __init__(self, V: Array) -> None:
        self._index = faiss().IndexHNSWFlat(V.shape[1], LINKS)
        self.add(V)

    @property
    def effort(self) -> int:
        """Number of vectors to walk on from, the nearest so far."""
        return int(self._index.hnsw.efSearch)

    def efforts(self) -> Iterator[int]:
        """Raise the number of vectors to walk on from, and yield it."""
        for effort in rising(16, len(self)):
            self._index.hnsw.efSearch = effort
            yield effort


def fitting(n: int) -> type[Flat]:
    """Return the kind for so many vectors.

    Examples
    --------
    >>> [fitting(n).kind for n in (1_000, 1_000_000, 10_000_000)]
    ['flat', 'ivf', 'hnsw']
    """
    if n <= FLAT_UP_TO:
        return Flat
    return Lists if n < GRAPH_FROM else Graph


def rising(first: int, last: int) -> Iterator[int]:
    """Yield numbers, each a third more than the one before, and the last.

    Examples
    --------
    >>> list(rising(1, 9))
    [1, 2, 3, 4, 5, 6, 8, 9]
    """
    while first < last:
        yield first
        first += max(1, first // 3)
    yield last


def faiss() -> Any:
    """Return the module, or say how to get it."""
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
    """Hold FAISS to the calling thread: blocks of queries share the cores already."""
    before = faiss().omp_get_max_threads()
    faiss().omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss().omp_set_num_threads(before)


def single(V: Array) -> NDArray[np.float32]:
    """Return vectors as FAISS takes them."""
    return np.ascontiguousarray(V, dtype=np.float32)
