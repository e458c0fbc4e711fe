"""Soft votes: every row votes, by a weight that falls with its squared distance.

These are the chances of soft neighbours (``constraints="neighbors"``): a row draws row
u as its neighbour by chance, in proportion to w_u exp(-d2 / T) of the squared distance
d2, and T, the temperature, is their margin.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import exp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.form import FittedDistance, query_chunks
from nearkind.neighbors.k_nearest import TIE, tie_widths
from nearkind.neighbors.training_rows import TrainingRows
from nearkind.neighbors.vector_rows import VectorRows
from nearkind.protocols import Array, Map

Block = tuple[slice, Array]
"""Some rows, and the scores of queries with them (b, rows)."""

COLD = 1e-9
"""Temperature, as a share of the largest squared distance, below which every distance
is computed for itself, and distances that tie are made equal."""
LOWEST = 1e-300
"""Temperature below which nothing changes, and quotients overflow."""
TILE_NUMBERS = 1 << 17
"""Weights that are held at a time, which a cache can hold."""
N_QUERIES = 128
"""Queries of a product of matrices; more where there are few rows."""
ROUNDING = 2.5e-10
"""By which a share may be wrong: two that are equal then differ by less than
``SHARE_TIE``."""
LEAST = -700.0
"""Logarithm of a weight beside the largest, below which it is this: powers that are
nearly zero take a hundred times as long."""
LARGEST = 600.0
"""Size of scores up to which their exponentials are summed as they are."""
FEW_CLASSES = 4
"""Classes up to which votes are summed class by class, which is faster."""
FARTHEST = 106.0
"""How far below the largest logarithm a vote is nothing for certain."""
NOTHING = exp(-103.9)
"""Shares below this are zero, as rows with so small a vote are in exports."""

N_HALVINGS = 16
"""How often the temperature is halved, from four times the mean squared distance."""
MOST_QUERIES, FEWEST_QUERIES = 1_000, 250
"""Rows that are left out to choose a temperature, at most; of many rows fewer."""
PAIRS = 1 << 24
"""Pairs of rows above which fewer than ``MOST_QUERIES`` are left out."""
N_FOR_SCALE = 16
"""Rows whose distances to all give the mean squared distance."""
BLUNT = 0.01
"""Share that all classes get alike before logarithms, so that no row decides."""
AS_GOOD = 1e-4
"""Mean log-likelihoods closer than this are equal; the highest temperature wins."""


@dataclass(frozen=True)
class SoftVotes:
    """Votes of all unique rows at one temperature.

    With weights w_u, class shares s_uc and squared distances d2, class c has the share

        sum_u w_u s_uc exp(-d2_qu / T) / sum_u w_u exp(-d2_qu / T)

    of the votes on a query q. A row infinitely far weighs nothing; if all are, each
    weighs w_u.

    Between vectors, with x = q - c, y = u - c and c their centre,

        log w_u - d2_qu / T = x . (2 y / T) + (log w_u - |y|^2 / T) - |x|^2 / T,

    whose last term all rows share, so that products of matrices have all of them. They
    are made for a block of queries and of rows at a time; the weights of a block are
    relative to the largest up to then, and earlier sums are scaled down when it rises;
    if no score exceeds ``LARGEST`` they are taken as they are, which is faster. Memory
    does not grow with the number of rows.

    **Rounding.** The terms may be large while their differences are small. With L at
    least |x| + |y|, see ``VectorRows.largest``, and vectors of q numbers, the logarithm
    of a weight is wrong by at most

        E = (2 q + 12) 2^-53 (L^2 / T + max |log w|),

    so a share p by at most 2 E p (1 - p) <= E / 2. A query for which that exceeds
    ``ROUNDING`` has its distances computed from differences of vectors, where
    (q + 4) 2^-53 d2 / T takes the place of E. ``ROUNDING`` is below half of
    ``SHARE_TIE``, so classes with equal votes tie. In single precision E would be 5e8
    times as large, wider than ties, so all is in double.

    Parameters
    ----------
    metric : FittedDistance
        Fitted.
    rows : sequence of length m
        Unique rows, as the metric represents them.
    weights : ndarray (m,)
        Number of rows that each represents.
    temperature : float
        T, above zero.

    Examples
    --------
    >>> import nearkind as nk
    >>> metric = nk.baselines.Hamming().fit([["a"], ["b"]]).distance_
    >>> rows = metric.represent(np.array([[0], [1]]))
    >>> votes = SoftVotes(metric, rows, np.ones(2), 1.0)
    >>> votes.shares(rows, np.eye(2)).round(2)
    array([[0.73, 0.27],
           [0.27, 0.73]])
    """

    metric: FittedDistance
    rows: Any
    weights: Array
    temperature: float

    @cached_property
    def vectors(self) -> VectorRows:
        """The rows, under a Euclidean metric."""
        return VectorRows(self.rows)

    @cached_property
    def logarithms(self) -> Array:
        """log w (m,)."""
        return np.log(self.weights)

    @cached_property
    def factors(self) -> Array:
        """What x and 1 are multiplied by, for each row (m, q + 1)."""
        y = self.rows - self.vectors.centre
        last = self.logarithms - np.einsum("mq,mq->m", y, y) / self.bounded
        return np.column_stack([y * (2.0 / self.bounded), last])

    @property
    def bounded(self) -> float:
        """The temperature, where quotients by it are finite."""
        return max(self.temperature, LOWEST)

    def chunks(self, n_queries: int, at_once: int) -> list[slice]:
        """Split queries into chunks of at most ``at_once`` weights.

        If more, as few as one query, and between vectors ``N_QUERIES``, as products do
        not hold the weights of all rows. What threads will share is built before they
        start.
        """
        if not self.metric.is_euclidean:
            return query_chunks(n_queries, len(self.weights), at_once)
        _ = self.factors
        size = max(N_QUERIES, at_once // len(self.weights))
        if size > self._n_queries:  # whole products
            size -= size % self._n_queries
        return [slice(at, at + size) for at in range(0, n_queries, size)]

    @property
    def _n_queries(self) -> int:
        """How many queries a product of matrices has."""
        return max(N_QUERIES, TILE_NUMBERS // len(self.weights))

    def shares(self, queries: Any, class_shares: Array) -> Array:
        """Return each class's share of the votes (b, C), given those of rows (m, C)."""
        total = np.empty((len(queries), class_shares.shape[1]))
        for at, blocks in self.tiles(queries):
            are_small = bool((self.largest_scores(queries[at]) <= LARGEST).all())
            total[at] = sums_of_votes(blocks, class_shares, are_small)
        total /= total.sum(axis=1, keepdims=True)
        total[total < NOTHING] = 0.0
        return total

    def votes(self, queries: Any) -> Array:
        """Return each row's share of the votes (b, m)."""
        scores = self.scores(queries)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    def tiles(self, queries: Any) -> Iterator[tuple[NDArray[np.intp], Iterable[Block]]]:
        """Give the numbers of a few queries at a time, and their scores in blocks.

        Blocks may be gone through again if their scores were not changed. Scores are
        log w - d2 / T, less some number for each query.
        """
        has_products = self.has_products(queries)
        by_product = np.flatnonzero(has_products)
        for at in range(0, len(by_product), self._n_queries):
            some = by_product[at : at + self._n_queries]
            yield some, Products(self._left(queries[some]), self.factors)
        others, m = np.flatnonzero(~has_products), len(self.weights)
        for part in query_chunks(len(others), m, TILE_NUMBERS):
            some = others[part]
            yield some, [(slice(0, m), self._scores_by_distance(queries[some]))]

    def scores(self, queries: Any) -> Array:
        """Return log w - d2 / T (b, m), less some number for each query."""
        has_products = self.has_products(queries)
        if has_products.all():
            return self._left(queries) @ self.factors.T
        scores = self._scores_by_distance(queries)
        if has_products.any():
            scores[has_products] = self._left(queries[has_products]) @ self.factors.T
        return scores

    def has_products(self, queries: Any) -> NDArray[np.bool_]:
        """Return for which queries products are precise enough (b,)."""
        if not self.metric.is_euclidean:
            return np.zeros(len(queries), dtype=bool)
        with np.errstate(over="ignore"):
            return self.rounding(queries) <= ROUNDING

    def rounding(self, queries: Array) -> Array:
        """Return by how much products may mistake a share of the votes (b,)."""
        n_roundings = 2 * queries.shape[1] + 12
        return 0.5 * n_roundings * 2.0**-53 * self.largest_scores(queries)

    def largest_scores(self, queries: Any) -> Array:
        """Return a size that no score of a query exceeds (b,)."""
        if not self.metric.is_euclidean:
            return np.full(len(queries), np.inf)
        with np.errstate(over="ignore"):
            size = self.vectors.largest(queries) ** 2 / self.bounded
        return size + np.abs(self.logarithms).max()

    def _left(self, queries: Array) -> Array:
        """Return x and 1 (b, q + 1)."""
        return np.column_stack([queries - self.vectors.centre, np.ones(len(queries))])

    def _scores_by_distance(self, queries: Any) -> Array:
        """Return scores (b, m) from distances, those that tie being equal if cold."""
        if self.metric.is_euclidean and self._is_warm(queries):
            return self._scores_of_near(queries)
        with np.errstate(invalid="ignore", over="ignore"):
            distances, tie = self.distances(queries)
            nearest = distances.min(axis=1, keepdims=True)
            beyond = distances - nearest
            if (is_cold := self.bounded < COLD * (tie / TIE) ** 2).any():
                beyond[is_cold[:, None] & (beyond <= tie[:, None])] = 0.0
            beyond *= distances + nearest
            beyond[np.isinf(nearest[:, 0])] = 0.0
            return self.logarithms - beyond / self.bounded

    def _is_warm(self, queries: Array) -> bool:
        """Return whether products tell which rows have no vote worth computing."""
        with np.errstate(over="ignore"):
            largest = self.vectors.largest(queries) ** 2
            is_rough = self.rounding(queries) < 0.25  # E below 1/2
        return bool((is_rough & (self.bounded >= COLD * largest)).all())

    def _scores_of_near(self, queries: Array) -> Array:
        """Return scores from distances to rows that products say are near enough."""
        scores = self._left(queries) @ self.factors.T
        least = scores.max(axis=1, keepdims=True) - FARTHEST
        query, row = np.nonzero(scores >= least)
        d = self.vectors.distances(queries, query, row)
        nearest = np.full(len(queries), np.inf)
        np.minimum.at(nearest, query, d)
        beyond = (d - nearest[query]) * (d + nearest[query])
        scores[...] = -np.inf
        scores[query, row] = self.logarithms[row] - beyond / self.bounded
        return scores

    def distances(self, queries: Any) -> tuple[Array, Array]:
        """Return all distances (b, m), and how close two are that are equal (b,)."""
        if not self.metric.is_euclidean:
            found = self.metric.compare(queries, self.rows)
            return found, tie_widths(found)
        return self.vectors.all_distances(queries), self.vectors.tie_widths(queries)


