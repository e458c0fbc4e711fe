"""Several projections side by side, as coordinates of one channel."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from nearkind.projections.base import TableProjection
from nearkind.protocols import Array, Codes, Projection


@dataclass
class Concatenation(TableProjection):
    """Flatten each part's phi and put them side by side, feature by feature.

    Attributes
    ----------
    tables : list of (s_d + 1, sum over parts of R_d C, 1)
    """

    first: Projection
    second: Projection
    tables: list[Array] = field(default_factory=list, init=False, repr=False)

    def shape(self, n_values: Sequence[int], n_classes: int) -> tuple[int, int]:
        """Return all coordinates of both parts, one channel."""
        shapes = [part.shape(n_values, n_classes) for part in (self.first, self.second)]
        return sum(rows * channels for rows, channels in shapes), 1

    def fit(
        self,
        codes: Codes,
        n_values: Sequence[int],
        y: NDArray[np.intp] | None,
        weights: Array,
    ) -> Self:
        """Fit both parts."""
        self.first.fit(codes, n_values, y, weights)
        self.second.fit(codes, n_values, y, weights)
        return self._joined()

    def fit_counts(self, counts: Sequence[Array], totals: Array) -> Self:
        """Fit both parts to counts."""
        self.first.fit_counts(counts, totals)
        self.second.fit_counts(counts, totals)
        return self._joined()

    def _joined(self) -> Self:
        both = zip(self.first.tables, self.second.tables, strict=True)
        self.tables = [np.hstack([_flat(a), _flat(b)])[:, :, None] for a, b in both]
        return self

    def transform_training(self, codes: Codes, y: NDArray[np.intp] | None) -> Array:
        """Return phi of the training rows, each part by its own rule."""
        first = self.first.transform_training(codes, y)
        second = self.second.transform_training(codes, y)
        pieces = zip(
            _split(first, self.first.tables), _split(second, self.second.tables),
            strict=True,
        )  # fmt: skip
        return np.hstack([_flat(x) for piece in pieces for x in piece])[:, :, None]


def _flat(table: Array) -> Array:
    return table.reshape(len(table), table.shape[1] * table.shape[2])


def _split(phi: Array, tables: list[Array]) -> list[Array]:
    """Cut phi (n, sum of R_d, C) into the part of each feature."""
    ends = np.cumsum([table.shape[1] for table in tables])
    return np.split(phi, ends[:-1], axis=1)
