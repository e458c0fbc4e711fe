"""The base of learners of one matrix from pairs of rows: ITML, MMC, DML-eig and POLA.

Nothing of size n x W is held: rows are coded where they are needed, chunk by chunk.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag
from sklearn.base import BaseEstimator

from nearkind.baselines.row_pairs import PairSampler, RowPairs
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.rows import Numbers
from nearkind.estimators.base import VectorDistance, code_rows
from nearkind.metrics.compression import compress
from nearkind.metrics.spectrum import decompose, symmetrized
from nearkind.metrics.value_tables import ValueTables
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM
from nearkind.protocols import Array, Codes
from nearkind.validation import parameters
from nearkind.validation.limits import LARGEST_METRIC
from nearkind.validation.parameters import generator, number, whole_number

CODINGS = {"onehot": OneHot, "vdm": VDM}
AT_ONCE = 1 << 21
"""Numbers of coded rows held at a time."""
LARGEST_DIFFERENCES = 1 << 22
"""Numbers in the differences of pairs that a learner goes over again and again."""
RIDGE = 1e-5
"""Share of the mean variance that is added to the variance in every direction."""
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


@dataclass(frozen=True)
class LabelledRows:
    """Rows to learn from: codes (n, D), their coding, and class numbers (n,)."""

    coding: Coding
    codes: Codes
    y: Numbers

    @cached_property
    def pairs(self) -> PairSampler:
        """The pairs of these rows."""
        return PairSampler(self.y)

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
            for x in self._chunks(np.flatnonzero(self.y == label)):
                gram += x.T @ x  # O(n W^2)
                sums += x.sum(axis=0)
                n_rows += len(x)
            total += n_rows * gram - np.outer(sums, sums)
        return symmetrized(total[None])[0] / self.pairs.n_alike

    def _chunks(self, rows: Numbers) -> Iterator[Array]:
        size = max(1, AT_ONCE // max(self.coding.width, 1))
        for at in range(0, len(rows), size):
            yield self.coding.rows(self.codes[rows[at : at + size]])


def differing(V: Array) -> NDArray[np.bool_]:
    """Return which differences (m, W) are not zero up to rounding.

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


class MatrixLearner(VectorDistance, BaseEstimator, ABC):
    """d^2 = v' M v, v the difference of two coded rows, M learned from pairs of rows.

    A learner gives ``_check``, which refuses wrong parameters, and ``_learn``, which
    returns M. Pairs are drawn by the numbers of rows, so neither the names of values
    nor the order of columns matters.

    Parameters
    ----------
    coding : {"onehot", "vdm"}
        Values as indicators or as class histograms.
    random_state : int, RandomState or None
        For the pairs; None: others each time.

    Attributes
    ----------
    coding_ : Coding
        Vectors of values, in the directions in which they differ.
    reduced_metric_ : ndarray of shape (W, W)
        M over these directions.
    """

    _requires_labels = True
    _is_learned = True

    coding: Any
    random_state: Any
    coding_: Coding
    reduced_metric_: Array

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the distance.

        Parameters
        ----------
        X : table of shape (n, D)
        y : array-like of shape (n,), default=None
            One label a row; None is refused.

        Returns
        -------
        self
        """
        self._check()
        rng = generator(self.random_state)
        rows = self._code(X, y)
        rows.pairs.check(type(self).__name__)
        return self._set_matrix(self._learn(rows, rng))

    @property
    def metric_(self) -> Array:
        """M over all coordinates of the coding; zero where no two rows can differ."""
        basis = block_diag(*self.coding_.bases)
        return basis @ self.reduced_metric_ @ basis.T

    @abstractmethod
    def _check(self) -> None:
        """Refuse wrong parameters."""

    @abstractmethod
    def _learn(self, rows: LabelledRows, rng: np.random.Generator) -> Array:
        """Return M (W, W) over the directions of the coding."""

    def _check_stop(self) -> None:
        """Refuse wrong ``tol`` and ``max_iter``, which iterative learners have."""
        number(self, "tol", "a number >= 0", 0.0)
        whole_number(self, "max_iter")

    def _code(self, X: Any, y: Any) -> LabelledRows:
        """Learn codes and coding of a labelled table."""
        projection = parameters.choice(self, "coding", CODINGS)()
        rows = code_rows(self, X, y)
        n_values = self.codebook_.n_values
        self._check_size(projection.shape(n_values, len(rows.classes)))
        projection.fit(rows.codes, n_values, rows.y, rows.weights)
        self.coding_ = self._coding_of(projection.tables)
        return LabelledRows(self.coding_, rows.codes, rows.y)

    def _coding_of(self, tables: list[Array]) -> Coding:
        return Coding.of(tables)

    def _set_matrix(self, M: Array) -> Self:
        self.reduced_metric_ = M
        tables = self.coding_.value_tables(M)
        self.distance_ = ValueVectors(self.codebook_, tables)
        return self

    def _euclidean(self, why: str) -> Array:
        """Return M = I, and warn why nothing was learned."""
        warnings.warn(
            f"{type(self).__name__} learned nothing, because {why}. It is the "
            "Euclidean distance between coded rows; give other rows, or another "
            "coding.",
            UserWarning,
            stacklevel=4,
        )
        return np.eye(self.coding_.width)

    def _check_size(self, shape: tuple[int, int]) -> None:
        """Refuse a metric that would be too large, before it is allocated."""
        width = shape[0] * shape[1]
        if width * width <= LARGEST_METRIC:
            return
        book = self.codebook_
        widest = int(np.argmax(book.n_values))
        raise ValueError(
            f"{type(self).__name__} would need a matrix of {width:,} x {width:,} "
            f"numbers. Column {book.names_[widest]!r} has the most values, "
            f"{book.n_values[widest]:,}: drop or coarsen it, or take coding='vdm', "
            "whose size does not depend on the values."
        )
