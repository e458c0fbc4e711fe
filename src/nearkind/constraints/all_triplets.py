"""Every labelled triplet, exactly, by sorting; none is ever enumerated."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkind.constraints.bound import Bound
from nearkind.constraints.labels import Labels, blocks_of, refuse_none
from nearkind.edges import Fan
from nearkind.typing import Array, Loss, PairSums, Pull


@dataclass(frozen=True)
class TripletFan:
    """All triplets of some anchors of one class: (same + margin) against other."""

    labels: Labels
    anchors: NDArray[np.intp]
    same: NDArray[np.intp]
    other: NDArray[np.intp]
    margin: float
    mass: float

    @property
    def edges(self) -> Fan:
        """Each anchor against every row."""
        return Fan(self.anchors)

    def value(self, d2: Array, loss: Loss) -> float:
        """Return the share of the mean loss that these anchors have."""
        partners = self.labels.partners(self.anchors, self.same)
        return float(
            (self._share * partners * self._sums(d2, loss, partners).loss).sum()
        )

    def pull(self, d2: Array, loss: Loss) -> Pull:
        """Return loss, slope in each distance (a, n), and intercept."""
        partners = self.labels.partners(self.anchors, self.same)
        sums = self._sums(d2, loss, partners)
        pulls = self._share * partners * sums.t_slope
        pushes = self._share * self.labels.weights[self.other] * sums.c_slope
        weights = np.empty_like(d2)
        weights[:, self.same] = pulls
        weights[:, self.other] = -pushes
        total = (self._share * partners * sums.loss).sum()
        return Pull(float(total), weights, float(self.margin * pulls.sum()))

    @property
    def _share(self) -> Array:
        return self.labels.weights[self.anchors, None] / self.mass  # (a, 1)

    def _sums(self, d2: Array, loss: Loss, partners: Array) -> PairSums:
        strangers = np.broadcast_to(
            self.labels.weights[self.other], (len(self.anchors), len(self.other))
        )
        t, c = d2[:, self.same] + self.margin, d2[:, self.other]
        return loss.all_pairs(t, partners, c, strangers)


@dataclass(frozen=True)
class AllTriplets:
    """d2_ij + margin <= d2_ik for every j != i of i's class and every k of another.

    E_T = mean of [d2_ij + margin - d2_ik]_+.
    """

    margin: float = 1.0

    def bind(self, labels: Labels) -> Bound:
        """Return the constraints these labels imply."""
        mass = self._mass(labels)
        refuse_none(mass, "triplets", "no class has two rows and a stranger")
        blocks = [
            TripletFan(labels, anchors, same, other, self.margin, mass)
            for label in range(labels.n_classes)
            if len(same := labels.rows_of(label))
            and len(other := labels.rows_outside(label))
            for anchors in blocks_of(same, len(labels.y))
        ]
        return Bound(self, labels, blocks)

    def slope_at_zero(self, labels: Labels, Z: Array) -> Array:
        """Return the gradient of the loss at M = 0, where every triplet is violated."""
        mass = self._mass(labels)
        pulled = labels.within(Z, labels.other / mass)
        return pulled - labels.between(Z, labels.same / mass)

    def _mass(self, labels: Labels) -> float:
        return float((labels.weights * labels.same * labels.other).sum())
