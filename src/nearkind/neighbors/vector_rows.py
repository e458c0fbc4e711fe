"""Vectors of unique rows, and exact distances to them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nearkind.metrics.spectrum import decompose
from nearkind.neighbors.k_nearest import TIE
from nearkind.protocols import Array

FEW_NUMBERS = 1 << 12
"""Numbers up to which the time goes into calls."""


def lengths(V: Array) -> Array:
    """Return the Euclidean length of each vector, along the last axis.

    Squares are added up in the order of the columns, so that a length has the same bits
    whatever stands beside it; products of matrices have other bits in other shapes.

    Examples
    --------
    >>> lengths(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([5., 0.])
    """
    if V.size <= FEW_NUMBERS:  # a running sum adds in that order too
        squares = np.cumsum(V * V, axis=-1)[..., -1:]
        return np.sqrt(squares.sum(axis=-1))  # of one, or none
    total = np.zeros(V.shape[:-1])
    for column in range(V.shape[-1]):
        difference = V[..., column]
        total += difference * difference
    return np.sqrt(total, out=total)


@dataclass(frozen=True)
class VectorRows:
    """Vectors of unique rows (m, q), in a ball around their mean.

    Examples
    --------
    >>> rows = VectorRows(np.array([[0.0], [3.0], [6.0]]))
    >>> rows.radius, rows.largest(np.array([[5.0]]))
    (3.0, array([5.]))
    """

    vectors: Array

    def __len__(self) -> int:
        return len(self.vectors)

    @cached_property
    def centre(self) -> Array:
        """The mean of the vectors (q,)."""
        mean: Array = self.vectors.mean(axis=0)
        return mean

    @cached_property
    def radius(self) -> float:
        """The distance from the centre to the farthest vector."""
        return float(lengths(self.vectors - self.centre).max())

    @cached_property
    def n_wide(self) -> float:
        """Number of directions, narrow ones counted by their share of the width.

        With standard deviations s along the principal axes, (sum of s)^2 / sum of s^2:
        n for n of one size, and little more than 1 if one is much larger than all
        others, as learned metrics often have it.
        """
        y = (self.vectors - self.centre) / (self.radius or 1.0)
        widths = np.sqrt(np.maximum(decompose((y.T @ y)[None]).values, 0.0))
        total = float((widths**2).sum())
        return float(widths.sum()) ** 2 / total if total else float(y.shape[1])

    def largest(self, queries: Array) -> Array:
        """Return a distance from each query that none exceeds, and some nearly (b,).

        One row is at a third of it or farther.
        """
        return lengths(queries - self.centre) + self.radius

    def tie_widths(self, queries: Array) -> Array:
        """Return how close two distances of a query are that count as equal (b,)."""
        return TIE * self.largest(queries)

    def tie_widths_at(self, from_centre: Array) -> Array:
        """Return the same for queries so far from the centre (b,)."""
        return TIE * (from_centre + self.radius)

    def distances(
        self, queries: Array, query: NDArray[np.intp], row: NDArray[np.intp]
    ) -> Array:
        """Return the distances of pairs of a query and a row, given by numbers."""
        difference = np.take(self.vectors, row, axis=0)  # faster than by brackets
        difference -= np.take(queries, query, axis=0)
        return lengths(difference)

    def all_distances(self, queries: Array) -> Array:
        """Return the distance of every pair (b, m), with the bits of ``distances``."""
        total = np.zeros((len(queries), len(self)))
        for a, b in zip(queries.T, self.vectors.T, strict=True):
            difference = a[:, None] - b
            total += np.multiply(difference, difference, out=difference)
        return np.sqrt(total, out=total)
