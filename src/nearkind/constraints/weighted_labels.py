"""Labelled unique rows with weights, and the constraints implied by labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nearkind.encoding.rows import UniqueRows
from nearkind.losses.edges import weighted_gram
from nearkind.metrics.spectrum import Spectrum, symmetrized
from nearkind.protocols import Array, Chunk, Constraints, RowNumbers

AT_ONCE = 1 << 21
"""Distances held at a time by one thread."""
ENOUGH = 1 << 15
"""Distances from which it pays to have several chunks."""
_TWO_CLASSES = "they need a class of at least two rows and a row of another class"
_NEEDS = {
    "triplets": _TWO_CLASSES,
    "neighbours": _TWO_CLASSES,
    "quadruplets": "they need two rows of one class and two rows of different classes",
    "pairs": "there is only one row",
}


@dataclass(frozen=True)
class WeightedLabels:
    """Class number and weight of each unique row.

    Attributes
    ----------
    y : ndarray of shape (n,)
        Class numbers.
    weights : ndarray of shape (n,)
        Number of rows that each unique row represents.
    self_weights : ndarray of shape (n,), default=None
        Weight of each unique row as its own partner. One of weight w stands for w equal
        rows, so None means w - 1 (0 where w < 1). A unique row that was drawn to stand
        for others too has less: those are elsewhere.
    anchoring : ndarray of shape (n,), default=None
        How many anchors each row counts as; None: one. Of very many classes a sample
        has anchors of some, which count for all, and of the others rows to be far from.
    """

    y: RowNumbers
    weights: Array
    self_weights: Array = None  # type: ignore[assignment]
    anchoring: Array = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.self_weights is None:
            object.__setattr__(
                self, "self_weights", np.maximum(self.weights - 1.0, 0.0)
            )
        if self.anchoring is None:
            object.__setattr__(self, "anchoring", np.ones(len(self.y)))

    @cached_property
    def n_classes(self) -> int:
        """Number of class numbers, one more than the largest."""
        return int(self.y.max()) + 1

    @cached_property
    def anchor_weights(self) -> Array:
        """Weight of each unique row as an anchor (n,)."""
        return self.weights * self.anchoring

    @cached_property
    def class_weights(self) -> Array:
        """Weight of each class (C,)."""
        return np.bincount(self.y, self.weights, self.n_classes).astype(float)

    @cached_property
    def same(self) -> Array:
        """Weight of the other rows of the same class, for each unique row (n,)."""
        return self.class_weights[self.y] - self.weights + self.self_weights

    @cached_property
    def other(self) -> Array:
        """Weight of the rows of other classes, for each unique row (n,)."""
        other: Array = self.weights.sum() - self.class_weights[self.y]
        return other

    def partners(self, anchors: RowNumbers, same: RowNumbers) -> Array:
        """Return the weight of each row of a class as partner of each anchor (a, s)."""
        weights = np.tile(self.weights[same], (len(anchors), 1))
        rows, columns = np.nonzero(same == anchors[:, None])
        weights[rows, columns] = self.self_weights[anchors[rows]]
        return weights

    def contrast(self, Z: Array, within: Array, between: Array) -> Array:
        """Return sums of w_i w_j A^ij (B, W, W), in O(n).

        Two rows i, j of one class count ``within_i`` (n,) times, two of different
        classes minus ``between_i`` times. The latter are all pairs less those of one
        class.
        """
        B, n, K, W = Z.shape
        w, outward = self.weights, between * self.weights
        inward = within * self.weights + outward
        inward_by_class = np.bincount(self.y, inward, self.n_classes)
        at_rows = self.class_weights[self.y] * inward + inward_by_class[self.y] * w
        at_rows -= w.sum() * outward + outward.sum() * w
        G = weighted_gram(Z, at_rows)
        for block, rows in zip(G, Z.reshape(B, n, K * W), strict=True):
            s, t = self._class_sums(inward, rows), self._class_sums(w, rows)
            by_class = self.n_classes * K, W
            cross = s.reshape(by_class).T @ t.reshape(by_class)
            whole, part = t.sum(axis=0).reshape(K, W), (outward @ rows).reshape(K, W)
            cross -= part.T @ whole
            block -= cross + cross.T
        return symmetrized(G)

    def _class_sums(self, weights: Array, rows: Array) -> Array:
        """Return the weighted sum of the rows (n, m) of each class (C, m)."""
        shape = self.n_classes, len(rows)
        members = csr_array((weights, (self.y, np.arange(len(rows)))), shape)
        sums: Array = members @ rows
        return sums

    def sample(
        self, size: int, rng: np.random.Generator
    ) -> tuple[RowNumbers, "WeightedLabels"]:
        """Draw about ``size`` unique rows, some of each class; return labels too.

        Each class keeps its weight, shared among the rows drawn from it, so that means
        over the sample estimate those over all, up to a share 1 / m of a class of which
        m rows are drawn. A class that is drawn whole stays as it is. Where there is no
        room for two rows of each class, some classes have anchors, each counting as the
        inverse of its chance, and rows of the others are there to be far from.
        """
        live = self.class_weights > 0.0
        if 2 * live.sum() <= size:
            return self._sample_within(np.flatnonzero(live), size, rng)
        chances = self._chances(size // 4)
        chosen = _choose(chances, rng)
        rows, near = self._sample_within(np.flatnonzero(chosen), size // 2, rng)
        far, far_weights = self._strangers(live & ~chosen, size // 2, rng)
        labels = WeightedLabels(
            self.y[np.concatenate([rows, far])],
            np.concatenate([near.weights, far_weights]),
            np.concatenate([near.self_weights, np.zeros(len(far))]),
            np.concatenate([1.0 / chances[near.y], np.zeros(len(far))]),
        )
        return np.concatenate([rows, far]), labels

    def _sample_within(
        self, classes: RowNumbers, size: int, rng: np.random.Generator
    ) -> tuple[RowNumbers, "WeightedLabels"]:
        """Draw about ``size`` rows of some classes, of each at least two if it has."""
        shares = self.class_weights[classes] / self.class_weights[classes].sum()
        wanted_of = np.maximum(allot(shares, size), 2)
        drawings = []
        for label, wanted in zip(classes, wanted_of, strict=True):
            members = self.rows_of(label)
            drawing = members, self.weights[members], self.self_weights[members]
            if len(members) > wanted:
                drawing = self._draw(members, wanted, rng)
            drawings.append(drawing)
        rows, weights, self_weights = map(np.concatenate, zip(*drawings, strict=True))
        return rows, WeightedLabels(self.y[rows], weights, self_weights)

    def _chances(self, n_wanted: int) -> Array:
        """Return each class's chance to have anchors: half by weight, half evenly.

        A class of one row has none, as it has no pair of its own to be nearer.
        """
        able = np.bincount(self.y, self.weights * self.same, self.n_classes) > 0.0
        shares = np.where(able, self.class_weights, 0.0)
        require_constraints(shares.sum(), "triplets")
        wish = 0.5 * shares / shares.sum() + 0.5 * able / able.sum()
        chances: Array = np.minimum(max(n_wanted, 2) * wish, 1.0)
        return chances

    def _strangers(
        self, classes: NDArray[np.bool_], size: int, rng: np.random.Generator
    ) -> tuple[RowNumbers, Array]:
        """Draw a row of each of ``size`` classes by weight, to stand for all of them.

        A class that is drawn twice has one row of twice the weight, so that no stranger
        has a partner.
        """
        members = np.flatnonzero(classes[self.y] & (self.weights > 0.0))
        if not len(members):
            return members, np.empty(0)
        size = max(min(size, int(classes.sum())), 1)
        hits = _systematic(members, self.weights[members], size, rng)
        _, first, times = np.unique(self.y[hits], return_index=True, return_counts=True)
        return hits[first], times * (self.weights[members].sum() / size)

    def _draw(
        self, members: RowNumbers, size: int, rng: np.random.Generator
    ) -> tuple[RowNumbers, Array, Array]:
        """Draw rows of one class by weight; with their weights and self weights."""
        hits = _systematic(members, self.weights[members], size, rng)
        drawn, times = np.unique(hits, return_counts=True)
        total = self.weights[members].sum()
        weights = times * (total / size)
        # Among its partners a row meets rows equal to it as often as in the whole.
        outside = np.maximum(total - self.weights[drawn], 1e-300)
        self_weights = (total - weights) * self.self_weights[drawn] / outside
        return drawn, weights, self_weights

    def rows_of(self, label: int) -> RowNumbers:
        """Return the unique rows of one class."""
        return np.flatnonzero(self.y == label)

    def rows_outside(self, label: int) -> RowNumbers:
        """Return the unique rows of all other classes."""
        return np.flatnonzero(self.y != label)


def sample_rows(rows: UniqueRows, size: int, rng: np.random.Generator) -> UniqueRows:
    """Return the rows, or about ``size`` of them; each class keeps its weight."""
    if len(rows) <= size:
        return rows
    labels = WeightedLabels(rows.y, rows.weights, rows.self_weights)
    kept, drawn = labels.sample(size, rng)
    numbers = np.arange(len(kept))
    return UniqueRows(
        rows.codes[kept], drawn.y, drawn.weights, numbers, drawn.self_weights
    )


C = TypeVar("C", bound=Chunk)


class LabelRule(Protocol):
    """A kind of constraint that labels imply, such as all triplets."""

    def bind(self, labels: WeightedLabels) -> Constraints:
        """Return the constraints among labelled rows."""

    def gradient_at_zero(self, labels: WeightedLabels, Z: Array) -> Array:
        """Return the gradient of their loss at M = 0 (B, W, W)."""


@dataclass(frozen=True)
class LabelConstraints(Generic[C]):
    """All constraints that a rule implies among labelled unique rows, in chunks.

    Attributes
    ----------
    rule : LabelRule
        What made them; it can ``bind`` other labels.
    labels : WeightedLabels
    pieces : sequence of Chunk
        Their gradients add up to that of the whole.
    """

    rule: LabelRule
    labels: WeightedLabels
    pieces: Sequence[C]
    depends_on_metric = False

    @property
    def n_distances(self) -> int:
        """How many distances one evaluation computes."""
        return len(self.labels.y) ** 2

    def chunks(self) -> Sequence[C]:
        """Return the chunks; their gradients add up to that of the whole."""
        return self.pieces

    def gradient_at_zero(self, Z: Array) -> Array:
        """Return the gradient of the loss at M = 0 (B, W, W)."""
        return self.rule.gradient_at_zero(self.labels, Z)

    def renewed(self, Z: Array, point: Spectrum) -> "LabelConstraints[C]":
        """Return itself: labels imply the same under every metric."""
        return self

    def sample(
        self, size: int, rng: np.random.Generator
    ) -> tuple[RowNumbers, Constraints]:
        """Return about ``size`` rows, and the constraints among them."""
        rows, labels = self.labels.sample(size, rng)
        return rows, self.rule.bind(labels)


def chunk_rows(
    rows: RowNumbers, n_columns: int, at_once: int = AT_ONCE, enough: int = ENOUGH
) -> list[RowNumbers]:
    """Split anchors into chunks of ``rows_at_once``."""
    size = rows_at_once(n_columns, at_once, enough)
    return [rows[at : at + size] for at in range(0, len(rows), size)]


def rows_at_once(n_columns: int, at_once: int = AT_ONCE, enough: int = ENOUGH) -> int:
    """Return how many anchors a chunk has, each with a distance to all columns.

    Products of fewer than a hundred rows are slow and a chunk costs some calls, but
    threads need chunks to share. A chunk has at least one row, whatever its size.

    Parameters
    ----------
    n_columns : int
    at_once : int
        Distances in a chunk at most.
    enough : int
        Distances in a chunk from which it may be one of sixteen.
    """
    size = max(enough // n_columns, n_columns // 16)
    return max(1, min(size, at_once // n_columns))


def require_constraints(mass: float, kind: str) -> None:
    """Raise where the labels imply no constraint of a kind: their mass is zero."""
    if mass <= 0.0:
        raise ValueError(
            f"The labels imply no {kind}: {_NEEDS[kind]}. Give more labelled rows."
        )


def allot(shares: Array, size: int) -> RowNumbers:
    """Split ``size`` draws: half by share, half evenly, at least one to each share > 0.

    Examples
    --------
    >>> allot(np.array([0.98, 0.02, 0.0]), 100)
    array([74, 26,  0])
    """
    live = shares > 0.0
    wish = size * (0.5 * shares + 0.5 * live / live.sum())
    return np.where(live, np.maximum(np.round(wish), 1), 0).astype(np.intp)


def _choose(chances: Array, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Choose each with its chance, and as many as the chances add up to."""
    order = rng.permutation(len(chances))
    ends = rng.random() + np.cumsum(chances[order])
    chosen = np.empty(len(chances), dtype=bool)
    chosen[order] = np.diff(np.floor(ends), prepend=0.0) > 0.0
    return chosen


def _systematic(
    members: RowNumbers, weights: Array, size: int, rng: np.random.Generator
) -> RowNumbers:
    """Draw members in proportion to weight, evenly spaced after a shuffle."""
    order = rng.permutation(len(members))
    ends = np.cumsum(weights[order])
    ticks = (np.arange(size) + rng.random()) * (ends[-1] / size)
    found = np.searchsorted(ends, ticks, side="right")
    drawn: RowNumbers = members[order[np.minimum(found, len(members) - 1)]]
    return drawn
