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
from nearkind.edges import Fan
from nearkind.typing import Array, Loss, Pull

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
        log_any, _, log_same, _ = self._chances(d2)
        return float(self.shares @ (log_any - log_same))

    def pull(self, d2: Array, loss: Loss) -> Pull:
        """Return loss, slope in each distance (a, n), and intercept of the tangent."""
        log_any, weights, log_same, among_same = self._chances(d2)
        shares = self.shares[:, None] / self.margin
        weights *= -shares
        weights[:, self.same] += shares * among_same
        total = float(self.shares @ (log_any - log_same))
        return Pull(total, weights, total - float(np.vdot(weights, d2)))

    def _chances(self, d2: Array) -> tuple[Array, Array, Array, Array]:
        """Return log sum of w exp(-d2) and the chances, over all and over ``same``."""
        d2 = d2 / self.margin
        weights = np.tile(self.weights.astype(d2.dtype), (len(d2), 1))
        weights[np.arange(len(d2)), self.edges.anchors] = self.own
        return *_softmin(d2, weights), *_softmin(
            d2[:, self.same], weights[:, self.same]
        )


def _softmin(d2: Array, weights: Array) -> tuple[Array, Array]:
    """Return log of the sum of w exp(-d2) (a,), and each one's share in it (a, m)."""
    d2 = np.where(weights > 0.0, d2, np.inf)  # itself is near, but may not be drawn
    nearest = d2.min(axis=1, keepdims=True)
    parts = weights * np.exp(nearest - d2)
    total = parts.sum(axis=1, keepdims=True)
    parts /= total
    log_total = np.log(total).astype(float) - nearest  # far rows: many digits go
    return log_total[:, 0], parts


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
        return labels.within(Z, by_same - by_any) - labels.between(Z, by_any)

    def _weights(self, labels: Labels) -> Array:
        """Return the weight of each cell as an anchor (n,)."""
        can_draw = (labels.same > 0.0) & (labels.other > 0.0)
        return np.where(can_draw, labels.weights, 0.0)
