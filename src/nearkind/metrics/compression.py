"""Compression of rows: the same distances from fewer numbers.

Rows of a table rarely fill the space of their projections: class histograms sum to one,
so one channel follows from the others, and indicators of a column do too. A
rotation of the channels changes no distance, nor does a direction in which all rows are
equal.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkind.metrics.spectrum import Spectrum, decompose
from nearkind.protocols import Array, Structure

NEGLIGIBLE = 1e-12
"""Share of the largest variance below which a direction counts as constant."""


@dataclass(frozen=True)
class CompressedRows:
    """Centred rows without channels or directions in which all of them are equal.

    Attributes
    ----------
    Z : ndarray of shape (B, n, K', W')
        The rows, with K' <= K and W' <= W.
    bases : ndarray of shape (B, W, W')
        Orthonormal columns: M = bases M' bases'. A block with fewer directions than W'
        has zeros for the rest.
    """

    Z: Array
    bases: Array

    @property
    def identity(self) -> Spectrum:
        """Euclidean distance, zero where a block has no direction."""
        n_blocks, _, width = self.bases.shape
        lengths = (self.bases * self.bases).sum(axis=1)  # (B, W'), one or zero
        return Spectrum(
            lengths, np.broadcast_to(np.eye(width), (n_blocks, width, width))
        )

    def expand(self, point: Spectrum) -> Spectrum:
        """Return the metric (B, W, W) that gives all rows the same distances."""
        return Spectrum(point.values, self.bases @ point.vectors)

    def restrict(self, M: Array) -> Array:
        """Return a metric (B, W, W) on these rows (B, W', W')."""
        return self.bases.swapaxes(1, 2) @ M @ self.bases


def compress(Z: Array, keep_axes: bool = False) -> CompressedRows:
    """Centre rows (B, n, K, W) and drop the channels and directions that do not vary.

    Parameters
    ----------
    Z : ndarray of shape (B, n, K, W)
    keep_axes : bool, default=False
        Drop channels alone: M is then compared entry by entry, or is to be learned in
        the very coordinates that it is stated in.

    Examples
    --------
    >>> shares = np.random.default_rng(0).dirichlet([1.0, 1.0, 1.0], size=(1, 9, 4))
    >>> compress(shares.swapaxes(2, 3)).Z.shape  # three classes: two channels
    (1, 9, 2, 4)
    """
    B, _, _, W = Z.shape
    if not Z.size:
        return CompressedRows(Z, np.zeros((B, W, W)))
    Z = _rotate_channels(Z - Z.mean(axis=1, keepdims=True))
    if keep_axes:
        return CompressedRows(rows_first(Z), np.broadcast_to(np.eye(W), (B, W, W)))
    bases = [_range(z.reshape(-1, W)) for z in Z]  # (W, r_b) each
    padded = np.zeros((B, W, max(basis.shape[1] for basis in bases)))
    for at, basis in zip(padded, bases, strict=True):
        at[:, : basis.shape[1]] = basis
    _, n, K, _ = Z.shape  # some channels may be gone
    rows = Z.reshape(B, n * K, W) @ padded
    return CompressedRows(rows_first(rows.reshape(B, n, K, padded.shape[2])), padded)


def most_channels(n_table_rows: int, n_channels: int, structure: Structure) -> int:
    """Return the maximum number of channels for tables with this many rows in all.

    A structure whose shape does not depend on the channels treats all of them alike.
    Distances are then sums over channels, and S vectors span at most S of them.
    """
    is_alike = structure.shape(1, n_channels) == structure.shape(1, 1)
    return min(n_table_rows, n_channels) if is_alike else n_channels


def compress_tables(tables: Sequence[Array], structure: Structure) -> list[Array]:
    """Return tables of fewer channels, between whose rows distances are the same.

    Only where there are more channels, as of a thousand classes, than values.

    Parameters
    ----------
    tables : sequence of ndarray of shape (s_d + 1, R_d, C)
    structure : Structure

    Returns
    -------
    list of ndarray of shape (s_d + 1, R_d, C')
        With C' <= C.

    Examples
    --------
    >>> from nearkind.metrics.structures import Single
    >>> compress_tables([np.eye(2, 9)[:, None, :]], Single())[0].shape
    (2, 1, 2)
    """
    n_channels = tables[0].shape[2]
    sizes = [table.shape[0] * table.shape[1] for table in tables]
    if most_channels(sum(sizes), n_channels, structure) == n_channels:
        return list(tables)
    rows = np.concatenate([table.reshape(-1, n_channels) for table in tables])  # (S, C)
    # rows' = Q R with orthonormal Q, so that R' has the inner products of rows.
    _, R = np.linalg.qr(rows.T)
    parts = zip(tables, np.split(R.T, np.cumsum(sizes)[:-1]), strict=True)
    return [part.reshape(*table.shape[:2], len(rows)) for table, part in parts]


def rows_first(Z: Array) -> Array:
    """Return the same array (B, n, K, W), each row in one place of memory.

    All blocks of many rows can then be summed by one product of matrices.
    """
    return np.ascontiguousarray(Z.swapaxes(0, 1)).swapaxes(0, 1)


def _rotate_channels(Z: Array) -> Array:
    """Rotate the channels so that those which never vary can be dropped."""
    if Z.shape[2] == 1:
        return Z
    channels = Z.swapaxes(2, 3).reshape(-1, Z.shape[2])
    rotated: Array = np.einsum("bnkw,kl->bnlw", Z, _range(channels), optimize=True)
    return rotated


def _range(rows: Array) -> Array:
    """Return an orthonormal basis (W, r) of the directions in which rows vary."""
    width = rows.shape[1]
    if len(rows) < width:  # the smaller of two Gram matrices, with the same spectrum
        values, vectors = _eigh(rows @ rows.T)
        kept = _varying(values)
        return np.linalg.qr(rows.T @ vectors[:, kept])[0]
    values, vectors = _eigh(rows.T @ rows)
    kept = _varying(values)
    return np.eye(width) if kept.all() else vectors[:, kept]


def _eigh(gram: Array) -> tuple[Array, Array]:
    spectrum = decompose(gram[None])
    return spectrum.values[0], spectrum.vectors[0]


def _varying(values: Array) -> NDArray[np.bool_]:
    """Say which variances are not negligible; the largest always counts."""
    varying: NDArray[np.bool_] = values >= NEGLIGIBLE * values.max()
    return varying
