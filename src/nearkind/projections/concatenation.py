"""Two projections concatenated: as coordinates of one channel, or as channels."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from nearkind.projections.base import TableProjection
from nearkind.protocols import Array, Codes, Labels, Projection

NEGLIGIBLE = 1e-24
"""A spread that is only rounding: vectors of values are of size one."""


@dataclass
class _Joined(TableProjection):
    """Two projections of the same rows, joined feature by feature."""

    first: Projection
    second: Projection

    def transform_training(self, codes: Codes, y: Labels) -> Array:
        """Return phi of the training rows, each part by its own rule."""
        first = self.first.transform_training(codes, y)
        second = self.second.transform_training(codes, y)
        by_feature = zip(
            _split(first, self.first.tables), _split(second, self.second.tables),
            strict=True,
        )  # fmt: skip
        return np.hstack([self._join(a, b) for a, b in by_feature])

    def fit(
        self, codes: Codes, n_values: Sequence[int], y: Labels, weights: Array
    ) -> Self:
        """Fit both parts."""
        self.first.fit(codes, n_values, y, weights)
        self.second.fit(codes, n_values, y, weights)
        return self._fill_tables()

    def _fill_tables(self) -> Self:
        both = zip(self.first.tables, self.second.tables, strict=True)
        self.tables = [self._join(a, b) for a, b in both]
        return self

    def _join(self, first: Array, second: Array) -> Array:
        """Return one array of the rows of phi (n, R_d, C) of a feature."""
        raise NotImplementedError


@dataclass
class Concatenation(_Joined):
    """All coordinates of two projections, feature by feature, in one channel.

    Parameters
    ----------
    first, second : Projection

    Attributes
    ----------
    tables : list of ndarray of shape (s_d + 1, sum over both of R_d C, 1)
    """

    def shape(self, n_values: Sequence[int], n_classes: int) -> tuple[int, int]:
        """Return all coordinates of both parts, one channel."""
        shapes = [part.shape(n_values, n_classes) for part in (self.first, self.second)]
        return sum(rows * channels for rows, channels in shapes), 1

    def fit_counts(self, counts: Sequence[Array], totals: Array) -> Self:
        """Fit both parts to counts."""
        self.first.fit_counts(counts, totals)
        self.second.fit_counts(counts, totals)
        return self._fill_tables()

    def _join(self, first: Array, second: Array) -> Array:
        return np.hstack([_flat(first), _flat(second)])[:, :, None]


@dataclass
class ChannelConcatenation(_Joined):
    """phi_d = [first_d, scale * second_d]: the channels of two projections.

    Both have one row of phi a feature. The scale makes the mean squared distance of two
    rows under M = I the same in both. Where one does not vary, the scale is one.

    Parameters
    ----------
    first, second : Projection

    Attributes
    ----------
    tables : list of ndarray of shape (s_d + 1, 1, C + S)
        The channels of the first, then those of the second.
    scale : float
        What the second is multiplied by.
    """

    scale: float = field(default=1.0, init=False, repr=False)

    def shape(self, n_values: Sequence[int], n_classes: int) -> tuple[int, int]:
        """Return the features, and the channels of both parts."""
        n_features, n_channels = self.first.shape(n_values, n_classes)
        return n_features, n_channels + self.second.shape(n_values, n_classes)[1]

    def fit(
        self, codes: Codes, n_values: Sequence[int], y: Labels, weights: Array
    ) -> Self:
        """Fit both parts and scale the second to the first."""
        super().fit(codes, n_values, y, weights)
        first = spread(self.first.tables, codes, weights)
        second = spread(self.second.tables, codes, weights)
        both_vary = min(first, second) > NEGLIGIBLE
        self.scale = float(np.sqrt(first / second)) if both_vary else 1.0
        return self._fill_tables()

    def _join(self, first: Array, second: Array) -> Array:
        return np.concatenate([first, self.scale * second], axis=2)


def spread(tables: Sequence[Array], codes: Codes, weights: Array) -> float:
    """Return half the mean squared distance of two rows under M = I.

    Examples
    --------
    >>> codes = np.array([[0], [1]], dtype=np.int32)
    >>> spread([np.array([[[0.0]], [[2.0]], [[9.0]]])], codes, np.ones(2))
    1.0
    """
    total = 0.0
    for table, code in zip(tables, codes.T, strict=True):
        share = np.bincount(code % len(table), weights, len(table)) / weights.sum()
        flat = table.reshape(len(table), -1)
        flat = flat - share @ flat
        total += float(share @ (flat * flat).sum(axis=1))
    return total


def _flat(table: Array) -> Array:
    return table.reshape(len(table), table.shape[1] * table.shape[2])


def _split(phi: Array, tables: list[Array]) -> list[Array]:
    """Cut phi (n, sum of R_d, C) into the part of each feature."""
    ends = np.cumsum([table.shape[1] for table in tables])
    return np.split(phi, ends[:-1], axis=1)
