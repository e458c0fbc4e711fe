"""Every labelled quadruplet, exactly, by sorting all distances once.

Any two alike rows against any two unlike ones: the one kind whose exact loss needs all
n^2 distances at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkind.constraints.labels import Labels, refuse_none
from nearkind.edges import PairList
from nearkind.typing import Array, Loss, PairSums, Pull

LARGEST = 4_000
"""Cells beyond which the square of distances no longer fits comfortably."""


@dataclass(frozen=True)
class BoundQuadruplets:
    """The quadruplets that some labels imply."""

    rule: "AllQuadruplets"
    labels: Labels
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

    def parts(self) -> Sequence["BoundQuadruplets"]:
        """Return the whole: its sort needs every distance."""
        return [self]

    def slope_at_zero(self, Z: Array) -> Array:
        """Return the gradient of the loss at M = 0, where all are violated."""
        signs = np.where(self.alike, 1.0, -1.0)
        return self.edges.pull_back(Z, signs * self.shares)

    def sample(
        self, size: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.intp], "BoundQuadruplets"]:
        """Return about ``size`` rows, and the constraints among them."""
        rows, labels = self.labels.sample(size, rng)
        return rows, self.rule.bind(labels)


@dataclass(frozen=True)
class AllQuadruplets:
    """d2_ij + margin <= d2_kl for all unordered alike (i, j) and unlike (k, l).

    E_Q = mean of [d2_ij + margin - d2_kl]_+.
    """

    margin: float = 1.0

    def bind(self, labels: Labels) -> BoundQuadruplets:
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
        return BoundQuadruplets(self, labels, edges, alike, shares, self.margin)
