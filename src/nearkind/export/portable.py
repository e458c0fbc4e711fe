"""What is exported of a model: values with their vectors, and the rows that vote."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array

ENOUGH = 1.0 - 1e-12
"""Share of k at which votes have come to k, whatever rounding did to weights."""


@dataclass(frozen=True)
class Listed:
    """A feature whose values are a vector each.

    Attributes
    ----------
    name : of the column, as text
    values : text, bool, int or float, one a vector
    missing : place of the vector of missing cells; the last if they count as unseen
    vectors : (s, q), the last for values not listed
    """

    name: str
    values: list[Any]
    missing: int
    vectors: Array


@dataclass(frozen=True)
class Ranged:
    """A feature of numbers, ``edges[k - 1] <= x < edges[k]`` sharing a vector."""

    name: str
    edges: list[float]
    missing: int
    vectors: Array


Feature = Listed | Ranged


@dataclass(frozen=True)
class Vote:
    """The rows that vote, equal ones as one, and how.

    Attributes
    ----------
    labels : of the classes: text, bool, int or float
    n_neighbors : rows that vote; all of them if there are fewer
    weights : "uniform" or "distance"
    vectors : (m, q)
    counts : (m,), how many rows each stands for
    shares : (m, C), of the classes among those
    numbers : (m,), of the first of those in the table given to fit
    """

    labels: list[Any]
    n_neighbors: float
    weights: str
    vectors: Array
    counts: Array
    shares: Array
    numbers: NDArray[np.intp]

    @property
    def enough(self) -> float:
        """Return the count at which the k-th row is reached."""
        return self.n_neighbors * ENOUGH

    @property
    def n_nearest(self) -> int:
        """Return how many of the nearest are sure to hold the k-th row."""
        lightest_first = np.cumsum(np.sort(self.counts))
        reached = int(np.searchsorted(lightest_first, self.enough))
        return min(reached + 1, len(self.counts))


@dataclass(frozen=True)
class Portable:
    """A model without its library; ``vote`` is None for a distance."""

    features: list[Feature]
    vote: Vote | None

    @property
    def size(self) -> int:
        """Return how many numbers a vector has."""
        return self.features[0].vectors.shape[1]
