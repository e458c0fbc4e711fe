"""The sums over all pairs without sorting the longer side, compiled by numba.

What is below or above each number of a row follows from running sums over its rank
among the shorter side: a pass over the row, O(n), instead of a sort, O(n log n).

The shorter side is sorted by buckets, the intervals of a fine grid: count how many
numbers fall into each. The same grid then gives the rank of each number of the longer
side in a few steps that do not depend on its length.

Values within 1e-10 of the largest of a row count as equal: that far apart rounding may
put them.
"""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache, partial
from threading import Timer
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from nearkind.losses.pair_sums import NearFar
from nearkind.protocols import Array, LossGradient

_FINENESS = 4
"""Buckets of the grid for each number sorted."""
_LARGE_BUCKET = 16
"""Numbers in a bucket from which inserting one by one is too slow."""
_TIE = 1e-10
_TOO_LARGE = 1e150
"""Distances whose squares may overflow count as not finite."""

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function when it is first called.

    The code is kept on disk, where some folder may be written to.
    """
    make = partial(njit, nogil=True, error_model="numpy")
    try:
        return cast("F", make(cache=True)(function))
    except RuntimeError:  # no folder may be written to: compiled anew in each process
        return cast("F", make()(function))


def _inlined(function: F) -> F:
    """Compile a function into those that call it."""
    return cast("F", njit(nogil=True, inline="always")(function))


class _Columns(NamedTuple):
    """``NearFar`` as compiled code needs it."""

    near: NDArray[np.intp]  # (1 or a, p)
    near_weights: Array
    far: NDArray[np.intp]  # (m,)
    far_weights: Array
    margin: float
    shares: Array  # (a,)
    self_columns: NDArray[np.intp]
    self_weights: Array


def _columns_of(near_far: NearFar) -> _Columns:
    """Gather what compiled code needs."""
    return _Columns(
        near_far.near_by_row,
        near_far.stated_weights,
        near_far.far,
        near_far.weights[near_far.far],
        float(near_far.margin),
        near_far.shares,
        near_far.self_columns,
        near_far.self_weights,
    )


class _Workspace(NamedTuple):
    """Arrays that every row uses anew: p numbers t to be sorted, m numbers c."""

    near_sorted: bool  # else the far side is the shorter: t = -far, c = -near
    t: Array  # (p,)
    t_weights: Array
    t_gradient: Array
    c: Array  # (m,)
    c_weights: Array
    c_gradient: Array
    values: Array  # (p + 2,), sorted t, then infinity
    order: NDArray[np.int32]  # (p,), where each came from
    bucket: NDArray[np.int32]  # (p,)
    starts: NDArray[np.uint32]  # (buckets + 1,), values in the buckets before
    above: Array  # (p + 1, 3), sums of w, w t, w t^2 from each rank on
    below: Array  # (p + 1, 4), sums over the c of each rank


@compiled
def _workspace_for(columns: _Columns) -> _Workspace:
    """Return a workspace for a row of these columns."""
    n_near, n_far = columns.near.shape[1], len(columns.far)
    p, m = min(n_near, n_far), max(n_near, n_far)
    return _Workspace(
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
def _gather(
    row: Array,
    columns: NDArray[np.intp],
    sign: int,
    margin: float,
    weights: Array,
    self_column: int,
    self_weight: float,
    values: Array,
    masses: Array,
) -> float:
    """Copy a side of a row; return the sum of sizes, not finite if any is not."""
    total = 0.0
    for j in range(len(columns)):
        column = columns[j]
        values[j] = sign * (row[column] + margin)
        masses[j] = self_weight if column == self_column else weights[j]
        total += abs(values[j])
    return total


@compiled
def _load_row(
    work: _Workspace, row: Array, columns: _Columns, i: int
) -> tuple[float, float, float, float]:
    """Copy row i and sort its shorter side; return origin, span, buckets a unit,
    tie.

    The span is not a number if some distance is not finite, or nearly so.
    """
    near_side, far_side, sign = work.c, work.t, -1
    near_masses, far_masses = work.c_weights, work.t_weights
    if work.near_sorted:
        near_side, far_side, sign = work.t, work.c, 1
        near_masses, far_masses = work.t_weights, work.c_weights
    near, near_weights = columns.near, columns.near_weights
    size = _gather(
        row,
        near[i % len(near)],
        sign,
        columns.margin,
        near_weights[i % len(near)],
        columns.self_columns[i],
        columns.self_weights[i],
        near_side,
        near_masses,
    )
    far, weights = columns.far, columns.far_weights
    size += _gather(row, far, sign, 0.0, weights, -1, 0.0, far_side, far_masses)
    if not size < _TOO_LARGE:
        return 0.0, np.nan, 0.0, 0.0
    low, high = work.t[0], work.t[0]
    for value in work.t:
        low, high = min(low, value), max(high, value)
    size = max(abs(low), abs(high))
    tie = _TIE * size
    step, per_unit = tie if tie > 0.0 else 1.0, 0.0  # all in one bucket
    if high - low > tie and size > 1e-280:
        step = max((high - low) / (_FINENESS * len(work.t)), 1e-15 * size)
        per_unit = 1.0 / step
    origin = low - step  # all values are above zero: a rank of zero is possible
    _sort(work, origin, per_unit, tie)
    _sum_above(work)
    return origin, high - origin, per_unit, tie


@compiled
def _sort(work: _Workspace, origin: float, per_unit: float, tie: float) -> None:
    """Sort t - origin into ``values``: count buckets, fill them, order inside each."""
    t, values, order = work.t, work.values, work.order
    bucket, starts = work.bucket, work.starts
    starts[:] = 0
    for j in range(len(t)):
        bucket[j] = int((t[j] - origin) * per_unit)
        starts[bucket[j] + 1] += 1
    for b in range(len(starts) - 1):
        starts[b + 1] += starts[b]
    for j in range(len(t)):
        at = starts[bucket[j]]
        starts[bucket[j]] += 1
        values[at] = t[j] - origin
        order[at] = j
    for b in range(len(starts) - 1, 0, -1):
        starts[b] = starts[b - 1]
    starts[0] = 0
    for b in range(len(starts) - 1):
        if starts[b + 1] - starts[b] > 1:
            _sort_bucket(values[starts[b] : starts[b + 1]], order[starts[b] :], tie)


@compiled
def _sort_bucket(values: Array, order: NDArray[np.int32], tie: float) -> None:
    """Sort a few numbers by insertion; many that are equal up to rounding stay."""
    n = len(values)
    if n > _LARGE_BUCKET:
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
def _sum_above(work: _Workspace) -> None:
    """Fill ``above``; its last row stays zero."""
    above = work.above
    for j in range(len(work.t) - 1, -1, -1):
        w, value = work.t_weights[work.order[j]], work.values[j]
        above[j, 0] = above[j + 1, 0] + w
        above[j, 1] = above[j + 1, 1] + w * value
        above[j, 2] = above[j + 1, 2] + w * value * value


@_inlined
def _rank(
    x: float, span: float, per_unit: float, values: Array, starts: NDArray[np.uint32]
) -> Any:
    """Return how many values are at most x.

    A larger value is never in an earlier bucket, so only the bucket of x must be
    searched; what follows its last value is larger than x. Unsigned numbers spare the
    check for negative indices.
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
def _write_gradient(work: _Workspace, columns: _Columns, i: int, out: Array) -> float:
    """Write the gradient in the distances of row i; return its sum over near ones."""
    near, share = columns.near[i % len(columns.near)], columns.shares[i]
    t_columns, c_columns, sign = columns.far, near, -share
    if work.near_sorted:
        t_columns, c_columns, sign = near, columns.far, share
    total = 0.0
    for j in range(len(t_columns)):
        term = sign * work.t_weights[j] * work.t_gradient[j]
        out[t_columns[j]] += term
        total += term
    for k in range(len(c_columns)):
        out[c_columns[k]] -= sign * work.c_weights[k] * work.c_gradient[k]
    return abs(total)


