"""Weights of given kernels between values, learned from triplets, with a proof.

A kernel of feature d is a matrix over its values, and so is any sum of kernels with
weights: M_d(w). An objective on indicators of values gives the loss and its gradient in
M_d; the gradient in w_g is <gradient, K_g>. However many kernels there are, rows are no
wider than the number of values.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from nearkind.baselines.coding import side_by_side, with_mean
from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.metrics.spectrum import Spectrum, decompose
from nearkind.metrics.value_tables import ValueTables
from nearkind.protocols import Array, Codes
from nearkind.solvers.objective import Objective
from nearkind.solvers.solution import Progress, Stop

ROUND_STEPS = 30
WARM_ROWS = 1_000
"""Begin on a sample of so many rows if there are twice as many or more."""
WIDEST = 0.1
"""Width of the corner at the start, as a share of the loss at M = 0."""
ROUNDING = 1e-9
"""Gains below this share of the objective are none."""
NARROWEST = 1e-9
"""Width of a corner, as a share of the loss at M = 0, below which rounding rules."""


@dataclass(frozen=True)
class KernelGroups:
    """Kernels between the values of features.

    Attributes
    ----------
    features : ndarray of int of shape (G,)
        The feature of each kernel.
    kernels : sequence of G ndarrays of shape (s_d, s_d)
    n_values : sequence of int
        s_d of each feature.
    """

    features: NDArray[np.intp]
    kernels: Sequence[Array]
    n_values: Sequence[int]

    @cached_property
    def _spans(self) -> list[slice]:
        ends = np.cumsum([0, *self.n_values])
        return [slice(a, b) for a, b in pairwise(ends.tolist())]

    def indicators(self, codes: Codes) -> Array:
        """Return rows as indicators (1, n, 1, S); what is unseen is a bit of each."""
        Z = np.zeros((1, len(codes), 1, sum(self.n_values)))
        for code, at, size in zip(codes.T, self._spans, self.n_values, strict=True):
            Z[0, :, 0, at] = with_mean(np.eye(size))[code]
        return Z

    def metric(self, weights: Array) -> Spectrum:
        """Return M(w) over all values (1, S, S), a block a feature."""
        return decompose(self._matrix(weights)[None])

    def _matrix(self, weights: Array) -> Array:
        M = np.zeros((sum(self.n_values),) * 2)
        for d, w, K in zip(self.features, weights, self.kernels, strict=True):
            M[self._spans[d], self._spans[d]] += w * K
        return M

    def gradient(self, in_M: Array) -> Array:
        """Return the gradient in the weights (G,) from that in M (1, S, S)."""
        blocks = [in_M[0, at, at] for at in self._spans]
        both = zip(self.features, self.kernels, strict=True)
        return np.array([(blocks[d] * K).sum() for d, K in both])

    def value_tables(self, weights: Array) -> ValueTables:
        """Return the vectors of all values; an unseen one is in the middle."""
        M = self._matrix(weights)
        return side_by_side([with_mean(_factor(M[at, at])) for at in self._spans])


def _factor(M: Array) -> Array:
    """Return vectors (s, r) whose products are M (s, s)."""
    ((F, _),) = decompose(M[None]).positive().factors()
    return F.T


class LearnedWeights(NamedTuple):
    """The best weights found (G,), what is known of them, and the last width."""

    weights: Array
    value: float
    gap: float
    n_iter: int
    reason: Stop
    width: float


def learn_weights(
    objective: Objective,
    groups: KernelGroups,
    strength_of: Callable[[float], float],
    max_iter: int,
    tol: float,
) -> tuple[LearnedWeights, float, float]:
    """Minimise loss + strength * sum of weights over weights >= 0.

    Limited-memory BFGS on a smoothed hinge whose corner is narrowed from round to round
    until the lower bound, from gradients of the smoothed hinge, is near enough.

    Parameters
    ----------
    objective : Objective
        On indicators of values, without penalty.
    groups : KernelGroups
    strength_of : callable
        From the smallest strength at which all weights are zero to the one meant.
    max_iter : int
        Iterations at most.
    tol : float
        Stop when the gap is below this share of the objective.

    Returns
    -------
    found : LearnedWeights
    strength, strength_max : float
        The strength used, and the smallest at which all weights are zero.
    """
    at_zero = groups.gradient(objective.constraints.gradient_at_zero(objective.Z))
    strength_max = float(np.maximum(-at_zero, 0.0).max(initial=0.0))
    strength = strength_of(strength_max)
    problem = Problem(objective.with_loss(Hinge()), groups, strength)
    if strength >= strength_max:
        w = np.zeros(len(groups.kernels))
        found = LearnedWeights(w, problem.value(w), 0.0, 0, Stop.TOLERANCE, 0.0)
    else:
        found = problem.solve(max_iter, tol)
    return found, strength, strength_max


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

    def solve(self, max_iter: int, tol: float) -> LearnedWeights:
        """Minimise; of many rows first on a sample of them."""
        w, width, t = self._start(), WIDEST * self._at_zero, 0
        if self.hinge.n_rows >= 2 * WARM_ROWS:
            sample = self.hinge.sample(WARM_ROWS, np.random.default_rng(0))
            few = replace(self, hinge=sample)
            w, *_, t, _, width = few._rounds(w, width, max_iter // 2, tol)
        found = self._rounds(w, width, max_iter - t, tol)
        return found._replace(n_iter=t + found.n_iter)

    @property
    def _at_zero(self) -> float:
        return self.hinge.loss_value(self.hinge.zero)

    def _rounds(
        self, w: Array, width: float, max_iter: int, tol: float
    ) -> LearnedWeights:
        """Descend in rounds; narrow the corner while it alone exceeds the tolerance."""
        best, narrowest, t = w, NARROWEST * self._at_zero, 0
        progress, reason = Progress(self.groups.metric(w), tol), Stop.MAX_ITER
        while t < max_iter:
            w, made = self._descend(w, width, min(ROUND_STEPS, max_iter - t))
            t += max(made, 1)
            before = progress.value
            if progress.offer(self.groups.metric(w), self.value(w)):
                best = w
            bound, corner = self._lower_bound(w, width)
            progress.raise_bound(bound)
            progress.record(t)
            stuck = progress.value >= (1.0 - ROUNDING) * before
            if progress.done or (stuck and width == narrowest):
                reason = Stop.TOLERANCE if progress.done else Stop.NO_DESCENT
                break
            if stuck or corner > 0.3 * tol * progress.value:
                width = max(width / 3.0, narrowest)
        return LearnedWeights(best, progress.value, progress.gap, t, reason, width)

    def _start(self) -> Array:
        """Return equal weights under which rows are a few margins apart."""
        spread = sum(np.trace(K) / len(K) for K in self.groups.kernels)
        return np.full(len(self.groups.kernels), 4.0 / max(spread, 1e-300))

    def _descend(self, w: Array, width: float, steps: int) -> tuple[Array, int]:
        smooth = self.hinge.with_loss(SmoothedHinge(width))

        def value_and_gradient(w: Array) -> tuple[float, Array]:
            at = smooth.linearize(self.groups.metric(w).positive())
            gradient = self.groups.gradient(at.gradient) + self.strength
            return at.loss + self.strength * float(w.sum()), gradient

        found = minimize(
            value_and_gradient, w, jac=True, method="L-BFGS-B",
            bounds=[(0.0, None)] * len(w),
            options={"maxiter": steps, "maxcor": 20, "ftol": 1e-12, "gtol": 0.0},
        )  # fmt: skip
        return found.x, int(found.nit)

    def _lower_bound(self, w: Array, width: float) -> tuple[float, float]:
        """Return the lower bound that smoothed gradients at w prove, and what it lacks.

        The latter is what the smoothed dual lies below the plain one, by the corner.
        """
        smooth = self.hinge.with_loss(SmoothedHinge(width))
        at = smooth.linearize(self.groups.metric(w).positive())
        gradient = self.groups.gradient(at.gradient)
        penalty = self.hinge.regularizer  # Schatten 1: no gain may exceed the strength
        bound = penalty.dual_value(-gradient, at.intercept, self.strength)
        return bound, at.intercept + float(gradient @ w) - at.loss
