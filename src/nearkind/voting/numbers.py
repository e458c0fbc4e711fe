"""Voters and committees that predict a number.

The target of a row is written as shares of two neighbouring knots, of which it is the
weighted mean. Shares are voted on as those of classes are; the mean of a vote is then
exactly the weighted mean of the neighbours' targets, and its spread follows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.checks import check_reals, check_vectors
from nearkind.encoding.rows import CodedRows, unique_rows
from nearkind.errors import RefusedError
from nearkind.metrics.value_tables import ValueTables
from nearkind.neighbors import RowGroups, TrainingRows
from nearkind.protocols import Array, Codes
from nearkind.validation.parameters import check_whole
from nearkind.voting.committee import VoterGroup
from nearkind.voting.condensation import N_FOLDS, check_tolerance, hold_out
from nearkind.voting.conformal import ROUNDING
from nearkind.voting.representatives import representatives
from nearkind.voting.voter import Rule, Voter

N_KNOTS = 17
"""Knots at quantiles of the targets."""
LARGEST_EXPONENT = 709.0
"""Of e, for a finite double."""


@dataclass(frozen=True)
class LinearScale:
    """t = (y - centre) / unit."""

    centre: float
    unit: float

    @classmethod
    def of(cls, y: Array, weights: Array) -> "LinearScale":
        """Return the scale of targets from 0 to 1; of any size."""
        low, high = float(y.min()), float(y.max())
        return cls(low, min(high / 2.0 - low / 2.0, 8e307) * 2.0 or 1.0)

    def check(self) -> None:
        """Raise ``RefusedError`` unless the unit is above zero."""
        if not (abs(self.centre) < inf and 0.0 < self.unit < inf):
            raise RefusedError("a scale of targets is not finite, or has no unit")

    def apply(self, y: Array) -> Array:
        """Return targets on the scale."""
        return y / self.unit - self.centre / self.unit

    def invert(self, t: Array) -> Array:
        """Return targets from the scale."""
        return t * self.unit + self.centre


@dataclass(frozen=True)
class LogScale:
    """t = log(y + shift), where all y + shift are above zero."""

    shift: float

    @classmethod
    def of(cls, y: Array, weights: Array) -> "LogScale":
        """Return the scale of targets, without a shift if all are above zero."""
        low = float(y.min())
        return cls(0.0 if low > 0.0 else 1.0 - low)

    def check(self) -> None:
        """Raise ``RefusedError`` unless the shift is finite."""
        if not abs(self.shift) < inf:
            raise RefusedError("a shift of targets is not finite")

    def apply(self, y: Array) -> Array:
        """Return targets on the scale."""
        tiny = np.finfo(float).tiny
        return np.log(np.maximum(y + self.shift, tiny))

    def invert(self, t: Array) -> Array:
        """Return targets from the scale."""
        return np.exp(np.minimum(t, LARGEST_EXPONENT)) - self.shift


@dataclass(frozen=True, eq=False)
class QuantileScale:
    """t is the normal score of the rank of y, interpolated between training targets."""

    numbers: Array
    scores: Array

    @classmethod
    def of(cls, y: Array, weights: Array) -> "QuantileScale":
        """Return the scale of targets, at 500 of them at most."""
        from scipy.special import ndtri

        numbers, place = np.unique(y, return_inverse=True)
        totals = np.bincount(place, weights)
        scores = ndtri((np.cumsum(totals) - totals / 2.0) / totals.sum())
        at = np.unique(np.linspace(0, len(numbers) - 1, 500).round().astype(int))
        return cls(numbers[at], scores[at])

    def check(self) -> None:
        """Raise ``RefusedError`` unless both rise."""
        for part in (self.numbers, self.scores):
            check_reals(part, "a scale of targets", (len(self.numbers),))
            if len(part) < 1 or (np.diff(part) <= 0.0).any():
                raise RefusedError("a scale of targets does not rise")

    def apply(self, y: Array) -> Array:
        """Return targets on the scale."""
        return np.interp(y, self.numbers, self.scores)

    def invert(self, t: Array) -> Array:
        """Return targets from the scale."""
        return np.interp(t, self.scores, self.numbers)


Scale = LinearScale | LogScale | QuantileScale
SCALES: dict[str, Any] = {
    "linear": LinearScale, "log": LogScale, "quantile": QuantileScale
}  # fmt: skip


def knots_of(t: Array) -> Array:
    """Return two or more knots (K,) at quantiles of the distinct targets."""
    at, distinct = np.linspace(0.0, 1.0, N_KNOTS), np.unique(t)
    knots = np.unique(np.quantile(distinct, at, method="nearest"))
    return knots if len(knots) > 1 else np.append(knots, knots + 1.0 + abs(knots))


def knot_shares(t: Array, knots: Array) -> Array:
    """Return shares (n, K) of the knots such that ``shares @ knots`` is t.

    Examples
    --------
    >>> knot_shares(np.array([0.0, 2.5]), np.array([0.0, 2.0, 4.0])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.75, 0.25]]
    """
    below = np.clip(np.searchsorted(knots, t, "right") - 1, 0, len(knots) - 2)
    upper = np.clip((t - knots[below]) / (knots[below + 1] - knots[below]), 0.0, 1.0)
    shares, rows = np.zeros((len(t), len(knots))), np.arange(len(t))
    shares[rows, below], shares[rows, below + 1] = 1.0 - upper, upper
    return shares


def number_rows(rows: CodedRows, knots: Array) -> TrainingRows:
    """Return the rows that vote with their targets, equal ones merged."""
    unique = unique_rows(rows.codes, np.zeros_like(rows.y), rows.weights)
    counts = np.zeros((len(unique), len(knots)))
    shares = knot_shares(rows.numbers, knots)
    np.add.at(counts, unique.of_row, shares * rows.weights[:, None])
    groups = RowGroups.of(unique.of_row, rows.row_numbers)
    return TrainingRows.counted(unique.codes, unique.weights, counts, groups)


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberVoter(Voter):
    """A voter whose rows have targets: shares are those of knots.

    Attributes
    ----------
    knots : ndarray (K,)
        Rising targets, on the scale of the committee.
    trend : ValueTables or None, default=None
        A number for each value of each feature. Their sum is added to the vote, and
        the targets of rows are what it leaves of them.
    """

    knots: Array
    trend: ValueTables | None = None

    def check(self) -> None:
        """Raise ``RefusedError`` unless the parts fit together."""
        super().check()
        knots = check_reals(self.knots, "knots", (self.rows.shares.shape[1],))
        if len(knots) < 2 or (np.diff(knots) <= 0.0).any():
            raise RefusedError("knots of targets are not two or more that rise")
        if self.trend is not None:
            n_values = self.distance.codebook.n_values
            check_vectors(self.trend.vectors, "a trend", n_values)
            if any(table.shape[1] != 1 for table in self.trend.vectors):
                raise RefusedError("a trend has more than one number for each value")

    def trend_of(self, codes: Codes) -> Array:
        """Return what the trend adds to the votes on rows (n,)."""
        trend = self.trend
        return np.zeros(len(codes)) if trend is None else trend.embed(codes)[:, 0]

    def moments(self, codes: Codes) -> tuple[Array, Array]:
        """Return the mean and the variance of the votes on rows (n,) each."""
        return self._moments(self.shares(codes), codes)

    def moments_by_rule(
        self, codes: Codes, rules: Sequence[Rule]
    ) -> tuple[Array, Array]:
        """Return ``moments`` under several rules (R, n), from one search."""
        return self._moments(self.shares_by_rule(codes, rules), codes)

    def _moments(self, shares: Array, codes: Codes) -> tuple[Array, Array]:
        mean = shares @ self.knots
        variance = np.maximum(shares @ self.knots**2 - mean**2, 0.0)
        return mean + self.trend_of(codes), variance

    def targets(self, unique: Any) -> Array:
        """Return the mean target of some unique rows."""
        rows = self.rows
        return rows.shares[unique] @ self.knots + self.trend_of(rows.codes[unique])

    def means(self, codes: Codes) -> Array:
        """Return the mean of the votes on rows (n, 1)."""
        return self.moments(codes)[0][:, None]

    def means_over(self, row: Codes, kept: NDArray[np.bool_]) -> Array:
        """Return ``means`` on one row over subsets of features (E, 1)."""
        means = self.shares_over(row, kept) @ self.knots[:, None]
        if self.trend is not None:
            both = zip(self.trend.vectors, row, strict=True)
            means += kept @ np.array([table[code] for table, code in both])
        return means


def _rise(voter: NumberVoter) -> Callable[[int], float]:
    """Return how much more of the variance is left if only some rows vote."""
    others, at, held = hold_out(voter, N_FOLDS)
    codes, weights = voter.rows.codes[at], held.sum(axis=1)
    t = held @ voter.knots / weights + voter.trend_of(codes)
    variance = np.average(
        np.square(t - np.average(t, weights=weights)), weights=weights
    )

    def loss(few: Any) -> float:
        return float(np.average(np.square(few.moments(codes)[0] - t), weights=weights))

    def rise(n_rows: int) -> float:
        n = max(1, n_rows * len(others.rows) // len(voter.rows))
        few = others.with_rows(representatives(others, n))
        return (loss(few) - by_all) / max(variance, 1e-300)

    by_all = loss(others)
    return rise


@dataclass(frozen=True, eq=False)
class HeldErrors:
    """Errors on rows held out, in units of the spread of the votes on each.

    Attributes
    ----------
    errors : ndarray (n,)
        Rising.
    weights : ndarray (n,)
        Number of rows that each represents.

    Examples
    --------
    >>> held = HeldErrors(np.array([-1.0, 0.0, 2.0]), np.ones(3))
    >>> held.quantile(0.25), held.quantile(0.75), held.quantile(0.9)
    (-1.0, 2.0, inf)
    """

    errors: Array
    weights: Array

    def check(self) -> None:
        """Raise ``RefusedError`` unless errors rise, each with a weight."""
        errors = check_reals(self.errors, "errors of held rows", (None,))
        weights = check_reals(self.weights, "weights", (len(errors),))
        if not len(errors) or (np.diff(errors) < 0.0).any() or (weights <= 0.0).any():
            raise RefusedError("errors of held rows do not rise, or lack a weight")

    def quantile(self, q: float) -> float:
        """Return what the error of a new row is below with a chance of q or more.

        For q below one half, what it is above with a chance of 1 - q or more. Infinite
        if too few rows were held out.
        """
        if q < 0.5:
            return -HeldErrors(-self.errors[::-1], self.weights[::-1]).quantile(1.0 - q)
        reached = np.cumsum(self.weights)
        wanted = q * (reached[-1] + 1.0) * (1.0 - ROUNDING)
        place = int(np.searchsorted(reached, wanted))
        return float(self.errors[place]) if place < len(reached) else inf


@dataclass(frozen=True, eq=False)
class NumberCommittee(VoterGroup):
    """What predicts a number: voters whose means count alike.

    Attributes
    ----------
    voters : tuple of NumberVoter
        The best one first.
    scale : LinearScale, LogScale or QuantileScale
        That of the votes.
    low, high : float
        Least and largest target of fit, on the scale; no prediction is beyond.
    floor : float
        Added to the spread of votes, as independent variation.
    held : HeldErrors or None, default=None
        Errors of held-out rows, for intervals.
    """

    voters: tuple[NumberVoter, ...]
    scale: Scale
    low: float
    high: float
    floor: float
    held: HeldErrors | None = None

    classes: ClassVar[None] = None

    def check(self) -> None:
        """Raise ``RefusedError`` unless the parts fit together."""
        if not self.voters or any(type(v) is not NumberVoter for v in self.voters):
            raise RefusedError("voters are not one or more voters of numbers")
        if not (-inf < self.low <= self.high < inf and 0.0 <= self.floor < inf):
            raise RefusedError("the range or the spread of targets is not finite")

    def predict(self, X: Any, owner: str | None = None) -> Array:
        """Return the predicted number of each row (n,)."""
        return self.scale.invert(self.moments(X, owner)[0])

    def moments(self, X: Any, owner: str | None = None) -> tuple[Array, Array]:
        """Return the predictions and their spreads (n,), on the scale."""
        both = zip(self.voters, self.coded(X, owner), strict=True)
        found = [voter.moments(codes) for voter, codes in both]
        return self.combine(*map(np.array, zip(*found, strict=True)))

    def combine(self, means: Array, variances: Array) -> tuple[Array, Array]:
        """Return predictions and spreads (n,) from the moments of votes (V, n)."""
        spread = np.sqrt(variances.mean(axis=0) + self.floor**2)
        return np.clip(means.mean(axis=0), self.low, self.high), spread

    def quantiles(
        self, X: Any, levels: Sequence[float], owner: str | None = None
    ) -> Array:
        """Return quantiles of the number of each row (n, Q), by split conformal.

        Infinite where too few rows were held out.
        """
        assert self.held is not None
        t, spread = self.moments(X, owner)
        errors = np.array([self.held.quantile(level) for level in levels])
        found = self.scale.invert(t[:, None] + spread[:, None] * errors)
        return np.where(np.isinf(errors), errors, found)

    def target_of(self, unique: Any, voter: NumberVoter) -> Array:
        """Return the mean target, as it was given, of a voter's unique rows."""
        return self.scale.invert(voter.targets(unique))

    def condensed(self, n_rows: int | None, tolerance: float) -> "NumberCommittee":
        """Return a committee in which fewer rows vote, each for all near it.

        Parameters
        ----------
        n_rows : int or None
            Unique rows of each voter; None: the fewest, of 1, 2, 4 and so on, with
            which no voter alone predicts less well than ``tolerance`` allows.
        tolerance : float
            Share of the variance of held-out targets by which their mean squared error
            may rise.
        """
        if n_rows is None:
            check_tolerance(tolerance)
            rises, n_rows = [_rise(voter) for voter in self.voters], 1
            most = max(len(voter.rows) for voter in self.voters)
            while n_rows < most and any(rise(n_rows) > tolerance for rise in rises):
                n_rows *= 2
        n = check_whole(n_rows, "n_rows", "condensed")
        few = [replace(v, rows=representatives(v, n)) for v in self.voters]
        return replace(self, voters=tuple(few))

    def contributions(self, X: Any, owner: str | None = None) -> tuple[Array, Array]:
        """Return the contribution of each feature to each prediction (n, D).

        They are Shapley values, as those of ``Committee``.

        Returns
        -------
        contributions : ndarray (n, D)
        base : ndarray (n,)
            The predictions without any feature.
        """
        votes = [(voter.means, voter.means_over) for voter in self.voters]
        parts, base = self.shapley_values(votes, self.numbers, X, owner)
        return parts[:, :, 0], base[:, 0]

    def numbers(self, t: Array) -> Array:
        """Return the targets that mean votes stand for."""
        return self.scale.invert(np.clip(t, self.low, self.high))