@dataclass(frozen=True)
class Products:
    """Scores of queries, made for a block of rows each time they are gone through.

    Parameters
    ----------
    left : ndarray (b, q + 1)
        Of queries.
    right : ndarray (m, q + 1)
        Of rows.

    Examples
    --------
    >>> [(rows, scores),] = Products(np.ones((1, 2)), np.eye(2))
    >>> scores
    array([[1., 1.]])
    """

    left: Array
    right: Array

    def __iter__(self) -> Iterator[Block]:
        b, m = len(self.left), len(self.right)
        size = min(max(1, TILE_NUMBERS // b), m)
        room = np.empty((b, size))  # new memory takes longer to get than to fill
        for start in range(0, m, size):
            rows = slice(start, min(start + size, m))
            scores = room[:, : rows.stop - start]
            yield rows, np.matmul(self.left, self.right[rows].T, out=scores)


def sums_of_votes(
    blocks: Iterable[Block], class_shares: Array, are_small: bool = False
) -> Array:
    """Return the sum of the votes for each class (b, C), in some unit for each query.

    Scores are overwritten. If they are small, their exponentials neither overflow nor
    vanish, and the unit is one; else it is the largest vote.

    Examples
    --------
    >>> blocks = [(slice(0, 1), np.zeros((1, 1))), (slice(1, 2), np.ones((1, 1)))]
    >>> sums_of_votes(blocks, np.eye(2)).round(2)
    array([[0.37, 1.  ]])
    """
    top, total = np.array(-np.inf), np.zeros((1, class_shares.shape[1]))
    for rows, scores in blocks:
        if are_small:
            weights = np.exp(scores, out=scores)
        else:
            largest = np.maximum(top, scores.max(axis=1))
            weights = exponentials(scores, largest)
            total = total * np.exp(top - largest)[:, None]
            top = largest
        total = total + _by_class(weights, class_shares[rows])
    return total


def _by_class(weights: Array, class_shares: Array) -> Array:
    """Return the product of weights (b, n) and shares (n, C)."""
    if class_shares.shape[1] > FEW_CLASSES:
        return weights @ class_shares
    return np.column_stack([weights @ shares for shares in class_shares.T])


def exponentials(scores: Array, top: Array) -> Array:
    """Return exp(score - top), top being a number per query (b,), in place of scores.

    Examples
    --------
    >>> exponentials(np.array([[0.0, -np.inf]]), np.zeros(1)).round(9)
    array([[1., 0.]])
    """
    scores -= top[:, None]
    if scores.size and scores.min() < LEAST:  # quicker by a row than by a number
        np.maximum(scores, np.full(scores.shape[1], LEAST), out=scores)
    return np.exp(scores, out=scores)


class LeftOut(NamedTuple):
    """Rows to leave out: the unique row and class of each, and how many are alike."""

    unique_row: NDArray[np.intp]
    label: NDArray[np.intp]
    times: Array

    def take(self, at: slice | NDArray[np.intp]) -> "LeftOut":
        """Return some of them."""
        return LeftOut(self.unique_row[at], self.label[at], self.times[at])


def draw_rows(counts: Array, n: int) -> LeftOut:
    """Return the rows of a table of counts (m, C), or n drawn from it.

    They are drawn from n stretches of equal weight of all rows, by class.

    Examples
    --------
    >>> draw_rows(np.array([[2.0, 0.0], [1.0, 3.0]]), 4).times
    array([2., 1., 3.])
    >>> draw_rows(np.ones((1_000, 2)), 10).label
    array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    """
    label, row = np.nonzero(counts.T)
    times = counts[row, label]
    if len(row) > n:
        upto = np.cumsum(times)
        drawn = (np.arange(n) + np.random.default_rng(0).random(n)) / n * upto[-1]
        place = np.minimum(np.searchsorted(upto, drawn, side="right"), len(upto) - 1)
        place, n_drawn = np.unique(place, return_counts=True)
        row, label, times = row[place], label[place], n_drawn.astype(float)
    return LeftOut(row, label, times)


def _found_in(
    rows: slice, row: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which rows are among some, and their places there."""
    here = np.flatnonzero((row >= rows.start) & (row < rows.stop))
    return here, row[here] - rows.start


@dataclass(frozen=True)
class LeaveOneOut:
    """Likelihoods of the labels of rows by the soft votes of all other rows.

    Parameters
    ----------
    metric : FittedDistance
        Fitted.
    rows : sequence of length m
        Unique rows, as the metric represents them.
    voters : TrainingRows
        The same with their weights and classes. One row of a unique row weighs as much
        as its rows do in the mean, and 1 at most.
    """

    metric: FittedDistance
    rows: Any
    voters: TrainingRows

    def best_temperature(self, each: Map = map) -> float:
        """Return the likeliest temperature, a power of 2; 1 if all rows are alike.

        ``each`` is shaped like the builtin ``map``.
        """
        temperatures, mean = self.likelihoods(each)
        return float(temperatures[np.argmax(mean >= mean.max() - AS_GOOD)])

    def likelihoods(self, each: Map = map) -> tuple[Array, Array]:
        """Return temperatures, falling, and the mean log-likelihood at each."""
        m = len(self.voters)
        n = int(np.clip(PAIRS // m, FEWEST_QUERIES, MOST_QUERIES))
        left_out = draw_rows(self.voters.counts, n)
        scale = self._mean_squared_distance(left_out)
        hottest = 2.0 ** (np.ceil(np.log2(scale)) + 2.0) if scale else 1.0
        votes = SoftVotes(self.metric, self.rows, np.ones(m), hottest)

        def likelihoods(at: slice) -> Array:
            return self._likelihoods(votes, left_out.take(at))

        chunks = votes.chunks(len(left_out.times), 8 * TILE_NUMBERS)
        total = np.sum(list(each(likelihoods, chunks)), axis=0)  # (N_HALVINGS + 1,)
        temperatures = np.ldexp(hottest, -np.arange(N_HALVINGS + 1))
        return temperatures, total / left_out.times.sum()

    def _likelihoods(self, votes: SoftVotes, left_out: LeftOut) -> Array:
        """Return the log-likelihood of rows, blunted, for each temperature."""
        found = np.zeros(N_HALVINGS + 1)
        for at, blocks in votes.tiles(self.rows[left_out.unique_row]):
            row, label, times = left_out.take(at)
            own = self._own_counts(row, label)
            total = self._totals(blocks, row, own.sum(axis=1) == 0.0)
            total += own
            chance = total[:, np.arange(len(row)), label] / np.maximum(
                total.sum(axis=2), 1e-300
            )
            blunted = (1.0 - BLUNT) * chance + BLUNT / own.shape[1]
            found += np.log(blunted) @ times
        return found

    def _totals(
        self,
        blocks: Iterable[Block],
        row: NDArray[np.intp],
        is_alone: NDArray[np.bool_],
    ) -> Array:
        """Return the votes of all rows but one for each class (N_HALVINGS + 1, b, C).

        In units of the vote of the row ``row`` that is left out; if no other is equal
        to it, of the largest vote. Half the temperature squares the exponentials.
        """
        top, own = np.full(len(row), -np.inf), np.empty(len(row))
        for rows, scores in blocks:
            here, place = _found_in(rows, row)
            own[here] = scores[here, place]
            kept, scores[here, place] = scores[here, place], -np.inf
            np.maximum(top, scores.max(axis=1), out=top)
            scores[here, place] = kept
        is_far = is_alone & np.isinf(top)  # from all others
        top = np.where(is_alone, top, own)
        top[np.isinf(top)] = 0.0
        total = np.zeros((N_HALVINGS + 1, len(row), self.voters.counts.shape[1]))
        for rows, scores in blocks:
            scores[is_far] = 0.0
            E = exponentials(scores, top)
            here, place = _found_in(rows, row)
            E[here, place] = 0.0
            for part in total:
                part += E @ self.voters.counts[rows]
                with np.errstate(under="ignore"):
                    np.multiply(E, E, out=E)
        return total

    def _own_counts(self, row: NDArray[np.intp], label: NDArray[np.intp]) -> Array:
        """Return the counts (b, C) of unique rows, less the row that is left out."""
        counts = self.voters.counts[row]
        mean = self.voters.weights[row] / self.voters.groups.sizes[row]
        one = np.minimum(mean, 1.0)
        counts[np.arange(len(row)), label] -= one
        return np.where(counts < 1e-9 * one[:, None], 0.0, counts)  # rounding

    def _mean_squared_distance(self, left_out: LeftOut) -> float:
        """Return the mean over pairs of some rows and all, infinite ones left out."""
        step = -(-len(left_out.times) // N_FOR_SCALE)
        votes = SoftVotes(self.metric, self.rows, self.voters.weights, 1.0)
        distances, _ = votes.distances(self.rows[left_out.unique_row[::step]])
        is_near = np.isfinite(distances)
        squares = np.where(is_near, distances, 0.0) ** 2
        total, weight = (part @ votes.weights for part in (squares, is_near))
        mean = float(total.sum() / max(weight.sum(), 1e-300))
        return float(np.clip(mean, 1e-250, 1e250)) if mean > 0.0 else 0.0
