"""How learners code rows as vectors, and what they keep of a map of these."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.codebook import Codebook
from nearkind.metrics.compression import compress
from nearkind.metrics.spectrum import Spectrum, decompose
from nearkind.metrics.structures import Full
from nearkind.metrics.value_tables import ValueTables, feature_maps, value_tables
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM
from nearkind.protocols import Array, Codes, Projection
from nearkind.solvers.solution import Stop
from nearkind.validation.convergence import not_converged
from nearkind.validation.limits import check_size

CODINGS = {"onehot": OneHot, "vdm": VDM}
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
        columns = zip(self.tables, codes.T, strict=True)
        return np.concatenate([table[code] for table, code in columns], axis=1)

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


def fit_coding(
    projection: Projection, book: Codebook, rows: Any, n_held: int, n_classes: int
) -> Projection:
    """Return the coding of values, fitted to all rows.

    Parameters
    ----------
    projection : Projection
        Not fitted.
    book : Codebook
    rows : CodedRows or UniqueRows
    n_held : int
        How many of them will be held, coded, at a time.
    n_classes : int
    """
    check_size(projection, Full(), book.names_, book.n_values, n_held, n_classes)
    return projection.fit(rows.codes, book.n_values, rows.y, rows.weights)


def flat_tables(projection: Projection) -> list[Array]:
    """Return the tables of a coding as vectors of values (s_d + 1, w_d)."""
    return [table.reshape(len(table), -1) for table in projection.tables]


def vectors_under(
    book: Codebook, projection: Projection, point: Spectrum
) -> ValueVectors:
    """Return the form of a full metric over the coordinates of a coding."""
    maps = feature_maps(projection.tables, Full(), point)
    return ValueVectors(book, value_tables(projection.tables, maps))


def warn_unless_settled(
    reason: Stop, n_iter: int, objective: float, what: str = "iterations"
) -> None:
    """Warn if a learner has stopped before its objective settled."""
    if reason is not Stop.SETTLED:
        details = f"After {n_iter} {what} the objective is {objective:.6g}."
        warnings.warn(not_converged(reason, details), stacklevel=4)
