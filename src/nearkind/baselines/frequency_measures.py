"""Similarities from the frequencies of values, summed over features.

What the measures compared by Boriah, Chandola and Kumar (*Similarity measures for
categorical data*, SIAM Data Mining 2008) share; each has a file of its own.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from nearkind.baselines.frequencies import Frequencies, frequencies
from nearkind.baselines.indicators import Places
from nearkind.baselines.pair_tables import PairTables, check_tables
from nearkind.baselines.pairwise import PairwiseDistance
from nearkind.protocols import Array

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


def matches(on_match: Any, on_mismatch: Any, size: int) -> Array:
    """Return a table of pairs (size, size) from its diagonal and all the rest."""
    table = np.broadcast_to(np.asarray(on_mismatch, dtype=float), (size, size)).copy()
    np.fill_diagonal(table, on_match)
    return table


class FrequencyMeasure(PairwiseDistance, BaseEstimator):
    """A similarity of rows from value tables, and the distance it is turned into.

    A member says how similar two values of a feature are (``_table``), and what the
    sum over features is divided by.

    Attributes
    ----------
    drops_constant : whether features of a single value are left out
    to_distance : from similarities to distances
    """

    drops_constant: ClassVar[bool] = False
    to_distance: ClassVar[Callable[..., Array]] = staticmethod(complement)

    def __init__(self, unseen="prior", missing="level", numeric="auto"):
        self.unseen = unseen
        self.missing = missing
        self.numeric = numeric

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Count the values of each column; labels are not used."""
        codes, weights = self._count_codes(X, sample_weight)
        check_tables(self.codebook_, type(self).__name__)
        features = frequencies(codes, self.codebook_.n_values, weights)
        self._learn([f if self._keeps(f) else None for f in features])
        return self

    def similarities(self, X: Any, Y: Any = None) -> Array:
        """Return the similarities between rows (n, m); Y = X if None."""
        return self._similarity(*self._both(X, Y))

    def compare(self, a: Places, b: Places) -> Array:
        """Return distances (n, m) between represented rows."""
        return type(self).to_distance(self._similarity(a, b))

    def _keeps(self, feature: Frequencies) -> bool:
        return feature.n_seen > 1 or not self.drops_constant

    def _tables(
        self,
        features: list[Frequencies | None],
        make: Callable[[Frequencies], Array],
    ) -> PairTables:
        """Return a table a feature; zeros for those left out."""
        sizes = self.codebook_.n_values
        return PairTables(
            [
                np.zeros((size + 1, size + 1)) if feature is None else make(feature)
                for size, feature in zip(sizes, features, strict=True)
            ]
        )

    @abstractmethod
    def _learn(self, features: list[Frequencies | None]) -> None:
        """Make the tables; None is a feature left out."""

    @abstractmethod
    def _similarity(self, a: Places, b: Places) -> Array:
        """Return similarities (n, m) between rows given by places."""


class MeanMeasure(FrequencyMeasure):
    """S = sum over features of S_d[x_d, x'_d] / sum over features of a share."""

    similarity_tables_: PairTables

    def _learn(self, features: list[Frequencies | None]) -> None:
        self.similarity_tables_ = self._tables(features, self._table)
        self.divisor_ = sum(self._share(f) for f in features if f is not None)

    def _similarity(self, a: Places, b: Places) -> Array:
        if not self.divisor_:
            return np.ones((len(a), len(b)))
        return self.similarity_tables_.sums(a, b) / self.divisor_

    @abstractmethod
    def _table(self, feature: Frequencies) -> Array:
        """Return the similarity of any two values (s + 1, s + 1)."""

    def _share(self, feature: Frequencies) -> float:
        """Return what a feature adds to the divisor."""
        return 1.0


class RatioMeasure(FrequencyMeasure):
    """S = sum over features of S_d[x_d, x'_d] / sum of W_d[x_d, x'_d]."""

    similarity_tables_: PairTables
    weight_tables_: PairTables

    def _learn(self, features: list[Frequencies | None]) -> None:
        self.similarity_tables_ = self._tables(features, self._table)
        self.weight_tables_ = self._tables(features, self._weights)

    def _similarity(self, a: Places, b: Places) -> Array:
        similar = self.similarity_tables_.sums(a, b)
        weights = self.weight_tables_.sums(a, b)
        nothing = weights == 0.0
        return np.where(nothing, 1.0, similar / np.where(nothing, 1.0, weights))

    @abstractmethod
    def _table(self, feature: Frequencies) -> Array:
        """Return what any two values add above the line (s + 1, s + 1)."""

    @abstractmethod
    def _weights(self, feature: Frequencies) -> Array:
        """Return what any two values add below the line (s + 1, s + 1)."""
