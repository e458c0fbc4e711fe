"""POLA: online learning of a metric and a threshold from pairs."""

from collections.abc import Iterator
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack
from threadpoolctl import threadpool_limits

from nearkind.baselines.coding import CodingName
from nearkind.baselines.matrix_learner import LabelledRows, MatrixLearner, NumberOfPairs
from nearkind.estimators.base import code_rows
from nearkind.estimators.labels import partial_labels
from nearkind.protocols import Array, TableLike
from nearkind.tables import read_table
from nearkind.validation.parameters import Flag, check_annotated, generator

ALL_PAIRS_UP_TO = 100
PAIRS_A_ROW = 5
CHUNK = 128
"""Pairs whose distances are kept up to date at once."""


class POLA(MatrixLearner):
    """Pseudo-metric online learning: one pass over pairs of rows.

    A pair with difference v and s = +1 (similar) or -1 has the loss

        [s (v' M v - b) + 1]_+

    and a pair with positive loss projects M and b onto the half-space of zero loss,
    then onto positive semi-definite M and b >= 1:

        a = loss / (|v|^4 + 1),  M <- (M - s a v v')_+,  b <- max(b + s a, 1)

    Shalev-Shwartz, Singer and Ng, ICML 2004. The formulas are our reconstruction: start
    at M = 0, b = 1 (P1); all pairs of up to 100 rows, otherwise 5 pairs per row, half
    of them similar, in random order (P2); the last M is kept, not the mean (P3).

    Parameters
    ----------
    averaged : bool, default=False
        Keep the mean of M over all pairs seen instead of the last M.
    n_pairs : int, default=None
        Number of pairs, half of them similar; None: as in P2.
    coding : {"vdm", "onehot", "thermometer"}, default="vdm"
        Values as class histograms or as indicators.
    random_state : int, RandomState or None, default=0
        Selects the pairs; None: other pairs in each fit.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    metric_ : ndarray of shape (W, W)
        M over the coordinates of the coding.
    threshold_ : float
        b.
    loss_history_ : ndarray of shape (n_pairs,)
        Loss of each pair before it was learned from.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> model = POLA().fit(rows, labels)
    >>> model.pairwise_distances(rows[:1], rows[1:3]).round(4)
    array([[0.    , 1.4131]])
    """

    averaged: Flag = False
    _: KW_ONLY
    n_pairs: NumberOfPairs = None
    coding: CodingName = "vdm"

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from the pairs of more rows, starting from the current M and b.

        The first call learns values and coding, class histograms included, and fixes
        them; values that it did not see are unseen in all later calls.

        Parameters
        ----------
        X : table of shape (n, D)
        y : array-like of shape (n,)
            One label per row; rows without one are left out after the first call.
        classes : array-like, default=None
            In the first call, all labels that may come; None: those of that call.

        Returns
        -------
        self
        """
        online = vars(self).get("_online")
        if online is None:
            check_annotated(self)
            self._rng = generator(self.random_state)
            rows = self._code(code_rows(self, X, y))
            self.classes_ = self.classes_ if classes is None else np.unique(classes)
            online = self._start()
        else:
            rows = self._code_more(X, y)
        self.distance_ = self._form(self._update(online, rows))
        return self

    def _matrix(self, rows: LabelledRows, rng: np.random.Generator) -> Array:
        self._rng = rng
        return self._update(self._start(), rows)

    def _start(self) -> "Online":
        """Return M = 0 and b = 1, and keep them to be updated by later rows."""
        self._online = Online(self.coding_.width, bool(self.averaged))
        self.loss_history_ = np.zeros(0)
        return self._online

    def _update(self, online: "Online", rows: LabelledRows) -> Array:
        """Learn from the pairs of these rows; return the metric."""
        self.threshold_ = online.threshold
        if not self.coding_.width:
            return self._euclidean("no two rows differ")
        pairs = rows.pairs.balanced(self._n_pairs(len(rows.y)), self._rng)
        history = [self.loss_history_]
        with threadpool_limits(1, "blas"):  # many small products
            for at in range(0, len(pairs), CHUNK):
                chunk = pairs.take(slice(at, at + CHUNK))
                history.append(online.learn(rows.differences(chunk), chunk.alike))
        self.loss_history_ = np.concatenate(history)
        self.threshold_ = online.threshold
        M = online.metric
        return M if M.any() else self._euclidean("no pair has left a trace in M")

    def _n_pairs(self, n_rows: int) -> int | None:
        if self.n_pairs is not None:
            return int(self.n_pairs)
        return None if n_rows <= ALL_PAIRS_UP_TO else PAIRS_A_ROW * n_rows

    def _code_more(self, X: TableLike, y: object) -> LabelledRows:
        """Return labelled rows of a later call."""
        table = read_table(X)
        names, numbers = partial_labels(y, table.n_rows)
        new = names[~np.isin(names, self.classes_)].tolist()
        if new:
            raise ValueError(
                f"y has labels that the first call did not: {new[:5]}. "
                "Name all labels that may come as classes in the first call."
            )
        known = np.flatnonzero(numbers >= 0)
        return LabelledRows(self.coding_, self._encode(table)[known], numbers[known])


class Online:
    """M and b, updated by one pair after another.

    The distances of a chunk of pairs are computed at once and corrected after each
    update, by its one or two outer products; pairs without a loss cost nothing more.

    Parameters
    ----------
    width : int
        W.
    averaged : bool, default=False
        Whether ``metric`` is the mean over all pairs seen.

    Examples
    --------
    >>> online = Online(2)
    >>> online.learn(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([False, True]))
    array([2., 1.])
    >>> online.metric.round(4), online.threshold
    (array([[ 0.8085, -0.1557],
           [-0.1557,  0.03  ]]), 1.2)
    """

    def __init__(self, width: int, averaged: bool = False) -> None:
        self._M = np.zeros((width, width), order="F")
        self._total = np.zeros((width, width)) if averaged else None
        self._n_seen = 0
        self.threshold = 1.0

    @property
    def metric(self) -> Array:
        """The metric so far (W, W)."""
        M = self._M if self._total is None else self._total / max(self._n_seen, 1)
        return 0.5 * (M + M.T)

    def learn(self, V: Array, alike: NDArray[np.bool_]) -> Array:
        """Learn from pairs in their order; return the loss of each before that.

        Parameters
        ----------
        V : ndarray of shape (m, W)
            Differences.
        alike : ndarray of bool of shape (m,)
        """
        signs = np.where(alike, 1.0, -1.0)
        d2 = np.einsum("iw,iw->i", V @ self._M, V)
        gram = V @ V.T  # (m, m), what v v' does to the other distances
        losses, last = np.zeros(len(V)), 0
        for at in self._violated(signs, d2):
            losses[at] = signs[at] * (d2[at] - self.threshold) + 1.0
            self._count(at - last)
            last = at
            step = signs[at] * losses[at] / (gram[at, at] ** 2 + 1.0)
            self.threshold = max(float(self.threshold + step), 1.0)
            self._add(-step, V[at])
            d2 -= step * gram[at] ** 2
            if alike[at]:
                d2 += self._cut(V)
        self._count(len(V) - last)
        return losses

    def _violated(self, signs: Array, d2: Array) -> Iterator[int]:
        """Give the pairs that have a loss when it is their turn."""
        at = 0
        while at < len(d2):
            violated = signs[at:] * (d2[at:] - self.threshold) > -1.0
            ahead = int(violated.argmax())
            if not violated[ahead]:
                return
            at += ahead
            yield at
            at += 1

    def _add(self, weight: float, v: Array) -> None:
        blas.dger(weight, v, v, a=self._M, overwrite_a=1)

    def _cut(self, V: Array) -> Array | float:
        """Take a negative eigenvalue off M; return what that adds to v' M v (m,).

        M was positive semi-definite before v v' was taken off, so there is at most one.
        """
        _, not_definite = lapack.dpotrf(self._M)
        if not not_definite:  # there is a Cholesky factor, so nothing negative
            return 0.0
        values, vectors, *_ = lapack.dsyevr(self._M, range="I", il=1, iu=1)
        excess, w = max(-float(values[0]), 0.0), vectors[:, 0]
        self._add(excess, w)
        return excess * (V @ w) ** 2

    def _count(self, n_pairs: int) -> None:
        """Note that M stayed as it is for so many pairs."""
        self._n_seen += n_pairs
        if self._total is not None:
            self._total += n_pairs * self._M
