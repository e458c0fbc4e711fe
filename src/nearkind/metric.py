"""The learned metric as a linear map: M = F'F, so distances are Euclidean after F."""

from typing import NamedTuple

import numpy as np

from nearkind.spectral import Spectrum
from nearkind.typing import Array


class Embedding(NamedTuple):
    """Rows whose squared distances are (u_i - u_j)' diag(signs) (u_i - u_j).

    For a metric all signs are +1 and ``signed`` is ``U`` itself. A solver's trial point
    may have negative eigenvalues; its "distances" are linear in M all the same.
    """

    U: Array  # (n, q)
    signed: Array  # (n, q), U times the sign of each eigenvalue


def embed(Z: Array, spectrum: Spectrum) -> Embedding:
    """Map rows so that Euclidean distances are the learned ones.

    |u_i - u_j|^2 = sum over blocks b and vectors k of
    (z_bik - z_bjk)' M_b (z_bik - z_bjk).

    Parameters
    ----------
    Z : (B, n, K, W)
    spectrum : Spectrum of M (B, W, W)

    Returns
    -------
    Embedding with U (n, q), q = K times the rank of M, at least one column
    """
    n_rows, n_vectors = Z.shape[1:3]
    factors = spectrum.factors()
    U = np.concatenate(
        [
            (z @ F.T).reshape(n_rows, n_vectors * len(F))
            for z, (F, _) in zip(Z, factors, strict=True)
        ],
        axis=1,
    )
    signs = np.concatenate([np.tile(s, n_vectors) for _, s in factors])
    if not U.shape[1]:
        U = np.zeros((n_rows, 1))
    return Embedding(U, U * signs if (signs < 0).any() else U)


def squared_distances(left: Embedding, right: Embedding) -> Array:
    """Return squared distances (n, m); of a metric, never negative.

    Examples
    --------
    >>> a, b = np.array([[0.0]]), np.array([[3.0], [4.0]])
    >>> squared_distances(Embedding(a, a), Embedding(b, b))
    array([[ 9., 16.]])
    """
    d2 = -2.0 * (left.signed @ right.U.T)  # O(n m q)
    d2 += np.einsum("iq,iq->i", left.signed, left.U)[:, None]
    d2 += np.einsum("jq,jq->j", right.signed, right.U)
    return np.maximum(d2, 0.0, out=d2) if left.signed is left.U else d2


def pairwise_distances(U: Array, V: Array | None = None) -> Array:
    """Return squared Euclidean distances (n, m), exactly zero between equal rows.

    The fast formula loses small distances to rounding; those are computed anew from
    differences.
    """
    left = Embedding(U, U)
    right = left if V is None else Embedding(V, V)
    d2 = squared_distances(left, right)
    sizes = np.einsum("iq,iq->i", U, U)[:, None]
    small_rows, small_columns = np.nonzero(d2 <= 1e-6 * sizes)
    for at in range(0, len(small_rows), 1 << 16):
        i, j = small_rows[at : at + (1 << 16)], small_columns[at : at + (1 << 16)]
        difference = left.U[i] - right.U[j]
        d2[i, j] = np.einsum("eq,eq->e", difference, difference)
    return 0.5 * (d2 + d2.T) if V is None else d2
