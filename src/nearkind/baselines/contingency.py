"""Contingency tables of pairs of features, and statistics of these."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from nearkind.distances.dependence import ValuePairs
from nearkind.distances.pair_tables import check_contingency, indicators, places, starts
from nearkind.encoding.rows import CodedRows
from nearkind.protocols import Array, Codes

_NO_INFORMATION = 1e-12
"""Information up to this is zero but for rounding."""


class Information(NamedTuple):
    """Entropies of any two features, among rows where both are known, (D, D) each."""

    first: Array  # H(A_r)
    both: Array  # H(A_r, A_l)
    mutual: Array  # I(A_r; A_l)


@dataclass(frozen=True)
class Contingency:
    """Weights of rows that have two values, for any two values of any features."""

    table: Array  # (S, S), S = sum of s_d + 1
    n_values: Sequence[int]

    @cached_property
    def _spans(self) -> list[slice]:
        at = starts(self.n_values)
        return [slice(a, a + s) for a, s in zip(at[:-1], self.n_values, strict=True)]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.n_values)

    def joint(self, r: int, other: int) -> Array:
        """Return the weights of pairs of seen values of two features (s_r, s_other)."""
        return self.table[self._spans[r], self._spans[other]]

    def others(self, r: int) -> list[int]:
        """Return all features but one."""
        return [d for d in range(self.n_features) if d != r]

    def given(self, r: int, other: int) -> Array:
        """Return P(other | r) (s_r, s_other); P(other) where they never met."""
        counts = self.joint(r, other)
        known = counts.sum(axis=1, keepdims=True)
        overall = np.diag(self.joint(other, other))
        overall = overall / max(overall.sum(), 1e-300)
        return np.where(known > 0.0, counts / np.where(known > 0.0, known, 1), overall)

    @cached_property
    def information(self) -> Information:
        """Entropies and mutual information of any two features, in bits."""
        D = self.n_features
        first, both = np.zeros((D, D)), np.zeros((D, D))
        for r, other in product(range(D), repeat=2):
            counts = self.joint(r, other)
            shares = counts / max(counts.sum(), 1e-300)
            first[r, other] = entropy(shares.sum(axis=1))
            both[r, other] = entropy(shares)
        both = np.minimum(both, both.T)  # equal but for the order of summation
        mutual = first + first.T - both
        mutual[mutual < _NO_INFORMATION] = 0.0
        return Information(first, both, mutual)


def entropy(shares: Array) -> float:
    """Return the entropy in bits.

    Examples
    --------
    >>> entropy(np.array([0.5, 0.25, 0.25]))
    1.5
    """
    return float(entr(shares).sum() / np.log(2.0))


def counted(rows: CodedRows, learner: object) -> Contingency:
    """Count pairs of values of rows; raise for a learner if there are too many."""
    check_contingency(rows.codebook, type(learner).__name__)
    return contingency(rows.codes, rows.codebook.n_values, rows.weights)


def contingency(codes: Codes, n_values: Sequence[int], weights: Array) -> Contingency:
    """Count pairs of values, O(n D^2)."""
    rows = indicators(places(codes, n_values), int(starts(n_values)[-1]))
    weighted = rows.T @ (rows * weights[:, None]).tocsr()
    return Contingency(weighted.toarray(), list(n_values))


def chances(counts: Array) -> Array:
    """Return the chance that two rows are both counted at a place, f (f-1) / n (n-1).

    Examples
    --------
    >>> chances(np.array([3.0, 1.0]))
    array([0.5, 0. ])
    """
    n = counts.sum()
    return counts * np.maximum(counts - 1.0, 0.0) / (n * (n - 1.0) if n > 1.0 else 1.0)


def value_pairs(counts: Contingency, related: NDArray[np.bool_]) -> ValuePairs:
    """Lay out the pairs of features that a symmetric table (D, D) marks."""
    left, right = np.nonzero(np.triu(related))
    sizes = np.asarray(counts.n_values) + 1
    ends = np.cumsum(sizes[left] * sizes[right])
    features = zip(left.tolist(), right.tolist(), strict=True)
    flat = [np.pad(chances(counts.joint(*two)), (0, 1)).ravel() for two in features]
    offsets = np.concatenate([[0], ends[:-1]])
    return ValuePairs(left, right, offsets, sizes[right], np.concatenate(flat))
