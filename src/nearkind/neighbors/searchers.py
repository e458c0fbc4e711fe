"""Candidates by FAISS, in single precision: the kinds of its indexes that pay here.

Graphs (HNSW) are left out, see docs/index-of-neighbors.md: they take several times as
long to build, and find fewer neighbours of new rows than of those they hold, so that no
recall measured on these can be promised.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.typing import Array

FLAT_UP_TO = 20_000
"""Vectors up to which every one is looked at."""
SEED = 1
ROUNDS = 10
"""Of the clustering."""
A_LIST = 64
"""Vectors for each list that the clustering looks at."""

Found = tuple[NDArray[np.float32], NDArray[np.int64]]


class Flat:
    """Looks at every vector."""

    kind = "flat"

    def __init__(self, V: Array) -> None:
        self._index = faiss().IndexFlatL2(V.shape[1])
        self._index.add(single(V))

    def efforts(self) -> Iterator[int]:
        """Yield the only effort there is."""
        yield len(self)

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
        index = faiss().IndexIVFFlat(lists, V.shape[1], n_lists)
        index.cp.seed, index.cp.niter = SEED, ROUNDS
        index.cp.max_points_per_centroid = A_LIST
        index.cp.min_points_per_centroid = 1
        with one_thread():
            index.train(single(V))
            index.add(single(V))
        self._index = index

    def efforts(self) -> Iterator[int]:
        """Raise the number of clusters to look into, and yield it."""
        n_probes = 1
        while n_probes < self._index.nlist:
            self._index.nprobe = n_probes
            yield n_probes
            n_probes += max(1, n_probes // 3)
        self._index.nprobe = self._index.nlist
        yield self._index.nlist


def searcher(V: Array) -> Flat:
    """Return the kind that fits so many vectors (s, q)."""
    return Flat(V) if len(V) <= FLAT_UP_TO else Lists(V)


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
