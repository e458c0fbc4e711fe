"""How often each value of a feature occurs, the unseen one included."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nearkind.projections.base import value_counts
from nearkind.protocols import Array, Codes


@dataclass(frozen=True)
class Frequencies:
    """Counts of the values of one feature, among the rows whose value is known.

    An unseen value counts as one row, or as the rarest value if weights make that
    less, so that it is never more frequent than a value that was seen.

    Examples
    --------
    >>> shape = Frequencies(np.array([3.0, 1.0]))
    >>> shape.p
    array([0.75, 0.25, 0.25])
    >>> shape.p2
    array([0.5, 0. , 0. ])
    """

    counts: Array  # (s,)

    @cached_property
    def seen(self) -> Array:
        """Counts of the values that occur."""
        return self.counts[self.counts > 0.0]

    @property
    def n_seen(self) -> int:
        """Number of values that occur."""
        return len(self.seen)

    @cached_property
    def total(self) -> float:
        """Weight N of the rows whose value is known; 1 if there are none."""
        return float(self.counts.sum()) or 1.0

    @cached_property
    def f(self) -> Array:
        """Count of each value, the unseen last (s + 1,); never zero."""
        rarest = min(1.0, float(self.seen.min(initial=1.0)))
        f = np.append(self.counts, 0.0)
        return np.where(f > 0.0, f, rarest)

    @cached_property
    def p(self) -> Array:
        """Share f / N (s + 1,)."""
        return self.f / self.total

    @cached_property
    def p2(self) -> Array:
        """Chance that two rows both have a value, f (f - 1) / (N (N - 1)) (s + 1,)."""
        pairs = self.total * (self.total - 1.0)
        return self.f * np.maximum(self.f - 1.0, 0.0) / (pairs if pairs > 0.0 else 1.0)

    @cached_property
    def rank(self) -> Array:
        """Shares rounded, so that equal frequencies are equal (s + 1,)."""
        return np.round(self.p, 12)


def frequencies(
    codes: Codes, n_values: Sequence[int], weights: Array
) -> list[Frequencies]:
    """Count the values of each feature, O(n D)."""
    counts = value_counts(codes, n_values, np.zeros(len(codes), np.intp), weights)
    return [Frequencies(of_feature[:, 0]) for of_feature in counts]
