"""One-hot indicators: every value has a coordinate of its own."""

from collections.abc import Sequence
from dataclasses import dataclass, field
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

    tables: list[Array] = field(default_factory=list, init=False, repr=False)

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
