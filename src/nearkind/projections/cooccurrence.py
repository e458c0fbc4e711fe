"""Co-occurrence: histograms of the values of the other features."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from nearkind.projections.base import TableProjection, value_counts
from nearkind.protocols import Array, Codes, Labels


@dataclass
class Cooccurrence(TableProjection):
    """phi_d(f) = [P(x_e = g | x_d = f)] over all values g of all other features e.

    Needs no labels. The channels of a feature's own values are zero. A single feature
    has no others and takes its own indicators instead.

    Attributes
    ----------
    tables : list of ndarray of shape (s_d + 1, 1, S), S = sum of s_d
        The last row is the frequency in all rows.
    """

    def shape(self, n_values: Sequence[int], n_classes: int) -> tuple[int, int]:
        """Return one row per feature, one channel per value."""
        return len(n_values), sum(n_values)

    def fit(
        self, codes: Codes, n_values: Sequence[int], y: Labels, weights: Array
    ) -> Self:
        """Count pairs of values, O(n D^2)."""
        starts = np.concatenate([[0], np.cumsum(n_values)])
        n_features = len(n_values)
        self.tables = []
        for d in range(n_features):
            table = np.zeros((n_values[d] + 1, starts[-1]))
            others = [e for e in range(n_features) if e != d] or [d]
            for e in others:
                channels = slice(starts[e], starts[e + 1])
                table[:, channels] = _conditional(
                    codes[:, d], codes[:, e], n_values[d], n_values[e], weights
                )
            self.tables.append(table[:, None, :])
        return self


def _conditional(
    given: NDArray[np.int32],
    seen: NDArray[np.int32],
    n_given: int,
    n_seen: int,
    weights: Array,
) -> Array:
    """Return P(seen | given) (n_given + 1, n_seen); the last row is P(seen)."""
    known = seen >= 0
    others, weights = seen[known].astype(np.intp), weights[known]
    by_given = value_counts(given[known, None], [n_given], others, weights, n_seen)
    overall = np.bincount(others, weights, n_seen)
    counts = np.vstack([*by_given, overall])
    total = counts.sum(axis=1, keepdims=True)
    share: Array = overall / max(overall.sum(), 1e-300)
    return np.where(total > 0.0, counts / np.maximum(total, 1e-300), share)
