"""Losses of a violation z: how much a distance that should be smaller is not.

A constraint's violation is its offset plus signed squared distances; z <= 0 is
satisfied. A loss knows its value and slope at one violation, and its sum over every
violation t_j - c_k of two lists, by sorting.
"""

from dataclasses import dataclass

import numpy as np

from nearkind.sorting import Merged
from nearkind.typing import Array


@dataclass(frozen=True)
class Hinge:
    """[z]_+, the loss of the paper.

    Examples
    --------
    >>> Hinge().value(np.array([-1.0, 0.5]))
    array([0. , 0.5])
    """

    def value(self, z: Array) -> Array:
        """Return [z]_+."""
        return np.maximum(z, 0.0)

    def slope(self, z: Array) -> Array:
        """Return 1 where violated, strictly; 0 elsewhere."""
        return (z > 0.0).astype(float)

    def all_pairs(
        self, t: Array, t_weights: Array, c: Array, c_weights: Array
    ) -> "HingeSums":
        """Sum over every pair (t_j, c_k) of each row, in O(n log n)."""
        return HingeSums(t, t_weights, c, c_weights)


@dataclass(frozen=True)
class SmoothedHinge:
    """The hinge with a quadratic corner of the given width, at most width / 2 below it.

    Its value is ([z]_+^2 - [z - width]_+^2) / (2 width), so its sums over all pairs are
    differences of two power sums.

    Examples
    --------
    >>> SmoothedHinge(1.0).value(np.array([-1.0, 0.5, 2.0]))
    array([0.   , 0.125, 1.5  ])
    """

    width: float

    def value(self, z: Array) -> Array:
        """Return 0, z^2 / (2 width) or z - width / 2."""
        inside = np.clip(z, 0.0, self.width)
        return inside * inside / (2 * self.width) + np.maximum(z - self.width, 0.0)

    def slope(self, z: Array) -> Array:
        """Return z / width clipped to [0, 1]."""
        return np.clip(z / self.width, 0.0, 1.0)

    def all_pairs(
        self, t: Array, t_weights: Array, c: Array, c_weights: Array
    ) -> "SmoothedSums":
        """Sum over every pair (t_j, c_k) of each row, in O(n log n)."""
        return SmoothedSums(t, t_weights, c, c_weights, self.width)


class HingeSums:
    """Sums of the hinge over all pairs; each is computed when asked for."""

    def __init__(self, t: Array, t_weights: Array, c: Array, c_weights: Array) -> None:
        shift = c.mean(axis=1, keepdims=True)  # sorting rounds, so let numbers be small
        t, c = t - shift, c - shift
        self._merged = Merged(t, c)
        self._t_weights = t_weights
        self.t_slope, below = self._merged.below(c_weights, c_weights * c)
        self.loss = t * self.t_slope - below

    @property
    def c_slope(self) -> Array:
        """Weight of the t_j above each c_k (a, m)."""
        return self._merged.above(self._t_weights, 0.0)[0]


class SmoothedSums:
    """Sums of the smoothed hinge over all pairs; each is computed when asked for.

    With P_r(x) the sum over k of w_k [x - c_k]_+^r, the loss of t_j is
    (P_2(t_j) - P_2(t_j - width)) / (2 width) and its slope
    (P_1(t_j) - P_1(t_j - width)) / width; likewise for the c_k from above.
    """

    def __init__(
        self, t: Array, t_weights: Array, c: Array, c_weights: Array, width: float
    ) -> None:
        shift = c.mean(axis=1, keepdims=True)  # against cancellation in the squares
        t, c = t - shift, c - shift
        self._c, self._width = c, width
        self._ends = np.concatenate([t, t - width], axis=1)  # (a, 2 p)
        self._signed = np.concatenate([t_weights, -t_weights], axis=1)
        self._merged = Merged(self._ends, c)
        moment = c_weights * c
        count, first = self._merged.below(c_weights, moment)
        self._first = self._ends * count - first  # P_1
        second, _ = self._merged.below(moment * c, 0.0)
        self._second = self._ends * (self._first - first) + second  # P_2

    @property
    def loss(self) -> Array:
        """Sum over k of w_k loss(t_j - c_k) (a, p)."""
        return _drop(self._second) / (2.0 * self._width)

    @property
    def t_slope(self) -> Array:
        """Sum over k of w_k slope(t_j - c_k) (a, p)."""
        return _drop(self._first) / self._width

    @property
    def c_slope(self) -> Array:
        """Sum over j of w_j slope(t_j - c_k) (a, m)."""
        count, first = self._merged.above(self._signed, self._signed * self._ends)
        return (first - self._c * count) / self._width


def _drop(sums: Array) -> Array:
    """Return the sums at the t_j less those at the t_j - width."""
    at_t, at_s = np.hsplit(sums, 2)
    return at_t - at_s
