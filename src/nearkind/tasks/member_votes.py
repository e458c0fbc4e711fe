"""Votes of a member on rows that take one value more, and bounds for several more."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from nearkind.baselines import Hamming
from nearkind.estimators.classifier import CPMLClassifier
from nearkind.neighbors import SoftVotes, is_soft
from nearkind.protocols import Array, Codes
from nearkind.tasks.alternatives import Alternatives, Numbers
from nearkind.validation.threads import one_blas_thread

MOST_NUMBERS = 1 << 23
"""Pairs of a training row and an alternative up to which a number is kept for each."""
MOST_GROWTH = 300.0
"""Logarithm of the most that one alternative may raise a vote: twice it is finite."""


class MemberVotes(Protocol):
    """What a member says of rows that take alternatives beside those they have.

    Law: ``shares`` are those of ``shares_of_codes`` of the member, to rounding; those
    of all rows with so many alternatives more lie between ``bounds``.
    """

    @property
    def work(self) -> float:
        """Time of a comparison with a training row, in terms of a distance."""

    def shares(self, codes: Codes, start: int) -> Array:
        """Return shares (b, S - start, C), for each alternative from ``start`` on.

        Parameters
        ----------
        codes : ndarray of int (b, D)
            Rows, in the member's codes.
        start : int
            Number of an alternative. What is said of those of columns that have
            changed already means nothing.
        """

    def bounds(self, codes: Codes, start: int, n_more: int) -> tuple[Array, Array]:
        """Return shares (b, C) each below and above those of rows with more changes.

        Parameters
        ----------
        codes, start
            As above; ``start`` is the first alternative of a column.
        n_more : int
            How many alternatives more rows take, all from ``start`` on.
        """


class TopGains:
    """The most that alternatives of different columns add up to, for each of m rows.

    Parameters
    ----------
    column : ndarray of int (S,)
        Column of each alternative, rising.
    gains : ndarray (m, S)
        What each adds.

    Examples
    --------
    >>> gains = TopGains(np.array([0, 0, 1]), np.array([[1.0, 3.0, 2.0], [0, -1, 0]]))
    >>> gains.sums(0, 1).tolist(), gains.sums(0, 2).tolist(), gains.sums(2, 2).tolist()
    ([3.0, 0.0], [5.0, 0.0], [2.0, 0.0])
    """

    def __init__(self, column: Numbers, gains: Array) -> None:
        self._starts = np.flatnonzero(np.diff(column, prepend=-1))
        best = np.maximum.reduceat(gains, self._starts, axis=1)
        self._best = np.maximum(best, 0.0)  # (m, number of columns)
        self._known: dict[tuple[int, int], Array] = {}

    def sums(self, start: int, n: int) -> Array:
        """Return the most that n of them, or fewer, add up to (m,).

        Parameters
        ----------
        start : int
            The first alternative to take, which is the first of its column.
        n : int
        """
        if (start, n) not in self._known:
            best = self._best[:, np.searchsorted(self._starts, start) :]
            others = max(best.shape[1] - n, 0)
            top = np.partition(best, others, axis=1)[:, others:] if others else best
            self._known[start, n] = top.sum(axis=1)
        return self._known[start, n]


@dataclass(frozen=True)
class PlainVotes:
    """Votes of any member, by the distances of every changed row; no bounds."""

    member: CPMLClassifier
    alternatives: Alternatives
    place: int
    work: float = 1.0

    def shares(self, codes: Codes, start: int) -> Array:
        """Return shares (b, S - start, C)."""
        n_more = len(self.alternatives) - start
        rows = np.repeat(codes, n_more, axis=0)
        column = np.tile(self.alternatives.column[start:], len(codes))
        new = np.tile(self.alternatives.codes[self.place][start:], len(codes))
        rows[np.arange(len(rows)), column] = new
        rows = self.alternatives.books[self.place].fill_crosses(rows)
        return self.member.shares_of_codes(rows).reshape(len(codes), n_more, -1)

    def bounds(self, codes: Codes, start: int, n_more: int) -> tuple[Array, Array]:
        """Return zeros and ones."""
        shape = len(codes), len(self.member.classes_)
        return np.zeros(shape), np.ones(shape)


@dataclass(frozen=True)
class VectorVotes:
    """Soft votes between vectors.

    With x = q - c and y = u - c, a step s of the query q raises the logarithm of the
    vote of row u by 2 (y . s) / T, less a number that all rows share. So the votes on
    rows with one alternative more are products of votes and exp(2 (y . s) / T), one
    product of matrices a class; and the most that several more can raise it is a sum
    over columns.
    """

    member: CPMLClassifier
    alternatives: Alternatives
    place: int

    @cached_property
    def votes(self) -> SoftVotes:
        """The votes of all training rows."""
        weights = self.member.training_rows_.weights
        temperature = self.member.temperature_
        rows = self.member.index_.rows
        return SoftVotes(self.member.distance_, rows, weights, temperature)

    @cached_property
    def growth(self) -> Array:
        """By how much each alternative raises the logarithm of each vote (m, S).

        Less the mean over the votes on the row as it is: what all rows share is free.
        """
        tables = self.member.distance_.value_tables_.vectors
        own = self.alternatives.own[self.place]
        y = (self.votes.rows - self.votes.vectors.centre) * (2.0 / self.votes.bounded)
        growth = np.empty((len(y), len(self.alternatives)))
        pairs = zip(
            self.alternatives.column, self.alternatives.codes[self.place], strict=True
        )
        for i, (d, code) in enumerate(pairs):
            growth[:, i] = y @ (tables[d][code] - tables[d][own[d]])
        votes = self.votes.votes(self.member.distance_.represent(own[None]))[0]
        return growth - votes @ growth

    @cached_property
    def rises(self) -> TopGains:
        """The most that alternatives raise votes."""
        return TopGains(self.alternatives.column, self.growth)

    @cached_property
    def falls(self) -> TopGains:
        """The most that alternatives lower votes."""
        return TopGains(self.alternatives.column, -self.growth)

    @cached_property
    def factors(self) -> Array:
        """The same as factors of votes, the largest of each alternative one (m, S)."""
        return np.exp(self.growth - self.growth.max(axis=0))

    @cached_property
    def is_safe(self) -> bool:
        """Whether no vote that counts is lost to underflow in products."""
        return bool(np.abs(self.growth).max(initial=0.0) < MOST_GROWTH)

    @property
    def work(self) -> float:
        """Time of a comparison with a training row."""
        return 1.0 / 16.0 if self.is_safe else 1.0

    def shares(self, codes: Codes, start: int) -> Array:
        """Return shares (b, S - start, C)."""
        if not self.is_safe:
            return PlainVotes(self.member, self.alternatives, self.place).shares(
                codes, start
            )
        scores = self.votes.scores(self.member.distance_.represent(codes))
        votes = np.exp(scores - scores.max(axis=1, keepdims=True))  # (b, m)
        factors, of_class = self.factors[:, start:], self.member.training_rows_.shares
        total = np.empty((len(codes), factors.shape[1], of_class.shape[1]))
        with one_blas_thread():  # sums then have one order
            for c, share in enumerate(of_class.T):
                rows = np.flatnonzero(share)
                total[:, :, c] = (votes[:, rows] * share[rows]) @ factors[rows]
        return total / total.sum(axis=2, keepdims=True)

    def bounds(self, codes: Codes, start: int, n_more: int) -> tuple[Array, Array]:
        """Return shares (b, C) below and above."""
        scores = self.votes.scores(self.member.distance_.represent(codes))
        most, least = self.rises.sums(start, n_more), -self.falls.sums(start, n_more)
        scores -= (scores + most).max(axis=1, keepdims=True)
        of_class = self.member.training_rows_.shares
        return share_bounds(scores + least, scores + most, of_class)


@dataclass(frozen=True)
class OverlapVotes:
    """Soft votes by Hamming's distance: one change moves it by one column at most.

    With h the number of columns in which a training row differs from the row, its vote
    is that of h - 1 if an alternative has its value, h + 1 if the row has it now, and
    h otherwise: three products of matrices a class.
    """

    member: CPMLClassifier
    alternatives: Alternatives
    place: int

    @cached_property
    def agrees(self) -> Array:
        """Whether each training row has the value of each alternative (m, S)."""
        codes = self.member.training_rows_.codes[:, self.alternatives.column]
        return (codes == self.alternatives.codes[self.place]).astype(float)

    @cached_property
    def agreed(self) -> Array:
        """Whether each training row has the row's own value in its column (m, S)."""
        column = self.alternatives.column
        codes = self.member.training_rows_.codes[:, column]
        return (codes == self.alternatives.own[self.place][column]).astype(float)

    @cached_property
    def nearer(self) -> TopGains:
        """By how many columns alternatives bring training rows nearer, at most."""
        return TopGains(self.alternatives.column, self.agrees)

    @cached_property
    def farther(self) -> TopGains:
        """By how many columns they take them away."""
        return TopGains(self.alternatives.column, self.agreed)

    @property
    def is_safe(self) -> bool:
        """Whether the nearest rows have a vote after any change."""
        n_features = self.member.training_rows_.codes.shape[1]
        return 8 * n_features < MOST_GROWTH * self._rate

    @property
    def work(self) -> float:
        """Time of a comparison with a training row."""
        return 1.0 / 8.0 if self.is_safe else 1.0

    def shares(self, codes: Codes, start: int) -> Array:
        """Return shares (b, S - start, C)."""
        if not self.is_safe:
            return PlainVotes(self.member, self.alternatives, self.place).shares(
                codes, start
            )
        differing = self._differing(codes)
        least = differing.min(axis=1, keepdims=True) - 1.0
        nearer, votes, farther = (
            np.exp(self._scores(differing + step, least)) for step in (-1, 0, 1)
        )
        agrees, agreed = self.agrees[:, start:], self.agreed[:, start:]
        neither = 1.0 - agrees - agreed
        of_class = self.member.training_rows_.shares
        total = np.empty((len(codes), agrees.shape[1], of_class.shape[1]))
        with one_blas_thread():
            for c, share in enumerate(of_class.T):
                rows = np.flatnonzero(share)
                total[:, :, c] = (
                    (nearer[:, rows] * share[rows]) @ agrees[rows]
                    + (votes[:, rows] * share[rows]) @ neither[rows]
                    + (farther[:, rows] * share[rows]) @ agreed[rows]
                )
        return total / total.sum(axis=2, keepdims=True)

    def bounds(self, codes: Codes, start: int, n_more: int) -> tuple[Array, Array]:
        """Return shares (b, C) below and above."""
        differing = self._differing(codes)
        low = differing - self.nearer.sums(start, n_more)
        high = differing + self.farther.sums(start, n_more)
        least = low.min(axis=1, keepdims=True)
        of_class = self.member.training_rows_.shares
        scores = self._scores(high, least), self._scores(low, least)
        return share_bounds(*scores, of_class)

    def _differing(self, codes: Codes) -> Array:
        """Return the number of columns in which rows differ (b, m)."""
        distance = self.member.distance_
        d = distance.compare(distance.represent(codes), self.member.index_.rows)
        return np.rint(d * codes.shape[1])

    def _scores(self, differing: Array, least: Array) -> Array:
        """Return logarithms of votes, those of ``least`` (b, 1) being log w."""
        beyond = (differing - least) * (differing + least)
        return np.log(self.member.training_rows_.weights) - beyond / self._rate

    @property
    def _rate(self) -> float:
        """By how much h^2 must rise for the logarithm of a vote to fall by one."""
        n_features = self.member.training_rows_.codes.shape[1]
        return n_features**2 * self.member.temperature_


