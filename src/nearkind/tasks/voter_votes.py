"""Votes for rows with one value changed, and bounds for several changes."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from nearkind.distances import MismatchWeights, ValueVectors
from nearkind.protocols import Array, Codes
from nearkind.tasks.alternatives import Alternatives, Numbers
from nearkind.validation.threads import one_blas_thread
from nearkind.voting import SoftRule, Voter

MOST_NUMBERS = 1 << 23
"""Pairs of a training row and an alternative up to which a number is kept for each."""
MOST_GROWTH = 300.0
"""Logarithm of the most that one alternative may raise a vote: twice it is finite."""


@dataclass(frozen=True)
class VoterVotes:
    """What a voter says of rows that take alternatives beside those they have.

    Here by the distances of every changed row, which does for any voter, and without
    bounds; subclasses are quicker. Law: ``shares`` are those of the voter, to rounding;
    those of all rows with so many alternatives more lie between ``bounds``.

    Parameters
    ----------
    voter : Voter
    alternatives : Alternatives
    place : int
        Which of their codebooks is the voter's.
    """

    voter: Voter
    alternatives: Alternatives
    place: int

    is_safe: ClassVar[bool] = False
    speed: ClassVar[float] = 1.0

    @property
    def work(self) -> float:
        """Time of a comparison with a training row, in terms of a distance."""
        return 1.0 / self.speed if self.is_safe else 1.0

    @property
    def codes(self) -> Numbers:
        """The code of each alternative (S,)."""
        return self.alternatives.codes[self.place]

    def shares(self, codes: Codes, start: int) -> Array:
        """Return shares (b, S - start, C), for each alternative from ``start`` on.

        Parameters
        ----------
        codes : ndarray of int (b, D)
            Rows, in the voter's codes.
        start : int
            Number of an alternative. What is said of those of columns that have
            changed already means nothing.
        """
        if self.is_safe:
            return self._quick_shares(codes, start)
        n_more = len(self.alternatives) - start
        rows = np.repeat(codes, n_more, axis=0)
        column = np.tile(self.alternatives.column[start:], len(codes))
        rows[np.arange(len(rows)), column] = np.tile(self.codes[start:], len(codes))
        rows = self.alternatives.books[self.place].fill_crosses(rows)
        return self.voter.shares(rows).reshape(len(codes), n_more, -1)

    def bounds(self, codes: Codes, start: int, n_more: int) -> tuple[Array, Array]:
        """Return shares (b, C) each below and above those of rows with more changes.

        Parameters
        ----------
        codes, start
            As above; ``start`` is the first alternative of a column.
        n_more : int
            How many alternatives more rows take, all from ``start`` on.
        """
        shape = len(codes), self.voter.rows.shares.shape[1]
        return np.zeros(shape), np.ones(shape)

    def _quick_shares(self, codes: Codes, start: int) -> Array:
        """Return ``shares``, if ``is_safe``."""
        raise NotImplementedError

    def _by_products(self, pairs: list[tuple[Array, Array]]) -> Array:
        """Return shares (b, S, C) of votes that are sums of products of matrices.

        Parameters
        ----------
        pairs : list of (ndarray (b, m), ndarray (m, S))
            Votes of each training row, and a factor for each alternative.
        """
        (votes, factors), of_class = pairs[0], self.voter.rows.shares
        total = np.empty((len(votes), factors.shape[1], of_class.shape[1]))
        with one_blas_thread():  # sums then have one order
            for c, share in enumerate(of_class.T):
                rows = np.flatnonzero(share)
                total[:, :, c] = sum(
                    (votes[:, rows] * share[rows]) @ factors[rows]
                    for votes, factors in pairs
                )
        return total / total.sum(axis=2, keepdims=True)


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
class VectorVotes(VoterVotes):
    """Soft votes between vectors.

    With x = q - c and y = u - c, a step s of the query q raises the logarithm of the
    vote of row u by 2 (y . s) / T, less a number that all rows share. So the votes on
    rows with one alternative more are products of votes and exp(2 (y . s) / T), one
    product of matrices a class; and the most that several more can raise it is a sum
    over columns.
    """

    speed = 16.0

    @cached_property
    def growth(self) -> Array:
        """By how much each alternative raises the logarithm of each vote (m, S).

        Less the mean over the votes on the row as it is: what all rows share is free.
        """
        soft, form = self.voter.soft_votes, self.voter.distance
        assert isinstance(form, ValueVectors)
        own, tables = self.alternatives.row_codes[self.place], form.tables.vectors
        y = (soft.rows - soft.vectors.centre) * (2.0 / soft.bounded)
        growth = np.empty((len(y), len(self.alternatives)))
        for i, (d, code) in enumerate(
            zip(self.alternatives.column, self.codes, strict=True)
        ):
            growth[:, i] = y @ (tables[d][code] - tables[d][own[d]])
        votes = soft.votes(form.represent(own[None]))[0]
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
    def is_safe(self) -> bool:  # type: ignore[override]
        """Whether no vote that counts is lost to underflow in products."""
        return bool(np.abs(self.growth).max(initial=0.0) < MOST_GROWTH)

    def _quick_shares(self, codes: Codes, start: int) -> Array:
        scores = self._scores(codes)
        votes = np.exp(scores - scores.max(axis=1, keepdims=True))  # (b, m)
        return self._by_products([(votes, self.factors[:, start:])])

    def bounds(self, codes: Codes, start: int, n_more: int) -> tuple[Array, Array]:
        """Return shares (b, C) below and above."""
        scores = self._scores(codes)
        most, least = self.rises.sums(start, n_more), -self.falls.sums(start, n_more)
        scores -= (scores + most).max(axis=1, keepdims=True)
        return share_bounds(scores + least, scores + most, self.voter.rows.shares)

    def _scores(self, codes: Codes) -> Array:
        """Return logarithms of votes (b, m)."""
        return self.voter.soft_votes.scores(self.voter.distance.represent(codes))


@dataclass(frozen=True)
class OverlapVotes(VoterVotes):
    """Soft votes by Hamming's distance: one change moves it by one column at most.

    With h the number of columns in which a training row differs from the row, its vote
    is that of h - 1 if an alternative has its value, h + 1 if the row has it now, and
    h otherwise: three products of matrices a class.
    """

    speed = 8.0

    @cached_property
    def agrees(self) -> Array:
        """Whether each training row has the value of each alternative (m, S)."""
        codes = self.voter.rows.codes[:, self.alternatives.column]
        return (codes == self.codes).astype(float)

    @cached_property
    def agreed(self) -> Array:
        """Whether each training row has the row's own value in its column (m, S)."""
        column = self.alternatives.column
        own = self.alternatives.row_codes[self.place][column]
        return (self.voter.rows.codes[:, column] == own).astype(float)

    @cached_property
    def nearer(self) -> TopGains:
        """By how many columns alternatives bring training rows nearer, at most."""
        return TopGains(self.alternatives.column, self.agrees)

    @cached_property
    def farther(self) -> TopGains:
        """By how many columns they take them away."""
        return TopGains(self.alternatives.column, self.agreed)

    @property
    def is_safe(self) -> bool:  # type: ignore[override]
        """Whether the nearest rows have a vote after any change."""
        return 8 * self.voter.rows.codes.shape[1] < MOST_GROWTH * self._rate

    def _quick_shares(self, codes: Codes, start: int) -> Array:
        differing = self._differing(codes)
        least = differing.min(axis=1, keepdims=True) - 1.0
        votes = [np.exp(self._scores(differing + step, least)) for step in (-1, 0, 1)]
        agrees, agreed = self.agrees[:, start:], self.agreed[:, start:]
        factors = agrees, 1.0 - agrees - agreed, agreed
        return self._by_products([*zip(votes, factors, strict=True)])

    def bounds(self, codes: Codes, start: int, n_more: int) -> tuple[Array, Array]:
        """Return shares (b, C) below and above."""
        differing = self._differing(codes)
        low = differing - self.nearer.sums(start, n_more)
        high = differing + self.farther.sums(start, n_more)
        least = low.min(axis=1, keepdims=True)
        scores = self._scores(high, least), self._scores(low, least)
        return share_bounds(*scores, self.voter.rows.shares)

    def _differing(self, codes: Codes) -> Array:
        """Return the number of columns in which rows differ (b, m)."""
        distance = self.voter.distance
        d = distance.compare(distance.represent(codes), self.voter.represented)
        return np.rint(d * codes.shape[1])

    def _scores(self, differing: Array, least: Array) -> Array:
        """Return logarithms of votes, those of ``least`` (b, 1) being log w."""
        beyond = (differing - least) * (differing + least)
        return np.log(self.voter.rows.weights) - beyond / self._rate

    @property
    def _rate(self) -> float:
        """By how much h^2 must rise for the logarithm of a vote to fall by one."""
        assert isinstance(self.voter.rule, SoftRule)
        return self.voter.rows.codes.shape[1] ** 2 * self.voter.rule.temperature


def voter_votes(voter: Voter, alternatives: Alternatives, place: int) -> VoterVotes:
    """Return the quickest of the ways that the votes of a voter allow.

    Parameters
    ----------
    voter, alternatives, place : as in ``VoterVotes``
    """
    distance, kind = voter.distance, VoterVotes
    has_crosses = bool(alternatives.books[place].crosses_)
    is_large = len(voter.rows) * len(alternatives) > MOST_NUMBERS
    if voter.is_soft and not has_crosses and not is_large:
        if isinstance(distance, ValueVectors):
            kind = VectorVotes
        elif isinstance(distance, MismatchWeights):
            shares = distance.weights * len(distance.weights)
            is_even = np.allclose(shares, 1.0, rtol=1e-12, atol=0.0)  # in every feature
            kind = OverlapVotes if is_even else kind
    return kind(voter, alternatives, place)


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
    others = 1.0 - np.eye(of_class.shape[1])  # differences would lose small ones
    others_least, others_most = least @ others, most @ others
    with np.errstate(invalid="ignore"):
        below, above = least / (least + others_most), most / (most + others_least)
    return np.nan_to_num(below, nan=0.0), np.nan_to_num(above, nan=1.0)
