"""The learned model as lookup tables: every value of every feature has a vector.

phi is a table a feature and the embedding is linear, so a row's vector is the sum of
the vectors of its values. New rows are embedded by gathering and adding; explanations,
maps and exports read the same tables.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.metrics.metric import embed
from nearkind.metrics.spectrum import Spectrum
from nearkind.protocols import Array, Codes, Structure

ROWS_AT_ONCE = 1 << 14
"""Rows that are averaged over at a time."""
UNITS_AT_ONCE = 1 << 20
"""Numbers in the unit vectors that are embedded at a time."""


WIDE = 256
"""Columns of a table from which most of them may be zero."""


@dataclass(frozen=True)
class ValueTables:
    """One table per feature, (n_values[d] + 1, q); code -1 reaches the last row."""

    vectors: Sequence[Array]

    @cached_property
    def nonzero_columns(self) -> list[NDArray[np.intp]]:
        """The columns of each table that are not all zero."""
        return [np.flatnonzero(vectors.any(axis=0)) for vectors in self.vectors]

    def embed(self, codes: Codes) -> Array:
        """Return one vector per row (n, q): the sum of the vectors of its values."""
        q = self.vectors[0].shape[1]
        U = np.zeros((len(codes), q))
        if len(codes) == 1:  # a row of a table is found sooner than an array of rows
            for vectors, code in zip(self.vectors, codes[0].tolist(), strict=True):
                U[0] += vectors[code]
            return U
        columns: Sequence[Any] = [slice(None)] * len(self.vectors)
        if q >= WIDE and sum(map(len, self.nonzero_columns)) <= q * len(columns) / 8:
            columns = self.nonzero_columns
        for vectors, code, some in zip(self.vectors, codes.T, columns, strict=True):
            U[:, some] += vectors[:, some][code]
        return U

    def projected(self, axes: Array) -> "ValueTables":
        """Return the coordinates of the vectors along axes (q, r)."""
        return ValueTables([vectors @ axes for vectors in self.vectors])

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


def unlearned_tables(tables: Sequence[Array]) -> ValueTables:
    """Return the vectors of the Euclidean distance on phi: phi itself, by channels.

    Examples
    --------
    >>> unlearned_tables([np.array([[[1.0, 2.0]]]), np.array([[[3.0, 4.0]]])]).vectors
    [array([[1., 0., 2., 0.]]), array([[0., 3., 0., 4.]])]
    """
    ends = np.cumsum([table.shape[1] for table in tables])
    vectors = []
    for table, end in zip(tables, ends, strict=True):
        n_values, n_places, n_channels = table.shape
        whole = np.zeros((n_values, n_channels, ends[-1]))
        whole[:, :, end - n_places : end] = table.swapaxes(1, 2)
        vectors.append(whole.reshape(n_values, n_channels * ends[-1]))
    return ValueTables(vectors)


def value_tables(tables: Sequence[Array], maps: Sequence[Array]) -> ValueTables:
    """Return the vectors that ``feature_maps`` make of a projection's tables."""
    return ValueTables(
        [
            table.reshape(len(table), len(to_embedding)) @ to_embedding
            for table, to_embedding in zip(tables, maps, strict=True)
        ]
    )


def relevance(phi: Array, maps: Sequence[Array], weights: Array) -> Array:
    """Return each feature's share (D,) of the mean squared distance of two rows.

    The mean of what ``ValueTables.contributions`` says, for rows as they are in phi
    (n, sum of R_d, C): with cross-fitting each without its own label.
    """
    n, n_places, n_channels = phi.shape
    flat, share = phi.reshape(n, n_places * n_channels), weights / weights.sum()
    whole = np.concatenate(maps)  # (sum of R_d C, q)
    mean, by_place = share @ flat, np.zeros(len(whole))
    for at in range(0, n, ROWS_AT_ONCE):
        rows = slice(at, at + ROWS_AT_ONCE)
        centred = flat[rows] - mean
        by_place += share[rows] @ (centred * ((centred @ whole) @ whole.T))
    ends = np.cumsum([len(A) for A in maps])
    parts: Array = np.diff(np.cumsum([0.0, *by_place])[[0, *ends]])
    total = parts.sum()
    return parts / total if total > 0.0 else np.zeros(len(parts))


def feature_maps(
    tables: Sequence[Array], structure: Structure, spectrum: Spectrum
) -> list[Array]:
    """Return the map (R_d C, q) to the embedding from each feature's rows R_d of phi.

    A value of feature d fills rows R_d of phi and nothing else, so the map from those
    rows to the embedding, seen on unit vectors, is all that is needed.
    """
    sizes = [table.shape[1] for table in tables]
    n_places, n_channels = sum(sizes), tables[0].shape[2]
    n_units = n_places * n_channels
    at_once = max(1, UNITS_AT_ONCE // max(n_units, 1))
    images = [
        embed(structure.blocks(units), spectrum).U
        for units in _unit_vectors(n_places, n_channels, at_once)
    ]
    ends = np.cumsum(np.array(sizes) * n_channels)[:-1]
    return np.split(np.concatenate(images), ends)


def _unit_vectors(n_places: int, n_channels: int, at_once: int) -> Iterator[Array]:
    """Yield all unit vectors as phi (n, n_places, n_channels), some at once."""
    n_units = n_places * n_channels
    for start in range(0, max(n_units, 1), at_once):
        places = np.arange(start, min(start + at_once, n_units))
        units = np.zeros((len(places), n_units))
        units[np.arange(len(places)), places] = 1.0
        yield units.reshape(len(places), n_places, n_channels)
