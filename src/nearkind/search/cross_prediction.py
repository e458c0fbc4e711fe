"""Cross-predictions: predictions for rows that influenced no selection.

Members and calibration are chosen by votes on held rows. Judged on the same rows they
look better than they are, and conformal scores of those rows are no longer exchangeable
with the score of a new row. So the rows of each fold get the members and the
calibration that the other folds would have chosen.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array
from nearkind.search.ensemble import Member, select_members, stacked_members
from nearkind.search.scoring import Scoring
from nearkind.voting import weighted_mean
from nearkind.voting.calibration import Calibration, effective_rows

N_PARTS = 2
"""Parts that the rows of a single fold are divided into."""


@dataclass(frozen=True)
class Choice:
    """Members that vote together, and how their votes become probabilities.

    Attributes
    ----------
    members : list of Member
    weights : ndarray
        Of their votes; they add up to 1.
    calibration : Calibration or None
        None: shares of votes are returned as they are.
    """

    members: list[Member]
    weights: Array
    calibration: Calibration | None

    def probabilities(self, tables: Sequence[Array]) -> Array:
        """Return those of rows (n, C), given each contender's votes (V, n, C)."""
        votes = [tables[member.contender][member.way] for member in self.members]
        shares = weighted_mean(votes, self.weights)
        if self.calibration is None:
            return shares
        return self.calibration.probabilities(shares)


@dataclass(frozen=True)
class HeldVotes:
    """The votes of all contenders on all held rows.

    Attributes
    ----------
    tables : sequence of ndarray (V, n, C)
        Votes of each contender, by each of its ways to vote.
    alive : sequence of ndarray of bool (V,)
        Which ways may be chosen.
    families : sequence of int
        Number of the candidate of each contender.
    truth : ndarray of int (n,)
        Class numbers.
    weights, counts : ndarray (n,)
        How much each row weighs, and how many rows it stands for.
    fold_of : ndarray of int (n,)
        Number of the fold that held each row.
    class_weights : ndarray (C,)
        Weight of the rows of each class, held or not.
    most_members : int
    scoring : Scoring
    calibrate : bool
    """

    tables: Sequence[Array]
    alive: Sequence[NDArray[np.bool_]]
    families: Sequence[int]
    truth: NDArray[np.intp]
    weights: Array
    counts: Array
    fold_of: NDArray[np.intp]
    class_weights: Array
    most_members: int
    scoring: Scoring
    calibrate: bool

    def choose(self, without: NDArray[np.bool_] | None = None) -> Choice:
        """Return the best members and their calibration, as if some rows were new.

        Parameters
        ----------
        without : ndarray of bool (n,), default=None
            The held rows that have no say; None: none.
        """
        n = len(self.truth)
        some = np.ones(n, dtype=bool) if without is None else ~without
        tables = [table[:, some] for table in self.tables]
        truth, weights = self.truth[some], self.weights[some]
        last = truth, weights, self.most_members, self.scoring
        if self.scoring.is_of_rows:
            found = stacked_members(tables, self.alive, self.families, *last)
        else:
            members = select_members(tables, self.alive, *last)
            found = members, np.full(len(members), 1.0 / len(members))
        uncalibrated = Choice(*found, None)
        if not self.calibrate:
            return uncalibrated
        shares = uncalibrated.probabilities(tables)
        n_rows = effective_rows(weights, self.counts[some])
        prior = self._prior(~some)
        return Choice(*found, Calibration.fit(shares, truth, weights, prior, n_rows))

    def cross_probabilities(self) -> Array:
        """Return the probabilities (n, C) of each fold by what the others choose."""
        part_of = self.fold_of
        if not part_of.any():  # one fold: its rows are drawn at random
            part_of = np.arange(len(self.truth)) % N_PARTS
        found = np.empty(self.tables[0].shape[1:])
        for part in np.unique(part_of):
            mine = part_of == part
            choice = self.choose(without=None if mine.all() else mine)
            found[mine] = choice.probabilities(
                [table[:, mine] for table in self.tables]
            )
        return found

    def _prior(self, without: NDArray[np.bool_]) -> Array:
        """Return the share of each class, half a row at least, among other rows."""
        truth, weights = self.truth[without], self.weights[without]
        left = self.class_weights - np.bincount(truth, weights, len(self.class_weights))
        left = np.maximum(left, np.minimum(0.5, self.class_weights))
        return left / left.sum()
