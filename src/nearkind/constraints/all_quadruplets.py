"""Every labelled quadruplet, exactly, by sorting all distances once.

Any two alike rows against any two unlike ones: the one kind whose exact loss needs all
n^2 distances at a time.
"""

from dataclasses import dataclass

import numpy as np

from nearkind.constraints.bound import Bound
from nearkind.constraints.labels import Labels, refuse_none
from nearkind.edges import PairList
from nearkind.typing import Array, Loss, PairSums, Pull

LARGEST = 4_000
"""Cells beyond which the square of distances no longer fits comfortably."""


@dataclass(frozen=True)
class QuadrupletBlock:
    """The quadruplets that some labels imply."""

    edges: PairList
    alike: np.ndarray  # (E,) bool
    shares: Array  # (E,) weight of each edge among the alike or the unlike, sums to 1
    margin: float

    def value(self, d2: Array, loss: Loss) -> float:
        """Return the mean loss."""
        return float(self.shares[self.alike] @ self._sums(d2, loss).loss[0])

    def pull(self, d2: Array, loss: Loss) -> Pull:
        """Return loss, slope in each distance (E,), and intercept."""
        sums = self._sums(d2, loss)
        weights = np.empty_like(d2)
        weights[self.alike] = self.shares[self.alike] * sums.t_slope[0]
        weights[~self.alike] = -self.shares[~self.alike] * sums.c_slope[0]
        total = float(self.shares[self.alike] @ sums.loss[0])
        return Pull(total, weights, float(self.margin * weights[self.alike].sum()))

    def _sums(self, d2: Array, loss: Loss) -> PairSums:
        t, c = d2[None, self.alike] + self.margin, d2[None, ~self.alike]
        shares = self.shares[None]
        return loss.all_pairs(t, shares[:, self.alike], c, shares[:, ~self.alike])


@dataclass(frozen=True)
class AllQuadruplets:
    """d2_ij + margin <= d2_kl for all unordered alike (i, j) and unlike (k, l).

    E_Q = mean of [d2_ij + margin - d2_kl]_+.
    """

    margin: float = 1.0

    def bind(self, labels: Labels) -> Bound:
        """Return the constraints these labels imply."""
        n_rows = len(labels.y)
        if n_rows > LARGEST:
            raise ValueError(
                f"All quadruplets of {n_rows:,} distinct rows need every distance at "
                f"once, which is offered up to {LARGEST:,}. Pass an integer scope to "
                "sample that many, say scope=1_000_000."
            )
        left, right = np.triu_indices(n_rows)  # the diagonal: a cell's own copies
        shares = labels.weights[left] * labels.weights[right]
        shares[left == right] = labels.weights * labels.own / 2.0
        alike = labels.y[left] == labels.y[right]
        for kind in (alike, ~alike):
            mass = float(shares[kind].sum())
            refuse_none(mass, "quadruplets", "they need two alike and two unlike rows")
            shares[kind] /= mass
        edges = PairList(left, right)
        block = QuadrupletBlock(edges, alike, shares, self.margin)
        return Bound(self, labels, [block])

    def slope_at_zero(self, labels: Labels, Z: Array) -> Array:
        """Return the gradient of the loss at M = 0, where all are violated."""
        ones = np.ones(len(labels.y))
        pulled = labels.within(Z, ones / (labels.weights @ labels.same))
        return pulled - labels.between(Z, ones / (labels.weights @ labels.other))
