"""Similarities of rows from how often their values occur: what all such measures share.

The measures are those that Boriah, Chandola and Kumar compare (*Similarity measures for
categorical data*, SIAM Data Mining 2008); :mod:`nearkind.baselines.frequency` has them.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from nearkind.baselines.pair_tables import PairTables, Places, check_tables
from nearkind.baselines.pairwise import PairwiseDistance
from nearkind.projections.base import value_counts
from nearkind.protocols import Array, Codes

NO_SIMILARITY = 1e-12
"""Similarities up to this are zero but for rounding."""


def complement(S: Array) -> Array:
    """Return the distance 1 - S."""
    return np.maximum(1.0 - S, 0.0)


def reciprocal(S: Array) -> Array:
    """Return the distance 1 / S - 1, infinite where nothing is similar."""
    some = np.maximum(S, NO_SIMILARITY)
    return np.where(S > NO_SIMILARITY, np.maximum(1.0 / some - 1.0, 0.0), np.inf)


def shifted_reciprocal(S: Array) -> Array:
    """Return the distance 1 / (1 + S), never zero."""
    return 1.0 / (1.0 + S)


RAREST = 1e-12
"""Least share of a value; only weights can make one so rare."""


@dataclass(frozen=True)
class Frequencies:
    """Counts of the values of one feature, among the rows whose value is known.

    An unseen value counts as one row, or as the rarest value if weights make that
    less, so that it is never more frequent than a value that was seen.

    Parameters
    ----------
    counts : ndarray of shape (s,)
        Weight of the rows that have each value.

    Examples
    --------
    >>> feature = Frequencies(np.array([3.0, 1.0]))
    >>> feature.p
    array([0.75, 0.25, 0.25])
    >>> feature.p2
    array([0.5, 0. , 0. ])
    """

    counts: Array  # (s,)

    @cached_property
    def seen(self) -> Array:
        """Counts of the values that occur."""
        return self.counts[self.counts > 0.0]

    @property
    def n_seen(self) -> int:
        """Number of values that occur."""
        return len(self.seen)

    @cached_property
    def total(self) -> float:
        """Weight N of the rows whose value is known; 1 if there are none."""
        return float(self.counts.sum()) or 1.0

    @cached_property
    def f(self) -> Array:
        """Count of each value, the unseen last (s + 1,); never zero."""
        rarest = min(1.0, float(self.seen.min(initial=1.0)))
        f = np.append(self.counts, 0.0)
        return np.where(f > 0.0, f, rarest)

    @cached_property
    def p(self) -> Array:
        """Share f / N (s + 1,)."""
        return self.f / self.total

    @cached_property
    def p2(self) -> Array:
        """Chance that two rows both have a value, f (f - 1) / (N (N - 1)) (s + 1,)."""
        pairs = self.total * (self.total - 1.0)
        return self.f * np.maximum(self.f - 1.0, 0.0) / (pairs if pairs > 0.0 else 1.0)

    @cached_property
    def rank(self) -> Array:
        """Shares rounded, so that equal frequencies are equal (s + 1,)."""
        return np.round(self.p, 12)

    def table(self, on_match: Any, on_mismatch: Any) -> Array:
        """Return a table of pairs of values from its diagonal and all the rest.

        Parameters
        ----------
        on_match : float or ndarray of shape (s + 1,)
        on_mismatch : float or ndarray of shape (s + 1, s + 1)

        Returns
        -------
        ndarray of shape (s + 1, s + 1)
        """
        size = len(self.f)
        rest = np.asarray(on_mismatch, dtype=float)
        table = np.broadcast_to(rest, (size, size)).copy()
        np.fill_diagonal(table, on_match)
        return table


def frequencies(
    codes: Codes, n_values: Sequence[int], weights: Array
) -> list[Frequencies]:
    """Count the values of each feature, O(n D)."""
    counts = value_counts(codes, n_values, np.zeros(len(codes), np.intp), weights)
    return [Frequencies(_not_too_rare(of_feature[:, 0])) for of_feature in counts]


def _not_too_rare(counts: Array) -> Array:
    """Count a value that occurs at least as RAREST of all, for finite odds and logs."""
    return np.where(counts > 0.0, np.maximum(counts, RAREST * counts.sum()), 0.0)


class FrequencyMeasure(PairwiseDistance, BaseEstimator):
    """A similarity of rows from tables of pairs of values, and the distance made of it.

    A measure gives ``_table``, the similarity of any two values of a feature; what the
    sum over features is divided by depends on the kind, :class:`MeanMeasure` or
    :class:`RatioMeasure`.

    Attributes
    ----------
    drops_constant : bool, default=False
        Whether features of a single value are left out.
    to_distance : callable, default=complement
        From similarities to distances.
    similarity_tables_ : PairTables
        Similarity of any two values of each feature.
    """

    drops_constant: ClassVar[bool] = False
    to_distance: ClassVar[Callable[..., Array]] = staticmethod(complement)
    similarity_tables_: PairTables

    def __init__(self, unseen="prior", missing="level", numeric="auto"):
        self.unseen = unseen
        self.missing = missing
        self.numeric = numeric

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Count the values of each column; labels are not used."""
        rows = self.code_rows(X, sample_weight=sample_weight)
        check_tables(self.codebook_, type(self).__name__)
        features = frequencies(rows.codes, self.codebook_.n_values, rows.weights)
        least = 2 if self.drops_constant else 0
        kept = [f if f.n_seen >= least else None for f in features]
        self.similarity_tables_ = self._tables(kept, self._table)
        self._keep_divisors(kept)
        return self

    def similarities(self, X: Any, Y: Any = None) -> Array:
        """Return the similarities between rows (n, m); Y = X if None."""
        return self._similarity(*self._both(X, Y))

    def compare(self, a: Places, b: Places) -> Array:
        """Return distances (n, m) between represented rows."""
        return type(self).to_distance(self._similarity(a, b))

    def _tables(
        self,
        features: list[Frequencies | None],
        make: Callable[[Frequencies], Array],
    ) -> PairTables:
        """Return a table for each feature; zeros for those left out."""
        sizes = self.codebook_.n_values
        return PairTables(
            [
                np.zeros((size + 1, size + 1)) if feature is None else make(feature)
                for size, feature in zip(sizes, features, strict=True)
            ]
        )

    @abstractmethod
    def _table(self, feature: Frequencies) -> Array:
        """Return the similarity of any two values (s + 1, s + 1)."""

    @abstractmethod
    def _keep_divisors(self, features: list[Frequencies | None]) -> None:
        """Keep what similarities are divided by; None is a feature left out."""

    @abstractmethod
    def _similarity(self, a: Places, b: Places) -> Array:
        """Return similarities (n, m) between rows given by places."""


