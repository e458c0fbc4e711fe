"""Fits of voters for numbers, evaluated on held-out rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from nearkind.encoding.rows import CodedRows, row_keys
from nearkind.estimators.base import codebook_of
from nearkind.estimators.fit_report import fit_report
from nearkind.estimators.targets import with_target
from nearkind.estimators.trend import Trend
from nearkind.neighbors import is_soft
from nearkind.protocols import Array
from nearkind.voting import (
    HeldErrors,
    NearestRule,
    NumberCommittee,
    NumberVoter,
    SoftRule,
)
from nearkind.voting.numbers import Scale, knots_of, number_rows
from nearkind.voting.voter import Rule

N_TEMPERATURES = 13
"""Temperatures to choose from: the mean squared distance, halved again and again."""
N_FOR_MEAN = 500
"""Unique rows between which that mean is taken."""
MOST_VOTING = 20_000
"""Rows that vote, and from which a distance is learned."""
FEWEST = 10
"""Distinct rows below which none is held out."""
FLOOR = 0.5
"""Variation beside that of the votes, as a share of the error on held-out rows."""


@dataclass(frozen=True)
class NumberLearner:
    """A distance to learn, with a trend or without, and how rows vote under it.

    Attributes
    ----------
    name : str
    metric : estimator of a distance
        Not fitted.
    has_trend : bool
        Whether rows vote on what a linear trend leaves of the target.
    n_neighbors : int
    weights : "uniform", "distance", "soft" or callable
    temperature : float or None
        Of soft votes; None: those of ``N_TEMPERATURES`` are tried.
    index : str
    """

    name: str
    metric: Any
    has_trend: bool = False
    n_neighbors: int = 5
    weights: Any = "soft"
    temperature: float | None = None
    index: str = "exact"

    def fit(self, rows: CodedRows) -> tuple[NumberVoter, list[Rule]]:
        """Return a voter learned from rows on a scale, and the rules to choose from."""
        metric = clone(self.metric)
        rows, trend = rows.recode(codebook_of(metric)), None
        if self.has_trend and (found := Trend.fit(rows)) is not None:
            rows, trend = with_target(rows, found.residuals), found.tables
        metric.fit(rows)
        form = metric.distance_
        voting = rows.coded_by(form.codebook)
        knots = knots_of(voting.numbers)
        voter = NumberVoter(
            form,
            number_rows(voting, knots),
            NearestRule(self.n_neighbors, self.weights),
            fit_report(metric),
            self.index,
            knots=knots,
            trend=trend,
        )
        rules = self._rules(voter)
        return replace(voter, rule=rules[0]), rules

    def _rules(self, voter: NumberVoter) -> list[Rule]:
        if not is_soft(self.weights):
            return [voter.rule]
        if self.temperature is not None:
            return [SoftRule(self.temperature, self.n_neighbors)]
        hottest = 8.0 * _mean_square(voter)
        return [
            SoftRule(hottest * 2.0**-step, self.n_neighbors)
            for step in range(N_TEMPERATURES)
        ]


class Moments(NamedTuple):
    """What one learner says of held-out rows under each rule (R, n)."""

    means: Array
    variances: Array

    @classmethod
    def joined(cls, parts: Sequence["Moments"]) -> "Moments":
        """Return those of several folds as one."""
        means, variances = zip(*parts, strict=True)
        return cls(np.concatenate(means, axis=1), np.concatenate(variances, axis=1))


@dataclass(frozen=True)
class NumberProblem:
    """Rows with their targets, and the scale on which rows vote.

    Attributes
    ----------
    rows : CodedRows
        With the targets as given.
    scale : Scale
    """

    rows: CodedRows
    scale: Scale

    def voter(
        self, learner: NumberLearner, places: NDArray[np.intp] | None = None
    ) -> tuple[NumberVoter, list[Rule]]:
        """Return a voter learned from some rows, or all, and its rules."""
        rows = self.rows
        if places is None:
            places = _some(np.arange(len(rows)), MOST_VOTING)
        some = rows.take(places)
        factor = rows.weights.sum() / some.weights.sum()
        if len(places) < len(rows) and factor > 1.0:
            some = replace(some, weights=some.weights * factor)
        return learner.fit(with_target(some, self.scale.apply(some.numbers)))

    def outcome(self, learner: NumberLearner, fold: Any) -> Moments:
        """Return what a learner says of the held-out rows of a fold."""
        train, held = fold
        voter, rules = self.voter(learner, train)
        # Unlike encode, lookup neither warns of values that the fold lacks nor refuses.
        codes = voter.distance.codebook.lookup(self.rows.table.take(held))
        return Moments(*voter.moments_by_rule(codes, rules))

    def losses(self, means: Array, held: NDArray[np.intp]) -> Array:
        """Return the mean squared error of predictions (R, n) on the scale (R,)."""
        low, high = self.range
        predicted = self.scale.invert(np.clip(means, low, high))
        share = self.rows.weights[held] / self.rows.weights[held].sum()
        unit = np.ptp(self.rows.numbers / 2.0) or 1.0  # squares do not overflow
        errors = predicted / unit - self.rows.numbers[held] / unit
        return np.square(errors) @ share

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest target, on the scale."""
        t = self.scale.apply(self.rows.numbers)
        return float(t.min()), float(t.max())

    def committee(
        self,
        voters: Sequence[NumberVoter],
        outcome: Moments | None,
        held: NDArray[np.intp],
    ) -> NumberCommittee:
        """Return a committee; ``outcome`` is what each voter says of held rows."""
        low, high = self.range
        committee = NumberCommittee(tuple(voters), self.scale, low, high, 0.0)
        if outcome is None:
            return committee
        t, weights = self.scale.apply(self.rows.numbers[held]), self.rows.weights[held]
        mean, _ = committee.combine(*outcome)
        size = float(np.sqrt(np.average(np.square(t - mean), weights=weights)))
        least = 1e-9 * (high - low)  # if all held rows are predicted exactly
        committee = replace(committee, floor=max(FLOOR * size, least))
        mean, spread = committee.combine(*outcome)
        errors = (t - mean) / spread
        order = np.argsort(errors, kind="stable")
        return replace(committee, held=HeldErrors(errors[order], weights[order]))


