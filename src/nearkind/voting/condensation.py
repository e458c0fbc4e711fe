"""Prototypes: few unique rows that classify nearly as well as all."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.form import FittedDistance, query_chunks
from nearkind.neighbors.k_nearest import tie_widths
from nearkind.neighbors.training_rows import TrainingRows
from nearkind.neighbors.voting import most_votes
from nearkind.protocols import Array
from nearkind.validation.limits import distances_at_once
from nearkind.validation.parameters import check_whole
from nearkind.voting.voter import Voter

Numbers = NDArray[np.intp]

N_FOLDS = 5
"""Number of folds to select the number of prototypes."""
GROWTH = 1.25
"""Ratio of one number of prototypes that is tried to the one before."""
MOST_ROWS = 20_000
"""Unique rows among which prototypes are chosen; of more, so many are drawn."""
NOTHING = 1e-9
"""Share of a gain, or of a row, below which what is left of it is rounding."""


def cover_order(
    metric: FittedDistance, rows: Any, target: Numbers, weights: Array, at_once: int
) -> Iterator[int]:
    """Yield all rows, each the one that covers the most weight not yet covered.

    Row j covers row i if both have one target, and j is nearer to i than all rows of
    other targets are; every row covers itself. Rows that cover all others classify them
    correctly by the nearest one. The best row of each target comes first; when all rows
    are covered, the remaining ones cover them once more.

    This is the greedy algorithm for set cover, on the sets of the minimal consistent
    subset: Wilfong, *Nearest neighbor problems*, 1992, and Bien and Tibshirani,
    *Prototype selection for interpretable classification*, 2011.

    Parameters
    ----------
    metric : FittedDistance
        Fitted.
    rows : sequence of length m
        As the metric represents them.
    target : ndarray of int (m,)
        Class numbers.
    weights : ndarray (m,)
    at_once : int
        Distances to hold at a time.

    Examples
    --------
    >>> import nearkind as nk
    >>> metric = nk.baselines.Hamming().fit([["a", "x"], ["b", "y"]]).distance_
    >>> rows = metric.represent(np.array([[0, 0], [0, 1], [1, 1]]))
    >>> list(cover_order(metric, rows, np.array([0, 0, 1]), np.ones(3), 100))
    [1, 2, 0]
    """
    m = len(rows)
    radius = np.empty(m)

    def covering(at: Any) -> NDArray[np.bool_]:
        """Return which rows cover some rows (b, m)."""
        d = metric.compare(rows[at], rows)
        same = target[at][:, None] == target
        nearest_other = np.where(same, np.inf, d).min(axis=1)
        radius[at] = nearest_other - tie_widths(d)
        found = same & (d < radius[at][:, None])
        found[np.arange(len(d)), np.arange(m)[at]] = True
        return found

    gains = np.zeros(m)
    for at in query_chunks(m, m, at_once):
        gains += weights[at] @ covering(at)
    best_of_each = [
        int(rows_of[np.argmax(gains[rows_of])])
        for rows_of in (np.flatnonzero(target == c) for c in np.unique(target))
    ]
    first = sorted(best_of_each, key=lambda row: -gains[row])
    total, is_left = gains.copy(), np.ones(m, dtype=bool)
    while is_left.any():
        gains, uncovered = np.where(is_left, total, 0.0), np.ones(m, dtype=bool)
        while True:
            best = first.pop(0) if first else int(np.argmax(gains))
            if gains[best] <= NOTHING * total[best]:
                break
            yield best
            is_left[best] = False
            d = metric.compare(rows, rows[[best]])[:, 0]
            covered = uncovered & (target == target[best]) & (d < radius)
            covered[best] = uncovered[best]
            uncovered &= ~covered
            new = np.flatnonzero(covered)
            for at in query_chunks(len(new), m, at_once):
                gains -= weights[new[at]] @ covering(new[at])
            gains[best] = 0.0


def nearest_counts(
    metric: FittedDistance, rows: Any, counts: Array, kept: Numbers, at_once: int
) -> Array:
    """Return the counts (n, C) of kept rows and of all rows to which each is nearest.

    Rows equally near share.

    Parameters
    ----------
    metric, rows, at_once : as in ``cover_order``
    counts : ndarray (m, C)
        Number of rows of each class that each represents.
    kept : ndarray of int (n,)
        The rows that are kept.

    Examples
    --------
    >>> import nearkind as nk
    >>> metric = nk.baselines.Hamming().fit([["a", "x"], ["b", "y"]]).distance_
    >>> rows = metric.represent(np.array([[0, 0], [0, 1], [1, 1]]))
    >>> counts = np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 3.0]])
    >>> nearest_counts(metric, rows, counts, np.array([0, 2]), 100).tolist()
    [[2.0, 0.5], [0.0, 3.5]]
    """
    total = counts[kept].copy()
    others = np.setdiff1d(np.arange(len(counts)), kept)
    for at in query_chunks(len(others), len(kept), at_once):
        d = metric.compare(rows[others[at]], rows[kept])
        near = d <= (d.min(axis=1) + tie_widths(d))[:, None]
        total += (near / near.sum(axis=1, keepdims=True)).T @ counts[others[at]]
    return total


def fold_counts(counts: Array, n_folds: int, fold: int) -> Array:
    """Return the part of rows (m, C) that one of several folds holds out.

    The rows of each class, in an order that is drawn, go to the folds in turn; a weight
    that is not whole may be split between two.

    Examples
    --------
    >>> counts = np.array([[3.0, 0.0], [1.0, 2.0]])
    >>> sum(fold_counts(counts, 2, fold) for fold in range(2)).tolist()
    [[3.0, 0.0], [1.0, 2.0]]
    """
    order = np.random.default_rng(0).permutation(len(counts))
    ends = np.cumsum(counts[order].T.ravel())  # class after class

    def before(x: Array) -> Array:
        """Return how much of [0, x) the fold has: of every n_folds ones, its own."""
        return np.floor(x / n_folds) + np.clip(x % n_folds - fold, 0.0, 1.0)

    held = before(ends) - before(np.append(0.0, ends[:-1]))
    back = np.empty_like(counts)
    back[order] = held.reshape(counts.T.shape).T
    return np.clip(back, 0.0, counts)


def hold_out(voter: Voter, n_folds: int, fold: int = 0) -> tuple[Voter, Numbers, Array]:
    """Return a voter without the rows that one of several folds holds out.

    Moreover, the numbers (b,) of the unique rows of which it holds some out, and how
    many of each class (b, C).
    """
    rows, one = voter.rows, voter.rows.weight_of_one
    held = one * fold_counts(rows.counts / one, n_folds, fold)
    left = rows.counts - held
    kept = np.flatnonzero(left.sum(axis=1) > NOTHING * one)
    out = np.flatnonzero(held.sum(axis=1) > NOTHING * one)
    return voter.with_rows(rows.take(kept, left[kept])), out, held[out]


@dataclass(frozen=True)
class Condensation:
    """Prototypes of rows that vote, for any number of them.

    Each row is to be given the class that all rows together give it. Prototypes are the
    first rows of ``cover_order`` for these classes. Each stands for the rows to which
    it is the nearest one, with their classes as they are, so that the weight of each
    class stays.

    Parameters
    ----------
    voter : Voter
        Its rows are to become fewer.
    """

    voter: Voter

    @property
    def voting(self) -> TrainingRows:
        """The unique rows that vote."""
        return self.voter.rows

    @cached_property
    def rows(self) -> Any:
        """The rows, as the distance represents them."""
        return self.voter.distance.represent(self.voting.codes)

    def vote(self, voting: TrainingRows, rows: Any) -> Array:
        """Return each class's share (b, C) of the votes on represented rows (b)."""
        return replace(self.voter, rows=voting, index_kind="exact").shares_of(rows)

    @property
    def fewest_rows(self) -> int:
        """Number of classes, each of which keeps a row; or of rows, if these are less.

        Examples
        --------
        >>> import nearkind as nk
        >>> model = nk.CPMLClassifier("hamming").fit([["a"], ["b"], ["b"]], [0, 1, 1])
        >>> Condensation(model.committee_.voters[0]).fewest_rows
        2
        """
        return min(int(self.voting.counts.any(axis=0).sum()), len(self.voting))

    def condensed(self, n_rows: int) -> TrainingRows:
        """Return so many prototypes, or all rows if there are no more."""
        if n_rows >= len(self.voting):
            return self.voting
        kept = np.sort(self._first(n_rows))
        metric, counts = self.voter.distance, self.voting.counts
        counts = nearest_counts(metric, self.rows, counts, kept, distances_at_once())
        return self.voting.take(kept, counts)

    def _first(self, n_rows: int) -> Numbers:
        """Return the first rows of the order, which is found as far as it is needed."""
        found, order = self._order
        found += islice(order, max(n_rows - len(found), 0))
        return np.array(found[:n_rows])

    @cached_property
    def _order(self) -> tuple[list[int], Iterator[int]]:
        """The first rows of the order, and the others, which are not found yet."""
        return [], self._all_in_order()

    def _all_in_order(self) -> Iterator[int]:
        m, weights = len(self.voting), self.voting.weights
        drawn = np.arange(m)
        if m > MOST_ROWS:
            rng = np.random.default_rng(0)
            chances = weights / weights.sum()
            drawn = np.sort(rng.choice(m, MOST_ROWS, replace=False, p=chances))
            drawn = np.union1d(drawn, self.voting.counts.argmax(axis=0))
        rows, target = self.rows[drawn], self._targets(drawn)
        order = cover_order(
            self.voter.distance, rows, target, weights[drawn], distances_at_once()
        )
        yield from (int(drawn[row]) for row in order)
        others = np.setdiff1d(np.arange(m), drawn)
        yield from others[np.argsort(-weights[others], kind="stable")].tolist()

    def _targets(self, at: Numbers) -> Numbers:
        """Return the class that all rows give to some; each class has one at least."""
        counts = self.voting.counts[at]
        target = most_votes(self.vote(self.voting, self.rows[at]))
        for number in np.flatnonzero(counts.any(axis=0)):
            if not (target == number).any():
                target[counts[:, number].argmax()] = number
        return target

    @cached_property
    def _folds(self) -> "list[HeldOut]":
        n_tried = N_FOLDS if len(self.voting) <= MOST_ROWS else 1
        folds = (HeldOut.of(self, fold) for fold in range(n_tried))
        return [fold for fold in folds if len(fold.held)]  # of few rows, fewer

    @property
    def full_score(self) -> float:
        """Share of held-out rows that all other rows classify correctly."""
        return self._score([fold.n_right for fold in self._folds])

    def score(self, n_rows: int) -> float:
        """Return the share of held-out rows that so many prototypes classify correctly.

        They are chosen among the other rows, under the distance as it is.
        """
        return self._score([fold.n_right_by(n_rows) for fold in self._folds])

    def _score(self, n_right: list[float]) -> float:
        return sum(n_right) / sum(float(fold.held.sum()) for fold in self._folds)

    def n_rows(self, tolerance: float) -> int:
        """Return the fewest rows tried whose score is so much less than that of all."""
        n: float = self.fewest_rows
        while n < len(self.voting):
            if self.score(int(n)) >= self.full_score - tolerance:
                return int(n)
            n = max(n + 1, n * GROWTH)
        return len(self.voting)


