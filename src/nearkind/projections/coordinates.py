"""Numeric columns as one coordinate each, beside any other projection."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from nearkind.projections.base import TableProjection
from nearkind.protocols import Array, Codes, Labels, Projection


def with_coordinates(
    projection: Projection,
    positions: Sequence[Array | None],
    n_ordered: Sequence[int] = (),
) -> Projection:
    """Return a projection that knows coordinates and orders of values.

    Parameters
    ----------
    projection : Projection
        Of all other features; returned itself if there are neither.
    positions : list of ndarray of shape (n_values[d],) or None
        The coordinate of each value of feature d; None for all other features.
    n_ordered : sequence of int, default=()
        How many values of each feature are in order, the first ones.

    Examples
    --------
    >>> from nearkind.projections.onehot import OneHot
    >>> both = with_coordinates(OneHot(), [None, np.array([-1.0, 1.0])])
    >>> codes = np.array([[0, 0], [1, 1], [-1, -1]], dtype=np.int32)
    >>> both.fit(codes, [2, 2], None, np.ones(3)).transform(codes)[:, :, 0]
    array([[ 1.,  0., -1.],
           [ 0.,  1.,  1.],
           [ 0.,  0.,  0.]])
    """
    is_other = [position is None for position in positions]
    if any(n_ordered):
        orders = [n for n, other in zip(n_ordered, is_other, strict=True) if other]
        projection = projection.with_orders(orders)
    return projection if all(is_other) else Coordinates(projection, positions)


@dataclass
class Coordinates(TableProjection):
    """phi_d(f)_c = position of f / sqrt(C), the same in each of C channels.

    So it enters every structure, and at M = I the squared distance between two values
    is the squared difference of their positions. A value not seen in fit is at zero.
    The other features are projected as if these were not there.

    Parameters
    ----------
    others : Projection
        Of the features without positions.
    positions : list of ndarray of shape (s_d,) or None

    Attributes
    ----------
    tables : list of ndarray of shape (s_d + 1, 1, C)
        Or of the shape that ``others`` has.
    """

    others: Projection
    positions: Sequence[Array | None]

    def shape(self, n_values: Sequence[int], n_classes: int) -> tuple[int, int]:
        """Return one row more for each coordinate; channels as the others."""
        rows, channels = self.others.shape(self._others_of(n_values), n_classes)
        n_others = len(self._others_of(n_values))
        return rows + len(n_values) - n_others, max(channels, 1)

    def fit(
        self, codes: Codes, n_values: Sequence[int], y: Labels, weights: Array
    ) -> Self:
        """Fit the others and fill the tables of positions."""
        n_classes = 0 if y is None else int(y.max(initial=-1)) + 1
        _, channels = self.shape(n_values, n_classes)
        self.others.fit(codes[:, self._is_other], self._others_of(n_values), y, weights)
        return self._fill_tables(channels)

    def fit_counts(self, counts: Sequence[Array], totals: Array) -> Self:
        """Fit the others to counts and fill the tables of positions."""
        _, channels = self.shape(list(map(len, counts)), len(totals))
        both = zip(counts, self.positions, strict=True)
        self.others.fit_counts([N for N, position in both if position is None], totals)
        return self._fill_tables(channels)

    def _fill_tables(self, channels: int) -> Self:
        tables = iter(self.others.tables)
        self.tables = [
            next(tables) if position is None else _table(position, channels)
            for position in self.positions
        ]
        return self

    def transform_training(self, codes: Codes, y: Labels) -> Array:
        """Return phi of the training rows, that of the others by their own rule."""
        phi = self.transform(codes)
        if self._is_other.any():
            sizes = [table.shape[1] for table in self.tables]
            phi[:, np.repeat(self._is_other, sizes)] = self.others.transform_training(
                codes[:, self._is_other], y
            )
        return phi

    @property
    def _is_other(self) -> NDArray[np.bool_]:
        return np.array([position is None for position in self.positions])

    def _others_of(self, n_values: Sequence[int]) -> list[int]:
        both = zip(n_values, self.positions, strict=True)
        return [size for size, position in both if position is None]


def _table(positions: Array, channels: int) -> Array:
    """Return (s + 1, 1, C): positions, zero for the unseen, in every channel."""
    column = np.append(positions, 0.0)[:, None, None] / np.sqrt(channels)
    return np.repeat(column, channels, axis=2)