def folds_of(
    rows: CodedRows, n_folds: int, rng: np.random.Generator, most: int
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Give rows to learn from and rows held out; equal ones are on the same side.

    The folds do not depend on the order of the rows, and those of a row with a weight
    are those of its copies.
    """
    rank = np.unique(rows.numbers, return_inverse=True)[1]
    keys = row_keys(np.column_stack([rank, rows.codes]))
    distinct, group = np.unique(keys, return_inverse=True)
    if len(distinct) < FEWEST:
        return
    fold_of = (rng.permutation(len(distinct)) % n_folds)[group]
    for fold in range(n_folds):
        train, held = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        target = rows.numbers[train]
        if len(held) and len(train) > 1 and target.min() < target.max():
            yield _some(train, most), _some(held, most // 3)


def _some(places: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Return at most so many of some places, drawn at random."""
    if len(places) <= most:
        return places
    return np.sort(np.random.default_rng(0).choice(places, most, replace=False))


def _mean_square(voter: NumberVoter) -> float:
    """Return the mean squared distance between some training rows, above zero."""
    step = -(-len(voter.rows) // N_FOR_MEAN)
    some, weights = voter.rows.codes[::step], voter.rows.weights[::step]
    rows = voter.distance.represent(some)
    squares = np.square(voter.distance.compare(rows, rows))
    is_near = np.isfinite(squares)
    mass = np.outer(weights, weights)[is_near].sum()
    total = np.where(is_near, squares, 0.0) @ weights @ weights
    return float(np.clip(total / max(mass, 1e-300), 1e-200, 1e200)) if total else 1.0
