"""Base class of similarities of rows from frequencies of values.

The measures are those that Boriah, Chandola and Kumar compare (*Similarity measures for
categorical data*, SIAM Data Mining 2008); :mod:`nearkind.baselines.frequency` has them.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from nearkind.baselines.baseline import ColumnWeighted, column_weights
from nearkind.distances.form import FittedDistance
from nearkind.distances.pair_tables import check_table_size
from nearkind.distances.similarities import MeanSimilarity, RatioSimilarity
from nearkind.encoding.rows import CodedRows
from nearkind.projections.base import value_counts
from nearkind.protocols import Array, TableLike

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

    @classmethod
    def of(cls, counts: Array) -> "Frequencies":
        """Count a value that occurs at least as RAREST, for finite odds and logs."""
        least = np.maximum(counts, RAREST * counts.sum())
        return cls(np.where(counts > 0.0, least, 0.0))

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
        """Probability that two rows have a value, f (f - 1) / (N (N - 1)) (s + 1,)."""
        pairs = self.total * (self.total - 1.0)
        return self.f * np.maximum(self.f - 1.0, 0.0) / (pairs if pairs > 0.0 else 1.0)

    @cached_property
    def rank(self) -> Array:
        """Shares rounded, so that equal frequencies are equal (s + 1,)."""
        return np.round(self.p, 12)

    def table(self, on_match: object, on_mismatch: object) -> Array:
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


class FrequencyMeasure(ColumnWeighted):
    """A similarity of rows from tables of pairs of values, and the distance made of it.

    A measure gives ``_table``, the similarity of any two values of a feature; what the
    sum over features is divided by depends on the kind, :class:`MeanMeasure` or
    :class:`RatioMeasure`.

    Attributes
    ----------
    fewest_values : int, default=0
        Features of fewer values are left out.
    conversion : {"complement", "reciprocal", "shifted"}, default="complement"
        From similarities to distances.
    """

    fewest_values: ClassVar[int] = 0
    conversion: ClassVar[str] = "complement"

    def _learn(self, rows: CodedRows) -> FittedDistance:
        check_table_size(self.codebook_, type(self).__name__)
        nobody = np.zeros(len(rows), np.intp)
        counts = value_counts(rows.codes, rows.codebook.n_values, nobody, rows.weights)
        features = [Frequencies.of(of_feature[:, 0]) for of_feature in counts]
        weights = column_weights(self, rows.codebook)
        return self._form(features, (weights / weights.max()).tolist())

    def similarities(self, X: TableLike, Y: TableLike = None) -> Array:
        """Return the similarities between rows (n, m); Y = X if None."""
        return self._answering().similarities(X, Y, owner=type(self).__name__)

    def _tables(
        self,
        features: list[Frequencies],
        weights: list[float],
        make: Callable[[Frequencies], Array],
    ) -> list[Array]:
        """Return a weighted table for each feature; zeros for those left out."""
        return [
            w * make(f) if f.n_seen >= self.fewest_values else np.zeros((len(f.f),) * 2)
            for f, w in zip(features, weights, strict=True)
        ]

    @abstractmethod
    def _table(self, feature: Frequencies) -> Array:
        """Return the similarity of any two values (s + 1, s + 1)."""

    @abstractmethod
    def _form(
        self, features: list[Frequencies], weights: list[float]
    ) -> FittedDistance:
        """Return the form, given the weights of the columns, at most 1."""


class MeanMeasure(FrequencyMeasure):
    """S = sum over features of S_d[x_d, x'_d] / sum over features of a share."""

    def _form(
        self, features: list[Frequencies], weights: list[float]
    ) -> MeanSimilarity:
        tables = self._tables(features, weights, self._table)
        both = zip(features, weights, strict=True)
        shares = (w * self._share(f) for f, w in both if f.n_seen >= self.fewest_values)
        divisor = float(sum(shares))
        return MeanSimilarity(self.codebook_, tables, self.conversion, divisor)

    def _share(self, feature: Frequencies) -> float:
        """Return what a feature adds to the divisor."""
        return 1.0


class RatioMeasure(FrequencyMeasure):
    """S = sum over features of S_d[x_d, x'_d] / sum of W_d[x_d, x'_d]."""

    def _form(
        self, features: list[Frequencies], weights: list[float]
    ) -> RatioSimilarity:
        tables = self._tables(features, weights, self._table)
        divisors = self._tables(features, weights, self._weights)
        return RatioSimilarity(self.codebook_, tables, self.conversion, divisors)

    @abstractmethod
    def _weights(self, feature: Frequencies) -> Array:
        """Return what any two values add to the divisor (s + 1, s + 1)."""
