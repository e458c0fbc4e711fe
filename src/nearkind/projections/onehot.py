"""One-hot and thermometer coding of values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from nearkind.projections.base import TableProjection
from nearkind.protocols import Array, Codes, Labels


@dataclass
class OneHot(TableProjection):
    """One indicator a value, one channel; a value not seen in fit has none.

    Attributes
    ----------
    tables : list of ndarray of shape (s_d + 1, s_d, 1)
    """

    def shape(self, n_values: Sequence[int], n_classes: int) -> tuple[int, int]:
        """Return one row per value, one channel."""
        return sum(n_values), 1

    def fit(
        self, codes: Codes, n_values: Sequence[int], y: Labels, weights: Array
    ) -> Self:
        """Fill ``tables`` with indicators; nothing is counted."""
        self.tables = [np.eye(size + 1, size)[:, :, None] for size in n_values]
        return self

    def fit_counts(self, counts: Sequence[Array], totals: Array) -> Self:
        """Fill ``tables`` for the values that were counted."""
        return self.fit(
            np.empty((0, 0), np.int32), list(map(len, counts)), None, totals
        )


@dataclass
class Thermometer(OneHot):
    """Cumulative indicators of values in order, one-hot indicators of all others.

    Coordinate k of a value is 1 if the value is k or a later one, so that neighbouring
    values share all coordinates but one, and squared distances add up along the order
    under M = I. A missing value stands half way, with an indicator of its own, and so
    does, without one, a value not seen in fit.

    Parameters
    ----------
    n_ordered : sequence of int, default=()
        How many values of each feature, the first ones, are in order; empty: none.

    Attributes
    ----------
    tables : list of ndarray of shape (s_d + 1, s_d, 1)

    Examples
    --------
    >>> coding = Thermometer([3]).fit(np.zeros((1, 1), np.int32), [3], None, np.ones(1))
    >>> coding.tables[0][:3, :, 0]
    array([[1., 0., 0.],
           [1., 1., 0.],
           [1., 1., 1.]])
    """

    n_ordered: Sequence[int] = ()

    def with_orders(self, n_ordered: Sequence[int]) -> "Thermometer":
        """Return the projection of features of which so many values are in order."""
        return Thermometer(n_ordered)

    def fit(
        self, codes: Codes, n_values: Sequence[int], y: Labels, weights: Array
    ) -> Self:
        """Fill ``tables`` with indicators; nothing is counted."""
        super().fit(codes, n_values, y, weights)
        for table, n in zip(self.tables, self.n_ordered, strict=False):
            table[:n, :n, 0] = np.tri(n)
            table[n:, :n, 0] = [1.0, *[0.5] * (n - 1)][:n]
        return self
