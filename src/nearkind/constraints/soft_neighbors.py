"""Soft neighbours: the probability that a sampled neighbour has the same class.

As in neighbourhood components analysis (Goldberger et al., 2005), row i draws row j
with a probability proportional to exp(-d2_ij / margin). The loss is smooth in every
distance, but not convex: it has no certificate, and its solver is a plain descent.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.constraints.weighted_labels import (
    AT_ONCE,
    LabelConstraints,
    WeightedLabels,
    chunk_rows,
    require_constraints,
    rows_at_once,
)
from nearkind.losses.edges import AnchorPairs
from nearkind.losses.hinge import Hinge
from nearkind.metrics.metric import Embedding
from nearkind.protocols import Array, Loss, LossGradient, Map, RowNumbers

ENOUGH = 1 << 17
"""Distances from which it pays to have several chunks: few passes are made over one."""
LOWEST_SCORE = -80.0
"""Logarithm of the smallest chance that is told from the others: numbers near the
smallest that single precision has are slow to multiply."""
TINY = 1e-300
"""Sum of weights below which it is this: quotients by it do not overflow."""
LOWEST_TOTAL = float(np.exp(-50.0))
"""Sum of the chances within a class below which they are computed one by one."""


class OneClass(NamedTuple):
    """Anchors of one class, whose rows stand side by side."""

    rows: slice
    n_rows: int

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Whether each row is of the class (1, n)."""
        mask = np.zeros((1, self.n_rows), dtype=bool)
        mask[:, self.rows] = True
        return mask

    @property
    def _others(self) -> tuple[slice, slice]:
        return slice(0, self.rows.start), slice(self.rows.stop, self.n_rows)

    def take(self, anchors: RowNumbers) -> "OneClass":
        """Return the same for some anchors."""
        return self

    def times(self, E: Array, V: Array) -> tuple[Array, Array]:
        """Return E V over the rows of the class, and over all rows."""
        within = E[:, self.rows] @ V[self.rows]
        return within, within + sum(E[:, part] @ V[part] for part in self._others)

    def transposed_times(
        self, E: Array, V: Array, within: Array, outside: Array
    ) -> Array:
        """Return (E * c)' V, c_ij = within_i if j is of the class, else outside_i."""
        Q = np.empty((self.n_rows, V.shape[1]), E.dtype)
        np.matmul(E[:, self.rows].T, within[:, None] * V, out=Q[self.rows])
        scaled = outside[:, None] * V
        for part in self._others:
            np.matmul(E[:, part].T, scaled, out=Q[part])
        return Q


class SeveralClasses(NamedTuple):
    """Anchors of several classes, or of one whose rows are scattered."""

    mask: NDArray[np.bool_]  # (a, n)

    def take(self, anchors: RowNumbers) -> "SeveralClasses":
        """Return the same for some anchors."""
        return SeveralClasses(self.mask[anchors])

    def times(self, E: Array, V: Array) -> tuple[Array, Array]:
        """Return E V over the rows of each anchor's class, and over all rows."""
        return (E * self.mask) @ V, E @ V

    def transposed_times(
        self, E: Array, V: Array, within: Array, outside: Array
    ) -> Array:
        """Return (E * c)' V, c_ij = within_i if j is of the class, else outside_i."""
        weighted = np.where(self.mask, within[:, None], outside[:, None])
        weighted *= E
        Q: Array = weighted.T @ V
        return Q


SameClass = OneClass | SeveralClasses
"""Which rows are of each anchor's class, and products over them: those of the mask."""


