"""The error of a classifier of radial functions, and its descent in value tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.baselines.indicators import Places, indicators, starts
from nearkind.baselines.pair_tables import PairTables
from nearkind.encoding.rows import row_keys
from nearkind.protocols import Array

RIDGE = 1e-3
_ENOUGH = 1e-4
"""Share of the decrease that the gradient promises at which a step is taken."""
_HALVINGS = 40

Tables = Sequence[Array]


class Point(NamedTuple):
    """Tables, the classifier that suits them best, and its error."""

    tables: Tables
    kernel: Array  # (n, L)
    w: Array  # (L, C)
    value: float


@dataclass(frozen=True)
class RadialError:
    """E = 1/2 sum of v_i |f(x_i) - t_i|^2 + RIDGE / 2 |w|^2.

    f(x) = sum over centres l of w_l exp(-beta d(x, l)), d from value tables; a centre
    equal to the row is left out.
    """

    rows: Places  # (n, D)
    centres: Places  # (L, D)
    targets: Array  # t (n, C)
    weights: Array  # v (n,)
    beta: float = 1.0

    @cached_property
    def own(self) -> NDArray[np.bool_]:
        """Whether a centre is the row itself (n, L)."""
        keys = row_keys(np.vstack([self.rows, self.centres]))
        return keys[: len(self.rows), None] == keys[len(self.rows) :]

    def scale(self, tables: Tables) -> float:
        """Return 1 / median distance of a row and a centre."""
        d = PairTables(tables).sums(self.rows, self.centres)[~self.own]
        middle = float(np.median(d)) if len(d) else 0.0
        return 1.0 / middle if middle > 0.0 else 1.0

    def kernel(self, tables: Tables) -> Array:
        """Return exp(-beta d) (n, L), zero between a row and itself."""
        d = PairTables(tables).sums(self.centres, self.rows).T  # O(n L D)
        return np.where(self.own, 0.0, np.exp(-self.beta * d))

    def value(self, K: Array, w: Array) -> float:
        """Return E."""
        e = K @ w - self.targets
        return 0.5 * float(self.weights @ (e * e).sum(axis=1) + RIDGE * (w * w).sum())

    def fitted(self, tables: Tables, K: Array) -> Point:
        """Return the best classifier for a kernel."""
        weighted = K * self.weights[:, None]
        A = K.T @ weighted + RIDGE * np.eye(K.shape[1])  # O(n L^2)
        w = np.asarray(np.linalg.solve(A, weighted.T @ self.targets), dtype=float)
        return Point(tables, K, w, self.value(K, w))

    def gradient(self, point: Point) -> list[Array]:
        """Return dE / dM_d[u, v] at fixed w, each unordered pair of values once."""
        K, w = point.kernel, point.w
        e = (K @ w - self.targets) * self.weights[:, None]
        slope = -self.beta * (e @ w.T) * K  # dE / d d(i, l) (n, L)
        at = starts([len(table) - 1 for table in point.tables])
        by_value = indicators(self.rows, int(at[-1])).T @ slope  # (S, L)
        return [
            _unordered(by_value[begin:end], self.centres[:, [d]] - begin)
            for d, (begin, end) in enumerate(pairwise(at.tolist()))
        ]


def _unordered(slopes: Array, values: Places) -> Array:
    """Add slopes (s, L) by the value of each centre; return (s, s), symmetric."""
    ordered = indicators(values, len(slopes)).T @ slopes.T
    both = ordered + ordered.T
    np.fill_diagonal(both, 0.0)
    return both


def descend(
    error: RadialError, start: Tables, max_iter: int, tol: float
) -> tuple[Tables, list[float]]:
    """Take projected gradient steps until the error falls no more.

    Returns
    -------
    tables, and the error before the first step and after each
    """
    point = error.fitted(start, error.kernel(start))
    history, step = [point.value], np.inf
    for _ in range(max_iter):
        gradient = error.gradient(point)
        steepest = max(np.abs(g).max() for g in gradient)
        if steepest == 0.0:
            break
        longest = 1.0 / (error.beta * len(start) * steepest)
        found = _step(error, point, gradient, min(2.0 * step, longest))
        if found is None:
            break
        new, step = found
        history.append(new.value)
        settled = point.value - new.value <= tol * point.value
        point = new
        if settled:
            break
    return point.tables, history


def _step(
    error: RadialError, point: Point, gradient: Sequence[Array], step: float
) -> tuple[Point, float] | None:
    """Halve a step until the error falls as the gradient promises; None if never."""
    for _ in range(_HALVINGS):
        pairs = list(zip(point.tables, gradient, strict=True))
        tables = [np.maximum(M - step * g, 0.0) for M, g in pairs]
        promised = 0.5 * sum(
            float(((new - M) * g).sum())
            for new, (M, g) in zip(tables, pairs, strict=True)
        )
        K = error.kernel(tables)
        if error.value(K, point.w) <= point.value + _ENOUGH * promised:
            return error.fitted(tables, K), step
        step *= 0.5
    return None
