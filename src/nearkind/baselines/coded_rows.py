"""Rows as vectors for learners of one matrix: a coding of values, differences of pairs.

Nothing of size n x W is held: rows are coded where they are needed, block by block.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nearkind.baselines.pairs_of_rows import PairsOfRows, RowPairs, Rows
from nearkind.metrics.compression import compress
from nearkind.metrics.spectrum import decompose, symmetrized
from nearkind.metrics.value_tables import ValueTables
from nearkind.protocols import Array, Codes

AT_ONCE = 1 << 21
"""Numbers of coded rows held at a time."""
LARGEST_DIFFERENCES = 1 << 22
"""Numbers in the differences of pairs that a learner goes over again and again."""
RIDGE = 1e-5
"""Share of the mean variance that is added to the variance in every direction."""
FLAT = 1e-9
"""Values closer than this in some direction do not differ in it."""


@dataclass(frozen=True)
class Coding:
    """Each value as a vector, in the directions in which values of its feature differ.

    Distances between any two rows, those with unseen values included, are as in the
    projection itself; there are only fewer numbers.

    Attributes
    ----------
    tables : feature d: (n_values[d] + 1, r_d)
    bases : feature d: (R_d C, r_d), orthonormal columns
    """

    tables: Sequence[Array]
    bases: Sequence[Array]

    @classmethod
    def of(cls, tables: Sequence[Array], *, turned: bool = True) -> "Coding":
        """Code by a projection's tables; keep all coordinates if not ``turned``."""
        flat = [table.reshape(len(table), -1) for table in tables]
        bases = [_directions(t) if turned else np.eye(t.shape[1]) for t in flat]
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
        ends = np.cumsum([table.shape[1] for table in self.tables])[:-1]
        parts = zip(self.tables, np.split(F, ends, axis=1), strict=True)
        return ValueTables([table @ part.T for table, part in parts])


def _directions(vectors: Array) -> Array:
    """Return an orthonormal basis of the directions in which vectors (s, w) differ."""
    reduced = compress(vectors[None, :, None, :])
    varies = np.abs(reduced.Z[0, :, 0]).max(axis=0) > FLAT
    return reduced.bases[0][:, varies]


@dataclass(frozen=True)
class LabelledRows:
    """Rows to learn from: codes (n, D), their coding, and class numbers (n,)."""

    coding: Coding
    codes: Codes
    y: Rows

    @cached_property
    def pairs(self) -> PairsOfRows:
        """The pairs of these rows."""
        return PairsOfRows(self.y)

    def differences(self, pairs: RowPairs) -> Array:
        """Return v = x - x' of each pair (m, W)."""
        rows = self.coding.rows
        return rows(self.codes[pairs.left]) - rows(self.codes[pairs.right])

    def unlike(self, size: int, rng: np.random.Generator) -> Array:
        """Return differences of pairs of two classes, without those that are zero.

        All pairs, or ``size`` drawn; fewer where they would take too much memory.
        """
        size = min(size, max(1, LARGEST_DIFFERENCES // max(self.coding.width, 1)))
        V = self.differences(self.pairs.unlike(size, rng))
        return V[differing(V)]

    def within(self) -> Array:
        """Return the mean of v v' over every pair of one class (W, W).

        Over the n rows of a class the sum is n sum x x' - (sum x)(sum x)'.
        """
        width = self.coding.width
        total = np.zeros((width, width))
        for label in range(int(self.y.max()) + 1):
            gram, sums, n_rows = np.zeros((width, width)), np.zeros(width), 0
            for x in self._blocks(np.flatnonzero(self.y == label)):
                gram += x.T @ x  # O(n W^2)
                sums += x.sum(axis=0)
                n_rows += len(x)
            total += n_rows * gram - np.outer(sums, sums)
        return symmetrized(total[None])[0] / self.pairs.n_alike

    def _blocks(self, rows: Rows) -> Iterator[Array]:
        size = max(1, AT_ONCE // max(self.coding.width, 1))
        for at in range(0, len(rows), size):
            yield self.coding.rows(self.codes[rows[at : at + size]])


def differing(V: Array) -> NDArray[np.bool_]:
    """Say which differences (m, W) are not zero up to rounding.

    Examples
    --------
    >>> differing(np.array([[0.0, 1e-17], [0.5, 0.0]]))
    array([False,  True])
    """
    return np.abs(V).max(axis=1, initial=0.0) > FLAT


def whitening(S: Array) -> Array:
    """Return (S + ridge I)^(-1/2), the ridge a small share of the mean variance.

    Examples
    --------
    >>> whitening(np.diag([4.0, 1.0])).round(4)
    array([[0.5, 0. ],
           [0. , 1. ]])
    """
    ridge = RIDGE * np.trace(S) / len(S)
    if ridge <= 0.0:  # rows of a class never differ: there is nothing to hold together
        return np.eye(len(S))
    spectrum = decompose(S[None])
    values = np.maximum(spectrum.values, 0.0) + ridge
    return spectrum.with_values(values**-0.5).matrix[0]