@dataclass(frozen=True)
class SoftNeighborChunk:
    """The draws of some anchors.

    Attributes
    ----------
    edges : AnchorPairs
        Anchors against all rows.
    same : SameClass
        Which rows are of their classes.
    weights : ndarray of shape (n,)
        Weight of every row.
    self_weights : ndarray of shape (a,)
        Weight of each anchor as its own neighbour.
    shares : ndarray of shape (a,)
        Weight of each anchor in the mean.
    margin : float
        Squared distance over which a probability falls to 1 / e.
    """

    edges: AnchorPairs
    same: SameClass
    weights: Array
    self_weights: Array
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
        weights = same.scaled(shares) - any_one.scaled(shares)
        return LossGradient(total, weights, total - float(np.vdot(weights, d2)))

    def _softmaxes(self, d2: Array) -> tuple["_Softmax", "_Softmax"]:
        """Return the probabilities among all rows and among those of the class."""
        with np.errstate(divide="ignore"):  # a row without weight is never drawn
            log_weights = np.log(self.weights).astype(d2.dtype)
            log_self = np.log(self.self_weights)
        scores = d2 * d2.dtype.type(-1.0 / self.margin)
        itself = np.arange(len(d2)), self.edges.anchors
        at_itself = scores[itself] + log_self
        scores += log_weights
        scores[itself] = at_itself
        within = np.where(self.same.mask, scores, d2.dtype.type(-np.inf))
        return _softmax(scores), _softmax(within)

    def laplacian(self, rows: Embedding, points: "ScorePoints") -> tuple[float, Array]:
        """Return the loss, and L U (n, q), L the Laplacian of its gradient in d2.

        With E_ij = w_j exp(-d2_ij / margin), A_i the sum of row i of E and S_i its part
        within the class, the gradient in d2_ij is c_ij E_ij,

            c_ij = share_i / margin (1 / S_i - 1 / A_i)  within the class,
            c_ij = -share_i / margin / A_i               outside.

        It sums to zero along each row, and c has one number within the class and one
        outside for each row, which move into the products. So one array of all
        distances is held, E, with one pass for its bound and one for the exponential;
        everything else is a product. Anchors with next to no chance to draw their class
        take the plain way, ``gradient``.
        """
        a, dtype = self.edges.anchors, rows.U.dtype
        E = points.left[a] @ points.right.T  # (a, n), O(a n q)
        if points.lowest < LOWEST_SCORE:
            np.maximum(E, dtype.type(LOWEST_SCORE), out=E)
        np.exp(E, out=E)
        E[np.arange(len(a)), a] = self.self_weights
        drawn, drawn_of_all = self.same.times(E, points.U1)  # (a, q + 1), O(a n q)
        same, total = drawn[:, -1].astype(float), drawn_of_all[:, -1].astype(float)
        lost = same < LOWEST_TOTAL
        if any_lost := bool(lost.any()):
            same, total = np.where(lost, 1.0, same), np.where(lost, 1.0, total)
        shares = np.where(lost, 0.0, self.shares)
        loss = float(shares @ np.log(total / same))
        by_same, by_any = (shares / self.margin / sums for sums in (same, total))
        Q = self.same.transposed_times(
            E, points.U1[a], (by_same - by_any).astype(dtype), -by_any.astype(dtype)
        )  # (n, q + 1), O(a n q)
        LU = Q[:, -1:] * rows.U - Q[:, :-1]
        LU[a] += (
            by_any[:, None] * drawn_of_all[:, :-1] - by_same[:, None] * drawn[:, :-1]
        )
        if any_lost:
            plain_loss, plain_LU = self._plain_laplacian(rows, np.flatnonzero(lost))
            loss, LU = loss + plain_loss, LU + plain_LU
        return loss, LU

    def _plain_laplacian(
        self, rows: Embedding, some: RowNumbers
    ) -> tuple[float, Array]:
        """Return what ``laplacian`` does for some anchors, by way of ``gradient``."""
        part = replace(
            self,
            edges=AnchorPairs(self.edges.anchors[some]),
            same=self.same.take(some),
            self_weights=self.self_weights[some],
            shares=self.shares[some],
        )
        at = part.gradient(part.edges.squared_distances(rows), Hinge())
        return at.loss, part.edges.apply_laplacian(rows.U, at.weights)


class ScorePoints(NamedTuple):
    """Rows such that left_i . right_j = log w_j - d2_ij / margin."""

    left: Array  # (n, q + 2)
    right: Array  # (n, q + 2)
    U1: Array  # (n, q + 1), the rows and a column of ones
    lowest: float  # no product is less: d2_ij <= 2 (size_i + size_j)

    @classmethod
    def of(cls, rows: Embedding, weights: Array, margin: float) -> "ScorePoints":
        """Prepare embedded rows and their weights."""
        n, q = rows.U.shape
        left, right, U1 = (np.ones((n, q + more), rows.U.dtype) for more in (2, 2, 1))
        left[:, :q], right[:, :q], U1[:, :q] = rows.U * (2.0 / margin), rows.U, rows.U
        sizes = rows.sizes / margin
        with np.errstate(divide="ignore"):  # a row without weight is never drawn
            log_weights = np.maximum(np.log(weights), 2.0 * LOWEST_SCORE)
        left[:, q], right[:, q + 1] = -sizes, log_weights - sizes
        # left has (2 u / margin, -size, 1), right (u, 1, log w - size)
        lowest = float(log_weights.min() - 4.0 * sizes.max()) - 1.0  # 1 for rounding
        return cls(left, right, U1, lowest)


@dataclass(frozen=True)
class _Softmax:
    """Terms proportional to probabilities, their sums, and logs of the true sums."""

    terms: Array  # (a, n)
    totals: Array  # (a,)
    log_total: Array  # (a,)

    def scaled(self, sizes: Array) -> Array:
        """Return the probabilities times a size an anchor, in place of the terms."""
        factors = (sizes / self.totals).astype(self.terms.dtype)
        return np.multiply(self.terms, factors[:, None], out=self.terms)


