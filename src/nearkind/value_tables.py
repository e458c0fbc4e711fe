"""The learned model as lookup tables: every value of every feature has a vector.

phi is a table a feature and the embedding is linear, so a row's vector is the sum of
the vectors of its values. New rows are embedded by gathering and adding; explanations,
maps and exports read the same tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nearkind.metric import embed
from nearkind.spectral import Spectrum
from nearkind.typing import Array, Codes, Structure


@dataclass(frozen=True)
class ValueTables:
    """One table a feature, (n_values[d] + 1, q); code -1 reaches the last row."""

    vectors: Sequence[Array]

    def embed(self, codes: Codes) -> Array:
        """Return one vector a row (n, q): the sum of the vectors of its values."""
        U = np.zeros((len(codes), self.vectors[0].shape[1]))
        for vectors, code in zip(self.vectors, codes.T, strict=True):
            U += vectors[code]
        return U

    def contributions(self, a: Codes, b: Codes) -> Array:
        """Return each feature's part (D,) of the squared distance between two rows.

        <u_d(a) - u_d(b), u(a) - u(b)>: a feature's own term, and half of each cross
        term with another. They add up to the squared distance; a feature that works
        against others may have a negative one.
        """
        steps = np.array(
            [
                vectors[i] - vectors[j]
                for vectors, i, j in zip(self.vectors, a, b, strict=True)
            ]
        )  # (D, q)
        return steps @ steps.sum(axis=0)

    def relevance(self, codes: Codes, weights: Array) -> Array:
        """Return each feature's share (D,) of the mean squared distance of two rows."""
        share = weights / weights.sum()
        U = self.embed(codes)
        U -= share @ U
        total = share @ np.einsum("iq,iq->i", U, U)
        parts = np.array(
            [
                share @ np.einsum("iq,iq->i", vectors[code], U)
                for vectors, code in zip(self.vectors, codes.T, strict=True)
            ]
        )
        return parts / total if total > 0.0 else np.zeros(len(parts))


def value_tables(
    tables: Sequence[Array], structure: Structure, spectrum: Spectrum
) -> ValueTables:
    """Push the projection's tables through the structure and the metric.

    A value of feature d fills rows R_d of phi and nothing else, so the map from those
    rows to the embedding, seen on unit vectors, is all that is needed.
    """
    n_rows = sum(table.shape[1] for table in tables)
    start, vectors = 0, []
    for table in tables:
        size, n_channels = table.shape[1:]
        units = np.zeros((size * n_channels, n_rows, n_channels))
        width = size * n_channels
        flat = np.eye(width).reshape(width, size, n_channels)
        units[:, start : start + size] = flat
        to_embedding = embed(structure.blocks(units), spectrum).U  # (R_d C, q)
        vectors.append(table.reshape(len(table), width) @ to_embedding)
        start += size
    return ValueTables(vectors)
