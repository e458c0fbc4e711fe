"""Cheng: tables of distances between values, learned with a radial classifier."""

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.baselines.baseline import Learner, WeightedBaseline
from nearkind.baselines.value_difference import differences
from nearkind.distances.pair_tables import (
    PairTables,
    Places,
    check_table_size,
    indicators,
    overlap,
    places,
    starts,
    table_sums,
    with_unseen,
)
from nearkind.encoding.rows import CodedRows, row_keys, unique_rows
from nearkind.errors import Parameter
from nearkind.estimators.base import SeparableDistance
from nearkind.projections.vdm import VDM
from nearkind.protocols import Array, Codes
from nearkind.validation.convergence import NotConvergedWarning
from nearkind.validation.parameters import NonNegative, Seed, seeded, whole_number
from nearkind.validation.threads import thread_map

MOST_CENTRES = 200
RIDGE = 1e-3
_ENOUGH = 1e-4
"""Share of the decrease that the gradient promises at which a step is taken."""
_HALVINGS = 40

Tables = Sequence[Array]


class Cheng(Learner, SeparableDistance, WeightedBaseline):
    """d = sum over features of M_d[x_d, x'_d], the tables M_d learned from labels.

    Cheng, Li, Kwok and Li, *Dissimilarity learning for nominal data*, Pattern
    Recognition 2004, learn one table of dissimilarities per feature by the error on
    training rows. The rest is our reconstruction: symmetric tables >= 0 with zero
    diagonal (G1); classifier f(x) = sum over centres l of w_l exp(-beta d(x, l)),
    centres being the distinct training rows or 200 of them, and squared error (G2);
    start at the value difference metric plus 1e-3 per mismatch, beta = 1 / median
    distance, ridge 1e-3 on w (G3); alternately w exactly and one projected gradient
    step on the tables, without the row itself as a centre (G4). The error never
    increases.

    An unseen value has the mean distance of the feature's values, unless training rows
    have unseen values (``missing="prior"``), whose distances are then learned too.

    Parameters
    ----------
    max_iter : int, default=100
        Maximum number of rounds of G4; 0: the start. Ending at the maximum is normal;
        there is a warning only if the last round still gained more than 1 %.
    tol : float, default=1e-4
        Stop when a round reduces the error by less than this fraction.
    random_state : int, RandomState or None, default=None
        Selects the centres.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    history_ : list of float
        Error before the first round and after each.
    n_iter_ : int
        Number of rounds.

    Examples
    --------
    >>> rows, labels = [["a"], ["a"], ["b"], ["b"]], ["no", "no", "no", "yes"]
    >>> Cheng(max_iter=0).fit(rows, labels).pairwise_distances([["a"]], [["b"]])
    array([[0.501]])
    """

    max_iter: Annotated[int, partial(whole_number, low=0)] = 100
    _: KW_ONLY
    tol: NonNegative = 1e-4
    random_state: Seed = None

    def _learn(self, rows: CodedRows) -> PairTables:
        codes, book = rows.codes, rows.codebook
        check_table_size(book, type(self).__name__)
        unique = rows.merge_equal()
        vdm = VDM().fit(codes, book.n_values, rows.y, rows.weights)
        start = [
            differences(table[:, 0], 2.0) + 1e-3 * overlap(len(table))
            for table in vdm.tables
        ]
        error = RadialError(
            places(unique.codes, book.n_values),
            places(self._centres(unique.codes, unique.weights), book.n_values),
            np.eye(len(rows.classes))[unique.y],
            unique.weights,
        )
        error = replace(error, beta=error.scale(start))
        with thread_map(1):  # products too small for the library's own threads
            tables, self.history_ = descend(error, start, self.max_iter, self.tol)
        self.n_iter_ = len(self.history_) - 1
        self._warn_if_falling()
        return PairTables(
            book,
            [
                table if (codes[:, d] < 0).any() else with_unseen(table[:-1, :-1])
                for d, table in enumerate(tables)
            ],
        )

    def _centres(self, codes: Codes, weights: Array) -> Codes:
        """Return distinct rows, some of them by weight if there are too many."""
        distinct = unique_rows(codes, np.zeros(len(codes), np.intp), weights)
        n = len(distinct.codes)
        if n <= MOST_CENTRES:
            return distinct.codes
        rng = seeded(self.random_state)
        shares = distinct.weights / distinct.weights.sum()
        return distinct.codes[np.sort(rng.choice(n, MOST_CENTRES, False, shares))]

    def _warn_if_falling(self) -> None:
        if self.n_iter_ < max(self.max_iter, 1):
            return
        before, after = self.history_[-2:]
        if after < 0.99 * before:
            text = (
                f"{type(self).__name__} stopped after {self.n_iter_} rounds, the last "
                f"of which lowered the error from {before:.4g} to {after:.4g}. Raise "
            )
            told = NotConvergedWarning(text, Parameter("max_iter"), ".")
            warnings.warn(told, stacklevel=5)


