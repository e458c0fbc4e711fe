"""Labelled, weighted cells, as the constraints that labels imply see them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nearkind.losses.edges import at_nodes
from nearkind.metrics.spectrum import symmetrized
from nearkind.protocols import Array


@dataclass(frozen=True)
class Labels:
    """Class number and weight of each cell.

    Attributes
    ----------
    y : (n,)
    weights : (n,)
    own : (n,), weight of each cell as its own partner. A cell of weight w stands for w
        rows at one place, so by default it is w - 1 (0 when w < 1). A cell drawn to
        stand for others too has less: those are elsewhere.
    """

    y: NDArray[np.intp]
    weights: Array
    own: Array = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.own is None:
            object.__setattr__(self, "own", np.maximum(self.weights - 1.0, 0.0))

    @cached_property
    def n_classes(self) -> int:
        """Number of class numbers, one more than the largest."""
        return int(self.y.max()) + 1

    @cached_property
    def class_weights(self) -> Array:
        """Weight of each class (C,)."""
        return np.bincount(self.y, self.weights, self.n_classes).astype(float)

    @cached_property
    def same(self) -> Array:
        """Weight of the partners of one row of each cell, within its class (n,)."""
        return self.class_weights[self.y] - self.weights + self.own

    @cached_property
    def other(self) -> Array:
        """Weight of the rows of other classes, for each cell (n,)."""
        return self.weights.sum() - self.class_weights[self.y]

    def partners(self, anchors: NDArray[np.intp], same: NDArray[np.intp]) -> Array:
        """Return the weight of each row of a class as partner of each anchor (a, s)."""
        weights = np.tile(self.weights[same], (len(anchors), 1))
        rows, columns = np.nonzero(same == anchors[:, None])
        weights[rows, columns] = self.own[anchors[rows]]
        return weights

    def contrast(self, Z: Array, within: Array, between: Array) -> Array:
        """Return sums of w_i w_j A^ij (B, W, W), in O(n).

        Of two rows of one class ``within_i`` (n,) times it, less ``between_i`` times it
        of two rows of different classes: those of all rows less those of one class.
        """
        B, n, K, W = Z.shape
        w, outward = self.weights, between * self.weights
        inward = within * self.weights + outward
        inward_by_class = np.bincount(self.y, inward, self.n_classes)
        at_rows = self.class_weights[self.y] * inward + inward_by_class[self.y] * w
        at_rows -= w.sum() * outward + outward.sum() * w
        G = at_nodes(Z, at_rows)
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
        return csr_array((weights, (self.y, np.arange(len(rows)))), shape) @ rows

    def sample(
        self, size: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.intp], "Labels"]:
        """Draw about ``size`` cells, no class starved; return them and their labels.

        Each class keeps its weight, shared among the cells drawn from it, so that means
        over the sample estimate those over all, up to a share 1 / m of a class of which
        m cells are drawn. A class that is drawn whole stays as it is.
        """
        shares = self.class_weights / self.class_weights.sum()
        wanted = allot(shares, size)
        drawings = []
        for label in range(self.n_classes):
            members = self.rows_of(label)
            if len(members) <= wanted[label]:
                drawn, each, mine = members, self.weights[members], self.own[members]
            else:
                drawn, each, mine = self._draw(members, wanted[label], rng)
            drawings.append((drawn, each, mine))
        rows, weights, own = map(np.concatenate, zip(*drawings, strict=True))
        return rows, Labels(self.y[rows], weights, own)

    def _draw(
        self, members: NDArray[np.intp], size: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.intp], Array, Array]:
        """Draw cells of one class by weight; return them, their weights and own."""
        hits = _systematic(members, self.weights[members], size, rng)
        drawn, times = np.unique(hits, return_counts=True)
        total = self.weights[members].sum()
        weights = times * (total / size)
        # Among its partners a row meets its own cell's copies as often as in the whole.
        outside = np.maximum(total - self.weights[drawn], 1e-300)
        own = (total - weights) * self.own[drawn] / outside
        return drawn, weights, own

    def rows_of(self, label: int) -> NDArray[np.intp]:
        """Return the cells of one class."""
        return np.flatnonzero(self.y == label)

    def rows_outside(self, label: int) -> NDArray[np.intp]:
        """Return the cells of all other classes."""
        return np.flatnonzero(self.y != label)


def allot(shares: Array, size: int) -> NDArray[np.intp]:
    """Split ``size`` draws: half by share, half evenly, at least one to each share > 0.

    Examples
    --------
    >>> allot(np.array([0.98, 0.02, 0.0]), 100)
    array([74, 26,  0])
    """
    live = shares > 0.0
    wish = size * (0.5 * shares + 0.5 * live / live.sum())
    return np.where(live, np.maximum(np.round(wish), 1), 0).astype(np.intp)


def _systematic(
    members: NDArray[np.intp], weights: Array, size: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw members in proportion to weight, evenly spaced after a shuffle."""
    order = rng.permutation(len(members))
    ends = np.cumsum(weights[order])
    ticks = (np.arange(size) + rng.random()) * (ends[-1] / size)
    found = np.searchsorted(ends, ticks, side="right")
    return members[order[np.minimum(found, len(members) - 1)]]


AT_ONCE = 1 << 21
"""Distances held at a time by one thread."""


def blocks_of(
    rows: NDArray[np.intp], n_columns: int, at_once: int = AT_ONCE
) -> list[NDArray[np.intp]]:
    """Split anchors into blocks of at most so many distances to all columns.

    Products of fewer than a hundred rows are slow and a block costs some calls, but
    threads need blocks to share. A block has at least one row, whatever its size.
    """
    size = max((1 << 15) // n_columns, n_columns // 16)
    size = max(1, min(size, at_once // n_columns))
    return [rows[at : at + size] for at in range(0, len(rows), size)]


def refuse_none(mass: float, kind: str, why: str) -> None:
    """Raise when the labels imply no constraint at all."""
    if mass <= 0.0:
        raise ValueError(
            f"The labels imply no {kind}: {why}. Give more labelled rows, or state "
            "constraints with fit_constraints."
        )