class CompiledSums:
    """The sums by one pass over each row, after its shorter side is sorted."""

    def total(self, d2: Array, columns: NearFar, width: float) -> float:
        """Return the sum of the hinge over all pairs of all rows."""
        if width == 0.0:
            return _hinge_total(d2, _columns_of(columns))
        return _smoothed_total(d2, _columns_of(columns), float(width))

    def gradient(self, d2: Array, columns: NearFar, width: float) -> LossGradient:
        """Return that sum, its gradient in d2 (a, n), and its intercept."""
        weights, stated = np.zeros_like(d2), _columns_of(columns)
        if width == 0.0:
            loss, total = _hinge_gradient(d2, stated, weights)
        else:
            loss, total = _smoothed_gradient(d2, stated, float(width), weights)
        return LossGradient(loss, weights, columns.margin * total)


def compilations() -> list[Callable[[], Any]]:
    """Return calls that compile one sum each, or load it from disk.

    Each sums over a single pair.
    """
    one, place = np.ones(1), np.zeros(1, dtype=np.intp)
    columns = NearFar(place, place + 1, 1.0, np.ones(2), one, place - 1, one)
    sums, d2 = CompiledSums(), np.zeros((1, 2))
    return [
        partial(compute, d2, columns, width)
        for width in (0.0, 1.0)
        for compute in (sums.total, sums.gradient)
    ]


