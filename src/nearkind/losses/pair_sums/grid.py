"""Ranks among the shorter side of a row, by a fine grid; compiled by numba.

The shorter side is sorted by counting how many fall in each cell of the grid. The same
grid then gives the rank of each number of the longer side in a few steps that do not
depend on its length.

Values within 1e-10 of the largest of a row count as equal: that far apart rounding may
put them.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from nearkind.losses.pair_sums.sides import Sides
from nearkind.protocols import Array

_FINENESS = 4
"""Cells of the grid for each number sorted."""
_LARGE_CELL = 16
"""Numbers in a cell from which inserting one by one is too slow."""
_TIE = 1e-10
_TOO_LARGE = 1e150
"""Distances whose squares may overflow count as not finite."""

compiled: Any = njit(nogil=True, cache=True, error_model="numpy")


class Columns(NamedTuple):
    """What compiled code needs of ``Sides``."""

    near: NDArray[np.intp]  # (1 or a, p)
    near_weights: Array
    far: NDArray[np.intp]  # (m,)
    far_weights: Array
    margin: float
    shares: Array  # (a,)
    own: NDArray[np.intp]
    own_weights: Array

    @classmethod
    def of(cls, sides: Sides) -> "Columns":
        """Gather them."""
        return cls(
            sides.columns,
            sides.column_weights,
            sides.far,
            sides.weights[sides.far],
            float(sides.margin),
            sides.shares,
            sides.own,
            sides.own_weights,
        )


class Room(NamedTuple):
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


@compiled
def room_for(columns):
    """Return room for a row of these columns."""
    n_near, n_far = columns.near.shape[1], len(columns.far)
    p, m = min(n_near, n_far), max(n_near, n_far)
    return Room(
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


@compiled
def _gather(row, columns, sign, margin, weights, own, own_weight, values, masses):
    """Copy a side of a row; return the sum of sizes, not finite if any is not."""
    total = 0.0
    for j in range(len(columns)):
        column = columns[j]
        values[j] = sign * (row[column] + margin)
        masses[j] = own_weight if column == own else weights[j]
        total += abs(values[j])
    return total


@compiled
def enter(room, row, columns, i):
    """Copy row i and sort its shorter side; return origin, span, cells a unit, tie.

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
    near, near_weights = columns.near, columns.near_weights
    size = _gather(
        row,
        near[i % len(near)],
        sign,
        columns.margin,
        near_weights[i % len(near)],
        columns.own[i],
        columns.own_weights[i],
        x,
        x_weights,
    )
    size += _gather(
        row, columns.far, sign, 0.0, columns.far_weights, -1, 0.0, y, y_weights
    )
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


@compiled
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


@compiled
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


@compiled
def _sum_above(room):
    """Fill ``above``; its last row stays zero."""
    above = room.above
    for j in range(len(room.t) - 1, -1, -1):
        w, value = room.t_weights[room.order[j]], room.values[j]
        above[j, 0] = above[j + 1, 0] + w
        above[j, 1] = above[j + 1, 1] + w * value
        above[j, 2] = above[j + 1, 2] + w * value * value


@njit(nogil=True, inline="always")
def rank(x, span, per_unit, values, starts):
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


@compiled
def leave(room, columns, i, out):
    """Write the slopes of row i where its distances were; return the sum of pulls."""
    near, far, share = (
        columns.near[i % len(columns.near)],
        columns.far,
        columns.shares[i],
    )
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
