"""One-hot coding of values: all of them, those in order, or the common ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from nearkind.projections.base import TableProjection
from nearkind.projections.vdm import VDM
from nearkind.protocols import Array, Codes, Labels

LONG = 100
"""Values of a column up to which each has an indicator."""
N_COMMON = 20
"""Values of a longer column that have one."""


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


@dataclass
class PooledOneHot(TableProjection):
    """One-hot indicators, in columns of many values only of the commonest.

    A longer column has besides, for all of its values, their class histograms: rare
    values are known by these alone, so that a few rows need not tell what each means.
    Values as common as the first without an indicator have none either.

    Parameters
    ----------
    histograms : VDM
        Of the longer columns; it may leave a row out of its own.
    longest : int, default=100
        Values up to which all have an indicator.
    n_common : int, default=20
        Values of a longer column that have one.

    Attributes
    ----------
    tables : list of ndarray of shape (s_d + 1, s_d or n_common + C, 1)

    Examples
    --------
    >>> codes = np.array([[0], [0], [1], [2]], dtype=np.int32)
    >>> coding = PooledOneHot(VDM(), longest=2, n_common=1)
    >>> coding.fit(codes, [3], np.array([0, 0, 1, 1]), np.ones(4)).tables[0][:, :, 0]
    array([[1. , 1. , 0. ],
           [0. , 0. , 1. ],
           [0. , 0. , 1. ],
           [0. , 0.5, 0.5]])
    """

    histograms: VDM
    longest: int = LONG
    n_common: int = N_COMMON

    def shape(self, n_values: Sequence[int], n_classes: int) -> tuple[int, int]:
        """Return the coordinates of all columns, one channel."""
        is_long = self._is_long(n_values)
        short = np.asarray(n_values)[~is_long].sum()
        return int(short + is_long.sum() * (self.n_common + n_classes)), 1

    def fit(
        self, codes: Codes, n_values: Sequence[int], y: Labels, weights: Array
    ) -> Self:
        """Count classes at each value of the longer columns, over labelled rows."""
        is_long = self._is_long(n_values)
        sizes = np.asarray(n_values)[is_long].tolist()
        self.histograms.fit(codes[:, is_long], sizes, y, weights)
        return self._fill_tables(n_values)

    def fit_counts(self, counts: Sequence[Array], totals: Array) -> Self:
        """Fill ``tables`` from N_cd(f) (s_d, C) and the rows of each class (C,)."""
        long = [N for N in counts if len(N) > self.longest]
        self.histograms.fit_counts(long, totals)
        return self._fill_tables(list(map(len, counts)))

    def transform_training(self, codes: Codes, y: Labels) -> Array:
        """Return phi of the training rows, histograms by their own rule."""
        phi = self.transform(codes)
        is_long = self._is_long([len(table) - 1 for table in self.tables])
        if not is_long.any():
            return phi
        shares = self.histograms.transform_training(codes[:, is_long], y)  # (n, D', C)
        ends = np.cumsum([table.shape[1] for table in self.tables])[is_long]
        for d, end in enumerate(ends):
            phi[:, end - shares.shape[2] : end, 0] = shares[:, d]
        return phi

    def _is_long(self, n_values: Sequence[int]) -> NDArray[np.bool_]:
        return np.asarray(n_values) > self.longest

    def _fill_tables(self, n_values: Sequence[int]) -> Self:
        both = zip(self.histograms.counts, self.histograms.tables, strict=True)
        self.tables = [
            self._long_table(*next(both))
            if is_long
            else np.eye(size + 1, size)[:, :, None]
            for size, is_long in zip(n_values, self._is_long(n_values), strict=True)
        ]
        return self

    def _long_table(self, counts: Array, shares: Array) -> Array:
        """Return indicators and shares (s + 1, n_common + C, 1)."""
        totals = counts.sum(axis=1)
        bar = np.sort(totals)[-1 - self.n_common]
        common = np.flatnonzero(totals > bar)
        indicators = np.zeros((len(shares), self.n_common))
        indicators[common, np.arange(len(common))] = 1.0
        return np.hstack([indicators, shares[:, 0]])[:, :, None]
