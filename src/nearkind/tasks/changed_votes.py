"""What a classifier says of changed rows, many at a time, from their codes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.estimators.neighbor_classifier import NeighborClassifier
from nearkind.neighbors import most_votes
from nearkind.protocols import Array
from nearkind.tasks.alternatives import Alternatives, Numbers
from nearkind.tasks.member_votes import MemberVotes, member_votes
from nearkind.validation.limits import distances_at_once

ROWS_AT_ONCE = 1 << 15
"""Changed rows that are judged at a time."""


TOLERANCE = 1e-6
"""Probabilities that differ by less may be in another order by rounding."""


@dataclass(frozen=True)
class ChangedVotes:
    """What a classifier says of changed rows.

    Parameters
    ----------
    model : NeighborClassifier
        Fitted.
    alternatives : Alternatives
        Over the codebooks of its members.
    current : int
        Number of the class of the row as it is.
    to : int or None
        Number of the class wanted; None: any other.
    """

    model: NeighborClassifier
    alternatives: Alternatives
    current: int
    to: int | None

    @cached_property
    def members(self) -> list[MemberVotes]:
        """The votes of each member."""
        return [
            member_votes(member, self.alternatives, place)
            for place, member in enumerate(self.model.members_)
        ]

    @property
    def work(self) -> float:
        """Time that it takes to judge a row, in terms of a distance to a row."""
        pairs = zip(self.members, self.model.members_, strict=True)
        return sum(votes.work * len(each.training_rows_) for votes, each in pairs)

    @cached_property
    def is_wanted(self) -> NDArray[np.bool_]:
        """Which classes will do (C,)."""
        classes = np.arange(len(self.model.classes_))
        return classes != self.current if self.to is None else classes == self.to

    def probabilities(self, chosen: Numbers) -> Array:
        """Return ``predict_proba`` (n, C) of rows that take alternatives (n, r)."""
        codes = self.alternatives.codes_of(chosen)
        pairs = zip(self.model.members_, codes, strict=True)
        shares = [member.shares_of_codes(rows) for member, rows in pairs]
        return self.model.probabilities(np.mean(shares, axis=0))

    def probabilities_of_more(self, chosen: Numbers, start: int = 0) -> Array:
        """Return ``predict_proba`` (b, S - start, C) with one alternative more.

        Those of a column that has one already mean nothing.
        """
        codes = self.alternatives.codes_of(chosen)
        pairs = zip(self.members, codes, strict=True)
        shares = [member.shares(rows, start) for member, rows in pairs]
        mean: Array = np.mean(shares, axis=0)
        p = self.model.probabilities(mean.reshape(-1, mean.shape[2]))
        return p.reshape(mean.shape)

    def can_win(self, chosen: Numbers, start: int, n_more: int) -> NDArray[np.bool_]:
        """Return whether rows can have a class wanted with more alternatives (b,).

        True where it is not known. A class can win if, at the most that it can get, it
        is as probable as the class before at the least.

        Parameters
        ----------
        chosen : ndarray of int (b, r)
        start : int
            The first alternative that more are taken from, the first of its column.
        n_more : int
            How many more are taken.
        """
        codes = self.alternatives.codes_of(chosen)
        pairs = zip(self.members, codes, strict=True)
        bounds = [member.bounds(rows, start, n_more) for member, rows in pairs]
        low, high = (np.mean(part, axis=0) for part in zip(*bounds, strict=True))
        before = low[:, self.current]
        high[:, self.current] = before
        p = self.model.probabilities(np.maximum(high, 1e-300))
        is_likelier = p >= p[:, [self.current]] - TOLERANCE
        is_likelier |= high >= before[:, None] - TOLERANCE
        return np.logical_or.reduce(is_likelier[:, self.is_wanted], axis=1)

    def chunks(self, chosen: Numbers, start: int) -> Iterator[Numbers]:
        """Split rows so that all with one alternative more fit into memory."""
        largest = max(len(member.training_rows_) for member in self.model.members_)
        n_more = max(len(self.alternatives) - start, 1)
        size = max(1, min(ROWS_AT_ONCE // n_more, distances_at_once() // largest))
        for first in range(0, len(chosen), size):
            yield chosen[first : first + size]

    def judged(self, chosen: Numbers, p: Array) -> "JudgedRows":
        """Return rows that take alternatives (n, r), judged by probabilities (n, C)."""
        wanted: Array = p[:, self.is_wanted].max(axis=1)
        lead = wanted - p[:, ~self.is_wanted].max(axis=1)
        return JudgedRows(chosen, wanted, lead, self.is_wanted[most_votes(p)])


class JudgedRows(NamedTuple):
    """Changed rows, and whether they have a class wanted.

    Attributes
    ----------
    chosen : ndarray of int (n, r)
        Alternatives that each takes; -1: none.
    probability : ndarray (n,)
        Of the most probable class wanted.
    lead : ndarray (n,)
        The same, less that of the most probable other class.
    wins : ndarray of bool (n,)
        Whether the model says a class wanted.
    """

    chosen: Numbers
    probability: Array
    lead: Array
    wins: NDArray[np.bool_]

    def take(self, rows: Any) -> "JudgedRows":
        """Return some of them, by number or by mask."""
        return JudgedRows(*(part[rows] for part in self))

    @classmethod
    def joined(cls, parts: "Sequence[JudgedRows]") -> "JudgedRows":
        """Return all rows of some parts."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))
