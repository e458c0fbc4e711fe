"""Each feature's share of the mean squared distance, for any weights of the rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nearkind.protocols import Array, Codes

AT_ONCE = 1 << 21
"""Numbers of an embedding held at a time."""


@dataclass(frozen=True)
class Spreads:
    """What resampled shares need of rows, found once.

    Attributes
    ----------
    vectors : of each feature, one a value, centred; the last for what is unseen
    codes : (m, D), >= 0
    products : (m, D), <u_d, u> of each row
    """

    vectors: Sequence[Array]
    codes: Codes
    products: Array

    @classmethod
    def of(cls, tables: Sequence[Array], codes: Codes) -> "Spreads":
        """Return them for the vectors of values and codes (m, D) of distinct rows."""
        vectors = [table - table.mean(axis=0) for table in tables]
        sizes = np.array([len(table) for table in tables], dtype=codes.dtype)
        codes = codes % sizes  # -1 is the last
        products = np.empty(codes.shape)
        step = max(AT_ONCE // vectors[0].shape[1], 1)
        for start in range(0, len(codes), step):
            at = slice(start, start + step)
            columns = list(zip(vectors, codes[at].T, strict=True))
            U = sum(table[code] for table, code in columns)
            for d, (table, code) in enumerate(columns):
                products[at, d] = np.einsum("iq,iq->i", table[code], U)
        return cls(vectors, codes, products)

    def shares(self, weights: Array) -> Array:
        """Return shares (D,) for weights of the rows (m,); zeros if all are equal.

        mean <u_d - mean u_d, u - mean u> = mean <u_d, u> - <mean u_d, mean u>.
        """
        weights = weights / weights.sum()
        means = np.array(
            [
                np.bincount(code, weights, len(table)) @ table
                for table, code in zip(self.vectors, self.codes.T, strict=True)
            ]
        )  # (D, q)
        size = weights @ self.products
        parts = size - means @ means.sum(axis=0)
        total = parts.sum()
        is_spread = total > 1e-12 * np.abs(size).sum()
        return parts / total if is_spread else np.zeros(len(parts))
