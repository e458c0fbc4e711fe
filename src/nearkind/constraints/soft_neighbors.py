"""Soft neighbours: a neighbour drawn at random should be of the anchor's class.

As in neighbourhood components analysis (Goldberger et al., 2005), row i draws row j
with a probability proportional to exp(-d2_ij / margin). The loss is smooth in every
distance, but not convex: it has no certificate, and its solver is a plain descent.
"""

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
class SoftNeighborChunk:
    """The draws of some anchors of one class.

    Attributes
    ----------
    edges : AnchorPairs
        Anchors against all rows.
    same : ndarray of shape (s,)
        Rows of the anchors' class.
    weights : ndarray of shape (n,)
        Weight of every row.
    own : ndarray of shape (a,)
        Weight of each anchor as its own neighbour.
    shares : ndarray of shape (a,)
        Weight of each anchor in the mean.
    margin : float
        Squared distance over which a probability falls to 1 / e.
    """

    edges: AnchorPairs
    same: RowNumbers
    weights: Array
    own: Array
    shares: Array
    margin: float

    def value(self, d2: Array, loss: Loss) -> float:
        """Return the share of the mean loss that these anchors have."""
        any_one, same = self._softmaxes(d2)
        return float(self.shares @ (any_one.log_total - same.log_total))

    def gradient(self, d2: Array, loss: Loss) -> LossGradient:
        """Return loss, gradient in d2 (a, n), and intercept of the tangent."""
        any_one, same = self._softmaxes(d2)
        total = float(self.shares @ (any_one.log_total - same.log_total))
        shares = self.shares / self.margin
        weights = any_one.with_coordinates(-shares)
        weights[:, self.same] += same.with_coordinates(shares)
        return LossGradient(total, weights, total - float(np.vdot(weights, d2)))

    def _softmaxes(self, d2: Array) -> tuple["_Softmax", "_Softmax"]:
        """Return the probabilities among all rows and among those of ``same``."""
        with np.errstate(divide="ignore"):  # a row without weight is never drawn
            log_weights = np.log(self.weights).astype(d2.dtype)
            log_own = np.log(self.own)
        scores = d2 * d2.dtype.type(-1.0 / self.margin)
        itself = np.arange(len(d2)), self.edges.anchors
        at_itself = scores[itself] + log_own
        scores += log_weights
        scores[itself] = at_itself
        among_same = scores[:, self.same]
        any_one = _softmax(scores)
        return any_one, _softmax(among_same)


@dataclass(frozen=True)
class _Softmax:
    """Terms proportional to probabilities, their sums, and logs of the true sums."""

    terms: Array  # (a, m)
    totals: Array  # (a,)
    log_total: Array  # (a,)

    def with_coordinates(self, sizes: Array) -> Array:
        """Return the probabilities times a size an anchor, in place of the terms."""
        factors = (sizes / self.totals).astype(self.terms.dtype)
        return np.multiply(self.terms, factors[:, None], out=self.terms)


def _softmax(scores: Array) -> _Softmax:
    """Return terms proportional to exp(score), in place of the scores (a, m)."""
    top = scores.max(axis=1, keepdims=True)
    scores -= top
    np.exp(scores, out=scores)
    totals = scores.sum(axis=1, dtype=float)
    return _Softmax(scores, totals, np.log(totals) + top[:, 0])


@dataclass(frozen=True)
class SoftNeighbors:
    """- mean of log P(i draws a row of its class), P(j) ~ exp(-d2_ij / margin).

    A row that is alone in its class draws none, but may be drawn.
    """

    margin: float = 1.0
    at_once: int = AT_ONCE

    def bind(self, labels: WeightedLabels) -> LabelConstraints[SoftNeighborChunk]:
        """Return the loss among labelled rows, in chunks."""
        mass = float(self._weights(labels).sum())
        require_constraints(mass, "neighbours")
        shares = self._weights(labels) / mass
        chunks = [
            SoftNeighborChunk(
                AnchorPairs(anchors),
                same,
                labels.weights,
                labels.own[anchors],
                shares[anchors],
                self.margin,
            )
            for label in range(labels.n_classes)
            if len(same := labels.rows_of(label))
            for anchors in chunk_rows(
                same[shares[same] > 0.0], len(labels.y), self.at_once
            )
        ]
        return LabelConstraints(self, labels, chunks)

    def gradient_at_zero(self, labels: WeightedLabels, Z: Array) -> Array:
        """Return the gradient at M = 0, where all neighbours are equally likely."""
        live = self._weights(labels) > 0.0
        mass = labels.weights[live].sum() * self.margin
        by_any = np.where(live, 1.0 / (labels.same + labels.other) / mass, 0.0)
        by_same = np.where(live, 1.0 / np.where(live, labels.same, 1.0) / mass, 0.0)
        return labels.contrast(Z, by_same - by_any, by_any)

    def _weights(self, labels: WeightedLabels) -> Array:
        """Return the weight of each unique row as an anchor (n,)."""
        can_draw = (labels.same > 0.0) & (labels.other > 0.0)
        return np.where(can_draw, labels.weights, 0.0)
