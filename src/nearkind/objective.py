"""Loss plus strength times regularizer: value, gradient, prox and a lower bound."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from nearkind.losses import Hinge
from nearkind.metric import Embedding, embed
from nearkind.spectral import Spectrum, decompose
from nearkind.typing import Array, Constraints, Loss, Map, Regularizer

_HINGE = Hinge()


class Slope(NamedTuple):
    """The objective at one metric, and its loss's linear lower bound there.

    For every M, loss(M) >= intercept + <gradient, M> up to the smoothing of the loss.
    """

    value: float
    loss: float
    gradient: Array  # of the loss alone, (B, W, W)
    intercept: float


@dataclass(frozen=True)
class Objective:
    """f(M) = loss(M) + strength * r(M) over positive semi-definite M (B, W, W)."""

    Z: Array  # (B, n, K, W)
    constraints: Any  # anything with parts()
    regularizer: Regularizer
    strength: float
    loss: Loss = _HINGE
    map: Map = map

    def value(self, point: Spectrum) -> float:
        """Return f at a metric."""
        return self.loss_value(point) + self.penalty(point)

    def loss_value(self, point: Spectrum) -> float:
        """Return the loss alone."""
        rows = embed(self.Z, point)
        return sum(self.map(_LossOf(rows, self.loss), self.constraints.parts()))

    def penalty(self, point: Spectrum) -> float:
        """Return strength times regularizer."""
        return self.strength * self.regularizer.value(point.values)

    def slope(self, point: Spectrum) -> Slope:
        """Return f, the gradient of the loss and its intercept at a metric."""
        rows = embed(self.Z, point)
        pulls = self.map(_PullOf(self.Z, rows, self.loss), self.constraints.parts())
        loss, G, intercept = _add(pulls)
        return Slope(loss + self.penalty(point), loss, G, intercept)

    def subgradient(self, point: Spectrum, slope: Slope) -> Array:
        """Return one subgradient of f (B, W, W)."""
        penalty = self.regularizer.subgradient(point.values)
        return slope.gradient + self.strength * point.with_values(penalty).matrix

    def prox(self, M: Array, step: float) -> Spectrum:
        """Return argmin over PSD X of |X - M|^2 / 2 + step * strength * r(X)."""
        spectrum = decompose(M)
        shrunk = self.regularizer.prox(spectrum.values.ravel(), step * self.strength)
        return spectrum.with_values(shrunk)

    def lower_bound(self, gradient: Array, intercept: float) -> float:
        """Return a proven lower bound on the minimum of f with the plain hinge.

        From multipliers alpha in [0, 1], one a constraint, known only through their
        sums ``gradient`` and ``intercept``: the dual value, the best over multiples of
        alpha.
        """
        spectrum = decompose(-gradient).values
        return self.regularizer.dual_value(spectrum, intercept, self.strength)

    def with_loss(self, loss: Loss) -> "Objective":
        """Return the same problem under another loss."""
        return replace(self, loss=loss)

    def with_strength(self, strength: float) -> "Objective":
        """Return the same problem at another strength."""
        return replace(self, strength=strength)

    def slope_at_zero(self) -> Spectrum:
        """Return the spectrum of minus the gradient of the loss at M = 0.

        A constraint just met there is one of alike rows (d2 <= 0), and counting it in
        full makes the positive part of the result as small as any subgradient does.
        """
        return decompose(-self.with_loss(Hinge(corner=1.0)).slope(self.zero).gradient)

    @property
    def zero(self) -> Spectrum:
        """M = 0."""
        B, _, _, W = self.Z.shape
        return Spectrum(np.zeros((B, W)), np.broadcast_to(np.eye(W), (B, W, W)))


class _LossOf(NamedTuple):
    rows: Embedding
    loss: Loss

    def __call__(self, part: Constraints) -> float:
        return part.value(part.edges.squared_distances(self.rows), self.loss)


class _PullOf(NamedTuple):
    Z: Array
    rows: Embedding
    loss: Loss

    def __call__(self, part: Constraints) -> tuple[float, Array, float]:
        pull = part.pull(part.edges.squared_distances(self.rows), self.loss)
        return pull.loss, part.edges.pull_back(self.Z, pull.weights), pull.intercept


def _add(pulls: Iterable[tuple[float, Array, float]]) -> tuple[float, Array, float]:
    loss, G, intercept = zip(*pulls, strict=True)
    return sum(loss), sum(G[1:], start=G[0]), sum(intercept)
