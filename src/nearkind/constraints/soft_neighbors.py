"""Soft neighbours: a neighbour drawn by chance should be of the anchor's class.

As in neighbourhood components analysis, row i draws row j with a chance in proportion
to exp(-d2_ij / margin). The loss is smooth in every distance, but not convex: it has no
certificate, and its solver is a plain descent.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkind.constraints.bound import Bound
from nearkind.constraints.labels import AT_ONCE, Labels, blocks_of, refuse_none
from nearkind.losses.edges import Fan
from nearkind.protocols import Array, Loss, Pull

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class SoftFan:
    """The chances of some anchors of one class.

    Attributes
    ----------
    edges : anchors against all rows
    same : rows of the anchors' class
    weights : (n,), of every row
    own : (a,), weight of each anchor as its own neighbour
    shares : (a,), of each anchor in the mean
    margin : distance over which a chance falls to 1 / e
    """

    edges: Fan
    same: Rows
    weights: Array
    own: Array
    shares: Array
    margin: float

    def value(self, d2: Array, loss: Loss) -> float:
        """Return the share of the mean loss that these anchors have."""
        any_one, same = self._chances(d2)
        return float(self.shares @ (any_one.log_total - same.log_total))

    def pull(self, d2: Array, loss: Loss) -> Pull:
        """Return loss, slope in each distance (a, n), and intercept of the tangent."""
        any_one, same = self._chances(d2)
        total = float(self.shares @ (any_one.log_total - same.log_total))
        shares = self.shares / self.margin
        weights = any_one.scaled(-shares)
        weights[:, self.same] += same.scaled(shares)
        return Pull(total, weights, total - float(np.vdot(weights, d2)))

    def _chances(self, d2: Array) -> tuple["_Chances", "_Chances"]:
        """Return the chances of being drawn, among all rows and among ``same``."""
        with np.errstate(divide="ignore"):  # who has no weight is never drawn
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
class _Chances:
    """Parts (a, m) in proportion to chances, their sums, and logs of the true sums."""

    parts: Array
    totals: Array  # (a,)
    log_total: Array  # (a,)

    def scaled(self, sizes: Array) -> Array:
        """Return the chances times a size an anchor; the parts are lost."""
        factors = (sizes / self.totals).astype(self.parts.dtype)
        return np.multiply(self.parts, factors[:, None], out=self.parts)


def _softmax(scores: Array) -> _Chances:
    """Return chances in proportion to exp(score), in place of the scores (a, m)."""
    top = scores.max(axis=1, keepdims=True)
    scores -= top
    np.exp(scores, out=scores)
    totals = scores.sum(axis=1, dtype=float)
    return _Chances(scores, totals, np.log(totals) + top[:, 0])


@dataclass(frozen=True)
class SoftNeighbors:
    """- mean of log P(i draws a row of its class), P(j) ~ exp(-d2_ij / margin).

    A row that is alone in its class can draw none: it is drawn, but draws not.
    """

    margin: float = 1.0
    at_once: int = AT_ONCE

    def bind(self, labels: Labels) -> Bound:
        """Return the chances among labelled rows."""
        mass = float(self._weights(labels).sum())
        refuse_none(mass, "neighbours", "no class has two rows and a stranger")
        shares = self._weights(labels) / mass
        blocks = [
            SoftFan(
                Fan(anchors),
                same,
                labels.weights,
                labels.own[anchors],
                shares[anchors],
                self.margin,
            )
            for label in range(labels.n_classes)
            if len(same := labels.rows_of(label))
            for anchors in blocks_of(
                same[shares[same] > 0.0], len(labels.y), self.at_once
            )
        ]
        return Bound(self, labels, blocks)

    def slope_at_zero(self, labels: Labels, Z: Array) -> Array:
        """Return the gradient at M = 0, where all neighbours are equally likely."""
        live = self._weights(labels) > 0.0
        mass = labels.weights[live].sum() * self.margin
        by_any = np.where(live, 1.0 / (labels.same + labels.other) / mass, 0.0)
        by_same = np.where(live, 1.0 / np.where(live, labels.same, 1.0) / mass, 0.0)
        return labels.contrast(Z, by_same - by_any, by_any)

    def _weights(self, labels: Labels) -> Array:
        """Return the weight of each cell as an anchor (n,)."""
        can_draw = (labels.same > 0.0) & (labels.other > 0.0)
        return np.where(can_draw, labels.weights, 0.0)
