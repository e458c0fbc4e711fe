"""Value tables learned by the error of a classifier of radial functions."""

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from nearkind.baselines.pair_tables import (
    PairTables,
    check_tables,
    overlap,
    with_unseen,
)
from nearkind.baselines.pairwise import TableDistance
from nearkind.baselines.radial import RadialError, descend
from nearkind.baselines.value_difference import differences
from nearkind.encoding.rows import unique_rows
from nearkind.estimators.params import number, whole_number
from nearkind.estimators.threads import thread_map
from nearkind.projections.vdm import VDM
from nearkind.protocols import Array, Codes

MOST_CENTRES = 200


class Cheng(TableDistance, BaseEstimator):
    """d = sum over features of M_d[x_d, x'_d], the tables M_d learned from labels.

    Cheng, Li, Kwok and Li, *Dissimilarity learning for nominal data*, Pattern
    Recognition 2004, learn a table of dissimilarities a feature by the error on
    training rows. The rest is our reconstruction: symmetric tables >= 0 with zero
    diagonal (G1); classifier f(x) = sum over centres l of w_l exp(-beta d(x, l)),
    centres being the distinct training rows or 200 of them, and squared error
    (G2); start at the value difference metric + 1e-3 a mismatch, beta = 1 / median
    distance, ridge 1e-3 on w (G3); by turns w exactly and one projected gradient step
    on the tables, no row being its own centre (G4). The error never rises.

    An unseen value is at the mean distance of the feature's values, unless training
    rows have one (``missing="prior"``), whose distances are then learned too.

    Parameters
    ----------
    max_iter : rounds of G4 at most; 0: the start. Running out of rounds is part of the
        method; a warning says so only if the last round still gained more than 1 %
    tol : stop once a round lowers the error by a smaller share than this
    random_state : int, RandomState or None, for the choice of centres
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Attributes
    ----------
    history_ : error before the first round and after each
    n_iter_ : rounds made

    Examples
    --------
    >>> rows, labels = [["a"], ["a"], ["b"], ["b"]], ["no", "no", "no", "yes"]
    >>> Cheng(max_iter=0).fit(rows, labels).pairwise_distances([["a"]], [["b"]])
    array([[0.501]])
    """

    requires_labels = True

    def __init__(
        self,
        max_iter=100,
        tol=1e-4,
        random_state=None,
        unseen="prior",
        missing="level",
        numeric="auto",
    ):
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.unseen = unseen
        self.missing = missing
        self.numeric = numeric

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the tables."""
        max_iter = whole_number(self, "max_iter", 0)
        tol = number(self, "tol", "a number >= 0", low=0.0)
        rows = self.code_rows(X, y, sample_weight)
        codes, book = rows.codes, rows.codebook
        check_tables(book, type(self).__name__)
        cells = rows.merge_equal()
        vdm = VDM().fit(codes, book.n_values, rows.y, rows.weights)
        start = [
            differences(table[:, 0], 2.0) + 1e-3 * overlap(len(table))
            for table in vdm.tables
        ]
        error = RadialError(
            self.represent(cells.codes),
            self.represent(self._centres(cells.codes, cells.weights)),
            np.eye(len(rows.classes))[cells.y],
            cells.weights,
        )
        error = replace(error, beta=error.scale(start))
        with thread_map(1):  # products too small for the library's own threads
            tables, self.history_ = descend(error, start, max_iter, tol)
        self.n_iter_ = len(self.history_) - 1
        self._warn_if_falling(max_iter)
        self.pair_tables_ = PairTables(
            [
                table if (codes[:, d] < 0).any() else with_unseen(table[:-1, :-1])
                for d, table in enumerate(tables)
            ]
        )
        return self

    def _centres(self, codes: Codes, weights: Array) -> Codes:
        """Return distinct rows, some of them by weight if there are too many."""
        distinct = unique_rows(codes, np.zeros(len(codes), np.intp), weights)
        n = len(distinct.codes)
        if n <= MOST_CENTRES:
            return distinct.codes
        rng = check_random_state(self.random_state)
        shares = distinct.weights / distinct.weights.sum()
        return distinct.codes[np.sort(rng.choice(n, MOST_CENTRES, False, shares))]

    def _warn_if_falling(self, max_iter: int) -> None:
        if self.n_iter_ < max(max_iter, 1):
            return
        before, after = self.history_[-2:]
        if after < 0.99 * before:
            warnings.warn(
                f"{type(self).__name__} stopped after {max_iter} rounds, the last of "
                f"which lowered the error from {before:.4g} to {after:.4g}. Raise "
                "max_iter.",
                ConvergenceWarning,
                stacklevel=3,
            )
