"""Labelled, weighted cells, as the constraints that labels imply see them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nearkind.typing import Array


@dataclass(frozen=True)
class Labels:
    """Class number and weight of each cell.

    A cell of weight w stands for w rows at one place: it has itself w - 1 times as a
    partner of its class, at distance zero (not at all when w < 1).
    """

    y: NDArray[np.intp]
    weights: Array

    @cached_property
    def n_classes(self) -> int:
        """Number of class numbers, one more than the largest."""
        return int(self.y.max()) + 1

    @cached_property
    def class_weights(self) -> Array:
        """Weight of each class (C,)."""
        return np.bincount(self.y, self.weights, self.n_classes).astype(float)

    @cached_property
    def own(self) -> Array:
        """Weight of each cell as its own partner (n,)."""
        return np.maximum(self.weights - 1.0, 0.0)

    @cached_property
    def same(self) -> Array:
        """Weight of the partners of one row of each cell, within its class (n,)."""
        return self.class_weights[self.y] - self.weights + self.own

    @cached_property
    def other(self) -> Array:
        """Weight of the rows of other classes, for each cell (n,)."""
        return self.weights.sum() - self.class_weights[self.y]

    def rows_of(self, label: int) -> NDArray[np.intp]:
        """Return the cells of one class."""
        return np.flatnonzero(self.y == label)

    def rows_outside(self, label: int) -> NDArray[np.intp]:
        """Return the cells of all other classes."""
        return np.flatnonzero(self.y != label)


def blocks_of(rows: NDArray[np.intp], n_columns: int) -> list[NDArray[np.intp]]:
    """Split anchors so that a block against all columns has at most 2^17 numbers.

    That is about what a core's cache holds.
    """
    size = max(1, (1 << 17) // max(n_columns, 1))
    return [rows[at : at + size] for at in range(0, len(rows), size)]


def refuse_none(mass: float, kind: str, why: str) -> None:
    """Raise when the labels imply no constraint at all."""
    if mass <= 0.0:
        raise ValueError(
            f"The labels imply no {kind}: {why}. Give more labelled rows, or state "
            "constraints with fit_constraints."
        )