class MeanMeasure(FrequencyMeasure):
    """S = sum over features of S_d[x_d, x'_d] / sum over features of a share.

    Attributes
    ----------
    divisor_ : float
        The sum of the shares; 0 if every feature was left out.
    """

    divisor_: float

    def _keep_divisors(self, features: list[Frequencies | None]) -> None:
        self.divisor_ = sum(self._share(f) for f in features if f is not None)

    def _similarity(self, a: Places, b: Places) -> Array:
        if not self.divisor_:
            return np.ones((len(a), len(b)))
        return self.similarity_tables_.sums(a, b) / self.divisor_

    def _share(self, feature: Frequencies) -> float:
        """Return what a feature adds to the divisor."""
        return 1.0


class RatioMeasure(FrequencyMeasure):
    """S = sum over features of S_d[x_d, x'_d] / sum of W_d[x_d, x'_d].

    Attributes
    ----------
    weight_tables_ : PairTables
        The tables W_d.
    """

    weight_tables_: PairTables

    def _keep_divisors(self, features: list[Frequencies | None]) -> None:
        self.weight_tables_ = self._tables(features, self._weights)

    def _similarity(self, a: Places, b: Places) -> Array:
        similar = self.similarity_tables_.sums(a, b)
        weights = self.weight_tables_.sums(a, b)
        nothing = weights == 0.0
        return np.where(nothing, 1.0, similar / np.where(nothing, 1.0, weights))

    @abstractmethod
    def _weights(self, feature: Frequencies) -> Array:
        """Return what any two values add to the divisor (s + 1, s + 1)."""
