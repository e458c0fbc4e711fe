"""Weights of given kernels between values, learned from triplets, with a proof.

A kernel of feature d is a matrix over its values, and so is any sum of kernels with
weights: M_d(w). The engine gives loss and slope in M_d on indicators of values, and the
slope in w_g is <slope, K_g>. However many kernels there are, rows stay that narrow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from nearkind.losses import Hinge, SmoothedHinge
from nearkind.objective import Objective
from nearkind.solvers.solution import Progress, Stop
from nearkind.spectral import Spectrum, decompose
from nearkind.typing import Array, Codes
from nearkind.value_tables import ValueTables

NARROWEST = 1e-9
"""Width of a corner, as a share of the loss at M = 0, below which rounding rules."""


@dataclass(frozen=True)
class KernelGroups:
    """Kernels between the values of features.

    Attributes
    ----------
    features : (G,), the feature of each kernel
    kernels : G matrices (s_d, s_d)
    n_values : s_d of each feature
    """

    features: NDArray[np.intp]
    kernels: Sequence[Array]
    n_values: Sequence[int]

    def indicators(self, codes: Codes) -> Array:
        """Return rows as indicators (D, n, 1, W); what is unseen is a bit of each."""
        width = max(self.n_values)
        Z = np.zeros((len(self.n_values), len(codes), 1, width))
        for z, code, size in zip(Z, codes.T, self.n_values, strict=True):
            z[:, 0, :size] = with_mean(np.eye(size))[code]
        return Z

    def metric(self, weights: Array) -> Spectrum:
        """Return M(w), a block a feature (D, W, W)."""
        width = max(self.n_values)
        M = np.zeros((len(self.n_values), width, width))
        for d, w, K in zip(self.features, weights, self.kernels, strict=True):
            M[d, : len(K), : len(K)] += w * K
        return decompose(M)

    def slope(self, gradient: Array) -> Array:
        """Return the slope in each weight (G,) from that in M (D, W, W)."""
        return np.array(
            [
                (gradient[d, : len(K), : len(K)] * K).sum()
                for d, K in zip(self.features, self.kernels, strict=True)
            ]
        )

    def value_tables(self, weights: Array) -> ValueTables:
        """Return the vectors of all values; an unseen one is in the middle."""
        factors = [F.T for F, _ in self.metric(weights).positive().factors()]  # (W, r)
        ends = np.cumsum([0, *(F.shape[1] for F in factors)])
        tables = []
        for F, size, at in zip(factors, self.n_values, ends[:-1], strict=True):
            table = np.zeros((size + 1, max(int(ends[-1]), 1)))
            table[:, at : at + F.shape[1]] = with_mean(F[:size])
            tables.append(table)
        return ValueTables(tables)


class Weights(NamedTuple):
    """The best weights found (G,), and what is known of them."""

    weights: Array
    value: float
    gap: float
    strength: float
    strength_max: float
    n_iter: int
    reason: Stop


def with_mean(vectors: Array) -> Array:
    """Return vectors of values (s, q) and their mean, for the unseen (s + 1, q)."""
    mean = vectors.mean(axis=0) if len(vectors) else np.zeros(vectors.shape[1])
    return np.vstack([vectors, mean])


def learn_weights(
    objective: Objective,
    groups: KernelGroups,
    strength: float | None,
    max_iter: int,
    tol: float,
) -> Weights:
    """Minimise loss + strength * sum of weights over weights >= 0.

    Limited-memory BFGS on a smoothed hinge whose corner is narrowed from round to round
    until the lower bound, from slopes of the smoothed hinge, is near enough.

    Parameters
    ----------
    objective : on indicators of values, without penalty
    strength : None: 1 % of the smallest at which all weights are zero
    """
    at_zero = groups.slope(objective.constraints.slope_at_zero(objective.Z))
    strength_max = float(np.maximum(-at_zero, 0.0).max(initial=0.0))
    strength = 0.01 * strength_max if strength is None else strength
    problem = Problem(objective.with_loss(Hinge()), groups, strength)
    if strength >= strength_max:
        nothing = np.zeros(len(groups.kernels))
        value = problem.value(nothing)
        return Weights(nothing, value, 0.0, strength, strength_max, 0, Stop.TOLERANCE)
    best, progress, n_iter, reason = problem.solve(max_iter, tol)
    return Weights(
        best, progress.value, progress.gap, strength, strength_max, n_iter, reason
    )


@dataclass(frozen=True)
class Problem:
    """f(w) = loss(M(w)) + strength * sum of w."""

    hinge: Objective
    groups: KernelGroups
    strength: float

    def value(self, w: Array) -> float:
        """Return f."""
        loss = self.hinge.loss_value(self.groups.metric(w).positive())
        return loss + self.strength * float(w.sum())

    def solve(
        self, max_iter: int, tol: float, width: float = 0.1, round_steps: int = 30
    ) -> tuple[Array, Progress, int, Stop]:
        """Descend in rounds, each under a narrower corner."""
        best = w = self._start()
        progress = Progress(self.groups.metric(w), tol)
        at_zero = self.hinge.loss_value(self.hinge.zero)
        width, narrowest, t = width * at_zero, NARROWEST * at_zero, 0
        while t < max_iter:
            w, made = self._descend(w, width, min(round_steps, max_iter - t))
            t += max(made, 1)
            better = progress.offer(self.groups.metric(w), self.value(w))
            best = w if better else best
            progress.raise_bound(self._bound(w, width))
            progress.record(t)
            if progress.done:
                return best, progress, t, Stop.TOLERANCE
            if width == narrowest and not better:
                return best, progress, t, Stop.NO_DESCENT
            width = max(width / 3.0, narrowest)
        return best, progress, t, Stop.MAX_ITER

    def _start(self) -> Array:
        """Return equal weights under which rows are a few margins apart."""
        spread = sum(np.trace(K) / len(K) for K in self.groups.kernels)
        return np.full(len(self.groups.kernels), 4.0 / max(spread, 1e-300))

    def _descend(self, w: Array, width: float, steps: int) -> tuple[Array, int]:
        smooth = self.hinge.with_loss(SmoothedHinge(width))

        def value_and_slope(w: Array) -> tuple[float, Array]:
            at = smooth.slope(self.groups.metric(w).positive())
            slope = self.groups.slope(at.gradient) + self.strength
            return at.loss + self.strength * float(w.sum()), slope

        found = minimize(
            value_and_slope, w, jac=True, method="L-BFGS-B",
            bounds=[(0.0, None)] * len(w),
            options={"maxiter": steps, "maxcor": 20, "ftol": 1e-12, "gtol": 0.0},
        )  # fmt: skip
        return found.x, int(found.nit)

    def _bound(self, w: Array, width: float) -> float:
        """Return the lower bound that the smoothed slopes at w prove."""
        smooth = self.hinge.with_loss(SmoothedHinge(width))
        at = smooth.slope(self.groups.metric(w).positive())
        gains = np.maximum(-self.groups.slope(at.gradient), 0.0)
        penalty = self.hinge.regularizer  # Schatten 1: the largest gain must not exceed
        return penalty.dual_value(gains, at.intercept, self.strength)
