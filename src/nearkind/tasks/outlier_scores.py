"""Outlier scores from nearest neighbours; lower scores are outliers."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor

import numpy as np

from nearkind.errors import RefusedError
from nearkind.neighbors import Near
from nearkind.protocols import Array

FENCE = 1.5
"""Interquartile ranges below the first quartile at which "auto" draws the line."""
AUTO_FACTOR = 1.5
"""Local outlier factor at which "auto" draws it, as in scikit-learn."""
DIGITS = 12
"""Of scores: sums in another order may differ in the last ones of 16."""
LEAST_REACH = 1e-10
"""Added to mean distances, as in scikit-learn, as that of many equal rows is zero."""


@dataclass(frozen=True)
class Neighborhoods:
    """The k nearest training rows of some rows, those tied at the k-th sharing votes.

    Attributes
    ----------
    near : Near
        Nearest first within a query, all votes above zero.
    k : float
        Sum of the votes on each query.
    """

    near: Near
    k: float

    def mean(self, values: Array) -> Array:
        """Return the mean of a value of each neighbour, for each query (b,)."""
        query, votes, n_queries = self.near.query, self.near.votes, len(self.near.tie)
        return np.bincount(query, votes * values, n_queries).astype(float) / self.k

    @property
    def radius(self) -> Array:
        """Distance of the k-th neighbour of each query (b,)."""
        radius = np.zeros(len(self.near.tie))
        radius[self.near.query] = self.near.distance  # the last of each query stays
        return radius


ForEach = Callable[[Callable[[Neighborhoods], Array]], Array]
"""Calls a function for the neighbourhoods of all unique training rows, in parts."""


@dataclass(frozen=True)
class MeanDistance:
    """Minus the mean distance to the nearest rows.

    Angiulli and Pizzuti, Fast outlier detection in high dimensional spaces, PKDD 2002.
    """

    @classmethod
    def of(cls, training: ForEach) -> "MeanDistance":
        """Return it: nothing is to be known of the training rows."""
        return cls()

    def scores(self, around: Neighborhoods) -> Array:
        """Return the score of each row (b,), larger for more normal ones."""
        return 0.0 - around.mean(around.near.distance)  # never -0.0

    def threshold(self, scores: Array, weights: Array) -> float:
        """Return the lower fence of Tukey's box plot of finite scores."""
        low, high = (quantile(scores, weights, share) for share in (0.25, 0.75))
        return low - FENCE * (high - low)


@dataclass(frozen=True)
class LocalOutlierFactor:
    """Minus the density around the nearest rows over that around the row itself.

    Breunig, Kriegel, Ng and Sander, LOF: identifying density-based local outliers,
    SIGMOD 2000. Its Definitions 3 to 7, but that rows tied at the k-th distance share
    votes: so they count k together, and no factor depends on the order of rows.

    Attributes
    ----------
    radius : ndarray (m,)
        Distance of the k-th neighbour of each unique training row.
    density : ndarray (m,)
        Local reachability density of each.
    """

    radius: Array
    density: Array

    def check_sizes(self, n_rows: int) -> None:
        """Raise ``RefusedError`` unless there is a number per unique row."""
        for numbers in (self.radius, self.density):
            is_real = numbers.dtype == np.float64 and numbers.shape == (n_rows,)
            if not is_real or not (numbers >= 0.0).all():
                raise RefusedError("a local outlier factor lacks a number per row")

    @classmethod
    def of(cls, training: ForEach) -> "LocalOutlierFactor":
        """Find the densities around the training rows."""
        radius = training(lambda around: around.radius)
        return cls(radius, training(lambda around: local_density(around, radius)))

    def scores(self, around: Neighborhoods) -> Array:
        """Return the score of each row (b,), larger for more normal ones."""
        own = local_density(around, self.radius)
        theirs = around.mean(self.density[around.near.unique_row])
        return -np.divide(theirs, own, out=np.full(len(own), np.inf), where=own > 0.0)

    def threshold(self, scores: Array, weights: Array) -> float:
        """Return the score of a row whose neighbours are half as dense again."""
        return -AUTO_FACTOR


def local_density(around: Neighborhoods, radius: Array) -> Array:
    """Return one over the mean reachability distance to the neighbours (b,)."""
    reach = np.maximum(around.near.distance, radius[around.near.unique_row])
    return 1.0 / (around.mean(reach) + LEAST_REACH)


def rounded(scores: Array) -> Array:
    """Return numbers to 12 digits, so that those equal but for rounding are equal.

    Examples
    --------
    >>> rounded(np.array([0.1 + 0.2, -np.inf])).tolist() == [0.3, -np.inf]
    True
    """
    mantissa, exponent = np.frexp(scores)
    return np.ldexp(np.round(mantissa, DIGITS), exponent)


def quantile(values: Array, weights: Array, share: float) -> float:
    """Return a quantile of values, each repeated as often as its weight says.

    Between two of them it is interpolated, as ``numpy.quantile`` does.

    Examples
    --------
    >>> quantile(np.array([3.0, 1.0]), np.array([1.0, 2.0]), 0.75)
    2.0
    """
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weights[order])
    place = share * max(float(ends[-1]) - 1.0, 0.0)

    def at(p: int) -> float:
        found = int(np.searchsorted(ends, p, side="right"))
        return float(values[order[min(found, len(order) - 1)]])

    low, high = at(floor(place)), at(ceil(place))
    return low if low == high else low + (place - floor(place)) * (high - low)
