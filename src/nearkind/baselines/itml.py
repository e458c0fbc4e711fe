"""ITML: LogDet divergence from the Euclidean distance, with bounds on pairs."""

import warnings
from dataclasses import KW_ONLY
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas
from threadpoolctl import threadpool_limits

from nearkind.baselines.baseline import RAISE
from nearkind.baselines.matrix_learner import (
    LabelledRows,
    MatrixLearner,
    NumberOfPairs,
    differing,
)
from nearkind.protocols import Array
from nearkind.validation.convergence import NotConvergedWarning
from nearkind.validation.parameters import NonNegative, Positive, WholeNumber

PAIRS_FOR_BOUNDS = 10_000
PERCENTILES = 5.0, 95.0
TIE = 1e-9
"""Bounds closer than this share of the larger are equal."""


class ITML(MatrixLearner):
    """Information-theoretic metric learning.

        min over M and slacks xi of  LogDet(M, I) + gamma * LogDet(xi, xi_0)
        with  v' M v <= xi  for similar rows,  v' M v >= xi  for dissimilar rows

    Davis, Kulis, Jain, Sra and Dhillon, ICML 2007, algorithm 1: Bregman projections
    onto one pair after another, until the multipliers converge. xi_0 is u for similar
    and l for dissimilar rows, the 5th and 95th percentiles of squared distances between
    rows that differ. Half of the pairs are similar; pairs of equal rows are skipped.

    Parameters
    ----------
    gamma : float > 0, default=1.0
        Weight of the bounds, against staying close to Euclidean distance.
    n_constraints : int, default=None
        Number of pairs; None: 20 times the squared number of classes.
    tol : float, default=1e-3
        Stop when the relative change of the multipliers in a sweep is smaller.
    max_iter : int, default=1000
        Maximum number of sweeps.
    coding : {"onehot", "vdm", "thermometer"}, default="onehot"
        Values as indicators or as class histograms.
    random_state : int, RandomState or None, default=0
        Selects the pairs; None: other pairs in each fit.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    metric_ : ndarray of shape (W, W)
        M over the coordinates of the coding.
    bounds_ : tuple of two floats
        u and l.
    n_iter_ : int
        Number of sweeps.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> far = ITML().fit(rows, labels).pairwise_distances(rows[:1], rows[1:3])
    >>> bool(far[0, 0] < far[0, 1])
    True
    """

    gamma: Positive = 1.0
    _: KW_ONLY
    n_constraints: NumberOfPairs = None
    tol: NonNegative = 1e-3
    max_iter: WholeNumber = 1000

    def _matrix(self, rows: LabelledRows, rng: np.random.Generator) -> Array:
        self.bounds_, self.n_iter_ = _bounds(rows, rng), 1
        low, high = self.bounds_
        if high - low <= TIE * high:
            return self._euclidean("all rows that differ are equally far apart")
        n_pairs = self.n_constraints or 20 * len(self.classes_) ** 2
        pairs = rows.pairs.balanced(n_pairs, rng)
        V = rows.differences(pairs)
        kept = differing(V)
        V, alike = V[kept], pairs.alike[kept]
        bounds = np.where(alike, low, high)
        with threadpool_limits(1, "blas"):  # many small products
            found = project(
                np.eye(rows.coding.width), V, alike, bounds,
                self.gamma, self.tol, self.max_iter,
            )  # fmt: skip
        self.n_iter_ = found.n_iter
        if found.change > self.tol:
            text = (
                f"The multipliers still changed by {found.change:.2g}, more than tol="
                f"{self.tol:g}, in the last of {self.n_iter_} sweeps. "
            )
            told = NotConvergedWarning(text, *RAISE, ", or lower gamma.")
            warnings.warn(told, stacklevel=5)
        return found.M


class ProjectedMetric(NamedTuple):
    """A metric, the sweeps made, and the relative change in the last of them."""

    M: Array
    n_iter: int
    change: float


def project(
    M: Array,
    V: Array,
    alike: NDArray[np.bool_],
    bounds: Array,
    gamma: float = 1.0,
    tol: float = 1e-3,
    max_iter: int = 1000,
) -> ProjectedMetric:
    """Sweep over pairs, projecting M on the bound of each, O(W^2) a pair.

    Parameters
    ----------
    M : ndarray of shape (W, W)
        The start, positive definite.
    V : ndarray of shape (m, W)
        Differences, none of them zero.
    alike : ndarray of bool of shape (m,)
        Whether the bound is an upper one.
    bounds : ndarray of shape (m,)
        Squared distances.
    gamma, tol, max_iter : float, float, int
        As in :class:`ITML`.

    Examples
    --------
    >>> found = project(np.eye(2), np.eye(2), np.array([True, False]),
    ...                 np.array([0.5, 2.0]))
    >>> found.M.round(6)
    array([[0.666667, 0.      ],
           [0.      , 1.333333]])
    """
    M = np.array(M, order="F")
    signs = np.where(alike, 1.0, -1.0)
    multipliers, inverse = np.zeros(len(V)), 1.0 / bounds  # of the slacks
    n_iter, change = 0, np.inf
    while change > tol and n_iter < max_iter:
        before = multipliers.copy()
        _sweep(M, V, signs, multipliers, inverse, gamma)
        change, n_iter = _relative_change(multipliers, before), n_iter + 1
    return ProjectedMetric(0.5 * (M + M.T), n_iter, change)


def _sweep(
    M: Array, V: Array, signs: Array, multipliers: Array, inverse: Array, gamma: float
) -> None:
    """Project M, in column order, on every bound once, in place."""
    share = gamma / (gamma + 1.0)
    for t, (v, s) in enumerate(zip(V, signs.tolist(), strict=True)):
        Mv = M @ v
        p = float(v @ Mv)
        step = min(multipliers[t], share * s * (1.0 / p - inverse[t]))
        if step != 0.0:
            multipliers[t] -= step
            inverse[t] += s * step / gamma
            blas.dger(s * step / (1.0 - s * step * p), Mv, Mv, a=M, overwrite_a=1)


def _relative_change(now: Array, before: Array) -> float:
    size = np.abs(now).sum() + np.abs(before).sum()
    return float(np.abs(now - before).sum() / size) if size else 0.0


def _bounds(rows: LabelledRows, rng: np.random.Generator) -> tuple[float, float]:
    """Return u and l; equal only if all rows that differ are equally far apart."""
    V = rows.differences(rows.pairs.uniform(PAIRS_FOR_BOUNDS, rng))
    d2 = np.einsum("iw,iw->i", V, V)[differing(V)]
    if not len(d2):
        return 0.0, 0.0
    low, high = np.percentile(d2, PERCENTILES)
    if high - low <= TIE * high:
        low, high = d2.min(), d2.max()
    return float(low), float(high)
