"""Every labelled quadruplet, exactly, by sorting all distances once.

Any two rows of one class against any two rows of different classes: the one kind whose
exact loss needs all n^2 distances at a time.
"""

import warnings
from dataclasses import dataclass

import numpy as np

from nearkind.constraints.samples import SampledQuadruplets
from nearkind.constraints.tuples import TupleList
from nearkind.constraints.weighted_labels import (
    AT_ONCE,
    LabelConstraints,
    WeightedLabels,
    require_constraints,
)
from nearkind.losses.edges import PairList
from nearkind.losses.pair_sums import NearFar
from nearkind.protocols import Array, Loss, LossGradient

LARGEST = 4_000
"""Unique rows beyond which the distance matrix is too large to hold."""
SAMPLE = 1_000_000
"""Quadruplets drawn then."""


@dataclass(frozen=True)
class QuadrupletChunk:
    """The quadruplets that some labels imply: one row of all distances."""

    edges: PairList
    columns: NearFar

    def value(self, d2: Array, loss: Loss) -> float:
        """Return the mean loss."""
        return loss.total(d2[None], self.columns)

    def gradient(self, d2: Array, loss: Loss) -> LossGradient:
        """Return loss, gradient in d2 (E,), and intercept."""
        total, weights, intercept = loss.gradient(d2[None], self.columns)
        return LossGradient(total, weights[0], intercept)


@dataclass(frozen=True)
class AllQuadruplets:
    """d2_ij + margin <= d2_kl for all i, j of one class and k, l of two.

    E_Q = mean of [d2_ij + margin - d2_kl]_+.
    """

    margin: float = 1.0
    at_once: int = AT_ONCE

    def bind(
        self, labels: WeightedLabels
    ) -> LabelConstraints[QuadrupletChunk] | TupleList:
        """Return the constraints these labels imply; of too many rows, a sample."""
        n_rows = len(labels.y)
        if n_rows > LARGEST:
            warnings.warn(
                f"All quadruplets of {n_rows:,} distinct rows need every distance at "
                f"once, which is offered up to {LARGEST:,}: {SAMPLE:,} of them are "
                "drawn instead. Pass scope to choose the number, or take "
                "constraints='triplets', which need no sample.",
                UserWarning,
                stacklevel=5,
            )
            rng = np.random.default_rng(0)
            return SampledQuadruplets(SAMPLE, rng, self.margin).bind(labels)
        left, right = np.triu_indices(n_rows)  # the diagonal: equal rows
        shares = labels.weights[left] * labels.weights[right]
        shares[left == right] = labels.weights * labels.self_weights / 2.0
        alike = labels.y[left] == labels.y[right]
        shares[alike] *= labels.anchoring[left[alike]]
        for kind in (alike, ~alike):
            mass = float(shares[kind].sum())
            require_constraints(mass, "quadruplets")
            shares[kind] /= mass
        columns = NearFar(
            np.flatnonzero(alike),
            np.flatnonzero(~alike),
            self.margin,
            shares,
            shares=np.ones(1),
            self_columns=np.array([-1]),
            self_weights=np.zeros(1),
        )
        chunk = QuadrupletChunk(PairList(left, right), columns)
        return LabelConstraints(self, labels, [chunk])

    def gradient_at_zero(self, labels: WeightedLabels, Z: Array) -> Array:
        """Return the gradient of the loss at M = 0, where all are violated."""
        ones = np.ones(len(labels.y))
        same, other = labels.anchor_weights @ labels.same, labels.weights @ labels.other
        return labels.contrast(Z, labels.anchoring / same, ones / other)
