"""The sums over all pairs without sorting the longer side, compiled by numba.

What is below or above each number of a row follows from running sums over the ranks
that the grid gives: a pass over the row, O(n), instead of a sort, O(n log n).
"""

import numpy as np

from nearkind.losses.pair_sums.grid import (
    Columns,
    compiled,
    enter,
    leave,
    rank,
    room_for,
)
from nearkind.losses.pair_sums.sides import Sides
from nearkind.protocols import Array, Pull


def hinge_total(d2: Array, sides: Sides) -> float:
    """Return the sum of [near + margin - far]_+ over all pairs of all rows."""
    return _hinge_total(d2, Columns.of(sides))


def hinge_pull(d2: Array, sides: Sides) -> Pull:
    """Return that sum, its slope in each distance (a, n), and its intercept."""
    weights = np.zeros_like(d2)
    loss, pulled = _hinge_pull(d2, Columns.of(sides), weights)
    return Pull(loss, weights, sides.margin * pulled)


def smoothed_total(d2: Array, sides: Sides, width: float) -> float:
    """Return the sum of the smoothed hinge over all pairs of all rows."""
    return _smoothed_total(d2, Columns.of(sides), float(width))


def smoothed_pull(d2: Array, sides: Sides, width: float) -> Pull:
    """Return that sum, its slope in each distance (a, n), and its intercept."""
    weights = np.zeros_like(d2)
    loss, pulled = _smoothed_pull(d2, Columns.of(sides), float(width), weights)
    return Pull(loss, weights, sides.margin * pulled)


@compiled
def _hinge_total(d2, columns):
    room = room_for(columns)
    c, c_weights = room.c, room.c_weights
    values, starts, above = room.values, room.starts, room.above
    total = 0.0
    for i in range(len(d2)):
        origin, span, per_unit, tie = enter(room, d2[i], columns, i)
        if np.isnan(span):
            return np.nan
        loss = 0.0
        for k in range(len(c)):
            x = c[k] - origin
            r = rank(x + tie, span, per_unit, values, starts)
            loss += c_weights[k] * (above[r, 1] - x * above[r, 0])
        total += columns.shares[i] * loss
    return total


@compiled
def _hinge_pull(d2, columns, out):
    room = room_for(columns)
    c, c_weights, c_slope = room.c, room.c_weights, room.c_slope
    values, starts, above, below = room.values, room.starts, room.above, room.below
    total, pulled = 0.0, 0.0
    for i in range(len(d2)):
        origin, span, per_unit, tie = enter(room, d2[i], columns, i)
        if np.isnan(span):
            out[:] = 0.0
            return np.nan, np.nan
        loss = 0.0
        below[:, 0] = 0.0
        for k in range(len(c)):
            x, w = c[k] - origin, c_weights[k]
            r = rank(x + tie, span, per_unit, values, starts)
            loss += w * (above[r, 1] - x * above[r, 0])
            c_slope[k] = above[r, 0]
            below[r, 0] += w
        count = 0.0
        for j in range(len(room.t)):
            count += below[j, 0]
            room.t_slope[room.order[j]] = count
        total += columns.shares[i] * loss
        pulled += leave(room, columns, i, out[i])
    return total, pulled


@compiled
def _smoothed_total(d2, columns, width):
    room = room_for(columns)
    c, c_weights = room.c, room.c_weights
    values, starts, above = room.values, room.starts, room.above
    per_width = 1.0 / width
    total = 0.0
    for i in range(len(d2)):
        origin, span, per_unit, _ = enter(room, d2[i], columns, i)
        if np.isnan(span):
            return np.nan
        loss = 0.0
        for k in range(len(c)):
            x, w = c[k] - origin, c_weights[k]
            r = rank(x, span, per_unit, values, starts)
            s = rank(x + width, span, per_unit, values, starts)
            n0 = above[r, 0] - above[s, 0]  # those in the corner, x < t <= x + width
            n1 = above[r, 1] - above[s, 1]
            n2 = above[r, 2] - above[s, 2]
            corner = 0.5 * per_width * (n2 - x * (2.0 * n1 - x * n0))
            loss += w * (corner + above[s, 1] - (x + 0.5 * width) * above[s, 0])
        total += columns.shares[i] * loss
    return total


@compiled
def _smoothed_pull(d2, columns, width, out):
    room = room_for(columns)
    c, c_weights, c_slope = room.c, room.c_weights, room.c_slope
    values, starts, above, below = room.values, room.starts, room.above, room.below
    per_width = 1.0 / width
    total, pulled = 0.0, 0.0
    for i in range(len(d2)):
        origin, span, per_unit, _ = enter(room, d2[i], columns, i)
        if np.isnan(span):
            out[:] = 0.0
            return np.nan, np.nan
        loss = 0.0
        below[:] = 0.0
        for k in range(len(c)):
            x, w = c[k] - origin, c_weights[k]
            r = rank(x, span, per_unit, values, starts)
            s = rank(x + width, span, per_unit, values, starts)
            n0 = above[r, 0] - above[s, 0]
            n1 = above[r, 1] - above[s, 1]
            n2 = above[r, 2] - above[s, 2]
            corner = 0.5 * per_width * (n2 - x * (2.0 * n1 - x * n0))
            loss += w * (corner + above[s, 1] - (x + 0.5 * width) * above[s, 0])
            c_slope[k] = per_width * (n1 - x * n0) + above[s, 0]
            below[r, 0] += w
            below[r, 1] += w * x
            below[s, 2] += w
            below[s, 3] += w * x
        n_r, x_r, n_s, x_s = 0.0, 0.0, 0.0, 0.0
        for j in range(len(room.t)):
            n_r += below[j, 0]
            x_r += below[j, 1]
            n_s += below[j, 2]
            x_s += below[j, 3]
            corner = values[j] * (n_r - n_s) - (x_r - x_s)
            room.t_slope[room.order[j]] = per_width * corner + n_s
        total += columns.shares[i] * loss
        pulled += leave(room, columns, i, out[i])
    return total, pulled
