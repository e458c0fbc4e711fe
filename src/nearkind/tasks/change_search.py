"""The fewest changes of a row that change its class, the nearest of these first.

All rows of one change are tried, then all of two, and so on, but for those that bounds
exclude: the first that do are the fewest. Where these are too many, training rows of
the class show the way, and changes made one after the other, the best ones first.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nearkind.neighbors import ranks, tie_widths
from nearkind.protocols import Array
from nearkind.tasks.alternatives import Alternatives, Numbers
from nearkind.tasks.changed_votes import ChangedVotes, JudgedRows

MOST_STARTS = 2_000
"""Training rows of the class, those of fewest changes, that are tried."""
MOST_SHORTENED = 32
"""Of those that have the class, so many are shortened."""
BEAM = 4_000
"""Changed rows that are tried for one more change, where all are too many."""
DIGITS = 9
"""Probabilities that agree to so many digits are equal."""


@dataclass(frozen=True)
class Solution:
    """What a search found.

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
        Number of the member whose distance tells which of several is nearest.
    limit : int
        Rows to judge, and parts of them to bound, at most; then rules of thumb.
    has_class : callable
        Whether the model says a class wanted of a row that takes alternatives (r,),
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

    def run(self) -> Solution:
        """Return the fewest changes that do, and what is proven of them."""
        n_columns, n_tried, left = self.alternatives.n_columns, 0, self.limit
        for size in range(1, n_columns + 1):
            parts, left = self._all_of(size, left)
            if left < 0:
                return Solution(self._guess(), size, n_tried, False)
            n_tried += sum(len(rows.chosen) for rows in parts)
            found = self._nearest(JudgedRows.joined(parts)) if parts else None
            if found is not None:
                return Solution(found, size, n_tried, True)
        return Solution(None, n_columns + 1, n_tried, True)

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
        distance = self.votes.model.members_[self.place].distance_
        own = distance.represent(self.alternatives.own[self.place][None])
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
        voters = self.votes.model.members_[self.place].training_rows_
        of_class = self.votes.is_wanted[voters.shares.argmax(axis=1)]
        starts = self.alternatives.nearest_to(voters.codes[of_class], self.place)
        starts = np.unique(starts, axis=0)
        order = np.argsort((starts >= 0).sum(axis=1), kind="stable")
        starts = starts[order[:MOST_STARTS]]
        if not len(starts):
            return None
        rows = self.votes.judged(starts, self.votes.probabilities(starts))
        found = self._without_idle(rows.take(rows.wins).chosen[:MOST_SHORTENED])
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
