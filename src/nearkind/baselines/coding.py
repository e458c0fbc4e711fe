"""Codings of rows as vectors for learners, and the forms of linear maps of these."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated

import numpy as np

from nearkind.distances.kernel import coded_rows
from nearkind.metrics.compression import CompressedRows, compress
from nearkind.metrics.spectrum import decompose
from nearkind.metrics.structures import Full
from nearkind.metrics.value_tables import ValueTables
from nearkind.projections.onehot import OneHot, Thermometer
from nearkind.projections.vdm import VDM
from nearkind.protocols import Array, Codes, Projection
from nearkind.validation.parameters import choice

CODINGS = {"onehot": OneHot, "vdm": VDM, "thermometer": Thermometer}
CodingName = Annotated[str, partial(choice, table=CODINGS)]
NOTHING = 1e-12
"""Squares of distances between values up to this are rounding, where all are."""
FLAT = 1e-9
"""Values closer than this in some direction do not differ in it."""


@dataclass(frozen=True)
class Coding:
    """Each value as a vector, in the directions in which values of its feature differ.

    Distances between any two rows, those with unseen values included, are as in the
    projection itself; there are only fewer numbers.

    Attributes
    ----------
    tables : sequence of ndarray of shape (n_values[d] + 1, r_d)
        Vectors of the values of feature d, that of an unseen value last.
    bases : sequence of ndarray of shape (R_d C, r_d)
        The directions of feature d: orthonormal columns.
    """

    tables: Sequence[Array]
    bases: Sequence[Array]

    @classmethod
    def of(cls, tables: Sequence[Array], *, reduced: bool = True) -> "Coding":
        """Code by a projection's tables; keep all coordinates if not ``reduced``."""
        flat = [table.reshape(len(table), -1) for table in tables]
        bases = [_directions(t) if reduced else np.eye(t.shape[1]) for t in flat]
        both = zip(flat, bases, strict=True)
        return cls([(t - t.mean(axis=0)) @ basis for t, basis in both], bases)

    @cached_property
    def width(self) -> int:
        """Numbers W in a coded row."""
        return sum(table.shape[1] for table in self.tables)

    def rows(self, codes: Codes) -> Array:
        """Return coded rows (n, W)."""
        return coded_rows(self.tables, codes)

    def value_tables(self, M: Array) -> ValueTables:
        """Return the vectors of all values under a metric (W, W)."""
        (F, _), *_ = decompose(M[None]).positive().factors()
        F = F if len(F) else np.zeros((1, self.width))  # (q, W)
        return learned_tables(self.tables, F)


def map_tables(tables: Sequence[Array], L: Array) -> ValueTables:
    """Return the vectors of values, from tables (s_d + 1, w_d) and a map (q, W)."""
    ends = np.cumsum([table.shape[1] for table in tables])[:-1]
    parts = zip(tables, np.split(L, ends, axis=1), strict=True)
    return ValueTables([table @ part.T for table, part in parts])


def side_by_side(vectors: Sequence[Array]) -> ValueTables:
    """Give the vectors of values (s_d + 1, q_d) of each feature columns of their own.

    Examples
    --------
    >>> side_by_side([np.eye(2), np.ones((2, 1))]).vectors[1].tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
    """
    ends = np.cumsum([0, *(V.shape[1] for V in vectors)])
    tables = [np.zeros((len(V), max(int(ends[-1]), 1))) for V in vectors]
    for table, V, start in zip(tables, vectors, ends[:-1], strict=True):
        table[:, start : start + V.shape[1]] = V
    return ValueTables(tables)


def weighted_tables(tables: Sequence[Array], weights: Array) -> ValueTables:
    """Return vectors whose squared distances are multiplied by weights (D,)."""
    both = zip(tables, np.sqrt(weights), strict=True)
    return ValueTables([root * table for table, root in both])


def with_mean(vectors: Array) -> Array:
    """Return vectors of values (s, q) and their mean, for the unseen (s + 1, q)."""
    mean = vectors.mean(axis=0) if len(vectors) else np.zeros(vectors.shape[1])
    return np.vstack([vectors, mean])


def are_one(vectors: Array) -> bool:
    """Return whether vectors (n, q) differ by rounding alone."""
    return bool(np.abs(vectors - vectors[:1]).max(initial=0.0) ** 2 <= NOTHING)


def learned_tables(tables: Sequence[Array], L: Array) -> ValueTables:
    """Return the vectors of values under a learned map, equal if all but are.

    A map that learned nothing would order rows by rounding, and so by the order of
    columns.

    Examples
    --------
    >>> learned_tables([np.eye(3)], np.array([[1e-17, 0.0, 0.0]])).vectors[0].tolist()
    [[1e-17], [1e-17], [1e-17]]
    """
    vectors = map_tables(tables, L).vectors
    if not all(are_one(v[:-1]) for v in vectors):  # that of unseen values is last
        return ValueTables(vectors)
    return ValueTables([np.repeat(v[:1], len(v), axis=0) for v in vectors])


def _directions(vectors: Array) -> Array:
    """Return an orthonormal basis of the directions in which vectors (s, w) differ."""
    reduced = compress(vectors[None, :, None, :])
    varies = np.abs(reduced.Z[0, :, 0]).max(axis=0) > FLAT
    return reduced.bases[0][:, varies]


def compressed_rows(projection: Projection, codes: Codes) -> CompressedRows:
    """Return coded rows, in the directions in which they differ."""
    return compress(Full().blocks(projection.transform(codes)))


def flat_tables(projection: Projection) -> list[Array]:
    """Return the tables of a coding as vectors of values (s_d + 1, w_d)."""
    return [table.reshape(len(table), -1) for table in projection.tables]