def _softmax(scores: Array) -> _Softmax:
    """Return terms proportional to exp(score), in place of the scores (a, n)."""
    top = scores.max(axis=1, keepdims=True)
    scores -= top
    np.exp(scores, out=scores)
    totals = scores.sum(axis=1, dtype=float)
    return _Softmax(scores, totals, np.log(totals) + top[:, 0])


@dataclass(frozen=True)
class SoftNeighborConstraints(LabelConstraints[SoftNeighborChunk]):
    """The draws of all rows, or of some, in chunks."""

    rule: "SoftNeighbors"

    def laplacian(self, rows: Embedding, run: Map) -> tuple[float, Array]:
        """Return the loss at embedded rows, and L U (n, q), L its Laplacian."""
        points = ScorePoints.of(rows, self.labels.weights, self.pieces[0].margin)
        loss, LU = 0.0, np.zeros(rows.U.shape)
        for part in run(lambda chunk: chunk.laplacian(rows, points), self.pieces):
            loss, LU = loss + part[0], LU + part[1]
        return loss, LU

    def sample_draws(
        self,
        size: int,
        rng: np.random.Generator,
        may_draw: NDArray[np.bool_],
        most: int | None = None,
    ) -> tuple[RowNumbers, "SoftNeighborConstraints"]:
        """Return about ``size`` rows, and the draws of some of them among these.

        Parameters
        ----------
        size : int
        rng : numpy.random.Generator
        may_draw : ndarray of bool (n,)
            Which rows may draw; all may be drawn.
        most : int, default=None
            How many draw at most; None: all that may.
        """
        rows, labels = self.labels.sample(size, rng)
        draws = may_draw[rows]
        if most is not None and draws.sum() > most:
            drawing = rng.choice(np.flatnonzero(draws), most, replace=False)
            draws = np.isin(np.arange(len(rows)), drawing)
        return rows, self.rule.bind(labels, draws)


@dataclass(frozen=True)
class SoftNeighbors:
    """- mean of log P(i draws a row of its class), P(j) ~ exp(-d2_ij / margin).

    A row alone in its class samples no neighbour, but may be sampled.
    """

    margin: float = 1.0
    at_once: int = AT_ONCE

    def bind(
        self, labels: WeightedLabels, draws: NDArray[np.bool_] | None = None
    ) -> SoftNeighborConstraints:
        """Return the loss among labelled rows, in chunks.

        Parameters
        ----------
        labels : WeightedLabels
        draws : ndarray of bool (n,), default=None
            Which rows draw a neighbour; None: all.
        """
        weights = self._weights(labels)
        weights = weights if draws is None else np.where(draws, weights, 0.0)
        mass = float(weights.sum())
        require_constraints(mass, "neighbours")
        shares = weights / mass
        chunks = [
            SoftNeighborChunk(
                AnchorPairs(anchors),
                same,
                labels.weights,
                labels.self_weights[anchors],
                shares[anchors],
                self.margin,
            )
            for anchors, same in self._anchors(labels, shares > 0.0)
        ]
        return SoftNeighborConstraints(self, labels, chunks)

    def _anchors(
        self, labels: WeightedLabels, can_draw: NDArray[np.bool_]
    ) -> Iterator[tuple[RowNumbers, SameClass]]:
        """Give the anchors of each chunk: of one class if it fills a quarter of one."""
        n_rows, at_once = len(labels.y), self.at_once
        enough = rows_at_once(n_rows, at_once, ENOUGH) / 4
        rest: list[RowNumbers] = [np.empty(0, dtype=np.intp)]
        for label in range(labels.n_classes):
            same = labels.rows_of(label)
            anchors = same[can_draw[same]]
            if len(anchors) >= enough and same[-1] - same[0] < len(same):
                of_one = OneClass(slice(int(same[0]), int(same[-1]) + 1), n_rows)
                for part in chunk_rows(anchors, n_rows, at_once, ENOUGH):
                    yield part, of_one
            else:
                rest.append(anchors)
        for part in chunk_rows(np.concatenate(rest), n_rows, at_once, ENOUGH):
            yield part, SeveralClasses(labels.y[part][:, None] == labels.y)

    def gradient_at_zero(self, labels: WeightedLabels, Z: Array) -> Array:
        """Return the gradient at M = 0, where all neighbours are equally likely."""
        weights = self._weights(labels)
        live = weights > 0.0
        each = np.where(live, labels.anchoring / (weights.sum() * self.margin), 0.0)
        by_any = each / np.maximum(labels.same + labels.other, TINY)
        by_same = each / np.maximum(labels.same, TINY)
        return labels.contrast(Z, by_same - by_any, by_any)

    def _weights(self, labels: WeightedLabels) -> Array:
        """Return the weight of each unique row as an anchor (n,)."""
        can_draw = (labels.same > 0.0) & (labels.other > 0.0)
        return np.where(can_draw, labels.anchor_weights, 0.0)
