"""Pairs of labelled rows of the same or of different classes, all or sampled.

Ordered pairs of one kind are numbered without a gap, so a drawn number is a pair, each
as likely as any other, and nothing is enumerated to draw from it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.rows import Numbers


@dataclass(frozen=True)
class RowPairs:
    """Numbers of rows ``left`` and ``right`` (m,), and whether they are ``alike``."""

    left: Numbers
    right: Numbers
    alike: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.left)

    def take(self, at: Numbers | slice) -> "RowPairs":
        """Return some of the pairs, in this order."""
        return RowPairs(self.left[at], self.right[at], self.alike[at])

    def append(self, other: "RowPairs") -> "RowPairs":
        """Return these pairs, then the others."""
        return RowPairs(
            np.concatenate([self.left, other.left]),
            np.concatenate([self.right, other.right]),
            np.concatenate([self.alike, other.alike]),
        )


@dataclass(frozen=True)
class PairSampler:
    """Pairs of rows of one class or of two, all of them or some drawn evenly.

    Parameters
    ----------
    y : ndarray of int of shape (n,)
        Class numbers from 0.

    Examples
    --------
    >>> pairs = PairSampler(np.array([0, 1, 0])).alike()
    >>> pairs.left, pairs.right
    (array([0]), array([2]))
    """

    y: Numbers

    @cached_property
    def _order(self) -> Numbers:
        """Rows by class."""
        return np.argsort(self.y, kind="stable")

    @cached_property
    def _places(self) -> Numbers:
        """Place of each row in that order."""
        return np.argsort(self._order, kind="stable")

    @cached_property
    def _sizes(self) -> Numbers:
        """Rows of each class (C,)."""
        return np.bincount(self.y)

    @cached_property
    def _starts(self) -> Numbers:
        """Where each class begins in the order (C,)."""
        return np.cumsum(self._sizes) - self._sizes

    @property
    def n_alike(self) -> int:
        """Number of pairs of one class."""
        return int((self._sizes * (self._sizes - 1)).sum()) // 2

    @property
    def n_unlike(self) -> int:
        """Number of pairs of two classes."""
        return int((self._sizes * (len(self.y) - self._sizes)).sum()) // 2

    def check(self, owner: str) -> None:
        """Raise if no two rows are of one class."""
        if not self.n_alike:
            raise ValueError(
                f"{owner} learns from pairs of rows of one class, but each of the "
                f"{len(self.y)} rows has a class of its own. Give at least two rows of "
                "some class."
            )

    def alike(
        self, size: int | None = None, rng: np.random.Generator | None = None
    ) -> RowPairs:
        """Return every pair of one class, or ``size`` drawn evenly if there are more.

        Pairs are drawn independently of each other, so one may come twice.
        """
        return self._pairs(True, self._sizes - 1, self.n_alike, size, rng)

    def unlike(
        self, size: int | None = None, rng: np.random.Generator | None = None
    ) -> RowPairs:
        """Return every pair of two classes, or ``size`` drawn evenly, as ``alike``."""
        others = len(self.y) - self._sizes
        return self._pairs(False, others, self.n_unlike, size, rng)

    def balanced(self, size: int | None, rng: np.random.Generator) -> RowPairs:
        """Return pairs in random order, half of them alike; None: every pair."""
        half = None if size is None else max(size // 2, 1)
        pairs = self.alike(half, rng).append(self.unlike(half, rng))
        return pairs.take(rng.permutation(len(pairs)))

    def uniform(self, size: int, rng: np.random.Generator) -> RowPairs:
        """Return every pair, or ``size`` drawn evenly from all, alike or not."""
        total = self.n_alike + self.n_unlike
        if total <= size:
            return self.balanced(None, rng)
        n_alike = int(rng.binomial(size, self.n_alike / total))
        return self.alike(n_alike, rng).append(self.unlike(size - n_alike, rng))

    @property
    def anchors(self) -> Numbers:
        """Rows whose class has another row."""
        return np.flatnonzero(self._sizes[self.y] > 1)

    def draw_alike(self, rows: Numbers, rng: np.random.Generator) -> Numbers:
        """Return for each row another one of its class, each as likely."""
        k = rng.integers(0, self._sizes[self.y[rows]] - 1)
        return self._partners(True, self._places[rows], k)

    def draw_unlike(self, rows: Numbers, rng: np.random.Generator) -> Numbers:
        """Return for each row one of another class, each as likely."""
        k = rng.integers(0, len(self.y) - self._sizes[self.y[rows]])
        return self._partners(False, self._places[rows], k)

    def _partners(self, alike: bool, place: Numbers, k: Numbers) -> Numbers:
        """Return the k-th of the rows that those at some places are paired with."""
        label = self.y[self._order[place]]
        if alike:
            k = k + self._starts[label]
            return self._order[k + (k >= place)]  # a row is not its own partner
        k = k + np.where(k >= self._starts[label], self._sizes[label], 0)
        return self._order[k]

    def _pairs(
        self,
        alike: bool,
        others: Numbers,
        total: int,
        size: int | None,
        rng: np.random.Generator | None,
    ) -> RowPairs:
        """Return every pair, or ``size`` drawn; ``others`` is partners by class (C,).

        Ordered pairs are numbered class by class; of all, one of each two stays.
        """
        is_drawn = size is not None and size < total
        rng = np.random.default_rng() if rng is None else rng
        number = rng.integers(0, 2 * total, size) if is_drawn else np.arange(2 * total)
        ends = np.cumsum(self._sizes * others)
        label = np.searchsorted(ends, number, side="right")
        rest = number - (ends - self._sizes * others)[label]
        place, k = np.divmod(rest, others[label])
        place += self._starts[label]
        left, right = self._order[place], self._partners(alike, place, k)
        kept = np.ones(len(left), bool) if is_drawn else left < right
        return RowPairs(left[kept], right[kept], np.full(kept.sum(), alike))
