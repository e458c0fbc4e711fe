"""The base of learners of one matrix from pairs of rows: ITML, MMC, DML-eig and POLA.

Nothing of size n x W is held: rows are coded where they are needed, chunk by chunk.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from nearkind.baselines.coding import CODINGS, FLAT, Coding
from nearkind.baselines.row_pairs import PairSampler, RowPairs
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.rows import Numbers
from nearkind.estimators.base import VectorDistance, code_rows
from nearkind.estimators.bases import BaseEstimator
from nearkind.metrics.spectrum import decompose, symmetrized
from nearkind.protocols import Array, Codes
from nearkind.validation import parameters
from nearkind.validation.limits import LARGEST_METRIC
from nearkind.validation.parameters import generator, number, whole_number

AT_ONCE = 1 << 21
"""Numbers of coded rows held at a time."""
LARGEST_DIFFERENCES = 1 << 22
"""Numbers in the differences of pairs that a learner goes over again and again."""
RIDGE = 1e-5
"""Share of the mean variance that is added to the variance in every direction."""


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
