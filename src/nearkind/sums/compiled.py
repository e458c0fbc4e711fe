"""The sums over all pairs without sorting the longer side, compiled by numba.

In each row the shorter side is sorted, by counting how many fall in each cell of a fine
grid. The same grid then gives the rank of each number of the longer side in a few steps
that do not depend on its length. What is below or above each number follows from
running sums over ranks: a pass over the row, O(n), instead of a sort, O(n log n).

Values within 1e-10 of the largest of a row count as equal: that far apart rounding may
put them.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from nearkind.sums.sides import Sides
from nearkind.typing import Array, Pull

_FINENESS = 4
"""Cells of the grid for each number sorted."""
_LARGE_CELL = 16
"""Numbers in a cell from which inserting one by one is too slow."""
_TIE = 1e-10
_TOO_LARGE = 1e150
"""Distances whose squares may overflow count as not finite."""

_compile: Any = njit(nogil=True, cache=True, error_model="numpy")


def hinge_total(d2: Array, sides: Sides) -> float:
    """Return the sum of [near + margin - far]_+ over all pairs of all rows."""
    return _hinge_total(d2, *_arrays(sides))


def hinge_pull(d2: Array, sides: Sides) -> Pull:
    """Return that sum, its slope in each distance (a, n), and its intercept."""
    weights = np.zeros_like(d2)
    loss, pulled = _hinge_pull(d2, *_arrays(sides), weights)
    return Pull(loss, weights, sides.margin * pulled)


def smoothed_total(d2: Array, sides: Sides, width: float) -> float:
    """Return the sum of the smoothed hinge over all pairs of all rows."""
    return _smoothed_total(d2, *_arrays(sides), float(width))


def smoothed_pull(d2: Array, sides: Sides, width: float) -> Pull:
    """Return that sum, its slope in each distance (a, n), and its intercept."""
    weights = np.zeros_like(d2)
    loss, pulled = _smoothed_pull(d2, *_arrays(sides), float(width), weights)
    return Pull(loss, weights, sides.margin * pulled)


def _arrays(sides: Sides) -> tuple:
    return (
        sides.columns,
        sides.column_weights,
        sides.far,
        sides.weights[sides.far],
        float(sides.margin),
        sides.shares,
        sides.own,
        sides.own_weights,
    )


class _Room(NamedTuple):
    """Arrays that every row uses anew: p numbers t to be sorted, m numbers c."""

    near_sorted: bool  # else the far side is the shorter: t = -far, c = -near
    t: Array  # (p,)
    t_weights: Array
    t_slope: Array
    c: Array  # (m,)
    c_weights: Array
    c_slope: Array
    values: Array  # (p + 2,), sorted t, then infinity
    order: NDArray[np.int32]  # (p,), where each came from
    cell: NDArray[np.int32]  # (p,)
    starts: NDArray[np.uint32]  # (cells + 1,), values in the cells before
    above: Array  # (p + 1, 3), sums of w, w t, w t^2 from each rank on
    below: Array  # (p + 1, 4), sums over the c of each rank


@_compile
def _room(n_near, n_far):
    p, m = min(n_near, n_far), max(n_near, n_far)
    return _Room(
        n_near <= n_far,
        np.empty(p),
        np.empty(p),
        np.empty(p),
        np.empty(m),
        np.empty(m),
        np.empty(m),
        np.full(p + 2, np.inf),
        np.empty(p, np.int32),
        np.empty(p, np.int32),
        np.empty(_FINENESS * p + 3, np.uint32),
        np.zeros((p + 1, 3)),
        np.empty((p + 1, 4)),
    )


@_compile
def _gather(row, columns, sign, margin, weights, own, own_weight, values, masses):
    """Copy a side of a row; return the sum of sizes, not finite if any is not."""
    total = 0.0
    for j in range(len(columns)):
        column = columns[j]
        values[j] = sign * (row[column] + margin)
        masses[j] = own_weight if column == own else weights[j]
        total += abs(values[j])
    return total


@_compile
def _enter(room, row, near, near_weights, far, far_weights, margin, own, own_weight):
    """Copy a row and sort its shorter side; return origin, span, cells a unit, tie.

    The span is not a number if some distance is not finite, or nearly so.
    """
    x, x_weights, y, y_weights, sign = (
        room.c,
        room.c_weights,
        room.t,
        room.t_weights,
        -1,
    )
    if room.near_sorted:
        x, x_weights, y, y_weights, sign = (
            room.t,
            room.t_weights,
            room.c,
            room.c_weights,
            1,
        )
    size = _gather(row, near, sign, margin, near_weights, own, own_weight, x, x_weights)
    size += _gather(row, far, sign, 0.0, far_weights, -1, 0.0, y, y_weights)
    if not size < _TOO_LARGE:
        return 0.0, np.nan, 0.0, 0.0
    low, high = room.t[0], room.t[0]
    for value in room.t:
        low, high = min(low, value), max(high, value)
    size = max(abs(low), abs(high))
    tie = _TIE * size
    step, per_unit = tie if tie > 0.0 else 1.0, 0.0  # all in one cell
    if high - low > tie and size > 1e-280:
        step = max((high - low) / (_FINENESS * len(room.t)), 1e-15 * size)
        per_unit = 1.0 / step
    origin = low - step  # all values are above zero: a rank of zero is possible
    _sort(room, origin, per_unit, tie)
    _sum_above(room)
    return origin, high - origin, per_unit, tie


@_compile
def _sort(room, origin, per_unit, tie):
    """Sort t - origin into ``values``: count cells, fill them, order inside each."""
    t, values, order, cell, starts = (
        room.t,
        room.values,
        room.order,
        room.cell,
        room.starts,
    )
    starts[:] = 0
    for j in range(len(t)):
        cell[j] = int((t[j] - origin) * per_unit)
        starts[cell[j] + 1] += 1
    for b in range(len(starts) - 1):
        starts[b + 1] += starts[b]
    for j in range(len(t)):
        at = starts[cell[j]]
        starts[cell[j]] += 1
        values[at] = t[j] - origin
        order[at] = j
    for b in range(len(starts) - 1, 0, -1):
        starts[b] = starts[b - 1]
    starts[0] = 0
    for b in range(len(starts) - 1):
        if starts[b + 1] - starts[b] > 1:
            _sort_cell(values[starts[b] : starts[b + 1]], order[starts[b] :], tie)


@_compile
def _sort_cell(values, order, tie):
    """Sort a few numbers by insertion; many that are equal up to rounding stay."""
    n = len(values)
    if n > _LARGE_CELL:
        low, high = values[0], values[0]
        for value in values:
            low, high = min(low, value), max(high, value)
        if high - low <= tie:
            values[:] = low
            return
        by = np.argsort(values, kind="mergesort")
        values[:] = values[by]
        order[:n] = order[:n][by]
        return
    for i in range(1, n):
        value, came_from, at = values[i], order[i], i
        while at > 0 and values[at - 1] > value:
            values[at], order[at] = values[at - 1], order[at - 1]
            at -= 1
        values[at], order[at] = value, came_from


@_compile
def _sum_above(room):
    """Fill ``above``; its last row stays zero."""
    above = room.above
    for j in range(len(room.t) - 1, -1, -1):
        w, value = room.t_weights[room.order[j]], room.values[j]
        above[j, 0] = above[j + 1, 0] + w
        above[j, 1] = above[j + 1, 1] + w * value
        above[j, 2] = above[j + 1, 2] + w * value * value


@njit(nogil=True, inline="always")
def _rank(x, span, per_unit, values, starts):
    """Return how many values are at most x.

    A larger value is never in an earlier cell, so only the cell of x must be searched;
    what follows its last value is larger than x. Unsigned numbers spare the check for
    negative indices.
    """
    x = min(max(x, 0.0), span)
    b = np.uintp(x * per_unit)
    low = np.uintp(starts[b])
    high = np.uintp(starts[b + np.uintp(1)])
    if high - low > np.uintp(2):
        while low < high:
            middle = (low + high) >> np.uintp(1)
            if values[middle] <= x:
                low = middle + np.uintp(1)
            else:
                high = middle
        return low
    return low + np.uintp(values[low] <= x) + np.uintp(values[low + np.uintp(1)] <= x)


@_compile
def _hinge_total(
    d2, near, near_weights, far, far_weights, margin, shares, own, own_weights
):
    room = _room(near.shape[1], len(far))
    c, c_weights = room.c, room.c_weights
    values, starts, above = room.values, room.starts, room.above
    total = 0.0
    for i in range(len(d2)):
        origin, span, per_unit, tie = _enter(
            room,
            d2[i],
            near[i % len(near)],
            near_weights[i % len(near)],
            far,
            far_weights,
            margin,
            own[i],
            own_weights[i],
        )
        if np.isnan(span):
            return np.nan
        loss = 0.0
        for k in range(len(c)):
            x = c[k] - origin
            r = _rank(x + tie, span, per_unit, values, starts)
            loss += c_weights[k] * (above[r, 1] - x * above[r, 0])
        total += shares[i] * loss
    return total


@_compile
def _hinge_pull(
    d2, near, near_weights, far, far_weights, margin, shares, own, own_weights, out
):
    room = _room(near.shape[1], len(far))
    c, c_weights, c_slope = room.c, room.c_weights, room.c_slope
    values, starts, above, below = room.values, room.starts, room.above, room.below
    total, pulled = 0.0, 0.0
    for i in range(len(d2)):
        origin, span, per_unit, tie = _enter(
            room,
            d2[i],
            near[i % len(near)],
            near_weights[i % len(near)],
            far,
            far_weights,
            margin,
            own[i],
            own_weights[i],
        )
        if np.isnan(span):
            out[:] = 0.0
            return np.nan, np.nan
        loss = 0.0
        below[:, 0] = 0.0
        for k in range(len(c)):
            x, w = c[k] - origin, c_weights[k]
            r = _rank(x + tie, span, per_unit, values, starts)
            loss += w * (above[r, 1] - x * above[r, 0])
            c_slope[k] = above[r, 0]
            below[r, 0] += w
        count = 0.0
        for j in range(len(room.t)):
            count += below[j, 0]
            room.t_slope[room.order[j]] = count
        total += shares[i] * loss
        pulled += _leave(room, near[i % len(near)], far, shares[i], out[i])
    return total, pulled


@_compile
def _smoothed_total(
    d2, near, near_weights, far, far_weights, margin, shares, own, own_weights, width
):
    room = _room(near.shape[1], len(far))
    c, c_weights = room.c, room.c_weights
    values, starts, above = room.values, room.starts, room.above
    per_width = 1.0 / width
    total = 0.0
    for i in range(len(d2)):
        origin, span, per_unit, _ = _enter(
            room,
            d2[i],
            near[i % len(near)],
            near_weights[i % len(near)],
            far,
            far_weights,
            margin,
            own[i],
            own_weights[i],
        )
        if np.isnan(span):
            return np.nan
        loss = 0.0
        for k in range(len(c)):
            x, w = c[k] - origin, c_weights[k]
            r = _rank(x, span, per_unit, values, starts)
            s = _rank(x + width, span, per_unit, values, starts)
            n0 = above[r, 0] - above[s, 0]  # those in the corner, x < t <= x + width
            n1 = above[r, 1] - above[s, 1]
            n2 = above[r, 2] - above[s, 2]
            corner = 0.5 * per_width * (n2 - x * (2.0 * n1 - x * n0))
            loss += w * (corner + above[s, 1] - (x + 0.5 * width) * above[s, 0])
        total += shares[i] * loss
    return total


@_compile
def _smoothed_pull(
    d2,
    near,
    near_weights,
    far,
    far_weights,
    margin,
    shares,
    own,
    own_weights,
    width,
    out,
):
    room = _room(near.shape[1], len(far))
    c, c_weights, c_slope = room.c, room.c_weights, room.c_slope
    values, starts, above, below = room.values, room.starts, room.above, room.below
    per_width = 1.0 / width
    total, pulled = 0.0, 0.0
    for i in range(len(d2)):
        origin, span, per_unit, _ = _enter(
            room,
            d2[i],
            near[i % len(near)],
            near_weights[i % len(near)],
            far,
            far_weights,
            margin,
            own[i],
            own_weights[i],
        )
        if np.isnan(span):
            out[:] = 0.0
            return np.nan, np.nan
        loss = 0.0
        below[:] = 0.0
        for k in range(len(c)):
            x, w = c[k] - origin, c_weights[k]
            r = _rank(x, span, per_unit, values, starts)
            s = _rank(x + width, span, per_unit, values, starts)
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
        total += shares[i] * loss
        pulled += _leave(room, near[i % len(near)], far, shares[i], out[i])
    return total, pulled


@_compile
def _leave(room, near, far, share, out):
    """Write the slopes of a row where its distances were; return the sum of pulls."""
    t_columns, c_columns, sign = far, near, -share
    if room.near_sorted:
        t_columns, c_columns, sign = near, far, share
    pulled = 0.0
    for j in range(len(t_columns)):
        pull = sign * room.t_weights[j] * room.t_slope[j]
        out[t_columns[j]] += pull
        pulled += pull
    for k in range(len(c_columns)):
        out[c_columns[k]] -= sign * room.c_weights[k] * room.c_slope[k]
    return abs(pulled)
