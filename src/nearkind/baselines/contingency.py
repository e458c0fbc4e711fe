"""How often values of different features occur together, and what follows from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import entr

from nearkind.baselines.pair_tables import Places, indicators, places, starts
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


def contingency(codes: Codes, n_values: Sequence[int], weights: Array) -> Contingency:
    """Count pairs of values, O(n D^2)."""
    rows = indicators(places(codes, n_values), int(starts(n_values)[-1]))
    weighted = rows.T @ (rows * weights[:, None]).tocsr()
    return Contingency(weighted.toarray(), list(n_values))


@dataclass(frozen=True)
class ValuePairs:
    """Every pair of values of every two related features has a key.

    Attributes
    ----------
    left, right : (P,), the features, left <= right
    offsets, widths : (P,), key = offset + left value * width + right value
    chances : (K,), the chance that two rows both have a pair of values; 0 if unseen
    """

    left: Places
    right: Places
    offsets: Places
    widths: Places
    chances: Array

    @classmethod
    def of(cls, counts: Contingency, related: NDArray[np.bool_]) -> "ValuePairs":
        """Lay out the pairs of features that a symmetric table (D, D) marks."""
        left, right = np.nonzero(np.triu(related))
        sizes = np.asarray(counts.n_values) + 1
        ends = np.cumsum(sizes[left] * sizes[right])
        features = zip(left.tolist(), right.tolist(), strict=True)
        flat = [np.pad(chances(counts.joint(*two)), (0, 1)).ravel() for two in features]
        offsets = np.concatenate([[0], ends[:-1]])
        return cls(left, right, offsets, sizes[right], np.concatenate(flat))

    def keys(self, values: Places) -> Places:
        """Return the key of each pair of features of rows given by values (n, P)."""
        own = values[:, self.left] * self.widths + values[:, self.right]
        return own + self.offsets

    @cached_property
    def places(self) -> Places:
        """A place for each key (K,), the same for all that have no chance."""
        some = self.chances > 0.0
        return np.where(some, np.cumsum(some), 0)

    def to_features(self, weights: Array) -> csr_array:
        """Return (D, P): the weight of each pair (P,) at each of its features."""
        n_pairs = len(self.left)
        two = self.left != self.right
        rows = np.concatenate([self.left, self.right[two]])
        columns = np.concatenate([np.arange(n_pairs), np.flatnonzero(two)])
        shape = int(self.right.max()) + 1, n_pairs
        return csr_array((weights[columns], (rows, columns)), shape=shape)


def chances(counts: Array) -> Array:
    """Return the chance that two rows are both counted at a place, f (f-1) / n (n-1).

    Examples
    --------
    >>> chances(np.array([3.0, 1.0]))
    array([0.5, 0. ])
    """
    n = counts.sum()
    return counts * np.maximum(counts - 1.0, 0.0) / (n * (n - 1.0) if n > 1.0 else 1.0)
