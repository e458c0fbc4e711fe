"""The sums over all pairs without sorting the longer side, compiled by numba.

What is below or above each number of a row follows from running sums over the ranks
that the grid gives: a pass over the row, O(n), instead of a sort, O(n log n).
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from nearkind.losses.pair_sums import NearFar
from nearkind.losses.rank_grid import (
    Columns,
    columns_of,
    compiled,
    load_row,
    rank,
    workspace_for,
    write_gradient,
)
from nearkind.protocols import Array, LossGradient


class CompiledSums:
    """The sums by one pass over each row, after its shorter side is sorted."""

    def hinge_total(self, d2: Array, columns: NearFar) -> float:
        """Return the sum of [near + margin - far]_+ over all pairs of all rows."""
        return _hinge_total(d2, columns_of(columns))

    def hinge_gradient(self, d2: Array, columns: NearFar) -> LossGradient:
        """Return that sum, its gradient in d2 (a, n), and its intercept."""
        weights = np.zeros_like(d2)
        loss, total = _hinge_gradient(d2, columns_of(columns), weights)
        return LossGradient(loss, weights, columns.margin * total)

    def smoothed_total(self, d2: Array, columns: NearFar, width: float) -> float:
        """Return the sum of the smoothed hinge over all pairs of all rows."""
        return _smoothed_total(d2, columns_of(columns), float(width))

    def smoothed_gradient(
        self, d2: Array, columns: NearFar, width: float
    ) -> LossGradient:
        """Return that sum, its gradient in d2 (a, n), and its intercept."""
        weights = np.zeros_like(d2)
        loss, total = _smoothed_gradient(d2, columns_of(columns), float(width), weights)
        return LossGradient(loss, weights, columns.margin * total)


def compilations() -> list[Callable[[], Any]]:
    """Return calls that compile one sum each, or load it from disk.

    Each sums over a single pair.
    """
    one, place = np.ones(1), np.zeros(1, dtype=np.intp)
    columns = NearFar(place, place + 1, 1.0, np.ones(2), one, place - 1, one)
    sums, d2 = CompiledSums(), np.zeros((1, 2))
    return [
        partial(sums.hinge_total, d2, columns),
        partial(sums.hinge_gradient, d2, columns),
        partial(sums.smoothed_total, d2, columns, 1.0),
        partial(sums.smoothed_gradient, d2, columns, 1.0),
    ]


@compiled
def _hinge_total(d2: Array, columns: Columns) -> float:
    work = workspace_for(columns)
    c, c_weights = work.c, work.c_weights
    values, starts, above = work.values, work.starts, work.above
    total = 0.0
    for i in range(len(d2)):
        origin, span, per_unit, tie = load_row(work, d2[i], columns, i)
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
def _hinge_gradient(d2: Array, columns: Columns, out: Array) -> tuple[float, float]:
    work = workspace_for(columns)
    c, c_weights, c_gradient = work.c, work.c_weights, work.c_gradient
    values, starts, above, below = work.values, work.starts, work.above, work.below
    total, near_total = 0.0, 0.0
    for i in range(len(d2)):
        origin, span, per_unit, tie = load_row(work, d2[i], columns, i)
        if np.isnan(span):
            out[:] = 0.0
            return np.nan, np.nan
        loss = 0.0
        below[:, 0] = 0.0
        for k in range(len(c)):
            x, w = c[k] - origin, c_weights[k]
            r = rank(x + tie, span, per_unit, values, starts)
            loss += w * (above[r, 1] - x * above[r, 0])
            c_gradient[k] = above[r, 0]
            below[r, 0] += w
        count = 0.0
        for j in range(len(work.t)):
            count += below[j, 0]
            work.t_gradient[work.order[j]] = count
        total += columns.shares[i] * loss
        near_total += write_gradient(work, columns, i, out[i])
    return total, near_total


@compiled
def _smoothed_total(d2: Array, columns: Columns, width: float) -> float:
    work = workspace_for(columns)
    c, c_weights = work.c, work.c_weights
    values, starts, above = work.values, work.starts, work.above
    per_width = 1.0 / width
    total = 0.0
    for i in range(len(d2)):
        origin, span, per_unit, _ = load_row(work, d2[i], columns, i)
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
def _smoothed_gradient(
    d2: Array, columns: Columns, width: float, out: Array
) -> tuple[float, float]:
    work = workspace_for(columns)
    c, c_weights, c_gradient = work.c, work.c_weights, work.c_gradient
    values, starts, above, below = work.values, work.starts, work.above, work.below
    per_width = 1.0 / width
    total, near_total = 0.0, 0.0
    for i in range(len(d2)):
        origin, span, per_unit, _ = load_row(work, d2[i], columns, i)
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
        near_total += write_gradient(work, columns, i, out[i])
    return total, near_total
