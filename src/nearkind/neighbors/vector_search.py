"""Candidates for the neighbours of a query among vectors; no neighbour is missed.

``TreeSearch`` suits many rows that spread in few directions, ``ProductSearch`` all
others. Both find more rows than are asked for, at exact distances; ``KNearest.among``
picks the neighbours from those.
"""

from dataclasses import dataclass
from functools import cached_property
from os import cpu_count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from nearkind.distances.form import query_chunks
from nearkind.neighbors.k_nearest import (
    DISTANCES_AT_ONCE,
    TIE,
    Candidates,
    KNearest,
    Near,
    join_near,
    near_by_chunk,
    nth_smallest,
)
from nearkind.neighbors.vector_rows import VectorRows, lengths
from nearkind.protocols import Array

Single = NDArray[np.float32]

LONGEST_RUN = 32
"""Rows next to each other that are looked at as one, by the least s, at most."""
TILE = 512
"""Rows in a tile of the product."""
TILE_NUMBERS = 1 << 17
"""Numbers of the product that are held at a time, in single precision: a cache's."""
EXACT_NUMBERS = 1 << 18
"""Numbers of the differences that are held at a time, in double precision."""
QUERIES_BY_PRODUCT = 64, 256
"""Queries that a thread answers at a time, by a product: from, to."""
QUERIES_BY_TREE = 256, 4096
"""Queries that a thread answers at a time, by a tree: from, to."""
LEAF = 48
"""Rows in a leaf of a tree."""
ONE_BY_PRODUCT = 1 << 18
"""Numbers of all vectors up to which one query alone is answered by a product."""
MOST_BY_TREE = 128
"""Number of rows up to which a tree is asked."""


