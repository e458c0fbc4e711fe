"""Soft votes: every row votes, by a weight that falls with its squared distance.

These are the chances of soft neighbours (``constraints="neighbors"``): a row draws row
u as its neighbour by chance, in proportion to w_u exp(-d2 / T) of the squared distance
d2, and T, the temperature, is their margin.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.form import query_chunks
from nearkind.neighbors.reach import TIE, tie_widths
from nearkind.neighbors.training_rows import TrainingRows
from nearkind.neighbors.vector_rows import VectorRows
from nearkind.protocols import Array, Dissimilarity, Map

Single = NDArray[np.float32]

COLD = 1e-9
"""Temperature, as a share of the largest squared distance, below which every distance
is computed for itself, and distances that tie are made equal."""
LOWEST = 1e-300
"""Temperature below which nothing changes, and quotients overflow."""
TILE_NUMBERS = 1 << 18
"""Weights that are held at a time: a cache's."""

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

    whose last term all rows share, so that one product of matrices has all of them. It
    is made in double precision, as it may be large while its differences are small;
    the largest of a query is then subtracted, and the exponentials are in single
    precision, which errs by 1e-7 of a share.

    Parameters
    ----------
    metric : Dissimilarity
        Fitted.
    rows : sequence of length m
        Unique rows, as the metric represents them.
    weights : ndarray (m,)
        How many rows each stands for.
    temperature : float
        T, above zero.

    Examples
    --------
    >>> import nearkind as nk
    >>> metric = nk.baselines.Hamming().fit([["a"], ["b"]])
    >>> rows = metric.represent(np.array([[0], [1]]))
    >>> votes = SoftVotes(metric, rows, np.ones(2), 1.0)
    >>> votes.shares(rows, np.eye(2)).round(2)
    array([[0.73, 0.27],
           [0.27, 0.73]])
    """

    metric: Dissimilarity
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
        """What x and 1 are multiplied by, for each row (q + 1, m)."""
        y = self.rows - self.vectors.centre
        last = self.logarithms - np.einsum("mq,mq->m", y, y) / self.bounded
        return np.vstack([y.T * (2.0 / self.bounded), last])

    @property
    def bounded(self) -> float:
        """The temperature, where quotients by it are finite."""
        return max(self.temperature, LOWEST)

    def chunks(self, n_queries: int, at_once: int) -> list[slice]:
        """Split queries into chunks of at most ``at_once`` weights, or one query.

        What threads will share is built before they start.
        """
        if self.metric.is_euclidean:
            _ = self.factors
        return query_chunks(n_queries, len(self.weights), at_once)

    def shares(self, queries: Any, class_shares: Array) -> Array:
        """Return each class's share of the votes (b, C), given those of rows (m, C)."""
        total = np.empty((len(queries), class_shares.shape[1]))
        for at, scores, buffer in self.tiles(queries):
            weights = exponentials(scores, scores.max(axis=1), buffer)
            scores[...] = weights  # added up in double precision
            np.matmul(scores, class_shares, out=total[at])
        return total / total.sum(axis=1, keepdims=True)

    def votes(self, queries: Any) -> Array:
        """Return each row's share of the votes (b, m)."""
        scores = self.scores(queries)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    def tiles(self, queries: Any) -> Iterator[tuple[slice, Array, Single]]:
        """Give the scores of a few queries at a time, and room for exponentials.

        All are written to the same place: memory that is new takes longer to get than
        to fill.
        """
        tiles = query_chunks(len(queries), len(self.weights), TILE_NUMBERS)
        shape = tiles[0].stop if tiles else 0, len(self.weights)
        wide, narrow = np.empty(shape), np.empty(shape, np.float32)
        for at in tiles:
            scores = self.scores(queries[at], wide)
            yield at, scores, narrow[: len(scores)]

    def scores(self, queries: Any, out: Array | None = None) -> Array:
        """Return log w - d2 / T (b, m), less some number for each query.

        They may be written to ``out``, which has b rows or more.
        """
        if self.metric.is_euclidean:
            largest = self.vectors.largest(queries)
            if (self.bounded >= COLD * largest**2).all():
                x = queries - self.vectors.centre
                left = np.column_stack([x, np.ones(len(x))])
                out = None if out is None else out[: len(x)]
                return np.matmul(left, self.factors, out=out)
        distances, tie = self.distances(queries)
        nearest = distances.min(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", over="ignore"):
            beyond = distances - nearest
            if (is_cold := self.bounded < COLD * (tie / TIE) ** 2).any():
                beyond[is_cold[:, None] & (beyond <= tie[:, None])] = 0.0
            beyond *= distances + nearest
            beyond[np.isinf(nearest[:, 0])] = 0.0
            return self.logarithms - beyond / self.bounded

    def distances(self, queries: Any) -> tuple[Array, Array]:
        """Return all distances (b, m), and how close two are that are equal (b,)."""
        if not self.metric.is_euclidean:
            found = self.metric.compare(queries, self.rows)
            return found, tie_widths(found)
        return self.vectors.all_distances(queries), self.vectors.tie_widths(queries)


def exponentials(scores: Array, top: Array, out: Single) -> Single:
    """Return exp(score - top) in single precision, top being a number a query (b,).

    Examples
    --------
    >>> exponentials(np.array([[0.0, -np.inf]]), np.zeros(1), np.empty((1, 2), "f4"))
    array([[1., 0.]], dtype=float32)
    """
    with np.errstate(over="ignore", under="ignore"):
        np.subtract(scores, top[:, None], out=out, casting="same_kind")
        return np.exp(out, out=out)


class LeftOut(NamedTuple):
    """Rows to leave out: the unique row and class of each, and how many are alike."""

    unique_row: NDArray[np.intp]
    label: NDArray[np.intp]
    times: Array

    def take(self, at: slice) -> "LeftOut":
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


@dataclass(frozen=True)
class LeaveOneOut:
    """Likelihoods of the labels of rows by the soft votes of all other rows.

    Parameters
    ----------
    metric : Dissimilarity
        Fitted.
    rows : sequence of length m
        Unique rows, as the metric represents them.
    voters : TrainingRows
        The same with their weights and classes. One row of a unique row weighs as much
        as its rows do in the mean, and 1 at most.
    """

    metric: Dissimilarity
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
        """Return the log-likelihood of rows, blunted, for each temperature.

        Half the temperature squares the exponentials.
        """
        found = np.zeros(N_HALVINGS + 1)
        for at, scores, buffer in votes.tiles(self.rows[left_out.unique_row]):
            row, label, times = left_out.take(at)
            own, of = self._own_counts(row, label), np.arange(len(row))
            is_alone = own.sum(axis=1) == 0.0
            at_itself = scores[of, row]
            scores[of, row] = -np.inf
            scores[is_alone & np.isinf(scores.max(axis=1))] = 0.0  # all infinitely far
            scores[of, row] = -np.inf
            top = np.where(is_alone, scores.max(axis=1), at_itself)
            E = exponentials(scores, np.where(np.isinf(top), 0.0, top), buffer)
            for place in range(N_HALVINGS + 1):
                scores[...] = E
                total = scores @ self.voters.counts + own  # (b, C)
                chance = total[of, label] / np.maximum(total.sum(axis=1), 1e-300)
                blunted = (1.0 - BLUNT) * chance + BLUNT / own.shape[1]
                found[place] += times @ np.log(blunted)
                with np.errstate(under="ignore"):
                    np.multiply(E, E, out=E)
        return found

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
