"""The learned metric as a linear map: M = F'F, so distances are Euclidean after F."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nearkind.metrics.spectrum import Spectrum
from nearkind.protocols import Array


@dataclass(frozen=True)
class Embedding:
    """Rows whose squared distances are (u_i - u_j)' diag(signs) (u_i - u_j).

    For a metric all signs are +1 and ``signed`` is ``U`` itself. A solver's trial point
    may have negative eigenvalues; its "distances" are linear in M all the same.
    """

    U: Array  # (n, q)
    signed: Array  # (n, q), U times the sign of each eigenvalue

    @cached_property
    def sizes(self) -> Array:
        """u_i' diag(signs) u_i (n,)."""
        sizes: Array = np.einsum("iq,iq->i", self.signed, self.U, dtype=float)
        return sizes

    @cached_property
    def left(self) -> Array:
        """Rows such that left_i . right_j is the squared distance (n, q + 2)."""
        ones = np.ones_like(self.sizes)
        left = np.column_stack([-2.0 * self.signed, self.sizes, ones])
        return left.astype(self.U.dtype, copy=False)

    @cached_property
    def right(self) -> Array:
        """See ``left``."""
        ones = np.ones_like(self.sizes)
        right = np.column_stack([self.U, ones, self.sizes])
        return right.astype(self.U.dtype, copy=False)


def embed(Z: Array, spectrum: Spectrum) -> Embedding:
    """Map rows so that Euclidean distances are the learned ones.

    |u_i - u_j|^2 = sum over blocks b and vectors k of
    (z_bik - z_bjk)' M_b (z_bik - z_bjk).

    Parameters
    ----------
    Z : ndarray of shape (B, n, K, W)
    spectrum : Spectrum
        Of M (B, W, W).

    Returns
    -------
    Embedding
        With U (n, q), q = K times the rank of M, at least one column.
    """
    kept, n_vectors = spectrum.kept, Z.shape[2]
    some, axes = kept.any(axis=1), kept.any(axis=0)  # few blocks of many features
    if not some.all():
        Z = Z.swapaxes(0, 1)[:, some].swapaxes(0, 1)  # row by row, as they lie
    U = embed_by(Z, spectrum.factor[some][:, axes]).U
    signs = np.where(kept, np.sign(spectrum.values), 0.0)[some][:, None, axes]
    signs = np.repeat(signs, n_vectors, axis=1).ravel()  # of the columns of U
    if not signs.all():
        U, signs = U[:, signs != 0.0], signs[signs != 0.0]
    if not U.shape[1]:
        U = np.zeros((len(U), 1), Z.dtype)
    return Embedding(U, U * signs.astype(U.dtype) if (signs < 0.0).any() else U)


def embed_by(Z: Array, F: Array) -> Embedding:
    """Map rows (B, n, K, W) by factors (B, r, W) of a metric F'F, q = B K r.

    Examples
    --------
    >>> embed_by(np.ones((1, 2, 1, 3)), np.ones((1, 1, 3))).U
    array([[3.],
           [3.]])
    """
    (B, n_rows, K, W), r = Z.shape, F.shape[1]
    to_embedding = F.swapaxes(1, 2).astype(Z.dtype)  # (B, W, r)
    if W == 1:  # as of many features apart: a product of numbers, row by row
        U = Z.swapaxes(0, 1) * to_embedding
    else:
        U = Z.reshape(B, n_rows * K, W) @ to_embedding
        U = U.reshape(B, n_rows, K, r).swapaxes(0, 1)
    U = U.reshape(n_rows, B * K * r)
    return Embedding(U, U)


def squared_distances(left: Embedding, right: Embedding) -> Array:
    """Return squared distances (n, m); of a metric, never negative.

    Examples
    --------
    >>> a, b = np.array([[0.0]]), np.array([[3.0], [4.0]])
    >>> squared_distances(Embedding(a, a), Embedding(b, b))
    array([[ 9., 16.]])
    """
    d2 = left.left @ right.right.T  # O(n m q)
    return np.maximum(d2, 0.0, out=d2) if left.signed is left.U else d2


def pairwise_distances(U: Array, V: Array | None = None) -> Array:
    """Return squared Euclidean distances (n, m), exactly zero between equal rows.

    The fast formula loses small distances to rounding; those are computed anew from
    differences.
    """
    left = Embedding(U, U)
    right = left if V is None else Embedding(V, V)
    d2 = squared_distances(left, right)
    small_rows, small_columns = np.nonzero(d2 <= 1e-6 * left.sizes[:, None])
    for at in range(0, len(small_rows), 1 << 16):
        i, j = small_rows[at : at + (1 << 16)], small_columns[at : at + (1 << 16)]
        difference = left.U[i] - right.U[j]
        d2[i, j] = np.einsum("eq,eq->e", difference, difference)
    return 0.5 * (d2 + d2.T) if V is None else d2
