"""Base class of learners of one matrix from pairs: ITML, MMC, DML-eig and POLA.

Nothing of size n x W is held: rows are coded where they are needed, chunk by chunk.
"""

import warnings
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from nearkind.baselines.baseline import Baseline, Learner
from nearkind.baselines.coding import FLAT, Coding, CodingName
from nearkind.baselines.row_pairs import PairSampler, RowPairs
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.rows import CodedRows, Numbers
from nearkind.estimators.base import VectorDistance
from nearkind.metrics.spectrum import decompose, symmetrized
from nearkind.protocols import Array, Codes
from nearkind.validation.parameters import (
    NonNegative,
    Seed,
    WholeNumber,
    generator,
    whole_number,
)

AT_ONCE = 1 << 21
"""Numbers of coded rows held at a time."""
LARGEST_DIFFERENCES = 1 << 22
"""Numbers in the differences of pairs that a learner goes over again and again."""
RIDGE = 1e-5
"""Share of the mean variance that is added to the variance in every direction."""


def _check_number_of_pairs(model: object, name: str) -> None:
    if getattr(model, name) is not None:
        whole_number(model, name, 2)


NumberOfPairs = Annotated[Any, _check_number_of_pairs]
"""None, or at least two: half of the pairs are alike."""


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


class MatrixLearner(Learner, VectorDistance, Baseline):
    """d^2 = v' M v, v the difference of two coded rows, M learned from pairs of rows.

    A learner gives ``_matrix``, which returns M. Pairs are drawn by the numbers of
    rows, so neither the names of values nor the order of columns matters.

    Parameters
    ----------
    coding : {"onehot", "vdm", "thermometer"}
        Values as indicators or as class histograms.
    random_state : int, RandomState or None
        Selects the pairs; None: other pairs in each fit.

    Attributes
    ----------
    coding_ : Coding
        Vectors of values, in the directions in which they differ.
    reduced_metric_ : ndarray of shape (W, W)
        M over these directions.
    """

    _: KW_ONLY
    coding: CodingName = "onehot"
    random_state: Seed = 0

    def _learn(self, rows: CodedRows) -> ValueVectors:
        labelled = self._code(rows)
        labelled.pairs.check(type(self).__name__)
        return self._form(self._matrix(labelled, generator(self.random_state)))

    @property
    def metric_(self) -> Array:
        """M over all coordinates of the coding; zero where no two rows can differ."""
        basis = block_diag(*self.coding_.bases)
        return basis @ self.reduced_metric_ @ basis.T

    @abstractmethod
    def _matrix(self, rows: LabelledRows, rng: np.random.Generator) -> Array:
        """Return M (W, W) over the directions of the coding."""

    def _code(self, rows: CodedRows) -> LabelledRows:
        """Learn the coding of labelled rows."""
        self.coding_ = self._coding_of(self._fit_coding(rows, 1).tables)
        return LabelledRows(self.coding_, rows.codes, rows.y)

    def _coding_of(self, tables: Sequence[Array]) -> Coding:
        return Coding.of(tables)

    def _form(self, M: Array) -> ValueVectors:
        self.reduced_metric_ = M
        return ValueVectors(self.codebook_, self.coding_.value_tables(M))

    def _euclidean(self, why: str) -> Array:
        """Return M = I, and warn why nothing was learned."""
        warnings.warn(
            f"{type(self).__name__} learned nothing, because {why}. It is the "
            "Euclidean distance between coded rows; give other rows, or another "
            "coding.",
            UserWarning,
            stacklevel=6,
        )
        return np.eye(self.coding_.width)


class Spread(NamedTuple):
    """Z (W, W) of trace 1, how far apart it puts pairs, and how much further one could.

    ``n_iter`` is the number of evaluations made.
    """

    Z: Array
    objective: float
    gap: float
    n_iter: int


class SpreadLearner(MatrixLearner):
    """Base of learners that spread unlike rows, alike ones being at a mean distance.

    A learner gives ``_spread``. With S the mean of v v' over alike rows plus a ridge,
    and M = S^(-1/2) Z S^(-1/2), the constraint is that Z has trace 1.
    """

    _: KW_ONLY
    n_pairs: WholeNumber = 20_000
    tol: NonNegative = 1e-4
    max_iter: WholeNumber = 1000

    def _matrix(self, rows: LabelledRows, rng: np.random.Generator) -> Array:
        V = rows.unlike(self.n_pairs, rng)
        if not len(V):
            self.objective_, self.gap_, self.n_iter_ = 0.0, 0.0, 1
            return self._euclidean("no two rows of different classes differ")
        root = self._whitening(rows.within())
        Z, self.objective_, self.gap_, self.n_iter_ = self._spread(V @ root)
        return root @ Z @ root

    def _whitening(self, S: Array) -> Array:
        return whitening(S)

    @abstractmethod
    def _spread(self, V: Array) -> Spread:
        """Return Z for the differences of unlike rows (m, W), whitened."""
