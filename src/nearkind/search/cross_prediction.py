"""Cross-predictions: predictions for rows that influenced no selection.

Members and calibration are chosen by votes on held rows. Judged on the same rows they
look better than they are, and conformal scores of those rows are no longer exchangeable
with the score of a new row. So the rows of each fold get the members and the
calibration that the other folds would have chosen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array
from nearkind.search.ensemble import Member, select_members, stacked_members
from nearkind.search.scoring import Scoring
from nearkind.voting import weighed, weighted_mean
from nearkind.voting.calibration import Calibration, effective_rows

POWERS = np.arange(9) / 8.0
"""Powers of the frequencies of the classes that factors may be the inverse of."""
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
    class_factors : ndarray (C,) or None, default=None
        Of the probabilities, to predict classes by.
    """

    members: list[Member]
    weights: Array
    calibration: Calibration | None
    class_factors: Array | None = None

    def probabilities(self, tables: Sequence[Array]) -> Array:
        """Return those of rows (n, C), given each contender's votes (V, n, C)."""
        votes = [tables[member.contender][member.way] for member in self.members]
        shares = weighted_mean(votes, self.weights)
        if self.calibration is None:
            return shares
        return self.calibration.probabilities(shares)


def best_factors(
    p: Array, totals: Array, score: Callable[[Array], Any]
) -> Array | None:
    """Return factors of the classes by which predictions score highest.

    They are inverse powers of the frequencies of the classes, from 0, with which the
    most probable class is predicted, to 1, which is best for the mean recall of true
    probabilities: one number to choose, whatever the number of classes. For two classes
    it is a threshold.

    Parameters
    ----------
    p : ndarray (n, C)
        Probabilities.
    totals : ndarray (C,)
        Weight of the rows of each class.
    score : callable
        From probabilities (n, C) to the score of their largest ones.

    Returns
    -------
    ndarray (C,), or None if all are the same
    """
    shares = np.maximum(totals, 0.5) / totals.sum()
    found = [shares**-power for power in POWERS]
    scores = [float(score(weighed(p, factors))) for factors in found]
    best = int(np.argmax(scores))
    return found[best] if best else None


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
            return self._weighing(uncalibrated, tables, truth, weights)
        shares = uncalibrated.probabilities(tables)
        n_rows = effective_rows(weights, self.counts[some])
        prior = self._prior(~some)
        calibration = Calibration.fit(shares, truth, weights, prior, n_rows)
        return self._weighing(Choice(*found, calibration), tables, truth, weights)

    def _weighing(
        self,
        choice: Choice,
        tables: Sequence[Array],
        truth: NDArray[np.intp],
        weights: Array,
    ) -> Choice:
        """Return a choice with the factors of the classes that score highest."""
        if not self.scoring.has_factors:
            return choice
        p = choice.probabilities(tables)
        score = partial(self.scoring.score, truth=truth, weights=weights)
        factors = best_factors(p, self.class_weights, score)
        return replace(choice, class_factors=factors)

    def cross_probabilities(self) -> tuple[Array, Array]:
        """Return the probabilities (n, C) of each fold by what the others choose.

        Moreover, the same as they are weighed to predict classes.
        """
        part_of = self.fold_of
        if not part_of.any():  # one fold: its rows are drawn at random
            part_of = np.arange(len(self.truth)) % N_PARTS
        found = np.empty(self.tables[0].shape[1:])
        scaled = np.empty_like(found)
        for part in np.unique(part_of):
            mine = part_of == part
            choice = self.choose(without=None if mine.all() else mine)
            found[mine] = choice.probabilities(
                [table[:, mine] for table in self.tables]
            )
            scaled[mine] = weighed(found[mine], choice.class_factors)
        return found, scaled

    def _prior(self, without: NDArray[np.bool_]) -> Array:
        """Return the share of each class, half a row at least, among other rows."""
        truth, weights = self.truth[without], self.weights[without]
        left = self.class_weights - np.bincount(truth, weights, len(self.class_weights))
        left = np.maximum(left, np.minimum(0.5, self.class_weights))
        return left / left.sum()
