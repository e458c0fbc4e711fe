"""Rows as binary codes, compared by the share of bits in which they differ."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.vectors import SummedVectors
from nearkind.protocols import Array, Codes

WORD = 64
"""Bits in a word."""
Words = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Bits(SummedVectors):
    """d = share of the bits in which two rows differ.

    Bit k of a row is one where entry k of the sum of its values' vectors is >= 0.
    """

    def represent(self, codes: Codes) -> Words:
        """Return the bits of rows, packed into words."""
        return packed(self.are_ones(codes))

    def compare(self, a: Words, b: Words) -> Array:
        """Return distances (n, m) between represented rows."""
        differing = np.zeros((len(a), len(b)))
        for x, y in zip(a.T, b.T, strict=True):
            differing += np.bitwise_count(x[:, None] ^ y)
        return differing / self.size

    def transform(self, X: Any, *, owner: str | None = None) -> Array:
        """Return vectors (n, q) whose squared Euclidean distance is the distance."""
        signs = np.where(self.are_ones(self.encode(X, owner)), 1.0, -1.0)
        return signs / (2.0 * self.size**0.5)

    def are_ones(self, codes: Codes) -> NDArray[np.bool_]:
        """Return the bits of rows (n, q)."""
        return self.tables.embed(codes) >= 0.0

    @property
    def cost(self) -> int:
        """How many numbers are read to compare two represented rows."""
        return -(-self.size // WORD)


def packed(is_one: NDArray[np.bool_]) -> Words:
    """Return bits (n, q) in words (n, q / 64), the last one filled up with zeros.

    Examples
    --------
    >>> packed(np.array([[True, False], [True, True]])).shape
    (2, 1)
    """
    lacking = -is_one.shape[1] % WORD
    filled = np.pad(is_one, ((0, 0), (0, lacking)))
    return np.packbits(filled, axis=1).view(np.uint64)
