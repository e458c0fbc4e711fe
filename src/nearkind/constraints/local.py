"""Local triplets: target neighbours and impostors.

As in LMNN (Weinberger and Saul, 2009): each row pulls its targets and pushes every row
of another class that comes within the margin of them, its impostors. Which rows are
nearest depends on the metric, so the targets are renewed as it changes; under the new
ones the loss at the same metric is not larger.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nearkind.constraints.triplets import TripletChunk
from nearkind.constraints.weighted_labels import (
    AT_ONCE,
    WeightedLabels,
    chunk_rows,
    require_constraints,
)
from nearkind.losses.edges import AnchorPairs, PairList
from nearkind.losses.pair_sums import NearFar
from nearkind.metrics.metric import Embedding, embed
from nearkind.metrics.spectrum import Spectrum
from nearkind.protocols import Array, Loss, LossGradient, RowNumbers

PULL = 1.0
"""Weight of a target's distance beside the hinges of all its impostors; LMNN's half."""
CANDIDATES = 20_000
"""Unique rows of a class among which targets are searched; of more, so many."""
MOST_TARGETS = 1 << 24
"""Targets of all unique rows together, unless each has sixteen times its number."""


@dataclass(frozen=True)
class Targets:
    """The targets of each anchor: unique rows, and how many rows of each count."""

    columns: RowNumbers  # (n, K)
    weights: Array  # (n, K), zero where an anchor has fewer than K

    def of(self, anchors: RowNumbers) -> "Targets":
        """Return those of some anchors."""
        return Targets(self.columns[anchors], self.weights[anchors])

    def equal(self, other: "Targets") -> bool:
        """Return whether the others are the same, in whatever order."""
        mine, theirs = self._sorted(), other._sorted()
        return np.array_equal(mine.columns, theirs.columns) and np.array_equal(
            mine.weights, theirs.weights
        )

    def _sorted(self) -> "Targets":
        order = np.argsort(self.columns, axis=1, kind="stable")
        return Targets(
            np.take_along_axis(self.columns, order, axis=1),
            np.take_along_axis(self.weights, order, axis=1),
        )

    def widened(self, width: int) -> "Targets":
        """Repeat the first column, at weight zero, until there are ``width``."""
        missing = width - self.columns.shape[1]
        first = np.repeat(self.columns[:, :1], missing, axis=1)
        nothing = np.zeros(first.shape)
        return Targets(
            np.hstack([self.columns, first]), np.hstack([self.weights, nothing])
        )


@dataclass(frozen=True)
class LocalChunk(TripletChunk):
    """The local triplets of some anchors of one class, and the pull of their targets.

    The loss is the mean over targets j of pull * d2_ij + sum over k of [d2_ij + margin
    - d2_ik]_+, divided by the number of k.
    """

    pull: float

    def value(self, d2: Array, loss: Loss) -> float:
        """Return the share of the mean loss that these anchors have."""
        return super().value(d2, loss) + self._pull_loss(d2)

    def gradient(self, d2: Array, loss: Loss) -> LossGradient:
        """Return loss, gradient in d2 (a, n), and intercept."""
        total, weights, intercept = super().gradient(d2, loss)
        self.columns.add_near(weights, self.columns.near, self._shares())
        return LossGradient(total + self._pull_loss(d2), weights, intercept)

    def _pull_loss(self, d2: Array) -> float:
        near = np.take_along_axis(d2, self.columns.near, axis=1)
        return float((self._shares() * near).sum())

    def _shares(self) -> Array:
        return self.pull * self.columns.shares[:, None] * self.columns.stated_weights


@dataclass(frozen=True)
class LocalTriplets:
    """d2_ij + margin <= d2_ik for the targets j of i and every k of another class.

    Parameters
    ----------
    margin : float, default=1.0
    n_targets : int, default=3
        Target neighbours per row; all rows of smaller classes.
    at_once : int, default=AT_ONCE
        Maximum number of distances in memory.
    pull : float, default=1.0
        Weight of the distance of a target beside the hinges of all its impostors.
    """

    margin: float = 1.0
    n_targets: int = 3
    at_once: int = AT_ONCE
    pull: float = PULL

    def bind(self, labels: WeightedLabels) -> "LocalConstraints":
        """Return the constraints, to be ``renewed`` before use: they need a metric."""
        mass = float((labels.anchor_weights * labels.same * labels.other).sum())
        require_constraints(mass, "triplets")
        return LocalConstraints(self, labels)


@dataclass(frozen=True)
class LocalConstraints:
    """Local triplets among labelled unique rows.

    Attributes
    ----------
    rule : LocalTriplets
    labels : WeightedLabels
    rows : Embedding, default=None
        Where targets are the nearest rows; they are searched when needed.
    given : Targets, default=None
        The targets of a sample, found among all rows.
    """

    rule: LocalTriplets
    labels: WeightedLabels
    rows: Embedding | None = None
    given: Targets | None = None
    depends_on_metric = True

    @property
    def n_distances(self) -> int:
        """How many distances one evaluation computes."""
        return len(self.labels.y) ** 2

    def renewed(self, Z: Array, point: Spectrum) -> "LocalConstraints":
        """Return it with the targets that are nearest under a metric."""
        new = LocalConstraints(self.rule, self.labels, embed(Z, point))
        known = self._searched
        return self if known and new.targets.equal(self.targets) else new

    @cached_property
    def targets(self) -> Targets:
        """The targets of every unique row."""
        return self.given or self._nearest(np.arange(len(self.labels.y)))

    @cached_property
    def mass(self) -> float:
        """Weight of all local triplets."""
        counts = self.targets.weights.sum(axis=1)
        return float((self.labels.anchor_weights * counts * self.labels.other).sum())

    def chunks(self) -> Sequence[LocalChunk]:
        """Return the chunks; their gradients add up to that of the whole."""
        return self._chunks

    @cached_property
    def _chunks(self) -> list[LocalChunk]:
        counts = self.targets.weights.sum(axis=1)
        live = self.labels.weights > 0.0
        anchoring = self.labels.anchor_weights > 0.0
        return [
            LocalChunk(
                AnchorPairs(anchors), self._columns(anchors, far), self.rule.pull
            )
            for label in range(self.labels.n_classes)
            if len(far := np.flatnonzero((self.labels.y != label) & live))
            for anchors in chunk_rows(
                np.flatnonzero((self.labels.y == label) & anchoring & (counts > 0.0)),
                len(live),
                self.rule.at_once,
            )
        ]

    def _columns(self, anchors: RowNumbers, far: RowNumbers) -> NearFar:
        near = self.targets.of(anchors)
        return NearFar(
            near.columns,
            far,
            self.rule.margin,
            self.labels.weights,
            self.labels.anchor_weights[anchors] / self.mass,
            self_columns=np.full(len(anchors), -1),
            self_weights=np.zeros(len(anchors)),
            near_weights=near.weights,
        )

    def gradient_at_zero(self, Z: Array) -> Array:
        """Return the gradient at M = 0, where every triplet is violated.

        Of very many rows an estimate from some: their targets are costly to find.
        """
        if len(self.labels.y) > CANDIDATES and not self._searched:
            rows, some = self.sample(CANDIDATES // 4, np.random.default_rng(0))
            return some.gradient_at_zero(Z[:, rows])
        columns, weights = self.targets.columns, self.targets.weights
        shares = self.labels.anchor_weights / self.mass
        near = (shares * (self.labels.other + self.rule.pull))[:, None] * weights
        anchors = np.repeat(np.arange(len(columns)), columns.shape[1])
        G = PairList(anchors, columns.ravel()).adjoint(Z, near.ravel())
        between = self.labels.anchoring * weights.sum(axis=1) / self.mass
        return G + self.labels.contrast(Z, np.zeros_like(between), between)

    def sample(
        self, size: int, rng: np.random.Generator
    ) -> tuple[RowNumbers, "LocalConstraints"]:
        """Return about ``size`` anchors with their targets, and what holds among them.

        Targets are searched among all rows, so they are as near as in the whole; one
        that was not drawn itself is nobody's anchor or impostor.
        """
        drawn, labels = self.labels.sample(size, rng)
        near = self.targets.of(drawn) if self._searched else self._nearest(drawn)
        rows, at = np.unique(
            np.concatenate([drawn, near.columns.ravel()]), return_inverse=True
        )
        first, columns = at[: len(drawn)], at[len(drawn) :].reshape(near.columns.shape)
        weights, self_weights, anchoring = np.zeros((3, len(rows)))
        weights[first], self_weights[first] = labels.weights, labels.self_weights
        anchoring[first] = labels.anchoring
        shape = len(rows), near.columns.shape[1]
        given = Targets(np.zeros(shape, np.intp), np.zeros(shape))
        given.columns[first], given.weights[first] = columns, near.weights
        labels = WeightedLabels(self.labels.y[rows], weights, self_weights, anchoring)
        return rows, LocalConstraints(self.rule, labels, given=given)

    @property
    def _searched(self) -> bool:
        return self.given is not None or "targets" in self.__dict__

    def _nearest(self, anchors: RowNumbers) -> Targets:
        """Search the targets of some anchors among all unique rows of their classes."""
        found: list[tuple[RowNumbers, Targets]] = []
        for label in np.unique(self.labels.y[anchors]):
            same = self.labels.rows_of(label)
            same = same[:: -(-len(same) // CANDIDATES)]  # evenly over their content
            mine = anchors[self.labels.y[anchors] == label]
            for some in chunk_rows(mine, len(same), self.rule.at_once):
                copied = some[self.labels.self_weights[some] > 0.0]
                found.append((some, self._nearest_in(some, same, copied)))
        width = max(near.columns.shape[1] for _, near in found)
        wide = [near.widened(width) for _, near in found]
        order = np.argsort(np.concatenate([some for some, _ in found]))
        back = order[np.argsort(np.argsort(anchors))]
        return Targets(
            np.concatenate([near.columns for near in wide])[back],
            np.concatenate([near.weights for near in wide])[back],
        )

    def _nearest_in(
        self, anchors: RowNumbers, searched: RowNumbers, copied: RowNumbers
    ) -> Targets:
        """Take the nearest unique rows of a class until they are ``n_targets`` rows.

        Rows equally near at the last place share it, so that neither the order of the
        columns nor the names of values decide.
        """
        assert self.rows is not None, "renewed() comes before targets are asked for"
        same = np.union1d(searched, copied)
        partners = self.labels.partners(anchors, same)
        if len(same) > len(searched):  # those are candidates for themselves only
            partners[~np.isin(same, searched) & (same != anchors[:, None])] = 0.0
        d2 = self.rows.left[anchors] @ self.rows.right[same].T
        d2[partners <= 0.0] = np.inf
        steps = _whole_steps(d2, float(self.rows.sizes.max()))
        order = _smallest(steps, self._enough(same))
        weights = np.take_along_axis(partners, order, axis=1)
        before = np.cumsum(weights, axis=1) - weights
        taken = (weights > 0.0) & (before < self.rule.n_targets)
        last = np.take_along_axis(steps, order, axis=1).max(
            axis=1, where=taken, initial=-1, keepdims=True
        )
        n_near = int((steps <= last).sum(axis=1).max())
        if n_near > order.shape[1]:
            order = _smallest(steps, min(n_near, self._most()))
            weights = np.take_along_axis(partners, order, axis=1)
        weights = shared_places(
            weights,
            np.take_along_axis(steps, order, axis=1) - last,
            self.rule.n_targets,
        )
        order = np.where(weights > 0.0, order, order[:, :1])
        width = max(1, n_near)
        return Targets(same[order[:, :width]], weights[:, :width])

    def _enough(self, same: RowNumbers) -> int:
        """Return how many unique rows of a class surely are ``n_targets`` rows.

        No more than keeps the targets of all unique rows at ``MOST_TARGETS``.
        """
        lightest = np.cumsum(np.sort(self.labels.weights[same]))
        n_unique = int(np.searchsorted(lightest, self.rule.n_targets)) + 2
        return min(n_unique, self._most(), len(same))

    def _most(self) -> int:
        return max(16 * self.rule.n_targets, MOST_TARGETS // len(self.labels.y))


def shared_places(weights: Array, beyond: RowNumbers, n_targets: int) -> Array:
    """Return how much of each row counts: all of the nearer, a share of the last.

    ``beyond`` is negative for nearer rows, zero at the last place.
    """
    nearer, tied = np.where(beyond < 0, weights, 0.0), np.where(beyond == 0, weights, 0)
    left = n_targets - nearer.sum(axis=1, keepdims=True)
    total = tied.sum(axis=1, keepdims=True)
    shares: Array = np.minimum(left / np.where(total > 0.0, total, 1.0), 1.0)
    return nearer + tied * shares


def _whole_steps(d2: Array, size: float) -> RowNumbers:
    """Return distances in units of rounding, the largest where they are infinite.

    Rows are within ``size`` of the origin (squared), so no distance is above four times
    that.
    """
    allowed = np.isfinite(d2)
    unit = max(size, 1e-290) / (1 << 28)
    steps = np.round(np.where(allowed, np.maximum(d2, 0.0), 0.0) / unit)
    steps = np.where(allowed, np.minimum(steps, 1 << 30), (1 << 30) + 1)
    return steps.astype(np.intp)


def _smallest(steps: RowNumbers, k: int) -> RowNumbers:
    """Return the columns of the k smallest of each row, the first of equal ones first.

    Distance and column number make one whole number.
    """
    keys = (steps << 32) + np.arange(steps.shape[1])
    keys = np.sort(np.partition(keys, k - 1, axis=1)[:, :k], axis=1)
    return (keys & 0xFFFFFFFF).astype(np.intp)