class Point(NamedTuple):
    """Tables, the best classifier for them, and its error."""

    tables: Tables
    kernel: Array  # (n, L)
    w: Array  # (L, C)
    value: float


@dataclass(frozen=True)
class RadialError:
    """E = 1/2 sum of v_i |f(x_i) - t_i|^2 + RIDGE / 2 |w|^2.

    f(x) = sum over centres l of w_l exp(-beta d(x, l)), d from value tables; a centre
    equal to the row is left out.
    """

    rows: Places  # (n, D)
    centres: Places  # (L, D)
    targets: Array  # t (n, C)
    weights: Array  # v (n,)
    beta: float = 1.0

    @cached_property
    def is_itself(self) -> NDArray[np.bool_]:
        """Whether a centre is the row itself (n, L)."""
        keys = row_keys(np.vstack([self.rows, self.centres]))
        return keys[: len(self.rows), None] == keys[len(self.rows) :]

    def scale(self, tables: Tables) -> float:
        """Return 1 / median distance of a row and a centre."""
        d = table_sums(tables, self.rows, self.centres)[~self.is_itself]
        middle = float(np.median(d)) if len(d) else 0.0
        return 1.0 / middle if middle > 0.0 else 1.0

    def kernel(self, tables: Tables) -> Array:
        """Return exp(-beta d) (n, L), zero between a row and itself."""
        d = table_sums(tables, self.centres, self.rows).T  # O(n L D)
        return np.where(self.is_itself, 0.0, np.exp(-self.beta * d))

    def value(self, K: Array, w: Array) -> float:
        """Return E."""
        e = K @ w - self.targets
        return 0.5 * float(self.weights @ (e * e).sum(axis=1) + RIDGE * (w * w).sum())

    def fitted(self, tables: Tables, K: Array) -> Point:
        """Return the best classifier for a kernel."""
        weighted = K * self.weights[:, None]
        A = K.T @ weighted + RIDGE * np.eye(K.shape[1])  # O(n L^2)
        b = weighted.T @ self.targets
        try:
            w = np.asarray(np.linalg.solve(A, b), dtype=float)
        except np.linalg.LinAlgError:  # weights so far apart that RIDGE is rounding
            w = np.asarray(np.linalg.lstsq(A, b)[0], dtype=float)
        return Point(tables, K, w, self.value(K, w))

    def gradient(self, point: Point) -> list[Array]:
        """Return dE / dM_d[u, v] at fixed w, each unordered pair of values once."""
        K, w = point.kernel, point.w
        e = (K @ w - self.targets) * self.weights[:, None]
        by_distance = -self.beta * (e @ w.T) * K  # dE / d d(i, l) (n, L)
        at = starts([len(table) - 1 for table in point.tables])
        by_value = indicators(self.rows, int(at[-1])).T @ by_distance  # (S, L)
        return [
            _unordered(by_value[begin:end], self.centres[:, [d]] - begin)
            for d, (begin, end) in enumerate(pairwise(at.tolist()))
        ]


def _unordered(gradient: Array, values: Places) -> Array:
    """Add a gradient (s, L) by the value of each centre; return (s, s), symmetric."""
    ordered = indicators(values, len(gradient)).T @ gradient.T
    both = ordered + ordered.T
    np.fill_diagonal(both, 0.0)
    return both


def descend(
    error: RadialError, start: Tables, max_iter: int, tol: float
) -> tuple[Tables, list[float]]:
    """Take projected gradient steps until the error falls no more.

    Returns
    -------
    tables : sequence of ndarray of shape (s_d + 1, s_d + 1)
    history : list of float
        The error before the first step and after each.
    """
    point = error.fitted(start, error.kernel(start))
    history, step = [point.value], np.inf
    for _ in range(max_iter):
        gradient = error.gradient(point)
        steepest = max(np.abs(g).max() for g in gradient)
        if steepest == 0.0:
            break
        longest = 1.0 / (error.beta * len(start) * steepest)
        found = _step(error, point, gradient, min(2.0 * step, longest))
        if found is None:
            break
        new, step = found
        history.append(new.value)
        settled = point.value - new.value <= tol * point.value
        point = new
        if settled:
            break
    return point.tables, history


def _step(
    error: RadialError, point: Point, gradient: Sequence[Array], step: float
) -> tuple[Point, float] | None:
    """Halve a step until the error falls as the gradient promises; None if never."""
    for _ in range(_HALVINGS):
        pairs = list(zip(point.tables, gradient, strict=True))
        tables = [np.maximum(M - step * g, 0.0) for M, g in pairs]
        promised = 0.5 * sum(
            float(((new - M) * g).sum())
            for new, (M, g) in zip(tables, pairs, strict=True)
        )
        K = error.kernel(tables)
        if error.value(K, point.w) <= point.value + _ENOUGH * promised:
            return error.fitted(tables, K), step
        step *= 0.5
    return None
