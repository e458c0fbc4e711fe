"""Evaluation of a candidate on a fold, along its strengths."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind import optimizations
from nearkind.encoding.rows import CodedRows
from nearkind.estimators.base import codebook_of
from nearkind.estimators.fit_report import fit_report
from nearkind.neighbors import TrainingRows, is_soft
from nearkind.protocols import Array
from nearkind.search.candidates import Candidate
from nearkind.search.folds import Fold
from nearkind.search.scoring import Scoring
from nearkind.solvers.solution import Deadline, Stop
from nearkind.voting import LeafRule, NearestRule, SoftRule, Voter
from nearkind.voting.voter import Rule, best_temperature

PATIENCE = 2
"""Strengths in a row that did no better, after which a path has turned."""
ENOUGH_HELD = 300
"""Rows held out from which the turn of a path is not chance."""


class Votes(NamedTuple):
    """What a candidate at one strength says of the held-out rows."""

    number: int  # of the strength
    shares: Array  # (V, n_held, C), by each of the V ways to vote
    rank: float  # of the metric; NaN if it has none
    seconds: float
    was_cut: bool  # by the deadline, before it was learned


@dataclass
class Outcome:
    """What became of a candidate on a fold.

    Attributes
    ----------
    votes : list of Votes
        At the strengths wanted, as far as it came.
    error : str or None
        Why it cannot be fitted.
    has_turned : bool
        Whether weaker strengths were left out, as they did no better.
    n_fits : int
    """

    votes: list[Votes] = field(default_factory=list)
    error: str | None = None
    has_turned: bool = False
    n_fits: int = 0


@dataclass(frozen=True)
class FoldRows:
    """The rows of a fold, in the codes that a distance learns from them.

    Attributes
    ----------
    train, held : CodedRows
        Values that only held rows have are unseen.
    voters : TrainingRows
        Those to learn from, equal ones merged.
    truth : ndarray of int (n_held,)
        Classes of the held rows, among those of all rows.
    classes : ndarray (C,)
        Labels of all rows.
    """

    train: CodedRows
    held: CodedRows
    voters: TrainingRows
    truth: NDArray[np.intp]
    classes: NDArray[Any]

    @classmethod
    def of(cls, rows: CodedRows, fold: Fold, metric: Any) -> "FoldRows":
        """Code the rows of a fold as an unfitted distance wants them."""
        train = rows.take(fold.train).recode(codebook_of(metric))
        held = rows.take(fold.held).coded_by(train.codebook)
        voters = TrainingRows.of(train)
        return cls(train, held, voters, rows.y[fold.held], rows.classes)

    def shares(self, metric: Any, ways: Sequence[tuple[int, Any]]) -> Array:
        """Return the votes (V, n_held, C) under a fitted distance."""
        form, voting, codes = metric.distance_, self.voters, self.held.codes
        if form.codebook is not self.train.codebook:
            voting = TrainingRows.of(self.train.coded_by(form.codebook))
            codes = self.held.coded_by(form.codebook).codes
        report, k = fit_report(metric), max(k for k, _ in ways)
        voter = Voter(form, voting, NearestRule(k), report)
        by_way = voter.shares_by_rule(codes, rules(voter, ways))  # (V, n_held, C')
        kind = np.float32 if optimizations.enabled() else np.float64
        whole = np.zeros((*by_way.shape[:2], len(self.classes)), kind)
        whole[:, :, np.searchsorted(self.classes, self.train.classes)] = by_way
        return whole


def rules(voter: Voter, ways: Sequence[tuple[int, Any]]) -> list[Rule]:
    """Return the rules of a voter for numbers of neighbours and weights of votes.

    The temperature of soft votes is that which the distance was learned for, or the one
    at which rows left out in turn are likeliest.
    """
    if voter.distance.votes_by_leaves:
        return [LeafRule(k) if is_soft(w) else NearestRule(k, w) for k, w in ways]
    temperature = voter.report.temperature
    if temperature is None and any(is_soft(weights) for _, weights in ways):
        temperature = best_temperature(voter.distance, voter.rows)
    return [
        SoftRule(float(temperature or 0.0), k) if is_soft(w) else NearestRule(k, w)
        for k, w in ways
    ]


def evaluate(
    candidate: Candidate,
    numbers: Collection[int],
    rows: FoldRows,
    ways: Sequence[tuple[int, Any]],
    scoring: Scoring,
    deadline: Deadline,
    may_turn: bool = False,
) -> Outcome:
    """Fit a candidate along its strengths and let it vote on held rows.

    Parameters
    ----------
    candidate : Candidate
    numbers : collection of int
        Of the strengths whose votes are wanted.
    rows : FoldRows
    ways : sequence of (int, weights)
        To vote, V of them: the number of neighbours, and the weights of votes.
    scoring : Scoring
        By which a path turns.
    deadline : Deadline
        After which no fit is begun, and one that runs is cut short.
    may_turn : bool, default=False
        Whether to leave out weaker strengths once several did no better.
    """
    outcome, best, n_worse = Outcome(), -np.inf, 0
    weights = rows.held.weights
    may_turn = may_turn and optimizations.enabled() and len(rows.held) >= ENOUGH_HELD
    start = perf_counter()
    try:
        with deadline.limit():
            for number, metric in candidate.path(rows.train, max(numbers)):
                outcome.n_fits += 1
                was_cut = getattr(metric, "stop_reason_", None) == Stop.OUT_OF_TIME.name
                if was_cut and outcome.votes:
                    return outcome
                if number in numbers:
                    shares = rows.shares(metric, ways)
                    rank = float(getattr(metric, "rank_", np.nan))
                    seconds = perf_counter() - start
                    votes = Votes(number, shares, rank, seconds, was_cut)
                    outcome.votes.append(votes)
                    found = float(scoring.quality(shares, rows.truth, weights).max())
                    n_worse = 0 if found > best else n_worse + 1
                    best = max(best, found)
                start = perf_counter()
                if deadline.has_passed:
                    return outcome
                if may_turn and n_worse >= PATIENCE:
                    outcome.has_turned = True
                    return outcome
    except (ValueError, TypeError) as error:
        outcome.error = str(error)
    return outcome
