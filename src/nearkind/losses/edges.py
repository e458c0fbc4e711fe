"""Pairs of rows: squared distances forward, a graph Laplacian back.

A squared distance is linear in M, d2_ij = <A^ij, M> with A^ij the sum of
(z_i - z_j)(z_i - z_j)', so a loss only says w_ij = d loss / d d2_ij and the gradient is
sum of w_ij A^ij = Z' L Z with L the Laplacian of w. No A^ij is ever stored.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkind.metrics.metric import Embedding
from nearkind.metrics.spectrum import symmetrized
from nearkind.protocols import Array

_AT_ONCE = 1 << 22
"""Numbers in a temporary array of edge differences."""
_ROWS = 1 << 14
"""Rows that are weighted at a time."""


@dataclass(frozen=True)
class PairList:
    """Edges (left[e], right[e]) given one by one."""

    left: NDArray[np.intp]
    right: NDArray[np.intp]

    def squared_distances(self, rows: Embedding) -> Array:
        """Return the squared distance of each edge (E,)."""
        d2 = np.empty(len(self.left))
        for at in _chunks(len(d2), rows.U.shape[1]):
            difference = rows.U[self.left[at]] - rows.U[self.right[at]]  # (e, q)
            signed = rows.signed[self.left[at]] - rows.signed[self.right[at]]
            d2[at] = np.einsum("eq,eq->e", difference, signed)
        return d2

    def adjoint(self, Z: Array, weights: Array) -> Array:
        """Return sum of w_e (z_left - z_right)(z_left - z_right)' (B, W, W)."""
        B, _, K, W = Z.shape
        G = np.zeros((B, W, W))
        for at in _chunks(len(weights), B * K * W):
            difference = Z[:, self.left[at]] - Z[:, self.right[at]]  # (B, e, K, W)
            G += _gram(difference, weights[at, None, None] * difference)
        return symmetrized(G)

    def adjoint_parts(self, Z: Array, weights: Array) -> tuple[Array, Array]:
        """Return the whole adjoint, and no weight on rows (n,)."""
        return self.adjoint(Z, weights), np.zeros(Z.shape[1])

    def apply_laplacian(self, U: Array, weights: Array) -> Array:
        """Return L U (n, q), where the adjoint of rows Z is Z' L Z."""
        LU = np.zeros(U.shape)
        for at in _chunks(len(weights), U.shape[1]):
            left, right = self.left[at], self.right[at]
            term = weights[at, None] * (U[left] - U[right])
            np.add.at(LU, left, term)
            np.subtract.at(LU, right, term)
        return LU


@dataclass(frozen=True)
class AnchorPairs:
    """Every pair of an anchor and any row: some rows of the distance matrix."""

    anchors: NDArray[np.intp]

    def squared_distances(self, rows: Embedding) -> Array:
        """Return squared distances (a, n)."""
        return rows.left[self.anchors] @ rows.right.T  # O(a n q)

    def adjoint(self, Z: Array, weights: Array) -> Array:
        """Return sum of w_ij (z_i - z_j)(z_i - z_j)' over all pairs (B, W, W)."""
        G, at_rows = self.adjoint_parts(Z, weights)
        return G + weighted_gram(Z, at_rows)

    def adjoint_parts(self, Z: Array, weights: Array) -> tuple[Array, Array]:
        """Return the anchors' part, and the weight that falls on each row (n,).

        The adjoint is the first plus ``weighted_gram`` of the second, which many chunks
        can share: its cost does not depend on their number.
        """
        B, n, K, W = Z.shape
        anchors = Z[:, self.anchors].astype(float)
        out = weights.sum(axis=1, dtype=float)[:, None, None]  # (a, 1, 1)
        rows = Z.swapaxes(0, 1).reshape(n, B * K * W)  # a view, as compress has made Z
        cross = (weights @ rows).reshape(len(weights), B, K, W)  # O(a n B K W)
        cross = cross.swapaxes(0, 1)
        G = _gram(anchors, out * anchors - 2.0 * cross)
        return symmetrized(G), weights.sum(axis=0, dtype=float)

    def apply_laplacian(self, U: Array, weights: Array) -> Array:
        """Return L U (n, q), where the adjoint of rows Z is Z' L Z."""
        anchors = U[self.anchors]
        out = weights.sum(axis=1, dtype=float)[:, None]  # (a, 1)
        into = weights.sum(axis=0, dtype=float)[:, None]  # (n, 1)
        LU: Array = into * U - weights.T @ anchors  # O(a n q)
        LU[self.anchors] += out * anchors - weights @ U
        return LU


def weighted_gram(Z: Array, weights: Array) -> Array:
    """Return sum of w_i z_i z_i' over rows (B, W, W)."""
    B, n, _, W = Z.shape
    G = np.zeros((B, W, W))
    for at in (slice(start, start + _ROWS) for start in range(0, n, _ROWS)):
        G += _gram(Z[:, at], weights[at, None, None] * Z[:, at])
    return G


def difference_matrices(Z: Array) -> Array:
    """Return A^ij (n // 2, B, W, W) for j = i + n // 2: the paper's, written out."""
    half = Z.shape[1] // 2
    difference = Z[:, :half] - Z[:, half : 2 * half]  # (B, m, K, W)
    A: Array = np.einsum("bmkv,bmkw->mbvw", difference, difference)
    return A


def _gram(X: Array, Y: Array) -> Array:
    """Return sum over rows and vectors of x y' (B, W, W)."""
    B, n, K, W = X.shape
    if W == 1:  # as of many features apart: nothing is copied block by block
        sums: Array = (X * Y).sum(axis=1).sum(axis=1)  # faster than both at once
        return sums[:, :, None]
    return X.reshape(B, n * K, W).swapaxes(1, 2) @ Y.reshape(B, n * K, W)


def _chunks(n_edges: int, width: int) -> Iterator[slice]:
    size = max(1, _AT_ONCE // max(width, 1))
    return (slice(at, at + size) for at in range(0, n_edges, size))
