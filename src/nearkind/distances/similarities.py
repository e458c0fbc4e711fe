"""Distances from similarities that are ratios of sums over features."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nearkind.distances.checks import check_amount, check_tables
from nearkind.distances.form import FittedDistance
from nearkind.distances.pair_tables import Places, places, table_sums
from nearkind.errors import RefusedError
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


CONVERSIONS: dict[str, Callable[[Array], Array]] = {
    "complement": complement,
    "reciprocal": reciprocal,
    "shifted": shifted_reciprocal,
}
"""From similarities to distances, by the names that files and pages use."""


@dataclass(frozen=True, eq=False)
class SimilarityTables(FittedDistance):
    """Base of distances made of a similarity of rows.

    Attributes
    ----------
    tables : sequence of ndarray of shape (s_d + 1, s_d + 1)
        Similarity of any two values of each feature.
    conversion : {"complement", "reciprocal", "shifted"}
        How a similarity becomes a distance.
    """

    tables: Sequence[Array]
    conversion: str

    @abstractmethod
    def similarity(self, a: Places, b: Places) -> Array:
        """Return similarities (n, m) between represented rows."""

    def similarities(self, X: Any, Y: Any = None, *, owner: str | None = None) -> Array:
        """Return the similarities between rows (n, m); Y = X if None."""
        a = self.represent(self.encode(X, owner))
        b = a if Y is None else self.represent(self.encode(Y, owner))
        return self.similarity(a, b)

    def represent(self, codes: Codes) -> Places:
        """Return the places of the values of rows (n, D)."""
        return places(codes, self.codebook.n_values)

    def compare(self, a: Places, b: Places) -> Array:
        """Return distances (n, m) between represented rows."""
        return CONVERSIONS[self.conversion](self.similarity(a, b))

    @property
    def cost(self) -> int:
        """How many numbers are read to compare two represented rows."""
        return len(self.tables)

    def check(self) -> None:
        """Raise ``RefusedError`` unless there is one square table per feature."""
        check_tables(self.tables, "tables", self.codebook.n_values, square=True)
        if self.conversion not in CONVERSIONS:
            listed = ", ".join(CONVERSIONS)
            raise RefusedError(
                f"conversion is {self.conversion!r:.60} instead of one of {listed}"
            )


@dataclass(frozen=True, eq=False)
class MeanSimilarity(SimilarityTables):
    """S = sum over features of S_d[x_d, x'_d] / divisor.

    Attributes
    ----------
    divisor : float
        0 if every feature was left out; then all rows are alike.
    """

    divisor: float

    def similarity(self, a: Places, b: Places) -> Array:
        """Return similarities (n, m) between represented rows."""
        if not self.divisor:
            return np.ones((len(a), len(b)))
        return table_sums(self.tables, a, b) / self.divisor

    def check(self) -> None:
        """Raise ``RefusedError`` unless tables and divisor fit the columns."""
        super().check()
        check_amount(self.divisor, "divisor")
        if self.divisor > sum(self.codebook.n_values):
            raise RefusedError("divisor is larger than the number of values")


@dataclass(frozen=True, eq=False)
class RatioSimilarity(SimilarityTables):
    """S = sum over features of S_d[x_d, x'_d] / sum of W_d[x_d, x'_d].

    Attributes
    ----------
    weights : sequence of ndarray of shape (s_d + 1, s_d + 1)
        The tables W_d.
    """

    weights: Sequence[Array]

    def similarity(self, a: Places, b: Places) -> Array:
        """Return similarities (n, m) between represented rows."""
        similar = table_sums(self.tables, a, b)
        weights = table_sums(self.weights, a, b)
        nothing = weights == 0.0
        return np.where(nothing, 1.0, similar / np.where(nothing, 1.0, weights))

    @property
    def cost(self) -> int:
        """How many numbers are read to compare two represented rows."""
        return 2 * len(self.tables)

    def check(self) -> None:
        """Raise ``RefusedError`` unless there are two square tables per feature."""
        super().check()
        check_tables(self.weights, "weights", self.codebook.n_values, square=True)
