"""Votes of the training rows that share leaves with a row.

Rhodes, Cutler and Moon, *Geometry- and accuracy-preserving random forest proximities*,
arXiv 2201.12682.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nearkind.distances.leaf_codes import LeafCodes, Leaves
from nearkind.neighbors.training_rows import TrainingRows
from nearkind.protocols import Array, Codes


@dataclass(frozen=True, eq=False)
class LeafVotes:
    """Votes in proportion to the proximities of a forest.

        p(i, j) = mean over trees t of c_j(t) [j in the leaf of i] / c of that leaf

    with c_j(t) the weight of row j times the number of its draws for tree t, and c of a
    leaf their sum. For a new row all trees count that have drawn rows in its leaf; the
    sum of p(i, j) over the rows j of a class is then the forest's probability of it.
    For a training row, those count that did not draw it: the sum is the out-of-bag
    probability. Where no tree counts, all rows vote.

    Parameters
    ----------
    distance : LeafCodes
    rows : TrainingRows
    """

    distance: LeafCodes
    rows: TrainingRows

    @cached_property
    def leaves(self) -> Leaves:
        """The leaves of the training rows (m, T)."""
        return self.distance.represent(self.rows.codes)

    @cached_property
    def drawn(self) -> Array:
        """The weight with which each row was drawn for each tree (m, T)."""
        return self.distance.draws(self.rows.codes) * self.rows.weights[:, None]

    @cached_property
    def of_leaf(self) -> Array:
        """The weight of the rows drawn in each leaf (N,), zero for other nodes."""
        n_nodes = len(self.distance.columns)
        total = np.bincount(self.leaves.ravel(), self.drawn.ravel(), n_nodes)
        return total.astype(float)

    @cached_property
    def leaf_shares(self) -> csr_array:
        """The share of each class in each leaf (N, C), zero in leaves without rows."""
        row, tree = np.nonzero(self.drawn)
        leaf = self.leaves[row, tree]
        parts = self.drawn[row, tree] / self.of_leaf[leaf]
        n_nodes, m = len(self.of_leaf), len(self.rows)
        votes = csr_array((parts, (leaf, row)), (n_nodes, m))
        return csr_array(votes @ csr_array(self.rows.shares))

    @property
    def n_numbers(self) -> int:
        """Numbers that are held for each row asked for."""
        return 4 * self.distance.n_trees + 2 * self.rows.shares.shape[1]

    def shares(self, leaves: Leaves, counts: NDArray[np.bool_] | None = None) -> Array:
        """Return the share of each class in the votes on rows (n, C).

        Parameters
        ----------
        leaves : ndarray of int (n, T)
        counts : ndarray of bool (n, T), default=None
            Which trees count for each row; None: all.
        """
        counts = self._counting(leaves, counts)
        n_trees = counts.sum(axis=1)
        row, tree = np.nonzero(counts)
        ends = np.concatenate([[0], np.cumsum(n_trees)])
        weights = 1.0 / n_trees[row]
        shape = len(leaves), len(self.of_leaf)
        votes = csr_array((weights, leaves[row, tree], ends), shape)
        found = (votes @ self.leaf_shares).toarray()
        found[n_trees == 0] = self._of_all
        return found / found.sum(axis=1, keepdims=True)

    def out_of_bag(self, codes: Codes) -> Array:
        """Return the shares on rows (n, D), by trees that did not draw them (n, C)."""
        leaves = self.distance.represent(codes)
        return self.shares(leaves, self.distance.draws(codes) == 0)

    def votes(self, leaves: Leaves) -> Array:
        """Return the share of the votes on one row (1, T) of each unique row (m,)."""
        (counts,) = self._counting(leaves, None)
        if not counts.any():
            return self.rows.weights / self.rows.weights.sum()
        parts = self.drawn[:, counts] / self.of_leaf[leaves[0, counts]]
        return np.mean(parts * (self.leaves[:, counts] == leaves[0, counts]), axis=1)

    def shares_over(self, row: Codes, kept: NDArray[np.bool_]) -> Array:
        """Return the shares of the votes on one row over subsets of features (E, C).

        Parameters
        ----------
        row : ndarray of int (D,)
            Codes.
        kept : ndarray of bool (E, D)
            In features outside of a subset all training rows have the row's value.
        """
        total, shares = (
            np.zeros((len(kept), self.rows.shares.shape[1])),
            self.rows.shares,
        )
        found = self.distance.shared_over(row, self.rows.codes, kept)
        for drawn, shared in zip(self.drawn.T, found, strict=True):
            some = np.flatnonzero(drawn)
            votes = shared[:, some] * drawn[some]
            n = votes.sum(axis=1, keepdims=True)
            total += np.divide(votes @ shares[some], n, where=n > 0.0, out=0.0 * total)
        has_none = ~total.any(axis=1)
        total[has_none] = self._of_all
        return total / total.sum(axis=1, keepdims=True)

    def _counting(
        self, leaves: Leaves, counts: NDArray[np.bool_] | None
    ) -> NDArray[np.bool_]:
        has_rows = self.of_leaf[leaves] > 0.0
        return has_rows if counts is None else has_rows & counts

    @property
    def _of_all(self) -> Array:
        total: Array = self.rows.counts.sum(axis=0)
        return total / total.sum()
