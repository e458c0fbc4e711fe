"""Distances between rows that are sums of vectors of their values."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind import scoring
from nearkind.distances.checks import check_reals, check_vectors
from nearkind.distances.form import (
    FittedDistance,
    SeparableForm,
    as_shares,
    query_chunks,
)
from nearkind.errors import RefusedError
from nearkind.metrics import metric
from nearkind.metrics.value_tables import ValueTables
from nearkind.protocols import Array, Codes

PAIRS_AT_ONCE = 1 << 16
"""Distances held at a time: about what a core's cache holds."""
NUMBERS_AT_ONCE = 1 << 20
"""Numbers of products of vectors held at a time."""
ROUNDING = 1e-12
"""Spreads below this share of the mean square are zero."""
TINY = 1e-300
"""Sums below it are zero."""


@dataclass(frozen=True, eq=False)
class EmbeddedForm(FittedDistance):
    """Base of forms in which ``represent`` gives vectors, compared by their length."""

    is_euclidean = True

    @property
    @abstractmethod
    def size(self) -> int:
        """Length q of the vectors."""

    @property
    def cost(self) -> int:
        """How many numbers are read to compare two represented rows."""
        return self.size

    def compare(self, a: Array, b: Array) -> Array:
        """Return distances (n, m) between represented rows."""
        return np.sqrt(metric.pairwise_distances(a, b))

    def transform(self, X: Any, *, owner: str | None = None) -> Array:
        """Embed rows so that Euclidean distances are the learned ones (n, q)."""
        return self.represent(self.encode(X, owner))

    def pairwise_distances(
        self, X: Any, Y: Any = None, *, squared: bool = False, owner: str | None = None
    ) -> Array:
        """Return the distances between rows (n, m).

        Parameters
        ----------
        X : table of any kind
        Y : table of any kind, default=None
            None: X.
        squared : bool, default=False
            Return squared distances; only their root is a metric.
        owner : str, default=None
            As in ``encode``.
        """
        V = None if Y is None else self.transform(Y, owner=owner)
        d2 = metric.pairwise_distances(self.transform(X, owner=owner), V)
        return d2 if squared else np.sqrt(d2)

    def triplet_accuracy(self, X: Any, y: Any, *, owner: str | None = None) -> float:
        """Return the share of triplets of rows that the distance orders correctly."""
        return scoring.triplet_accuracy(self.transform(X, owner=owner), y)


@dataclass(frozen=True, eq=False)
class SummedVectors(FittedDistance):
    """Base of forms in which a row is the sum of the vectors of its values.

    Attributes
    ----------
    tables : ValueTables
        One table of vectors per feature, the last one for unseen values.
    """

    tables: ValueTables

    @property
    def size(self) -> int:
        """Length q of the vectors."""
        return self.tables.vectors[0].shape[1]

    @property
    def cost(self) -> int:
        """How many numbers are read to compare two represented rows."""
        return self.size

    def represent(self, codes: Codes) -> Any:
        """Return the vectors of rows (n, q)."""
        return self.tables.embed(codes)

    def check(self) -> None:
        """Raise ``RefusedError`` unless there is one vector per value, all alike."""
        check_vectors(self.tables.vectors, "tables", self.codebook.n_values)


