"""Pairs of values of related features, and how often two rows both have them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nearkind.baselines.contingency import Contingency
from nearkind.baselines.indicators import Places
from nearkind.protocols import Array


@dataclass(frozen=True)
class ValuePairs:
    """Every pair of values of every two related features has a key.

    Attributes
    ----------
    left, right : (P,), the features, left <= right
    offsets, widths : (P,), key = offset + left value * width + right value
    chances : (K,), the chance that two rows both have a pair of values; 0 if unseen
    """

    left: NDArray[np.intp]
    right: NDArray[np.intp]
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
