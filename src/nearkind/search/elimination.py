"""Successive elimination of settings that are clearly behind the best.

A race over folds, after Maron and Moore, *Hoeffding races*, NIPS 1994, with standard
errors of paired differences instead of Hoeffding bounds. Where there are many rows a
screening round is run on few of them, as in successive halving (Jamieson and Talwalkar,
*Non-stochastic best arm identification and hyperparameter optimization*, AISTATS 2016);
but who is not clearly behind goes on, be it more than half. With optimisations turned
off every candidate is fitted on every fold.
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind import optimizations
from nearkind.encoding.rows import CodedRows
from nearkind.estimators.base import codebook_of
from nearkind.neighbors import LeafVotes, TrainingRows, is_soft
from nearkind.protocols import Array
from nearkind.search.candidates import Candidate
from nearkind.search.ensemble import least_gain
from nearkind.search.evaluation import FoldRows, Outcome, Votes, evaluate
from nearkind.search.folds import Fold, screening_fold
from nearkind.search.scoring import Accuracy, Scoring
from nearkind.solvers.solution import Deadline
from nearkind.validation.threads import thread_map

BEHIND = 2.0
"""Standard errors, of the paired difference, by which a setting is out of the race."""
NO_TIME = "There was no time for it."
LEARNING_SHARE = 0.1
"""Share of the work that is left when the search is over: learning from all rows."""
LARGE_FIT = 3_000
"""Rows to learn from up to which cores share the fits, beyond which they share the work
of each fit."""


@dataclass(eq=False)
class Contender:
    """One candidate at one strength, with every way to vote.

    Attributes
    ----------
    candidate : Candidate
    number : int
        Place of its strength among those of the candidate.
    shares : list of ndarray (V, n_held, C)
        For each fold the votes on held rows, by each of the V ways to vote.
    held : list of ndarray of int (n_held,)
        For each fold the held-out rows.
    alive : ndarray of bool (V,)
        Which ways to vote have not been eliminated.
    seconds : float
        What its fits took.
    rank : float
        Rank of the last metric, NaN if it has none.
    """

    candidate: Candidate
    number: int
    shares: list[Array] = field(default_factory=list)
    held: list[NDArray[np.intp]] = field(default_factory=list)
    alive: NDArray[np.bool_] = field(default_factory=lambda: np.ones(0, dtype=bool))
    seconds: float = 0.0
    rank: float = np.nan

    @property
    def strength(self) -> Any:
        """The setting of the candidate that it stands for."""
        return self.candidate.settings[self.number]

    def table(self) -> Array:
        """Return all votes so far (V, n, C)."""
        return np.concatenate(self.shares, axis=1)

    def take(self, votes: Votes, held: NDArray[np.intp]) -> None:
        """Add the votes on one more fold."""
        self.shares.append(votes.shares)
        self.held.append(held)
        self.rank, self.seconds = votes.rank, self.seconds + votes.seconds
        if not len(self.alive):
            self.alive = np.ones(len(votes.shares), dtype=bool)

    def keep_folds(self, n_folds: int) -> None:
        """Forget the votes on folds beyond the first few."""
        del self.shares[n_folds:], self.held[n_folds:]


@dataclass
class Elimination:
    """Fits candidates on folds and drops what falls clearly behind.

    Parameters
    ----------
    rows : CodedRows
        Training rows, read once; a fold is some of them.
    ways : sequence of (int, weights)
        To vote: numbers of neighbours, and weights of votes.
    deadline : Deadline
        After which no fit begins, but the first.
    tell : callable
        Is told (work done or no longer needed, work in all, what comes next, best
        accuracy so far).
    n_jobs : int, default=None
        Threads, None for one a core; results do not depend on it.
    scoring : Scoring, default=Accuracy()
        By which who is behind is out.

    Attributes
    ----------
    contenders, dropped : list of Contender
        Those still in the race, and those eliminated.
    refused : dict of str
        Candidates that could not be fitted, and why.
    held : list of ndarray
        Rows held out by each fold so far.
    learned : dict of int
        Distances that were learned from all rows already, by the id of their candidate.
    n_fits : int
    was_interrupted : bool
        Whether Ctrl-C ended it.
    total : float
        Work of the search and of learning from all rows, as if nothing were dropped.
    """

    rows: CodedRows
    ways: Sequence[tuple[int, Any]]
    deadline: Deadline = field(default_factory=Deadline)
    notify: Callable[[float, float, str, float], None] = lambda *told: None
    n_jobs: int | None = None
    scoring: Scoring = field(default_factory=Accuracy)
    contenders: list[Contender] = field(default_factory=list)
    dropped: list[Contender] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    held: list[NDArray[np.intp]] = field(default_factory=list)
    learned: dict[int, Any] = field(default_factory=dict)
    n_fits: int = 0
    was_interrupted: bool = False
    total: float = 1.0
    _done: float = 0.0
    _n_folds: int = 1
    _coded: dict[Any, FoldRows] = field(default_factory=dict)
    _order: list[Candidate] = field(default_factory=list)
    _waiting: list[Candidate] = field(default_factory=list)
    _best: float = np.nan

    def run(self, candidates: Sequence[Candidate], folds: Sequence[Fold]) -> None:
        """Fit the candidates on the folds, until all are done or time is up.

        Candidates of a later stage are fitted only if those before them can be beaten.
        """
        self._order = once_each(candidates)
        soft = [is_soft(weights) for _, weights in self.ways]
        whole = [each for each in self._order if each.out_of_bag and any(soft)]
        self._waiting = [each for each in self._order if each not in whole]
        self._n_folds, over = len(folds), False
        self.total = self._left() / (1.0 - LEARNING_SHARE)
        while self._waiting and not over:
            self._enter(min(candidate.stage for candidate in self._waiting))
            self._run_screening(folds[0])
            over = self._run_folds(folds)
        for contender in (*self.contenders, *self.dropped):
            contender.keep_folds(max(len(self.held), 1))
        self.held = self.held or [fold.held for fold in folds]
        for candidate in whole:
            self._fit_whole(candidate, np.array(soft))
        for candidate in self._waiting:
            self.refused[candidate.name] = (
                NO_TIME
                if self._is_late()
                else "It could not have done better than the others."
            )

    def _fit_whole(self, candidate: Candidate, soft: NDArray[np.bool_]) -> None:
        """Fit a candidate to all rows once; on held rows it votes out of bag."""
        mine = Contender(candidate, 0)
        if self._is_late() or self.was_interrupted:
            self._refuse([mine], NO_TIME)
            return
        self.notify(self._done, self.total, candidate.name, self._best)
        start = perf_counter()
        try:
            with self.deadline.limit(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                metric = candidate.accepting_unseen.metric.fit(self.rows)
        except (ValueError, TypeError) as error:
            self._refuse([mine], str(error))
            return
        self.n_fits += 1
        self.learned[id(candidate)] = metric
        rows = self.rows.coded_by(metric.distance_.codebook)
        shares = LeafVotes(metric.distance_, TrainingRows.of(rows)).out_of_bag(
            rows.codes
        )
        for held in self.held:
            votes = np.repeat(shares[held][None], len(soft), axis=0)
            seconds = (perf_counter() - start) / len(self.held)
            mine.take(Votes(0, votes, np.nan, seconds, False), held)
        mine.alive = soft
        self.contenders.append(mine)
        self.contenders.sort(key=lambda c: self._order.index(c.candidate))

    def _enter(self, stage: int) -> None:
        """Add the candidates of a stage, in the order in which they were given."""
        self.contenders += [
            Contender(candidate, number)
            for candidate in self._waiting
            if candidate.stage == stage
            for number in range(len(candidate.settings))
        ]
        self.contenders.sort(key=lambda c: self._order.index(c.candidate))
        self._waiting = [c for c in self._waiting if c.stage != stage]

    def _run_screening(self, fold: Fold) -> None:
        """Let newcomers race on few rows if there are many; who can win goes on.

        A candidate whose best strength is clearly behind is out; the others go on with
        all of their strengths, as which is best depends on the number of rows.
        """
        screening = (
            screening_fold(fold, self.rows.y) if optimizations.enabled() else None
        )
        newcomers = [
            contender
            for contender in self.contenders
            if not contender.shares
            and contender.candidate.strengths
            and not contender.candidate.needs_crosses  # few rows cannot tell
        ]
        if screening is None or not newcomers or self._is_late():
            return
        self._fit_all(newcomers, screening, is_screening=True)
        truth, weights = self.rows.y[screening.held], self.rows.weights[screening.held]
        raced = [c for c in newcomers if c.shares]
        tables = [contender.table() for contender in raced]
        behind = are_behind(tables, truth, weights, self.scoring)
        ahead = {
            id(contender.candidate)
            for contender, is_behind in zip(raced, behind, strict=True)
            if not is_behind.all()
        }
        for contender in raced:
            if id(contender.candidate) in ahead:
                contender.keep_folds(0)
            else:
                self.contenders.remove(contender)
                self.dropped.append(contender)

    def _run_folds(self, folds: Sequence[Fold]) -> bool:
        """Go through the folds; return whether the search is over."""
        for number, fold in enumerate(folds):
            if number and self._is_late():
                return True
            self.held = [fold.held for fold in folds[: number + 1]]
            if not self._run_fold(fold):
                return True
            if not self.contenders or (self._waiting and not self._is_won()):
                return False
            self._drop()
        return True

    @property
    def search_work(self) -> float:
        """The part of the total that is the search."""
        return (1.0 - LEARNING_SHARE) * self.total

    @property
    def truth(self) -> NDArray[np.intp]:
        """Classes of the held rows so far (n,)."""
        return self.rows.y[np.concatenate(self.held)]

    @property
    def held_weights(self) -> Array:
        """Weights of the held rows so far (n,)."""
        return self.rows.weights[np.concatenate(self.held)]

    def _run_fold(self, fold: Fold) -> bool:
        """Fit all contenders on a fold; return whether there was time for them."""
        self._fit_all(self._lacking, fold)
        lacking = self._lacking
        if lacking and len(self.held) > 1:
            self._take_back()
            return False
        self._leave_out(lacking)
        return True

    def _fit_all(
        self, contenders: list[Contender], fold: Fold, is_screening: bool = False
    ) -> None:
        """Fit contenders on a fold, candidate by candidate, cores sharing them."""
        candidates = once_each(contender.candidate for contender in contenders)
        wanted = {
            id(candidate): [c for c in contenders if c.candidate is candidate]
            for candidate in candidates
        }
        ways, scoring = self.ways, self.scoring
        may_turn = not is_screening and len(self.held) == 1

        def outcome_of(candidate: Candidate) -> Outcome | None:
            if self._is_late():
                return None
            rows = coded[id(candidate)]
            if isinstance(rows, Outcome):
                return rows
            numbers = {contender.number for contender in wanted[id(candidate)]}
            accepting_unseen = candidate.accepting_unseen
            deadline = self.deadline
            return evaluate(
                accepting_unseen, numbers, rows, ways, scoring, deadline, may_turn
            )

        n_rows = len(fold.train) if len(fold.train) <= LARGE_FIT else 0
        # Filters of warnings belong to the process: threads must not set them.
        with warnings.catch_warnings(), thread_map(self.n_jobs, n_rows) as run:
            warnings.simplefilter("ignore")  # what matters the last fit says
            try:
                coded = {id(c): self._coded_fold(fold, c) for c in candidates}
                outcomes = iter(run(outcome_of, candidates))
                for candidate in candidates:
                    self.notify(self._done, self.total, candidate.name, self._best)
                    self._take(next(outcomes), wanted[id(candidate)], fold)
                    if not is_screening:  # its votes are not kept
                        self._done = max(self._done, self.search_work - self._left())
            except KeyboardInterrupt:
                self.deadline.end()  # threads that are still at work end by it
                if not any(contender.shares for contender in self.contenders):
                    raise
                self.was_interrupted = True

    def _take(self, outcome: Outcome | None, mine: list[Contender], fold: Fold) -> None:
        """Add the votes of a candidate to its contenders."""
        if outcome is None:
            return
        self.n_fits += outcome.n_fits
        if outcome.error is not None:
            self._refuse(mine, outcome.error)
            return
        by_number = {contender.number: contender for contender in mine}
        for votes in outcome.votes:
            contender = by_number.pop(votes.number)
            if not votes.was_cut or not any(c.shares for c in self.contenders):
                contender.take(votes, fold.held)
                self._note_best(votes, fold)
        if outcome.has_turned:
            self.contenders = [
                c for c in self.contenders if c not in by_number.values()
            ]

    def _note_best(self, votes: Votes, fold: Fold) -> None:
        """Remember the best accuracy on a fold, for people who wait."""
        right = votes.shares.argmax(axis=2) == self.rows.y[fold.held]
        weights = self.rows.weights[fold.held]
        best = float(np.average(right, axis=1, weights=weights).max())
        self._best = float(np.fmax(self._best, best))

    @property
    def _lacking(self) -> list[Contender]:
        """Contenders that have not voted on all folds so far."""
        return [r for r in self.contenders if len(r.shares) < len(self.held)]

    def _left(self) -> int:
        """Return the work of the fits that may still be made."""
        fits = [(c.candidate, self._n_folds - len(c.shares)) for c in self.contenders]
        fits += [(c, self._n_folds * len(c.settings)) for c in self._waiting]
        return sum(n_fits * _work(candidate) for candidate, n_fits in fits)

    def _is_won(self) -> bool:
        """Return whether no vote could be better on the folds so far."""
        if not optimizations.enabled():
            return False
        truth, weights = self.truth, self.held_weights
        enough = self.scoring.best(len(self.rows.classes)) - least_gain(weights)
        return any(
            self.scoring.quality(self._table(r), truth, weights)[r.alive].max()
            >= enough
            for r in self.contenders
        )

    def _table(self, contender: Contender) -> Array:
        """Return a contender's votes on the folds so far (V, n, C)."""
        return np.concatenate(contender.shares[: len(self.held)], axis=1)

    def _is_late(self) -> bool:
        """Return whether time is up; it never is before some contender has voted."""
        has_votes = any(contender.shares for contender in self.contenders)
        return has_votes and self.deadline.has_passed

    def _coded_fold(self, fold: Fold, candidate: Candidate) -> FoldRows | Outcome:
        """Return the rows of a fold, or why there are none.

        Distances that code alike share them.
        """
        metric = candidate.accepting_unseen.metric
        key = fold.train.tobytes(), *codebook_of(metric).policies.values()
        try:
            if key not in self._coded:
                self._coded[key] = FoldRows.of(self.rows, fold, metric)
            rows = self._coded[key]
            candidate.check_size(rows.train.codebook, len(self.rows))
        except (ValueError, TypeError) as error:
            return Outcome(error=str(error))
        return rows

    def _drop(self) -> None:
        """Eliminate what is clearly behind the best that is still in the race."""
        if not optimizations.enabled():
            return
        tables = [self._table(each)[each.alive] for each in self.contenders]
        behind = are_behind(tables, self.truth, self.held_weights, self.scoring)
        for contender, is_behind in zip(self.contenders, behind, strict=True):
            contender.alive[contender.alive] = ~is_behind
        self.dropped += [
            contender for contender in self.contenders if not contender.alive.any()
        ]
        self.contenders = [
            contender for contender in self.contenders if contender.alive.any()
        ]

    def _take_back(self) -> None:
        """Forget the last fold, for which time did not suffice."""
        self.held.pop()
        for contender in self.contenders:
            contender.keep_folds(len(self.held))

    def _leave_out(self, lacking: list[Contender]) -> None:
        """Drop contenders that there was no time to fit."""
        for candidate in once_each(contender.candidate for contender in lacking):
            mine = [r for r in self.contenders if r.candidate is candidate]
            if not any(contender.shares for contender in mine):
                self._refuse(mine, NO_TIME)
        self.contenders = [
            contender for contender in self.contenders if contender.shares
        ]

    def _refuse(self, mine: list[Contender], why: str) -> None:
        self.refused[mine[0].candidate.name] = why
        self.contenders = [
            contender for contender in self.contenders if contender not in mine
        ]


def _work(candidate: Candidate) -> int:
    """Return the work of one fit; those of later turns take about as much more."""
    return 5 if candidate.stage else 1


def are_behind(
    tables: Sequence[Array], truth: NDArray[np.intp], weights: Array, scoring: Scoring
) -> list[NDArray[np.bool_]]:
    """Return which votes of each table (V, n, C) are clearly behind the best (V,).

    That is by more than ``BEHIND`` standard errors of the paired difference, and a row.
    """
    terms = [scoring.terms(table, truth, weights) for table in tables]
    means = [np.average(each, axis=1, weights=weights) for each in terms]
    leader = max(range(len(means)), key=lambda i: means[i].max(), default=0)
    n_rows, found = weights.sum(), []
    for mine in terms:
        best = terms[leader][means[leader].argmax()]
        lost = best - mine  # (V, n)
        gap = np.average(lost, axis=1, weights=weights)
        spread = np.average(lost**2, axis=1, weights=weights) - gap**2
        error = np.sqrt(np.maximum(spread, 0.0) / n_rows)
        found.append(gap > BEHIND * error + scoring.row_effect(truth, weights))
    return found


def once_each(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates in their order; two may have one name."""
    return list({id(candidate): candidate for candidate in candidates}.values())
