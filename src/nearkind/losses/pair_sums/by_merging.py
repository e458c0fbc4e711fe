"""The sums over all pairs by one sort of both sides, in NumPy."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.losses.pair_sums.merging import Merged
from nearkind.losses.pair_sums.sides import Sides
from nearkind.protocols import Array, Pull

_CHUNK = 1 << 17
"""Numbers worked on at a time: about what a core's cache holds."""


def hinge_total(d2: Array, sides: Sides) -> float:
    """Return the sum of [near + margin - far]_+ over all pairs of all rows."""
    return sum(part.weigh(_Hinge(part).loss) for part in _parts(d2, sides))


def hinge_pull(d2: Array, sides: Sides) -> Pull:
    """Return that sum, its slope in each distance (a, n), and its intercept."""
    return _pull(d2, sides, _Hinge)


def smoothed_total(d2: Array, sides: Sides, width: float) -> float:
    """Return the sum of the smoothed hinge over all pairs of all rows."""
    return sum(part.weigh(_Smoothed(part, width).loss) for part in _parts(d2, sides))


def smoothed_pull(d2: Array, sides: Sides, width: float) -> Pull:
    """Return that sum, its slope in each distance (a, n), and its intercept."""
    return _pull(d2, sides, lambda part: _Smoothed(part, width))


class _Part(NamedTuple):
    """Some rows: t = near + margin against c = far, both less the row's mean c."""

    rows: slice
    near: NDArray[np.intp]  # (a, p)
    shares: Array  # (a, 1)
    t: Array  # (a, p)
    t_weights: Array  # (a, p)
    c: Array  # (a, m)
    c_weights: Array  # (m,)

    def weigh(self, loss: Array) -> float:
        """Add up a loss a t (a, p)."""
        return float((self.shares * self.t_weights * loss).sum())


def _parts(d2: Array, sides: Sides) -> Iterator[_Part]:
    t_weights, c_weights = sides.weights_by_row(), sides.weights[sides.far]
    near = np.broadcast_to(sides.columns, t_weights.shape)
    size = max(1, _CHUNK // d2.shape[1])
    for at in range(0, len(d2), size):
        rows = slice(at, at + size)
        t = np.take_along_axis(d2[rows], near[rows], axis=1) + sides.margin
        c = d2[rows][:, sides.far]
        shift = c.mean(axis=1, keepdims=True)  # squares cancel, sorting rounds:
        t, c = t - shift, c - shift  # so let numbers be small
        shares = sides.shares[rows, None]
        yield _Part(rows, near[rows], shares, t, t_weights[rows], c, c_weights)


def _pull(d2: Array, sides: Sides, sums_of: Callable[[_Part], Any]) -> Pull:
    weights = np.zeros_like(d2)
    loss, pulled = 0.0, 0.0
    for part in _parts(d2, sides):
        sums = sums_of(part)
        pulls = part.shares * part.t_weights * sums.t_slope
        here = weights[part.rows]
        here[:, sides.far] = -part.shares * part.c_weights * sums.c_slope
        sides.add_near(here, part.near, pulls)
        loss, pulled = loss + part.weigh(sums.loss), pulled + float(pulls.sum())
    return Pull(loss, weights, sides.margin * pulled)


class _Hinge:
    """Sums of the hinge; each is computed when asked for."""

    def __init__(self, part: _Part) -> None:
        self._merged = Merged(part.t, part.c)
        self._t_weights = part.t_weights
        self.t_slope, below = self._merged.below(
            part.c_weights, part.c_weights * part.c
        )
        self.loss = part.t * self.t_slope - below

    @property
    def c_slope(self) -> Array:
        """Weight of the t_j above each c_k (a, m)."""
        return self._merged.above(self._t_weights, 0.0)[0]


class _Smoothed:
    """Sums of the smoothed hinge; each is computed when asked for.

    With P_r(x) the sum over k of w_k [x - c_k]_+^r, the loss of t_j is
    (P_2(t_j) - P_2(t_j - width)) / (2 width) and its slope
    (P_1(t_j) - P_1(t_j - width)) / width; likewise for the c_k from above.
    """

    def __init__(self, part: _Part, width: float) -> None:
        t, c = part.t, part.c
        self._c, self._width = c, width
        self._ends = np.concatenate([t, t - width], axis=1)  # (a, 2 p)
        self._signed = np.concatenate([part.t_weights, -part.t_weights], axis=1)
        self._merged = Merged(self._ends, c)
        moment = part.c_weights * c
        count, first = self._merged.below(part.c_weights, moment)
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
