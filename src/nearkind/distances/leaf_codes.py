"""Rows as the leaves that they reach in the trees of a forest."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtr

from nearkind.distances.checks import check_integers, check_reals, check_tables
from nearkind.distances.form import (
    N_PAIRS,
    FittedDistance,
    as_shares,
    query_chunks,
)
from nearkind.distances.kernel import coded_rows
from nearkind.errors import RefusedError
from nearkind.protocols import Array, Codes

Numbers = NDArray[np.intp]
Leaves = NDArray[np.int32]
MOST_NAMED = 3
"""Values that a condition in words lists."""
AT_ONCE = 1 << 21
"""Leaves of rows, and comparisons of leaves, that are worked on at a time."""
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIXERS = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (
        np.uint64(27),
        np.uint64(0x94D049BB133111EB),
    ),
)
LIMITS = (pdtr(np.arange(12), 1.0) * 2.0**32).astype(np.uint64)
"""Numbers of 32 bits up to which a row is drawn 0, 1, 2, ... times, one on average."""


@dataclass(frozen=True, eq=False)
class LeafCodes(FittedDistance):
    """d = share of the trees in which two rows reach different leaves.

    Its root is Euclidean, and d itself satisfies the triangle inequality; rows that
    reach the same leaves everywhere are at distance zero, equal or not. A tree was
    grown on a sample of the rows, and how often it drew a row follows from the values
    of the row, so that the form knows it of any row: see ``draws``.

    Attributes
    ----------
    coding : sequence of ndarray of shape (s_d + 1, w_d)
        The numbers that trees see of each value of feature d, the last row for unseen
        ones; of all features side by side they are W numbers.
    roots : ndarray of int of shape (T,)
        The node at which each tree begins.
    columns : ndarray of int of shape (N,)
        Which of the W numbers each node looks at.
    thresholds : ndarray of shape (N,)
        A row goes left if its number is at most this.
    left, right : ndarray of int of shape (N,)
        The next node, always a later one; of a leaf, itself.
    salts : sequence of ndarray of int of shape (s_d + 1,)
        Random numbers of the values of feature d, from which the draws follow.
    """

    coding: Sequence[Array]
    roots: Numbers
    columns: Numbers
    thresholds: Array
    left: Numbers
    right: Numbers
    salts: Sequence[Numbers]

    votes_by_leaves = True

    @property
    def n_trees(self) -> int:
        """Number T of trees."""
        return len(self.roots)

    @property
    def cost(self) -> int:
        """How many numbers are read to compare two represented rows."""
        return self.n_trees

    @cached_property
    def owners(self) -> Numbers:
        """The feature of each of the W numbers of a row."""
        widths = [table.shape[1] for table in self.coding]
        return np.repeat(np.arange(len(widths)), widths)

    def represent(self, codes: Codes) -> Leaves:
        """Return the leaf of each row in each tree (n, T)."""
        leaves = np.empty((len(codes), self.n_trees), dtype=np.int32)
        for at in query_chunks(len(codes), self.n_trees, AT_ONCE):
            leaves[at] = self._leaves(codes[at])
        return leaves

    def _leaves(self, codes: Codes) -> Leaves:
        x = coded_rows(self.coding, codes)
        flat, n_trees = x.ravel(), self.n_trees
        leaves = np.tile(self.roots, len(x))  # (n T,)
        start = np.repeat(np.arange(len(x)) * x.shape[1], n_trees)
        going = np.flatnonzero(self.left[leaves] != leaves)
        while len(going):
            node = leaves[going]
            is_left = flat[start[going] + self.columns[node]] <= self.thresholds[node]
            node = np.where(is_left, self.left[node], self.right[node])
            leaves[going] = node
            going = going[self.left[node] != node]
        return leaves.reshape(len(x), n_trees).astype(np.int32)

    def compare(self, a: Leaves, b: Leaves) -> Array:
        """Return distances (n, m) between represented rows."""
        left, right = a.T, np.ascontiguousarray(b.T)
        distances = np.empty((len(a), len(b)))
        for rows in query_chunks(len(a), len(b), AT_ONCE >> 3):
            n_different = np.zeros((len(a[rows]), len(b)), dtype=np.int32)
            for x, y in zip(left, right, strict=True):
                n_different += x[rows, None] != y
            np.divide(n_different, self.n_trees, out=distances[rows])
        return distances

    def draws(self, codes: Codes) -> NDArray[np.uint8]:
        """Return how often each tree drew each row (n, T) when it was grown.

        The draws are independent Poisson numbers of mean 1, made by SplitMix64 from the
        values of the row and the number of the tree: equal rows are drawn together.
        """
        pairs = zip(self.salts, codes.T, strict=True)
        key = sum(salts.astype(np.uint64)[column] for salts, column in pairs)
        trees = np.arange(1, self.n_trees + 1, dtype=np.uint64) * GOLDEN
        bits = mixed(key[:, None] + trees) >> np.uint64(32)
        return np.searchsorted(LIMITS, bits, side="right").astype(np.uint8)

    def shared_over(
        self, row: Codes, others: Codes, kept: NDArray[np.bool_]
    ) -> Iterator[NDArray[np.bool_]]:
        """Yield for each tree whether others share the leaf of a row (E, m).

        Parameters
        ----------
        row : ndarray of int (D,)
            Codes.
        others : ndarray of int (m, D)
            Codes.
        kept : ndarray of bool (E, D)
            Subsets of features; in the others all rows have the value of the row.
        """
        x, y = coded_rows(self.coding, row[None])[0], coded_rows(self.coding, others)
        subsets = kept.astype(np.float32)
        for root in self.roots.tolist():
            leaves_path = np.zeros((len(others), len(row)), dtype=bool)
            node = root
            while self.left[node] != node:
                column, limit = self.columns[node], self.thresholds[node]
                is_left = x[column] <= limit
                leaves_path[:, self.owners[column]] |= (
                    y[:, column] <= limit
                ) != is_left
                node = int(self.left[node] if is_left else self.right[node])
            yield subsets @ leaves_path.T.astype(np.float32) == 0.0

    def distances_over(
        self, row: Codes, others: Codes, kept: NDArray[np.bool_]
    ) -> Array:
        """Return the distances of rows from one row over subsets of features (E, m)."""
        shared = np.zeros((len(kept), len(others)))
        for each in self.shared_over(row, others, kept):
            shared += each
        return 1.0 - shared / self.n_trees

    def shared_rules(self, a: Codes, b: Codes) -> tuple[int, list[tuple[str, int]]]:
        """Return in how many trees two rows share their leaf, and by which conditions.

        Parameters
        ----------
        a, b : ndarray of int (D,)
            Codes.

        Returns
        -------
        n_shared : int
        conditions : list of (str, int)
            In words, with the number of the shared leaves that they lead to, the most
            frequent first.
        """
        leaves = self.represent(np.stack([a, b]))
        shared = np.flatnonzero(leaves[0] == leaves[1])
        x, found = coded_rows(self.coding, a[None])[0], Counter[tuple[int, int, bool]]()
        for node in self.roots[shared].tolist():
            on_path = set()
            while self.left[node] != node:
                column, limit = int(self.columns[node]), self.thresholds[node]
                is_left = bool(x[column] <= limit)
                d = self.owners[column]
                table = self.coding[d][:-1, column - np.searchsorted(self.owners, d)]
                on_path.add((column, int((table <= limit).sum()), is_left))
                node = int(self.left[node] if is_left else self.right[node])
            found.update(on_path)
        ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        return len(shared), [(self._in_words(*key), n) for key, n in ordered]

    def _in_words(self, column: int, n_left: int, is_left: bool) -> str:
        """Return a condition: so many of the values of a feature are on the left."""
        book, d = self.codebook, int(self.owners[column])
        name, values = book.feature_names[d], book.values(d)
        numbers = self.coding[d][:-1, column - np.searchsorted(self.owners, d)]
        order = np.argsort(numbers, kind="stable")
        if book.positions[d] is None and not book.n_ordered[d]:
            side = order[:n_left] if is_left else order[n_left:]
            is_few = len(side) <= len(values) - len(side)
            some = side if is_few else np.setdiff1d(order, side)
            listed = " or ".join("missing" if values[v] is None else str(values[v])
                                 for v in some[:MOST_NAMED].tolist())  # fmt: skip
            more = len(some) - MOST_NAMED
            listed += f" or {more} more" if more > 0 else ""
            return f"{name} is {listed if is_few else f'not {listed}'}"
        if n_left == 1 and values[order[0]] is None:
            return f"{name} is {'missing' if is_left else 'known'}"
        return f"{name} {'<=' if is_left else '>'} {values[order[n_left - 1]]}"

    def relevance(self, codes: Codes, weights: Array) -> Array:
        """Return each feature's share (D,) of the mean distance between two rows."""
        rng = np.random.default_rng(0)
        pairs = rng.choice(len(codes), (N_PAIRS, 2), p=weights / weights.sum())
        a, b = codes[pairs[:, 0]], codes[pairs[:, 1]]
        goal = self.represent(a)
        whole, parts = (self.represent(b) != goal).sum(), np.empty(codes.shape[1])
        for d in range(len(parts)):
            nearer = b.copy()
            nearer[:, d] = a[:, d]
            parts[d] = whole - (self.represent(nearer) != goal).sum()
        return as_shares(parts)

    def check(self) -> None:
        """Refuse nodes that ask for what is not there, or that lead back."""
        n_values = self.codebook.n_values
        check_tables(self.coding, "coding", n_values)
        check_integers(self.roots, "roots", (None,))
        check_integers(self.columns, "columns", (None,))
        n_nodes = len(self.columns)
        for name in ("left", "right"):
            check_integers(getattr(self, name), name, (n_nodes,))
        check_reals(self.thresholds, "thresholds", (n_nodes,))
        if not isinstance(self.salts, list | tuple) or len(self.salts) != len(n_values):
            raise RefusedError("salts are not one array per column")
        for salts, size in zip(self.salts, n_values, strict=True):
            check_integers(salts, "salts", (size + 1,))
        if not len(self.roots):
            raise RefusedError("there is no tree")
        is_node = (self.roots >= 0) & (self.roots < n_nodes)
        is_column = (self.columns >= 0) & (self.columns < len(self.owners))
        if not is_node.all() or not is_column.all():
            raise RefusedError("trees name a node or a number that is not there")
        itself = np.arange(n_nodes)
        is_leaf = (self.left == itself) & (self.right == itself)
        follows = (np.minimum(self.left, self.right) > itself) & (
            np.maximum(self.left, self.right) < n_nodes
        )
        if not (is_leaf | follows).all():
            raise RefusedError("trees lead back, or to no node")


def mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers whose bits depend on all bits of x: the finaliser of SplitMix64.

    Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, OOPSLA
    2014.
    """
    for shift, factor in MIXERS:
        x = (x ^ (x >> shift)) * factor
    return x ^ (x >> np.uint64(31))
