"""The learned model as lookup tables: every value of every feature has a vector.

phi is a table a feature and the embedding is linear, so a row's vector is the sum of
the vectors of its values. New rows are embedded by gathering and adding; explanations,
maps and exports read the same tables.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nearkind.metrics.metric import embed
from nearkind.metrics.spectrum import Spectrum
from nearkind.protocols import Array, Codes, Structure

ROWS_AT_ONCE = 1 << 14
"""Rows that are averaged over at a time."""


@dataclass(frozen=True)
class ValueTables:
    """One table a feature, (n_values[d] + 1, q); code -1 reaches the last row."""

    vectors: Sequence[Array]

    def embed(self, codes: Codes) -> Array:
        """Return one vector a row (n, q): the sum of the vectors of its values."""
        U = np.zeros((len(codes), self.vectors[0].shape[1]))
        if len(codes) == 1:  # a row of a table is found sooner than an array of rows
            for vectors, code in zip(self.vectors, codes[0].tolist(), strict=True):
                U[0] += vectors[code]
            return U
        for vectors, code in zip(self.vectors, codes.T, strict=True):
            U += vectors[code]
        return U

    def contributions(self, a: Codes, b: Codes) -> Array:
        """Return each feature's part (D,) of the squared distance between two rows.

        <u_d(a) - u_d(b), u(a) - u(b)>: a feature's own term, and half of each cross
        term with another. They add up to the squared distance. A feature's part is
        negative where it makes the others' differences smaller.
        """
        steps = np.array(
            [
                vectors[i] - vectors[j]
                for vectors, i, j in zip(self.vectors, a, b, strict=True)
            ]
        )  # (D, q)
        parts: Array = steps @ steps.sum(axis=0)
        return parts


def value_tables(
    tables: Sequence[Array], structure: Structure, spectrum: Spectrum
) -> ValueTables:
    """Return the vectors that structure and metric make of a projection's tables."""
    maps = feature_maps(tables, structure, spectrum)
    return ValueTables(
        [
            table.reshape(len(table), len(to_embedding)) @ to_embedding
            for table, to_embedding in zip(tables, maps, strict=True)
        ]
    )


def relevance(
    phi: Array,
    tables: Sequence[Array],
    structure: Structure,
    spectrum: Spectrum,
    weights: Array,
) -> Array:
    """Return each feature's share (D,) of the mean squared distance of two rows.

    The mean of what ``ValueTables.contributions`` says, for rows as they are in phi
    (n, sum of R_d, C): with cross-fitting each without its own label.
    """
    n, n_places, n_channels = phi.shape
    flat, share = phi.reshape(n, n_places * n_channels), weights / weights.sum()
    maps = list(feature_maps(tables, structure, spectrum))
    whole = np.concatenate(maps)  # (sum of R_d C, q)
    mean, moved = share @ flat, np.zeros_like(whole)
    for at in range(0, n, ROWS_AT_ONCE):
        rows = slice(at, at + ROWS_AT_ONCE)
        centred = flat[rows] - mean
        moved += centred.T @ (share[rows, None] * (centred @ whole))
    ends = np.cumsum([len(A) for A in maps])[:-1]
    parts = np.array([part.sum() for part in np.split(moved * whole, ends)])
    total = parts.sum()
    return parts / total if total > 0.0 else np.zeros(len(parts))


def feature_maps(
    tables: Sequence[Array], structure: Structure, spectrum: Spectrum
) -> Iterator[Array]:
    """Yield the map (R_d C, q) to the embedding from each feature's rows R_d of phi.

    A value of feature d fills rows R_d of phi and nothing else, so the map from those
    rows to the embedding, seen on unit vectors, is all that is needed.
    """
    n_rows, start = sum(table.shape[1] for table in tables), 0
    for table in tables:
        size, n_channels = table.shape[1:]
        width, rows = size * n_channels, slice(start, start + size)
        units = np.zeros((width, n_rows, n_channels))
        units[:, rows] = np.eye(width).reshape(width, size, n_channels)
        yield embed(structure.blocks(units), spectrum).U
        start += size
