"""A race of settings over folds: who falls clearly behind is not fitted again."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.estimators.classifier import CPMLClassifier
from nearkind.estimators.search.candidates import Candidate
from nearkind.estimators.search.committee import best_quality, needed_gain, quality
from nearkind.estimators.search.folds import Fold
from nearkind.protocols import Array
from nearkind.tables import Table

BEHIND = 2.0
"""Standard errors, of the paired difference, by which a setting is out of the race."""


@dataclass(eq=False)
class Runner:
    """One candidate at one strength, with every number of neighbours and every weight.

    Attributes
    ----------
    shares : votes on held rows, a piece (V, n_held, C) a fold
    alive : (V,), which ways to vote are still in the race
    """

    candidate: Candidate
    number: int
    shares: list[Array] = field(default_factory=list)
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


@dataclass
class Race:
    """Candidates on folds.

    Attributes
    ----------
    table, y, weights : training rows; class numbers
    n_classes : number of classes
    n_neighbors, votes : ways to vote, every one with every other
    deadline : time after which no fit begins, but the first
    tell : is told (fits made, fits that may be made, what comes next)
    """

    table: Table
    y: NDArray[np.intp]
    weights: Array
    n_classes: int
    n_neighbors: Sequence[int]
    votes: Sequence[Any]
    deadline: float = np.inf
    tell: Callable[[int, int, str], None] = lambda made, most, what: None
    runners: list[Runner] = field(default_factory=list)
    dropped: list[Runner] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    held: list[NDArray[np.intp]] = field(default_factory=list)
    n_fits: int = 0
    _order: list[Candidate] = field(default_factory=list)
    _waiting: list[Candidate] = field(default_factory=list)

    def run(self, candidates: Sequence[Candidate], folds: Sequence[Fold]) -> None:
        """Run turn after turn, each over the folds, until all are done or time is up.

        Those of a later turn come in where the others leave something to be won.
        """
        self._order = self._waiting = once_each(candidates)
        over = False
        while self._waiting and not over:
            self._enter(min(candidate.turn for candidate in self._waiting))
            over = self._run_folds(folds)
        for runner in (*self.runners, *self.dropped):
            del runner.shares[len(self.held) :]
        for candidate in self._waiting:
            self.refused[candidate.name] = "There was nothing left to be won."

    def _enter(self, turn: int) -> None:
        """Let the candidates of a turn in, everybody in the order as given."""
        self.runners += [
            Runner(candidate, number)
            for candidate in self._waiting
            if candidate.turn == turn
            for number in range(len(candidate.settings))
        ]
        self.runners.sort(key=lambda runner: self._order.index(runner.candidate))
        self._waiting = [c for c in self._waiting if c.turn != turn]

    def _run_folds(self, folds: Sequence[Fold]) -> bool:
        """Run fold after fold; say whether the race is over."""
        for number, fold in enumerate(folds):
            if number and self._is_late():
                return True
            self.held = [fold.held for fold in folds[: number + 1]]
            if not self._run_fold(fold, len(folds)):
                return True
            if not self.runners or (self._waiting and not self._is_won()):
                return False
            self._drop()
        return True

    @property
    def truth(self) -> NDArray[np.intp]:
        """Classes of the held rows so far (n,)."""
        return self.y[np.concatenate(self.held)]

    def _run_fold(self, fold: Fold, n_folds: int) -> bool:
        """Fit all that are in the race; say whether there was time for them."""
        for candidate in once_each(runner.candidate for runner in self._lacking):
            if not self._is_late():
                self.tell(
                    self.n_fits, self.n_fits + self._left(n_folds), candidate.name
                )
                self._fit([r for r in self._lacking if r.candidate is candidate], fold)
        lacking = self._lacking
        if lacking and len(self.held) > 1:
            self._take_back()
            return False
        self._leave_out(lacking)
        return True

    @property
    def _lacking(self) -> list[Runner]:
        """Those that have not voted on all folds so far."""
        return [r for r in self.runners if len(r.shares) < len(self.held)]

    def _left(self, n_folds: int) -> int:
        """Return how many fits may still be made."""
        waiting = sum(len(candidate.settings) for candidate in self._waiting)
        in_race = len(self.runners) * (n_folds - len(self.held) + 1)
        return in_race + waiting * n_folds

    def _is_won(self) -> bool:
        """Say whether nobody could do better on the folds so far."""
        truth, weights = self.truth, self.weights[np.concatenate(self.held)]
        enough = best_quality(self.n_classes) - needed_gain(weights)
        return any(
            quality(self._table(r), truth, weights)[r.alive].max() >= enough
            for r in self.runners
        )

    def _table(self, runner: Runner) -> Array:
        """Return a runner's votes on the folds so far (V, n, C)."""
        return np.concatenate(runner.shares[: len(self.held)], axis=1)

    def _is_late(self) -> bool:
        """Say whether time is up; it never is before somebody has voted."""
        has_votes = any(runner.shares for runner in self.runners)
        return has_votes and perf_counter() > self.deadline

    def _fit(self, mine: list[Runner], fold: Fold) -> None:
        """Fit one candidate along its strengths and let it vote on the held rows."""
        wanted = {runner.number: runner for runner in mine}
        X, y, weights = self._rows(fold.train)
        start = perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what matters the last fit says
                path = mine[0].candidate.lenient.path(X, y, max(wanted), weights)
                for number, metric in path:
                    self.n_fits += 1
                    if number in wanted:
                        self._vote(wanted[number], metric, fold)
                        wanted[number].seconds += perf_counter() - start
                    start = perf_counter()
                    if self._is_late():
                        return
        except (ValueError, TypeError) as error:
            self._refuse(mine, str(error))

    def _vote(self, runner: Runner, metric: Any, fold: Fold) -> None:
        X, y, weights = self._rows(fold.train)
        voter = CPMLClassifier().fit_over(metric, X, y, weights)
        rows = self.table.take(fold.held)
        shares = voter.shares_by_setting(rows, self.n_neighbors, self.votes)
        ways = shares.reshape(-1, *shares.shape[2:])  # (V, n_held, C')
        whole = np.zeros((*ways.shape[:2], self.n_classes), dtype=np.float32)
        whole[:, :, voter.classes_] = ways
        runner.shares.append(whole)
        runner.rank = getattr(metric, "rank_", np.nan)
        if not len(runner.alive):
            runner.alive = np.ones(len(whole), dtype=bool)

    def _rows(self, rows: NDArray[np.intp]) -> tuple[Table, NDArray[np.intp], Any]:
        """Return some rows, their classes, and their weights unless all are one."""
        weights = unless_ones(self.weights[rows])
        return self.table.take(rows), self.y[rows], weights

    def _drop(self) -> None:
        """Take out of the race who is clearly behind its leader."""
        truth, weights = self.truth, self.weights[np.concatenate(self.held)]
        right = [self._table(r).argmax(axis=2) == truth for r in self.runners]
        means = [np.average(r, axis=1, weights=weights) for r in right]
        leader = max(range(len(means)), key=lambda i: means[i].max())
        best = right[leader][means[leader].argmax()]
        n_rows = weights.sum()
        for runner, mine in zip(self.runners, right, strict=True):
            behind = best.astype(float) - mine  # (V, n)
            gap = np.average(behind, axis=1, weights=weights)
            spread = np.average(behind**2, axis=1, weights=weights) - gap**2
            error = np.sqrt(np.maximum(spread, 0.0) / n_rows)
            runner.alive &= gap <= BEHIND * error + 1.0 / n_rows
        self.dropped += [runner for runner in self.runners if not runner.alive.any()]
        self.runners = [runner for runner in self.runners if runner.alive.any()]

    def _take_back(self) -> None:
        """Forget the fold that time did not suffice for."""
        self.held.pop()
        for runner in self.runners:
            del runner.shares[len(self.held) :]

    def _leave_out(self, lacking: list[Runner]) -> None:
        """Go on without settings that there was no time for."""
        for candidate in once_each(runner.candidate for runner in lacking):
            mine = [r for r in self.runners if r.candidate is candidate]
            if not any(runner.shares for runner in mine):
                self._refuse(mine, "There was no time for it.")
        self.runners = [runner for runner in self.runners if runner.shares]

    def _refuse(self, mine: list[Runner], why: str) -> None:
        self.refused[mine[0].candidate.name] = why
        self.runners = [runner for runner in self.runners if runner not in mine]


def unless_ones(weights: Array) -> Array | None:
    """Return weights, None if all are one: some distances take none."""
    return None if bool((weights == 1.0).all()) else weights


def once_each(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates in their order; two may have one name."""
    return list({id(candidate): candidate for candidate in candidates}.values())
