"""Eigenvalues of a stack of symmetric matrices; the engine's only call of ``eigh``.

Value, gradient and prox of a regularizer must see one and the same spectrum, so a stack
is decomposed once and everything else works on the result.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array

RANK_TOLERANCE = 1e-9
"""Eigenvalues below this share of the largest count as zero."""


@dataclass(frozen=True)
class Spectrum:
    """A stack of symmetric matrices as vectors diag(values) vectors', block by block.

    Attributes
    ----------
    values : ndarray of shape (B, r)
        Eigenvalues; those that are not listed are 0.
    vectors : ndarray of shape (B, W, r)
        Eigenvectors, in columns.
    """

    values: Array
    vectors: Array

    @cached_property
    def matrix(self) -> Array:
        """The stack itself (B, W, W)."""
        V = self.vectors
        return symmetrized((V * self.values[:, None, :]) @ V.swapaxes(1, 2))

    def with_values(self, values: Array) -> "Spectrum":
        """Return other eigenvalues on the same eigenvectors."""
        return Spectrum(values.reshape(self.values.shape), self.vectors)

    def positive(self) -> "Spectrum":
        """Return the nearest positive semi-definite stack: negatives become zero."""
        return self.with_values(np.maximum(self.values, 0.0))

    def truncated(self, rank: int) -> "Spectrum":
        """Return the stack with the largest ``rank`` eigenvalues of each block only."""
        if self.values.shape[1] <= rank:
            return self
        largest = np.argsort(-self.values, axis=1, kind="stable")[:, :rank]
        return Spectrum(
            np.take_along_axis(self.values, largest, axis=1),
            np.take_along_axis(self.vectors, largest[:, None], axis=2),
        )

    @property
    def rank(self) -> int:
        """Number of eigenvalues that are not zero up to rounding."""
        return int(self.kept.sum())

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which eigenvalues are not zero up to rounding (B, r)."""
        size = np.abs(self.values)
        kept: NDArray[np.bool_] = size > RANK_TOLERANCE * size.max(initial=0.0)
        return kept

    @property
    def factor(self) -> Array:
        """F (B, r, W) with M = F' diag(signs of values) F, block by block."""
        scaled: Array = np.sqrt(np.abs(self.values))[:, None] * self.vectors
        return scaled.swapaxes(1, 2)

    def factors(self) -> list[tuple[Array, Array]]:
        """Return (F_b (r_b, W), signs (r_b,)) with M_b = F_b' diag(signs) F_b."""
        blocks = zip(self.factor, np.sign(self.values), self.kept, strict=True)
        return [(F[k], s[k]) for F, s, k in blocks]


def decompose(M: Array) -> Spectrum:
    """Return the spectrum of a stack of symmetric matrices (B, W, W)."""
    return Spectrum(*np.linalg.eigh(M))  # O(B W^3)


def decompose_factor(F: Array) -> Spectrum:
    """Return the spectrum of F'F (B, W, W), from the smaller F F' (B, r, r).

    What rounding makes of a zero eigenvalue is zero again: F' u would be rounding too,
    and scaled to the length of an eigenvector it would point anywhere.
    """
    values, vectors = np.linalg.eigh(F @ F.swapaxes(1, 2))
    rounding = max(F.shape[1:]) * np.finfo(float).eps * values.max(axis=1, initial=0.0)
    sizes = np.sqrt(np.where(values <= rounding[:, None], 0.0, values))
    turned = vectors.swapaxes(1, 2) @ F  # (B, r, W), orthogonal rows
    units = turned / np.where(sizes > 0.0, sizes, 1.0)[:, :, None]
    return Spectrum(sizes * sizes, units.swapaxes(1, 2))


def symmetrized(M: Array) -> Array:
    """Return (M + M') / 2, block by block."""
    return 0.5 * (M + M.swapaxes(1, 2))


def identity(n_blocks: int, width: int) -> Spectrum:
    """Return a stack of identity matrices: Euclidean distance on phi."""
    eye = np.broadcast_to(np.eye(width), (n_blocks, width, width))
    return Spectrum(np.ones((n_blocks, width)), eye.copy())