PATIENCE = 1.0
"""Seconds of compiling before it is said."""


def compile_sums(
    guard: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> None:
    """Compile the sums, or load them from disk; say so on stderr if that takes long.

    Parameters
    ----------
    guard : callable, default=nullcontext
        Returns a context to compile each sum in.
    """
    said = ["nearkind: compiling for this machine, once ..."]
    timer = Timer(PATIENCE, print, said, {"file": sys.stderr})
    timer.daemon = True
    timer.start()
    try:
        for compile_one in compilations():
            with guard():
                compile_one()
    finally:
        timer.cancel()


@cache
def compiled_sums() -> CompiledSums:
    """Return the sums when they are compiled."""
    compile_sums()
    return CompiledSums()


@compiled
def _hinge_total(d2: Array, columns: _Columns) -> float:
    work = _workspace_for(columns)
    c, c_weights = work.c, work.c_weights
    values, starts, above = work.values, work.starts, work.above
    total = 0.0
    for i in range(len(d2)):
        origin, span, per_unit, tie = _load_row(work, d2[i], columns, i)
        if np.isnan(span):
            return np.nan
        loss = 0.0
        for k in range(len(c)):
            x = c[k] - origin
            r = _rank(x + tie, span, per_unit, values, starts)
            loss += c_weights[k] * (above[r, 1] - x * above[r, 0])
        total += columns.shares[i] * loss
    return total


@compiled
def _hinge_gradient(d2: Array, columns: _Columns, out: Array) -> tuple[float, float]:
    work = _workspace_for(columns)
    c, c_weights, c_gradient = work.c, work.c_weights, work.c_gradient
    values, starts, above, below = work.values, work.starts, work.above, work.below
    total, near_total = 0.0, 0.0
    for i in range(len(d2)):
        origin, span, per_unit, tie = _load_row(work, d2[i], columns, i)
        if np.isnan(span):
            out[:] = 0.0
            return np.nan, np.nan
        loss = 0.0
        below[:, 0] = 0.0
        for k in range(len(c)):
            x, w = c[k] - origin, c_weights[k]
            r = _rank(x + tie, span, per_unit, values, starts)
            loss += w * (above[r, 1] - x * above[r, 0])
            c_gradient[k] = above[r, 0]
            below[r, 0] += w
        count = 0.0
        for j in range(len(work.t)):
            count += below[j, 0]
            work.t_gradient[work.order[j]] = count
        total += columns.shares[i] * loss
        near_total += _write_gradient(work, columns, i, out[i])
    return total, near_total


@compiled
def _smoothed_total(d2: Array, columns: _Columns, width: float) -> float:
    work = _workspace_for(columns)
    c, c_weights = work.c, work.c_weights
    values, starts, above = work.values, work.starts, work.above
    per_width = 1.0 / width
    total = 0.0
    for i in range(len(d2)):
        origin, span, per_unit, _ = _load_row(work, d2[i], columns, i)
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
        total += columns.shares[i] * loss
    return total


@compiled
def _smoothed_gradient(
    d2: Array, columns: _Columns, width: float, out: Array
) -> tuple[float, float]:
    work = _workspace_for(columns)
    c, c_weights, c_gradient = work.c, work.c_weights, work.c_gradient
    values, starts, above, below = work.values, work.starts, work.above, work.below
    per_width = 1.0 / width
    total, near_total = 0.0, 0.0
    for i in range(len(d2)):
        origin, span, per_unit, _ = _load_row(work, d2[i], columns, i)
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
            c_gradient[k] = per_width * (n1 - x * n0) + above[s, 0]
            below[r, 0] += w
            below[r, 1] += w * x
            below[s, 2] += w
            below[s, 3] += w * x
        n_r, x_r, n_s, x_s = 0.0, 0.0, 0.0, 0.0
        for j in range(len(work.t)):
            n_r += below[j, 0]
            x_r += below[j, 1]
            n_s += below[j, 2]
            x_s += below[j, 3]
            corner = values[j] * (n_r - n_s) - (x_r - x_s)
            work.t_gradient[work.order[j]] = per_width * corner + n_s
        total += columns.shares[i] * loss
        near_total += _write_gradient(work, columns, i, out[i])
    return total, near_total
