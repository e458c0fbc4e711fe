"""MMC: maximises distances of unlike pairs, with a bound on those of alike pairs."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from nearkind.baselines.baseline import RAISE
from nearkind.baselines.coding import Coding
from nearkind.baselines.matrix_learner import Spread, SpreadLearner, whitening
from nearkind.metrics.spectrum import decompose
from nearkind.protocols import Array
from nearkind.validation.convergence import NotConvergedWarning
from nearkind.validation.parameters import Flag


class MMC(SpreadLearner):
    """Metric learning for clustering with side information.

        max over M of  mean over dissimilar rows of sqrt(v' M v)
        with  mean over similar rows of v' M v <= 1,  M positive semi-definite

    Xing, Ng, Jordan and Russell, NIPS 2002, with means instead of sums, which only
    rescales M. The formulas are our reconstruction. 1e-5 of the mean eigenvalue is
    added to S, the mean of v v' over all similar pairs, as the problem is unbounded
    otherwise. With M = S^(-1/2) L L' S^(-1/2) the constraint is |L| = 1, and the
    objective is convex in L, so each step L <- G L / |G L|, with G its gradient in L
    L', increases it without the alternating projections of the source. The leading
    eigenvalue of G gives an upper bound on the optimum.

    Parameters
    ----------
    diagonal : bool, default=False
        Learn only a weight per coordinate: M is diagonal. It is twice the minimiser of
        the source's  mean similar d^2 - log sum dissimilar d.
    n_pairs : int, default=20_000
        Number of dissimilar pairs to sample if there are more; fewer if they need more
        than 32 MB.
    tol : float, default=1e-4
        Stop when the gap is below this fraction of the objective.
    max_iter : int, default=1000
        Maximum number of evaluations; a step follows each but the last.
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
    objective_ : float
        Mean distance over the dissimilar pairs.
    gap_ : float
        Optimality gap: the maximum exceeds the objective by at most this.
    n_iter_ : int
        Number of evaluations.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> far = MMC().fit(rows, labels).pairwise_distances(rows[:1], rows[1:3])
    >>> bool(far[0, 0] < far[0, 1])
    True
    """

    diagonal: Flag = False

    def _coding_of(self, tables: Sequence[Array]) -> Coding:
        return Coding.of(tables, reduced=not self.diagonal)

    def _whitening(self, S: Array) -> Array:
        return whitening(np.diag(np.diag(S)) if self.diagonal else S)

    def _spread(self, V: Array) -> Spread:
        kind = DiagonalFactor if self.diagonal else Factor
        start = kind.start(V.shape[1])
        found = maximize_mean_distance(V, start, self.tol, self.max_iter)
        if found.gap > self.tol * found.objective:
            text = (
                f"After {found.n_iter} evaluations the objective, "
                f"{found.objective:.6g}, may be {found.gap:.2g} below its optimum, "
                f"more than tol={self.tol:g} allows. "
            )
            warnings.warn(NotConvergedWarning(text, *RAISE, "."), stacklevel=6)
        return found


@dataclass(frozen=True)
class Factor:
    """Z = L L' of trace 1."""

    L: Array  # (W, W)

    @classmethod
    def start(cls, width: int) -> Self:
        """Return Z = I / W."""
        return cls(np.eye(width) / np.sqrt(width))

    @property
    def matrix(self) -> Array:
        """Z (W, W)."""
        return self.L @ self.L.T

    def squared(self, V: Array) -> Array:
        """Return v' Z v of each row v."""
        VL = V @ self.L
        return np.einsum("iw,iw->i", VL, VL)

    @staticmethod
    def gradient(V: Array, weights: Array) -> Array:
        """Return the weighted sum of v v'."""
        return V.T @ (V * weights[:, None])

    @staticmethod
    def top(G: Array) -> float:
        """Return the largest <G, Z> over all Z of trace 1."""
        return float(decompose(G[None]).values[0, -1])

    def moved(self, G: Array) -> Self:
        """Return L <- G L / |G L|."""
        L = G @ self.L
        return type(self)(L / np.linalg.norm(L))


@dataclass(frozen=True)
class DiagonalFactor(Factor):
    """Z = diag(L^2) of trace 1: the same with diagonal matrices only."""

    L: Array  # (W,)

    @classmethod
    def start(cls, width: int) -> Self:
        """Return Z = I / W."""
        return cls(np.full(width, width**-0.5))

    @property
    def matrix(self) -> Array:
        """Z (W, W)."""
        return np.diag(self.L**2)

    def squared(self, V: Array) -> Array:
        """Return v' Z v of each row v."""
        return (V * V) @ self.L**2

    @staticmethod
    def gradient(V: Array, weights: Array) -> Array:
        """Return the diagonal of the weighted sum of v v' (W,)."""
        return weights @ (V * V)

    @staticmethod
    def top(G: Array) -> float:
        """Return the largest <G, Z> over all diagonal Z of trace 1."""
        return float(G.max())

    def moved(self, G: Array) -> Self:
        """Return L <- G L / |G L|."""
        L = G * self.L
        return type(self)(L / np.linalg.norm(L))


def maximize_mean_distance(
    V: Array, point: Factor, tol: float = 1e-4, max_iter: int = 1000
) -> Spread:
    """Maximise the mean of sqrt(v' Z v) over rows v of V; O(m W^2) a step.

    Examples
    --------
    >>> round(maximize_mean_distance(np.eye(2), Factor.start(2)).objective, 6)
    0.707107
    """
    for n_iter in range(1, max_iter + 1):
        d = np.sqrt(np.maximum(point.squared(V), 1e-300))
        objective = float(d.mean())
        G = point.gradient(V, 0.5 / (d * len(d)))
        gap = max(point.top(G) - 0.5 * objective, 0.0)  # <G, Z> is half the objective
        if gap <= tol * objective or n_iter == max_iter:
            break
        point = point.moved(G)
    return Spread(point.matrix, objective, gap, n_iter)
