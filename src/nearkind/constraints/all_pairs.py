"""Every labelled pair: alike below the margin, unlike above it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkind.constraints.bound import Bound
from nearkind.constraints.labels import AT_ONCE, Labels, blocks_of, refuse_none
from nearkind.losses.edges import Fan
from nearkind.protocols import Array, Loss, Pull


@dataclass(frozen=True)
class PairFan:
    """All pairs of some anchors with every row."""

    labels: Labels
    anchors: NDArray[np.intp]
    margin: float
    mass: float

    @property
    def edges(self) -> Fan:
        """Each anchor against every row."""
        return Fan(self.anchors)

    def value(self, d2: Array, loss: Loss) -> float:
        """Return the share of the mean loss that these anchors have."""
        sides = self._sides()
        return float(
            (self._shares() * loss.value(1.0 + sides * (d2 - self.margin))).sum()
        )

    def pull(self, d2: Array, loss: Loss) -> Pull:
        """Return loss, slope in each distance (a, n), and intercept."""
        sides, shares = self._sides(), self._shares()
        offsets = 1.0 - sides * self.margin
        z = offsets + sides * d2
        alpha = shares * loss.slope(z)
        total = (shares * loss.value(z)).sum()
        return Pull(float(total), sides * alpha, float((alpha * offsets).sum()))

    def _sides(self) -> Array:
        """Return r_ij (a, n)."""
        y = self.labels.y
        return np.where(y[self.anchors, None] == y[None, :], 1.0, -1.0)

    def _shares(self) -> Array:
        """Return the share of each pair in the mean (a, n)."""
        weights, own = self.labels.weights, self.labels.own
        shares = np.outer(weights[self.anchors], weights)
        itself = weights[self.anchors] * own[self.anchors]
        shares[np.arange(len(self.anchors)), self.anchors] = itself
        return shares / self.mass


@dataclass(frozen=True)
class AllPairs:
    """E_P = mean over i != j of [1 + r_ij (d2_ij - margin)]_+.

    r_ij is +1 for rows of one class and -1 for others.
    """

    margin: float = 1.0
    at_once: int = AT_ONCE

    def bind(self, labels: Labels) -> Bound:
        """Return the constraints these labels imply."""
        mass = self._mass(labels)
        refuse_none(mass, "pairs", "there is only one row")
        rows = np.arange(len(labels.y))
        blocks = [
            PairFan(labels, anchors, self.margin, mass)
            for anchors in blocks_of(rows, len(rows), self.at_once)
        ]
        return Bound(self, labels, blocks)

    def slope_at_zero(self, labels: Labels, Z: Array) -> Array:
        """Return the gradient of the loss at M = 0.

        There alike rows are at most just met, which counts in full; unlike rows are
        violated.
        """
        shares = np.full(len(labels.y), 1.0 / self._mass(labels))
        return labels.contrast(Z, shares * (self.margin <= 1.0), shares)

    def _mass(self, labels: Labels) -> float:
        return float((labels.weights * (labels.same + labels.other)).sum())