@dataclass(frozen=True)
class HeldOut:
    """Rows held out, and the prototypes of the others.

    Parameters
    ----------
    others : Condensation
        Of the rows that are not held out.
    rows : sequence of length b
        Unique held-out rows, as the metric represents them.
    held : ndarray (b, C)
        Number of rows of each class that each represents.
    """

    others: Condensation
    rows: Any
    held: Array

    @classmethod
    def of(cls, whole: Condensation, fold: int) -> "HeldOut":
        """Hold out one of ``N_FOLDS`` parts of all rows."""
        voter, out, held = hold_out(whole.voter, N_FOLDS, fold)
        return cls(replace(whole, voter=voter), whole.rows[out], held)

    @cached_property
    def n_right(self) -> float:
        """How many held-out rows are classified correctly by all others."""
        return self._n_right(self.others.voting)

    def n_right_by(self, n_rows: int) -> float:
        """Return how many are classified correctly by so many prototypes."""
        if n_rows >= len(self.others.voting):
            return self.n_right
        return self._n_right(self.others.condensed(n_rows))

    def _n_right(self, voting: TrainingRows) -> float:
        predicted = most_votes(self.others.vote(voting, self.rows))
        return float(self.held[np.arange(len(predicted)), predicted].sum())


def condensed_rows(
    found: Condensation, n_rows: int | None, tolerance: float
) -> TrainingRows:
    """Return the prototypes, so many or the fewest that lose no more accuracy.

    Parameters
    ----------
    found : Condensation
    n_rows : int or None
        Unique rows to keep; None: by ``tolerance``.
    tolerance : float
        Share of held-out rows that may be lost.
    """
    if n_rows is None:
        return found.condensed(found.n_rows(check_tolerance(tolerance)))
    n_rows = check_whole(n_rows, "n_rows", "condensed")
    if n_rows < found.fewest_rows:
        raise ValueError(
            f"condensed keeps a row of each class, so n_rows must be at least "
            f"{found.fewest_rows}; got {n_rows}."
        )
    return found.condensed(n_rows)


def check_tolerance(tolerance: Any) -> float:
    """Return a tolerance; raise ValueError unless it is a number from 0 to 1."""
    is_number = isinstance(tolerance, Real) and not isinstance(tolerance, bool)
    if not is_number or not 0.0 <= tolerance <= 1.0:
        raise ValueError(
            "The 'tolerance' of condensed must be a number from 0 to 1, a share of "
            f"rows such as 0.01; got {tolerance!r}."
        )
    return float(tolerance)
