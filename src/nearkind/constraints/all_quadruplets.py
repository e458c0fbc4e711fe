"""Every labelled quadruplet, exactly, by sorting all distances once.

Any two alike rows against any two unlike ones: the one kind whose exact loss needs all
n^2 distances at a time.
"""

import warnings
from dataclasses import dataclass

import numpy as np

from nearkind.constraints.bound import Bound
from nearkind.constraints.labels import AT_ONCE, Labels, refuse_none
from nearkind.constraints.sampling import SampledQuadruplets
from nearkind.constraints.tuples import TupleList
from nearkind.losses.edges import PairList
from nearkind.losses.pair_sums.sides import Sides
from nearkind.protocols import Array, Loss, Pull

LARGEST = 4_000
"""Cells beyond which the square of distances no longer fits comfortably."""
SAMPLE = 1_000_000
"""Quadruplets drawn then."""


@dataclass(frozen=True)
class QuadrupletBlock:
    """The quadruplets that some labels imply: one row of all distances."""

    edges: PairList
    sides: Sides

    def value(self, d2: Array, loss: Loss) -> float:
        """Return the mean loss."""
        return loss.total(d2[None], self.sides)

    def pull(self, d2: Array, loss: Loss) -> Pull:
        """Return loss, slope in each distance (E,), and intercept."""
        total, weights, intercept = loss.pull(d2[None], self.sides)
        return Pull(total, weights[0], intercept)


@dataclass(frozen=True)
class AllQuadruplets:
    """d2_ij + margin <= d2_kl for all unordered alike (i, j) and unlike (k, l).

    E_Q = mean of [d2_ij + margin - d2_kl]_+.
    """

    margin: float = 1.0
    at_once: int = AT_ONCE

    def bind(self, labels: Labels) -> Bound | TupleList:
        """Return the constraints these labels imply; of too many rows, a sample."""
        n_rows = len(labels.y)
        if n_rows > LARGEST:
            warnings.warn(
                f"All quadruplets of {n_rows:,} distinct rows need every distance at "
                f"once, which is offered up to {LARGEST:,}: {SAMPLE:,} of them are "
                "drawn instead. Pass scope to choose the number, or take "
                "constraints='triplets', which need no sample.",
                UserWarning,
                stacklevel=3,
            )
            rng = np.random.default_rng(0)
            return SampledQuadruplets(SAMPLE, rng, self.margin).bind(labels)
        left, right = np.triu_indices(n_rows)  # the diagonal: a cell's own copies
        shares = labels.weights[left] * labels.weights[right]
        shares[left == right] = labels.weights * labels.own / 2.0
        alike = labels.y[left] == labels.y[right]
        for kind in (alike, ~alike):
            mass = float(shares[kind].sum())
            refuse_none(mass, "quadruplets", "they need two alike and two unlike rows")
            shares[kind] /= mass
        sides = Sides(
            np.flatnonzero(alike),
            np.flatnonzero(~alike),
            self.margin,
            shares,
            shares=np.ones(1),
            own=np.array([-1]),
            own_weights=np.zeros(1),
        )
        return Bound(self, labels, [QuadrupletBlock(PairList(left, right), sides)])

    def slope_at_zero(self, labels: Labels, Z: Array) -> Array:
        """Return the gradient of the loss at M = 0, where all are violated."""
        ones = np.ones(len(labels.y))
        same, other = labels.weights @ labels.same, labels.weights @ labels.other
        return labels.contrast(Z, ones / same, ones / other)
