"""Every labelled triplet, exactly, by sorting; none is ever enumerated."""

from dataclasses import dataclass

from nearkind.constraints.weighted_labels import (
    AT_ONCE,
    LabelConstraints,
    WeightedLabels,
    chunk_rows,
    require_constraints,
)
from nearkind.losses.edges import AnchorPairs
from nearkind.losses.pair_sums import NearFar
from nearkind.protocols import Array, Loss, LossGradient


@dataclass(frozen=True)
class TripletChunk:
    """All triplets of some anchors of one class: same + margin against other."""

    edges: AnchorPairs
    columns: NearFar

    def value(self, d2: Array, loss: Loss) -> float:
        """Return the share of the mean loss that these anchors have."""
        return loss.total(d2, self.columns)

    def gradient(self, d2: Array, loss: Loss) -> LossGradient:
        """Return loss, gradient in d2 (a, n), and intercept."""
        return loss.gradient(d2, self.columns)


@dataclass(frozen=True)
class AllTriplets:
    """d2_ij + margin <= d2_ik for every j != i of i's class and every k of another.

    E_T = mean of [d2_ij + margin - d2_ik]_+.
    """

    margin: float = 1.0
    at_once: int = AT_ONCE

    def bind(self, labels: WeightedLabels) -> LabelConstraints[TripletChunk]:
        """Return the constraints these labels imply."""
        mass = self._mass(labels)
        require_constraints(mass, "triplets")
        shares = labels.anchor_weights / mass
        chunks = [
            TripletChunk(
                AnchorPairs(anchors),
                NearFar(
                    same,
                    other,
                    self.margin,
                    labels.weights,
                    shares[anchors],
                    self_columns=anchors,
                    self_weights=labels.self_weights[anchors],
                ),
            )
            for label in range(labels.n_classes)
            if len(same := labels.rows_of(label))
            and labels.anchoring[same].any()
            and len(other := labels.rows_outside(label))
            for anchors in chunk_rows(same, len(labels.y), self.at_once)
        ]
        return LabelConstraints(self, labels, chunks)

    def gradient_at_zero(self, labels: WeightedLabels, Z: Array) -> Array:
        """Return the gradient of the loss at M = 0, where every triplet is violated."""
        mass = self._mass(labels)
        shares = labels.anchoring / mass
        return labels.contrast(Z, shares * labels.other, shares * labels.same)

    def _mass(self, labels: WeightedLabels) -> float:
        return float((labels.anchor_weights * labels.same * labels.other).sum())
