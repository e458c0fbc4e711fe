"""Random constraints from labels: a given number, some of each class, unbiased.

Half of the draws are spread evenly over the classes and half by the constraints each
implies; a draw's share of the mean undoes the difference, so the sampled loss has the
full loss as its expectation.
"""

from dataclasses import dataclass

import numpy as np

from nearkind.constraints.tuples import (
    TupleList,
    list_pairs,
    list_quadruplets,
    list_triplets,
)
from nearkind.constraints.weighted_labels import (
    WeightedLabels,
    allot,
    require_constraints,
)
from nearkind.protocols import Array, RowNumbers


@dataclass(frozen=True)
class _Sampled:
    """How many constraints to draw, and from what."""

    size: int
    rng: np.random.Generator
    margin: float = 1.0


class SampledTriplets(_Sampled):
    """``size`` triplets drawn from those that the labels imply."""

    def bind(self, labels: WeightedLabels) -> TupleList:
        """Draw the triplets."""
        anchors = labels.weights * labels.same * labels.other
        draw = _Draw(labels, self.rng)
        i, shares = draw.stratified(anchors, self.size, "triplets")
        j, k = draw.partner(i), draw.other(i)
        return list_triplets(i, j, k, self.margin, shares)


class SampledPairs(_Sampled):
    """``size`` pairs, half within a class and half between two, stratified by class."""

    def bind(self, labels: WeightedLabels) -> TupleList:
        """Draw the pairs."""
        draw = _Draw(labels, self.rng)
        kinds = (1, draw.alike, draw.partner), (-1, draw.unlike, draw.other)
        total = draw.alike.sum() + draw.unlike.sum()
        require_constraints(total, "pairs")
        halves = []
        for side, mass, draw_other in kinds:
            if mass.sum() > 0.0:
                i, shares = draw.stratified(mass, max(self.size // 2, 1), "pairs")
                shares = shares * mass.sum() / total
                halves.append((i, draw_other(i), np.full(len(i), side), shares))
        i, j, sides, shares = (
            np.concatenate(part) for part in zip(*halves, strict=True)
        )
        return list_pairs(i, j, sides, self.margin, shares)


class SampledQuadruplets(_Sampled):
    """``size`` quadruplets: pairs of one class stratified, pairs of two at random."""

    def bind(self, labels: WeightedLabels) -> TupleList:
        """Draw the quadruplets."""
        draw = _Draw(labels, self.rng)
        require_constraints(min(draw.alike.sum(), draw.unlike.sum()), "quadruplets")
        i, shares = draw.stratified(draw.alike, self.size, "quadruplets")
        p = draw.unlike / draw.unlike.sum()
        k = self.rng.choice(len(p), size=len(i), p=p)
        return list_quadruplets(
            i, draw.partner(i), k, draw.other(k), self.margin, shares
        )


class _Draw:
    """Rows drawn by weight: anchors, partners of their class, rows of other classes."""

    def __init__(self, labels: WeightedLabels, rng: np.random.Generator) -> None:
        self.labels, self.rng = labels, rng
        self.alike = labels.weights * labels.same  # weight of each row's pairs
        self.unlike = labels.weights * labels.other
        self.order = np.argsort(labels.y, kind="stable")
        self.place = np.argsort(self.order, kind="stable")  # of each row in the order
        self.ends = np.cumsum(labels.weights[self.order])
        self.class_ends = np.cumsum(labels.class_weights)

    def stratified(self, mass: Array, size: int, kind: str) -> tuple[RowNumbers, Array]:
        """Draw anchors in proportion to mass within each class; return shares too."""
        labels = self.labels
        by_class = np.bincount(labels.y, mass, labels.n_classes)
        require_constraints(by_class.sum(), kind)
        wanted = allot(by_class / by_class.sum(), size)
        rows, shares = [], []
        for label in np.flatnonzero(wanted).tolist():
            members = labels.rows_of(label)
            p = mass[members] / mass[members].sum()
            rows.append(self.rng.choice(members, size=wanted[label], p=p))
            each = by_class[label] / by_class.sum() / wanted[label]
            shares.append(np.full(wanted[label], each))
        return np.concatenate(rows), np.concatenate(shares)

    def partner(self, i: RowNumbers) -> RowNumbers:
        """Draw for each i another row of its class, which may equal it.

        The class is laid out on a line, i taking only the room of the rows equal to it.
        """
        labels = self.labels
        low = self.class_ends[labels.y[i]] - labels.class_weights[labels.y[i]]
        at = low + self.rng.random(len(i)) * labels.same[i]
        start = self.ends[self.place[i]] - labels.weights[i]
        beyond = at >= start + labels.self_weights[i]
        j = self._at(
            np.where(beyond, at + labels.weights[i] - labels.self_weights[i], at)
        )
        return np.where((at >= start) & ~beyond, i, j)

    def other(self, i: RowNumbers) -> RowNumbers:
        """Draw for each i a row of another class."""
        labels = self.labels
        width = labels.class_weights[labels.y[i]]
        low = self.class_ends[labels.y[i]] - width
        at = self.rng.random(len(i)) * labels.other[i]
        at = np.where(at >= low, at + width, at)
        k = self._at(at)
        again = labels.y[k] == labels.y[i]  # rounding at a class's edge
        if again.any():
            k[again] = self.other(i[again])
        return k

    def _at(self, position: Array) -> RowNumbers:
        found = np.searchsorted(self.ends, position, side="right")
        rows: RowNumbers = self.order[np.minimum(found, len(self.order) - 1)]
        return rows
