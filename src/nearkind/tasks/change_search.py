"""Search of the fewest changes that change the class, the nearest first.

All rows of one change are tried, then all of two, and so on, but for those that bounds
exclude: the first that do are the fewest. Where these are too many, training rows of
the class show the way, and changes made one after the other, the best ones first.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.neighbors import most_votes, ranks, tie_widths
from nearkind.protocols import Array
from nearkind.tasks.alternatives import Alternatives, Numbers
from nearkind.tasks.voter_votes import VoterVotes, voter_votes
from nearkind.validation.limits import distances_at_once
from nearkind.voting import Committee, Voter

MOST_STARTS = 2_000
"""Training rows of the class, those of fewest changes, that are tried."""
MOST_SHORTENED = 32
"""Of those that have the class, so many are shortened."""
BEAM = 4_000
"""Changed rows that are tried for one more change, where all are too many."""
DIGITS = 9
"""Probabilities that agree to so many digits are equal."""
ROWS_AT_ONCE = 1 << 15
"""Changed rows that are judged at a time."""

TOLERANCE = 1e-6
"""Probabilities that differ by less may be in another order by rounding."""


@dataclass(frozen=True)
class ChangedVotes:
    """What a committee says of changed rows, many at a time, from their codes.

    Parameters
    ----------
    committee : Committee
    alternatives : Alternatives
        Over the codebooks of its voters.
    current : int
        Number of the class of the row as it is.
    to : int or None
        Number of the class wanted; None: any other.
    """

    committee: Committee
    alternatives: Alternatives
    current: int
    to: int | None

    @cached_property
    def votes(self) -> list[VoterVotes]:
        """The votes of each voter."""
        voters = enumerate(self.committee.voters)
        return [voter_votes(each, self.alternatives, place) for place, each in voters]

    @property
    def work(self) -> float:
        """Time that it takes to judge a row, in terms of a distance to a row."""
        return sum(each.work * len(each.voter.rows) for each in self.votes)

    @cached_property
    def is_wanted(self) -> NDArray[np.bool_]:
        """Which classes will do (C,)."""
        classes = np.arange(len(self.committee.classes))
        return classes != self.current if self.to is None else classes == self.to

    def _weighed(self, shares: Array) -> Array:
        """Return probabilities, of which the largest says the class predicted."""
        return self.committee.weighed(self.committee.probabilities(shares))

    def probabilities(self, chosen: Numbers) -> Array:
        """Return weighed probabilities (n, C) of rows that take alternatives (n, r)."""
        codes = self.alternatives.codes_of(chosen)
        pairs = zip(self.committee.voters, codes, strict=True)
        shares = [voter.shares(rows) for voter, rows in pairs]
        return self._weighed(self.committee.mean(shares))

    def probabilities_of_more(self, chosen: Numbers, start: int = 0) -> Array:
        """Return ``predict_proba`` (b, S - start, C) with one alternative more.

        Those of a column that has one already mean nothing.
        """
        codes = self.alternatives.codes_of(chosen)
        pairs = zip(self.votes, codes, strict=True)
        shares = [votes.shares(rows, start) for votes, rows in pairs]
        mean = self.committee.mean(shares)
        p = self._weighed(mean.reshape(-1, mean.shape[2]))
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
        pairs = zip(self.votes, codes, strict=True)
        bounds = [votes.bounds(rows, start, n_more) for votes, rows in pairs]
        low, high = map(self.committee.mean, zip(*bounds, strict=True))
        before = low[:, self.current]
        high[:, self.current] = before
        p = self._weighed(np.maximum(high, 1e-300))
        is_likelier = p >= p[:, [self.current]] - TOLERANCE
        is_likelier |= high >= before[:, None] - TOLERANCE
        return np.logical_or.reduce(is_likelier[:, self.is_wanted], axis=1)

    def chunks(self, chosen: Numbers, start: int) -> Iterator[Numbers]:
        """Split rows so that all with one alternative more fit into memory."""
        largest = max(len(voter.rows) for voter in self.committee.voters)
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


@dataclass(frozen=True)
class FoundChange:
    """The changes that a search found.

    Attributes
    ----------
    chosen : ndarray of int (r,) or None
        Alternatives that the row takes; None: none were found.
    at_least : int
        No row of fewer changes has the class.
    n_tried : int
        How many rows were tried; all others of as few changes bounds exclude.
    is_complete : bool
        Whether this holds for rows of as many changes, too; where none was found, of
        any number.
    """

    chosen: Numbers | None
    at_least: int
    n_tried: int
    is_complete: bool


@dataclass(frozen=True)
class ChangeSearch:
    """Finds the fewest alternatives that give a row a class wanted.

    Parameters
    ----------
    votes : ChangedVotes
    place : int
        Of the voter whose distance tells which of several is nearest.
    limit : int
        Rows to judge, and parts of them to bound, at most; then rules of thumb.
    has_class : callable
        Whether the committee says a class wanted of a row that takes alternatives (r,),
        asked as users ask it.
    """

    votes: ChangedVotes
    place: int
    limit: int
    has_class: Callable[[Numbers], bool]

    @property
    def alternatives(self) -> Alternatives:
        """Values that the columns may take."""
        return self.votes.alternatives

    @property
    def voter(self) -> Voter:
        """The voter whose distance counts."""
        return self.votes.committee.voters[self.place]

    def run(self) -> FoundChange:
        """Return the fewest changes that do, and what is proven of them."""
        n_columns, n_tried, left = self.alternatives.n_columns, 0, self.limit
        for size in range(1, n_columns + 1):
            parts, left = self._all_of(size, left)
            if left < 0:
                return FoundChange(self._guess(), size, n_tried, False)
            n_tried += sum(len(rows.chosen) for rows in parts)
            found = self._nearest(JudgedRows.joined(parts)) if parts else None
            if found is not None:
                return FoundChange(found, size, n_tried, True)
        return FoundChange(None, n_columns + 1, n_tried, True)

    def _all_of(self, size: int, left: int) -> tuple[list[JudgedRows], int]:
        """Return all rows of so many changes that can win, and what is left to try.

        Below zero: they were too many. Rows are built one change after the other, and
        left as soon as bounds say that they cannot win.
        """
        parts: list[tuple[Numbers, int]] = [(np.empty((1, 0), np.intp), 0)]
        n_all = len(self.alternatives)
        for n_more in range(size, 0, -1):
            parts = [
                (some[self.votes.can_win(some, start, n_more)], start)
                for chosen, start in parts
                for some in self.votes.chunks(chosen, start)
            ]
            left -= sum(len(chosen) * (n_all - start) for chosen, start in parts)
            if left < 0:
                return [], left
            if n_more > 1:
                parts = self._with_one_more(parts)
        return [self._judged(*part) for part in parts if len(part[0])], left

    def _with_one_more(
        self, parts: list[tuple[Numbers, int]]
    ) -> list[tuple[Numbers, int]]:
        """Return rows with one more alternative, by where the next column starts."""
        found: dict[int, list[Numbers]] = {}
        for chosen, start in parts:
            for each in range(start, len(self.alternatives)):
                more = np.column_stack([chosen, np.full(len(chosen), each)])
                found.setdefault(int(self.alternatives.later[each]), []).append(more)
        n_all = len(self.alternatives)
        return [(np.concatenate(found[k]), k) for k in sorted(found) if k < n_all]

    def _judged(self, chosen: Numbers, start: int) -> JudgedRows:
        """Return rows with one more alternative each, from ``start`` on, judged."""
        p = self.votes.probabilities_of_more(chosen, start)
        more = np.arange(start, len(self.alternatives))
        before = np.repeat(chosen, len(more), axis=0)
        rows = np.column_stack([before, np.tile(more, len(chosen))])
        return self.votes.judged(rows, p.reshape(len(rows), -1))

    def _nearest(self, rows: JudgedRows) -> Numbers | None:
        """Return the alternatives of the nearest row that wins, if one does.

        Of equally near ones that of the most probable class, then the first.
        """
        winning = rows.take(rows.wins)
        if not len(winning.chosen):
            return None
        d = self.distances(winning.chosen)
        near = ranks(d, float(tie_widths(d[None])[0]))
        in_turn = winning.chosen.T[::-1]
        order = np.lexsort((*in_turn, -winning.probability.round(DIGITS), near))
        chosen = (winning.chosen[i] for i in order)
        return next((each for each in chosen if self.has_class(each)), None)

    def distances(self, chosen: Numbers) -> Array:
        """Return how far changed rows (n, r) are from the row as it is (n,)."""
        distance = self.voter.distance
        own = distance.represent(self.alternatives.row_codes[self.place][None])
        codes = self.alternatives.codes_of(chosen)[self.place]
        d = distance.compare(own, distance.represent(codes))[0]
        return np.where(np.isnan(d), np.inf, d)

    def _guess(self) -> Numbers | None:
        """Return some changes that do, as few as can be found, if any can."""
        found = self._from_training_rows()
        most = self.alternatives.n_columns if found is None else len(found) - 1
        better = self._beam(most)
        return found if better is None else better

    def _from_training_rows(self) -> Numbers | None:
        """Return the changes to a training row of a class wanted, without idle ones."""
        rows = self.voter.rows
        of_class = self.votes.is_wanted[rows.shares.argmax(axis=1)]
        starts = self.alternatives.nearest_to(rows.codes[of_class], self.place)
        starts = np.unique(starts, axis=0)
        order = np.argsort((starts >= 0).sum(axis=1), kind="stable")
        starts = starts[order[:MOST_STARTS]]
        if not len(starts):
            return None
        judged = self.votes.judged(starts, self.votes.probabilities(starts))
        found = self._without_idle(judged.take(judged.wins).chosen[:MOST_SHORTENED])
        n_changes = (found >= 0).sum(axis=1)
        for size in np.unique(n_changes).tolist():
            few = np.sort(found[n_changes == size], axis=1)[:, found.shape[1] - size :]
            few = np.unique(few, axis=0)
            judged = self.votes.judged(few, self.votes.probabilities(few))
            nearest = self._nearest(judged)
            if nearest is not None:
                return nearest
        return None

    def _without_idle(self, chosen: Numbers) -> Numbers:
        """Undo changes of winning rows (n, D), one at a time, while they win."""
        chosen = chosen.copy()
        active = np.arange(len(chosen))
        while len(active):
            row, column = np.nonzero(chosen[active] >= 0)
            fewer = chosen[active[row]]
            fewer[np.arange(len(row)), column] = -1
            judged = self.votes.judged(fewer, self.votes.probabilities(fewer))
            order = np.lexsort((-judged.lead, ~judged.wins, row))
            best = order[np.diff(row[order], prepend=-1) > 0]  # the first of each row
            best = best[judged.wins[best]]
            active = active[row[best]]
            chosen[active] = fewer[best]
        return chosen

    def _beam(self, most: int) -> Numbers | None:
        """Return changes that do, ``most`` at most, one after the other the best."""
        width = max(1, BEAM // len(self.alternatives))
        column = self.alternatives.column
        best = np.empty((1, 0), np.intp)
        for _ in range(most):
            chunks = self.votes.chunks(best, 0)
            p = np.concatenate([*map(self.votes.probabilities_of_more, chunks)])
            is_taken = (column[best][:, :, None] == column).any(axis=1)  # (b, S)
            row, more = np.nonzero(~is_taken)
            chosen = np.sort(np.column_stack([best[row], more]), axis=1)
            chosen, first = np.unique(chosen, axis=0, return_index=True)
            rows = self.votes.judged(chosen, p[row[first], more[first]])
            found = self._nearest(rows)
            if found is not None:
                return found
            best = chosen[np.argsort(-rows.lead, kind="stable")[:width]]
        return None
