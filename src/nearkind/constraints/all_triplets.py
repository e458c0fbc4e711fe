"""Every labelled triplet, exactly, by sorting; none is ever enumerated."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkind.constraints.bound import Bound
from nearkind.constraints.labels import AT_ONCE, Labels, blocks_of, refuse_none
from nearkind.losses.edges import Fan
from nearkind.losses.pair_sums.sides import Sides
from nearkind.protocols import Array, Loss, Pull


@dataclass(frozen=True)
class TripletFan:
    """All triplets of some anchors of one class: (same + margin) against other."""

    edges: Fan
    sides: Sides

    def value(self, d2: Array, loss: Loss) -> float:
        """Return the share of the mean loss that these anchors have."""
        return loss.total(d2, self.sides)

    def pull(self, d2: Array, loss: Loss) -> Pull:
        """Return loss, slope in each distance (a, n), and intercept."""
        return loss.pull(d2, self.sides)


@dataclass(frozen=True)
class AllTriplets:
    """d2_ij + margin <= d2_ik for every j != i of i's class and every k of another.

    E_T = mean of [d2_ij + margin - d2_ik]_+.
    """

    margin: float = 1.0
    at_once: int = AT_ONCE

    def bind(self, labels: Labels) -> Bound:
        """Return the constraints these labels imply."""
        mass = self._mass(labels)
        refuse_none(mass, "triplets", "no class has two rows and a stranger")
        blocks = [
            TripletFan(Fan(anchors), self._sides(labels, anchors, same, other, mass))
            for label in range(labels.n_classes)
            if len(same := labels.rows_of(label))
            and len(other := labels.rows_outside(label))
            for anchors in blocks_of(same, len(labels.y), self.at_once)
        ]
        return Bound(self, labels, blocks)

    def _sides(
        self,
        labels: Labels,
        anchors: NDArray[np.intp],
        same: NDArray[np.intp],
        other: NDArray[np.intp],
        mass: float,
    ) -> Sides:
        shares = labels.weights[anchors] / mass
        own = labels.own[anchors]
        return Sides(same, other, self.margin, labels.weights, shares, anchors, own)

    def slope_at_zero(self, labels: Labels, Z: Array) -> Array:
        """Return the gradient of the loss at M = 0, where every triplet is violated."""
        mass = self._mass(labels)
        return labels.contrast(Z, labels.other / mass, labels.same / mass)

    def _mass(self, labels: Labels) -> float:
        return float((labels.weights * labels.same * labels.other).sum())