@dataclass(frozen=True)
class ProductSearch:
    """Compares a query with every row by a product of matrices in single precision.

    The product selects runs of rows; their distances are then computed exactly.

    Let c be the centre of the rows, r their radius (1 if that is zero), x = u - c of a
    query u, L = |x| + r, and y = (v - c) / r of a row v, so |y| <= 1. Then

        s = (d^2 - |x|^2) / (L r) = -2 (x / L) . y + (r / L) |y|^2

    orders the rows as the distance d does. The absolute values of its q + 1 terms add
    up to (2 |x| p + p^2) / (L r) at most if |v - c| <= p, and to 2 for every row,
    as p <= r; so s is small wherever the query is.

    Margin: let e = 2^-24, the relative error of one rounding. The factors of each term
    are rounded, and a sum of q + 1 products in any order errs by q + 1 roundings of
    its absolute terms, so the product errs by (q + 3) e of their sum and some e^2,
    for which (q + 8) e is ample. Double precision errs by (q + 4) 2^-53 of d^2 <= L^2,
    which is (q + 4) 2^-53 L / r of s; (q + 8) 2^-52 L / r is ample, also for numbers
    too small for single precision.

    Threshold: if n rows have a product of at most t, then the n-th distance D has
    D^2 <= |x|^2 + L r (t + margin for p = r). All rows at D or nearer, and those at
    D + tie or nearer, have |v - c| <= |x| + D + tie = p, and now the margin for this p
    holds for them: far rows that stretch the radius do not widen it. A row within
    reach has s <= t + margin + (2 D tie + tie^2) / (L r), and its product is another
    margin above that at most.
    """

    rows: VectorRows

    @cached_property
    def run(self) -> int:
        """Number of rows that are looked at as one, a power of 2.

        Selecting takes m / run steps, and then n runs have run q numbers each to
        compute: with constants as measured, and n = 12, both take as long at this one.
        """
        m, q = self.rows.vectors.shape
        best = int(np.rint(0.5 * np.log2(m / (24.0 * (q + 1)))))
        return min(2 ** max(best, 0), LONGEST_RUN)

    @property
    def radius(self) -> float:
        """r above."""
        return self.rows.radius or 1.0

    @cached_property
    def factors(self) -> Single:
        """y and |y|^2 of all rows, as tiles (n_tiles, TILE, q + 1).

        In a tile the first rows of its runs come first, then the second ones, ...; the
        last row is repeated to fill the last run and the last tile.
        """
        right = self._right()
        filling = np.repeat(right[-1:], -len(right) % TILE, axis=0)
        whole, width = np.concatenate([right, filling]), right.shape[1]
        runs = whole.reshape(-1, TILE // self.run, self.run, width).swapaxes(1, 2)
        return np.ascontiguousarray(runs).reshape(-1, TILE, width)

    def build(self) -> None:
        """Copy the rows."""
        _ = self.factors

    @cached_property
    def columns(self) -> Single:
        """y and |y|^2 of all rows (q + 1, m), for products with one query."""
        return np.ascontiguousarray(self._right().T)

    def queries_at_once(self, n_queries: int, at_once: int) -> int:
        """Return how many queries a thread answers at a time."""
        least, most = QUERIES_BY_PRODUCT
        return min(max(at_once // len(self.rows), least), most)

    def near(self, queries: Array, k_nearest: KNearest, k: float) -> Near:
        """Return the unique rows within reach of the k-th neighbour of each query."""
        x = queries - self.rows.centre
        size = lengths(x)
        find = self._candidates_of_one if len(queries) == 1 else self._candidates
        found = find(queries, x, size, k_nearest.n_nearest(k))
        return k_nearest.among(found, self.rows.tie_widths_at(size), k)

    def _candidates(self, queries: Array, x: Array, size: Array, n: int) -> Candidates:
        """Return all rows that are as near as the n-th nearest, or tie with it.

        Given x of the queries and size = |x|.
        """
        least = self._least_of_runs(np.ascontiguousarray(self._left(x, size).T))
        threshold, limit = self._bounds(size, nth_smallest(least.T, n))
        run, query = np.nonzero(~(least > threshold))  # all, where it is NaN
        order = np.argsort(query, kind="stable")
        return self._rows_of_runs(queries, query[order], run[order], limit)

    def _candidates_of_one(
        self, query: Array, x: Array, size: Array, n: int
    ) -> Candidates:
        """Return the candidates of one query (1, q), in fewer steps."""
        left, columns = self._left(x, size), self.columns
        s = np.empty((1, len(self.rows)), np.float32)
        for at in query_chunks(len(self.rows), len(columns), TILE_NUMBERS):
            np.matmul(left, columns[:, at], out=s[:, at])
        threshold, _ = self._bounds(size[0], nth_smallest(s, n)[0])
        row = np.flatnonzero(~(s > threshold))
        itself = np.zeros_like(row)
        return Candidates(itself, row, self.rows.distances(query, itself, row))

    def _right(self) -> Single:
        """Return y and |y|^2 of all rows (m, q + 1)."""
        y = (self.rows.vectors - self.rows.centre) / self.radius
        right = np.empty((len(y), y.shape[1] + 1), np.float32)
        right[:, :-1], right[:, -1] = y, np.einsum("mq,mq->m", y, y)
        return right

    def _left(self, x: Array, size: Array) -> Single:
        """Return what y and |y|^2 are multiplied by in s (b, q + 1), given |x| (b,)."""
        left = np.empty((len(x), x.shape[1] + 1), np.float32)
        largest = size + self.radius  # L
        left[:, :-1] = -2.0 * x / largest[:, None]
        left[:, -1] = self.radius / largest
        return left

    def _bounds(self, size: Any, nth: Any) -> tuple[Any, Any]:
        """Return the threshold for products, and the largest distance within it.

        Given |x| of queries (b,), or of one, and the product t that n rows do not
        exceed.
        """
        r, n_roundings = self.radius, self.rows.vectors.shape[1] + 8
        largest = size + r  # L

        def margin(p: Any) -> Any:
            terms = 2.0**-24 * (2.0 * size / largest + p / largest) * (p / r)
            return n_roundings * (terms + 2.0**-52 * largest / r)

        tie, unit = TIE * largest, largest * r
        D = np.sqrt(np.maximum(size**2 + unit * (nth + margin(r)), 0.0))
        room = margin(np.minimum(size + D + tie, r))
        threshold = nth + 2.0 * room + (2.0 * np.minimum(D, largest) + tie) * tie / unit
        limit = np.sqrt(np.maximum(size**2 + unit * (threshold + room), 0.0))
        return threshold.astype(np.float32), limit

    def _least_of_runs(self, left: Single) -> Single:
        """Return the least s of each run (n_runs, b), of queries left (q + 1, b)."""
        tiles, b = self.factors, left.shape[1]
        least = np.empty((len(tiles), TILE // self.run, b), np.float32)
        for at in query_chunks(len(tiles), TILE * b, TILE_NUMBERS):
            s = (tiles[at] @ left).reshape(-1, self.run, TILE // self.run, b)
            np.minimum.reduce(s, axis=1, out=least[at])
        return least.reshape(-1, b)[: -(-len(self.rows) // self.run)]

    def _rows_of_runs(
        self,
        queries: Array,
        query: NDArray[np.intp],
        run: NDArray[np.intp],
        limit: Array,
    ) -> Candidates:
        """Return the rows of some runs that are within the limits of their queries."""
        found = []
        numbers = self.run * max(1, queries.shape[1])
        for at in query_chunks(len(query), numbers, EXACT_NUMBERS):
            row = run[at, None] * self.run + np.arange(self.run)
            pair = np.broadcast_to(query[at, None], row.shape)
            distance = self.rows.distances(
                queries, pair, np.minimum(row, len(self.rows) - 1)
            )
            keep = ~(distance > limit[pair]) & (row < len(self.rows))
            found.append((pair[keep], row[keep], distance[keep]))
        return Candidates(*(np.concatenate(part) for part in zip(*found, strict=True)))


@dataclass(frozen=True)
class TreeSearch:
    """Searches a k-d tree, and by a product for one query, or for many neighbours."""

    rows: VectorRows

    @cached_property
    def built(self) -> tuple[cKDTree, NDArray[np.intp]]:
        """A tree of the rows in an order in which its leaves lie side by side.

        A second tree of the rows in the order of the leaves of the first: it looks at
        the same rows, and finds them in memory in half the time.
        """
        order = tree_of(self.rows.vectors).indices
        return tree_of(self.rows.vectors[order]), order

    @cached_property
    def product(self) -> ProductSearch:
        """Finds what is asked of it."""
        return ProductSearch(self.rows)

    def build(self) -> None:
        """Build the tree."""
        _ = self.built

    def queries_at_once(self, n_queries: int, at_once: int) -> int:
        """Return how many queries a thread answers at a time: more of many."""
        some = n_queries // (2 * (cpu_count() or 1))  # each thread twice
        return int(np.clip(min(some, at_once // MOST_BY_TREE), *QUERIES_BY_TREE))

    def near(self, queries: Array, k_nearest: KNearest, k: float) -> Near:
        """Return the unique rows within reach of the k-th neighbour of each query."""
        if len(queries) == 1 and self.rows.vectors.size <= ONE_BY_PRODUCT:
            return self.product.near(queries, k_nearest, k)
        return self._near(queries, k_nearest, k, k_nearest.n_nearest(k) + 1)

    def _near(self, queries: Array, k_nearest: KNearest, k: float, width: int) -> Near:
        """Ask the tree for this many rows, and for more if others may tie."""
        if width > min(MOST_BY_TREE, len(self.rows)):
            return self._compare_with_all(queries, k_nearest, k)
        about, row = self._nearest(queries, width)
        tie = self.rows.tie_widths(queries)
        bound = about[:, k_nearest.n_nearest(k) - 1] + 2.0 * tie  # ties, and rounding
        is_all = bound < about[:, -1]
        done, left = np.flatnonzero(is_all), np.flatnonzero(~is_all)
        n_within = (about <= bound[:, None]).sum(axis=1)[done].max(initial=1)
        row = np.sort(row[done, :n_within], axis=1).ravel()
        query = np.repeat(np.arange(len(done)), n_within)
        distance = self.rows.distances(queries, done[query], row)
        near = k_nearest.among(Candidates(query, row, distance), tie[done], k)
        if not len(left):
            return near
        rest = self._near(queries[left], k_nearest, k, 4 * width)
        return join_near([near, rest], [done, left])

    def _nearest(self, queries: Array, n: int) -> tuple[Array, NDArray[np.intp]]:
        """Return the nearest n rows of each query, and about how far they are (b, n).

        Queries near each other are asked one after another: they look at the same rows.
        """
        tree, order = self.built
        by_place = tree_of(queries).indices
        about, place = tree.query(queries[by_place], n)
        back = np.argsort(by_place)
        return about.take(back, axis=0), order.take(place.take(back, axis=0))

    def _compare_with_all(self, queries: Array, k_nearest: KNearest, k: float) -> Near:
        chunks = query_chunks(len(queries), len(self.rows), DISTANCES_AT_ONCE)
        return near_by_chunk(
            lambda some: self.product.near(some, k_nearest, k), queries, chunks
        )


def tree_of(vectors: Array) -> cKDTree:
    """Return a tree, in whose ``indices`` those of a leaf stand side by side."""
    return cKDTree(vectors, leafsize=LEAF, balanced_tree=False)