def member_votes(
    member: CPMLClassifier, alternatives: Alternatives, place: int
) -> MemberVotes:
    """Return the quickest of the ways that a member's votes allow.

    Parameters
    ----------
    member : CPMLClassifier
        Fitted.
    alternatives : Alternatives
    place : int
        Which of their codebooks is the member's.
    """
    distance, facts = member.distance_, (member, alternatives, place)
    has_crosses = bool(alternatives.books[place].crosses_)
    is_large = len(member.training_rows_) * len(alternatives) > MOST_NUMBERS
    if not is_soft(member.weights) or has_crosses or is_large:
        return PlainVotes(*facts)
    if distance.has_vectors:
        return VectorVotes(*facts)
    return OverlapVotes(*facts) if isinstance(distance, Hamming) else PlainVotes(*facts)


def share_bounds(low: Array, high: Array, of_class: Array) -> tuple[Array, Array]:
    """Return shares (b, C) below and above, from bounds of the logarithms of votes.

    A class has its least share if its rows have their least votes and all others their
    largest.

    Parameters
    ----------
    low, high : ndarray (b, m)
        Logarithms of the least and the largest vote of each row.
    of_class : ndarray (m, C)
        Share of each class in a row.
    """
    least, most = np.exp(low) @ of_class, np.exp(high) @ of_class
    others_least = least.sum(axis=1, keepdims=True) - least
    others_most = most.sum(axis=1, keepdims=True) - most
    with np.errstate(invalid="ignore"):
        below, above = least / (least + others_most), most / (most + others_least)
    return np.nan_to_num(below, nan=0.0), np.nan_to_num(above, nan=1.0)
