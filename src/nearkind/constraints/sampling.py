"""Random constraints from labels: a given number, no class starved, mean unbiased.

Half of the draws are spread evenly over the classes and half by the constraints each
implies; a draw's share of the mean undoes the difference, so the sampled loss has the
full loss as its expectation.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkind.constraints import tuples
from nearkind.constraints.labels import Labels, allot, refuse_none
from nearkind.constraints.tuples import Rows, TupleList
from nearkind.protocols import Array


@dataclass(frozen=True)
class SampledTriplets:
    """``size`` triplets drawn from those that the labels imply."""

    size: int
    rng: np.random.Generator
    margin: float = 1.0

    def bind(self, labels: Labels) -> TupleList:
        """Draw the triplets."""
        anchors = labels.weights * labels.same * labels.other
        draw = _Draw(labels, self.rng)
        i, shares = draw.stratified(anchors, self.size, "triplets")
        j, k = draw.partner(i), draw.stranger(i)
        return tuples.triplets(i, j, k, self.margin, shares)


@dataclass(frozen=True)
class SampledPairs:
    """``size`` pairs drawn from all, alike and unlike each stratified by class."""

    size: int
    rng: np.random.Generator
    margin: float = 1.0

    def bind(self, labels: Labels) -> TupleList:
        """Draw the pairs."""
        draw = _Draw(labels, self.rng)
        alike = labels.weights * labels.same
        unlike = labels.weights * labels.other
        refuse_none(alike.sum() + unlike.sum(), "pairs", "there is only one row")
        halves = []
        for side, mass, mate in (1, alike, draw.partner), (-1, unlike, draw.stranger):
            if mass.sum() > 0.0:
                i, shares = draw.stratified(mass, max(self.size // 2, 1), "pairs")
                shares = shares * mass.sum() / (alike.sum() + unlike.sum())
                halves.append((i, mate(i), np.full(len(i), side), shares))
        i, j, sides, shares = (
            np.concatenate(part) for part in zip(*halves, strict=True)
        )
        return tuples.pairs(i, j, sides, self.margin, shares)


@dataclass(frozen=True)
class SampledQuadruplets:
    """``size`` quadruplets: alike pairs stratified by class, unlike pairs at random."""

    size: int
    rng: np.random.Generator
    margin: float = 1.0

    def bind(self, labels: Labels) -> TupleList:
        """Draw the quadruplets."""
        draw = _Draw(labels, self.rng)
        alike = labels.weights * labels.same
        unlike = labels.weights * labels.other
        why = "they need two alike and two unlike rows"
        refuse_none(min(alike.sum(), unlike.sum()), "quadruplets", why)
        i, shares = draw.stratified(alike, self.size, "quadruplets")
        k = self.rng.choice(len(unlike), size=len(i), p=unlike / unlike.sum())
        return tuples.quadruplets(
            i, draw.partner(i), k, draw.stranger(k), self.margin, shares
        )


class _Draw:
    """Rows drawn by weight: anchors by class, partners alike, strangers unlike."""

    def __init__(self, labels: Labels, rng: np.random.Generator) -> None:
        self.labels, self.rng = labels, rng
        self.order = np.argsort(labels.y, kind="stable")
        self.place = np.argsort(self.order, kind="stable")  # of each cell in the order
        self.ends = np.cumsum(labels.weights[self.order])
        self.class_ends = np.cumsum(labels.class_weights)

    def stratified(self, mass: Array, size: int, kind: str) -> tuple[Rows, Array]:
        """Draw anchors in proportion to mass within each class; return shares too."""
        labels = self.labels
        by_class = np.bincount(labels.y, mass, labels.n_classes)
        refuse_none(by_class.sum(), kind, "no class has two rows and a stranger")
        wanted = allot(by_class / by_class.sum(), size)
        rows, shares = [], []
        for label in np.flatnonzero(wanted).tolist():
            members = labels.rows_of(label)
            p = mass[members] / mass[members].sum()
            rows.append(self.rng.choice(members, size=wanted[label], p=p))
            each = by_class[label] / by_class.sum() / wanted[label]
            shares.append(np.full(wanted[label], each))
        return np.concatenate(rows), np.concatenate(shares)

    def partner(self, i: Rows) -> Rows:
        """Draw for each i another row of its class; a cell's copies are other rows.

        The class is laid out on a line, i taking only the room of its copies.
        """
        labels = self.labels
        low = self.class_ends[labels.y[i]] - labels.class_weights[labels.y[i]]
        at = low + self.rng.random(len(i)) * labels.same[i]
        start = self.ends[self.place[i]] - labels.weights[i]
        beyond = at >= start + labels.own[i]
        j = self._at(np.where(beyond, at + labels.weights[i] - labels.own[i], at))
        return np.where((at >= start) & ~beyond, i, j)

    def stranger(self, i: Rows) -> Rows:
        """Draw for each i a row of another class."""
        labels = self.labels
        width = labels.class_weights[labels.y[i]]
        low = self.class_ends[labels.y[i]] - width
        at = self.rng.random(len(i)) * labels.other[i]
        at = np.where(at >= low, at + width, at)
        k = self._at(at)
        again = labels.y[k] == labels.y[i]  # rounding at a class's edge
        if again.any():
            k[again] = self.stranger(i[again])
        return k

    def _at(self, position: Array) -> NDArray[np.intp]:
        found = np.searchsorted(self.ends, position, side="right")
        return self.order[np.minimum(found, len(self.order) - 1)]