@dataclass(frozen=True, eq=False)
class ValueVectors(SummedVectors, EmbeddedForm, SeparableForm):
    """d = |u - u'|, u the sum over features of the vector of a row's value.

    Attributes
    ----------
    shares : ndarray (D,) or None, default=None
        Share of each feature in the mean squared distance between two of the rows that
        it was learned from, as they were represented then; None: not known.
    """

    shares: Array | None = None

    has_vectors = True
    contributions_to = "squared distance"

    def between_values(self, d: int, codes: NDArray[np.intp], squared: bool) -> Array:
        """Return the distances between values of feature d (s, s)."""
        d2 = metric.pairwise_distances(self.tables.vectors[d][codes])
        return d2 if squared else np.sqrt(d2)

    def distances_over(
        self, row: Codes, others: Codes, kept: NDArray[np.bool_]
    ) -> Array:
        """Return the distances of rows from one row over subsets of features (E, m).

        With s_d the step from the row's vector of feature d to the other's, d2 is the
        sum of <s_d, s_e> over the features d, e of the subset.
        """
        n_features = len(row)
        first, second = np.triu_indices(n_features)
        times = np.where(first == second, 1.0, 2.0)
        pairs = (kept[:, first] & kept[:, second]) * times  # (E, D (D + 1) / 2)
        d2 = np.empty((len(kept), len(others)))
        size = n_features * max(n_features, self.size)
        for at in query_chunks(len(others), size, NUMBERS_AT_ONCE):
            columns = zip(self.tables.vectors, row, others[at].T, strict=True)
            steps = np.stack([t[code] - t[own] for t, own, code in columns], axis=1)
            products = steps @ steps.transpose(0, 2, 1)  # (b, D, D)
            d2[:, at] = pairs @ products[:, first, second].T
        return np.sqrt(np.maximum(d2, 0.0))

    def contributions(self, a: Codes, b: Codes) -> Array:
        """Return each feature's part (D,) of the squared distance between two rows."""
        return self.tables.contributions(a, b)

    def relevance(self, codes: Codes, weights: Array) -> Array:
        """Return each feature's share (D,) of the mean squared distance of two rows.

        With u_d the vector of a feature and u that of the row, the mean over pairs of
        <u_d - u_d', u - u'> is 2 E <u_d, u - E u>.
        """
        if self.shares is not None:
            return self.shares
        share, U = weights / weights.sum(), self.represent(codes)
        centred = share[:, None] * (U - share @ U)
        columns = zip(self.tables.vectors, codes.T, strict=True)
        parts = np.array([np.vdot(vectors[code], centred) for vectors, code in columns])
        is_spread = parts.sum() > ROUNDING * np.vdot(share, np.square(U).sum(axis=1))
        return as_shares(parts if is_spread else np.zeros(len(parts)))

    @property
    def value_vectors(self) -> dict[Any, Array]:
        """Vectors (s_d, q) of the values of each feature, in the order of the codes."""
        vectors = (table[:-1] for table in self.tables.vectors)
        return dict(zip(self.codebook.feature_names, vectors, strict=True))

    def check(self) -> None:
        """Raise ``RefusedError`` unless there is one vector per value, all alike."""
        super().check()
        if self.shares is not None:
            check_reals(self.shares, "shares", (len(self.codebook.n_values),))


@dataclass(frozen=True, eq=False)
class ChiSquareVectors(SummedVectors):
    """The root of the chi-square distance between sums of vectors >= 0."""

    def compare(self, a: Array, b: Array) -> Array:
        """Return distances (n, m) between represented rows."""
        return np.sqrt(chi_square(a, b))

    def check(self) -> None:
        """Raise ``RefusedError`` unless there is one vector >= 0 per value."""
        super().check()
        if any((table < 0.0).any() for table in self.tables.vectors):
            raise RefusedError("tables hold negative shares")


def chi_square(A: Array, B: Array) -> Array:
    """Return 1/2 sum of (a - b)^2 / (a + b) of rows >= 0 (n, m), 0 / 0 being 0.

    Examples
    --------
    >>> chi_square(np.array([[0.5, 0.5, 0.0]]), np.array([[1.0, 0.0, 0.0]])).round(4)
    array([[0.3333]])
    """
    total, columns = np.zeros((len(A), len(B))), np.ascontiguousarray(B.T)
    for at in query_chunks(len(A), len(B), PAIRS_AT_ONCE):
        for a, b in zip(A[at].T, columns, strict=True):
            difference, s = a[:, None] - b, a[:, None] + b
            difference *= difference
            total[at] += np.divide(difference, np.maximum(s, TINY, out=s), out=s)
    return 0.5 * total
