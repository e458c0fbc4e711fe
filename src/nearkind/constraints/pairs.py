"""All labelled pairs: rows of a class nearer than the margin, others farther."""

from dataclasses import dataclass

import numpy as np

from nearkind.constraints.weighted_labels import (
    AT_ONCE,
    LabelConstraints,
    WeightedLabels,
    chunk_rows,
    require_constraints,
)
from nearkind.losses.edges import AnchorPairs
from nearkind.protocols import Array, Loss, LossGradient, RowNumbers


@dataclass(frozen=True)
class PairChunk:
    """All pairs of some anchors with every row."""

    labels: WeightedLabels
    anchors: RowNumbers
    margin: float
    mass: float

    @property
    def edges(self) -> AnchorPairs:
        """Each anchor against every row."""
        return AnchorPairs(self.anchors)

    def value(self, d2: Array, loss: Loss) -> float:
        """Return the share of the mean loss that these anchors have."""
        signs = self._signs()
        return float(
            (self._shares() * loss.value(1.0 + signs * (d2 - self.margin))).sum()
        )

    def gradient(self, d2: Array, loss: Loss) -> LossGradient:
        """Return loss, gradient in d2 (a, n), and intercept."""
        signs, shares = self._signs(), self._shares()
        offsets = 1.0 - signs * self.margin
        z = offsets + signs * d2
        alpha = shares * loss.derivative(z)
        total = (shares * loss.value(z)).sum()
        return LossGradient(float(total), signs * alpha, float((alpha * offsets).sum()))

    def _signs(self) -> Array:
        """Return r_ij (a, n)."""
        y = self.labels.y
        return np.where(y[self.anchors, None] == y[None, :], 1.0, -1.0)

    def _shares(self) -> Array:
        """Return the share of each pair in the mean (a, n)."""
        anchor_weights = self.labels.anchor_weights[self.anchors]
        shares = np.outer(anchor_weights, self.labels.weights)
        itself = anchor_weights * self.labels.self_weights[self.anchors]
        shares[np.arange(len(self.anchors)), self.anchors] = itself
        return shares / self.mass


@dataclass(frozen=True)
class AllPairs:
    """E_P = mean over i != j of [1 + r_ij (d2_ij - margin)]_+.

    r_ij is +1 for rows of one class and -1 for others.
    """

    margin: float = 1.0
    at_once: int = AT_ONCE

    def bind(self, labels: WeightedLabels) -> LabelConstraints[PairChunk]:
        """Return the constraints these labels imply."""
        mass = self._mass(labels)
        require_constraints(mass, "pairs")
        rows = np.flatnonzero(labels.anchoring)
        chunks = [
            PairChunk(labels, anchors, self.margin, mass)
            for anchors in chunk_rows(rows, len(labels.y), self.at_once)
        ]
        return LabelConstraints(self, labels, chunks)

    def gradient_at_zero(self, labels: WeightedLabels, Z: Array) -> Array:
        """Return the gradient of the loss at M = 0.

        There a pair of one class is at most just met, which counts in full; a pair of
        two classes is violated.
        """
        shares = labels.anchoring / self._mass(labels)
        return labels.contrast(Z, shares * (self.margin <= 1.0), shares)

    def _mass(self, labels: WeightedLabels) -> float:
        return float((labels.anchor_weights * (labels.same + labels.other)).sum())
