"""Chi2-LMNN: large margins between histograms, by their chi-square distance."""

from collections.abc import Callable
from dataclasses import KW_ONLY

import numpy as np

from nearkind.baselines.coding import flat_tables, learned_tables
from nearkind.baselines.helic import centred
from nearkind.baselines.margin_learner import (
    Descent,
    MarginDescent,
    MarginLoss,
    coordinates,
    descend,
)
from nearkind.distances.kernel import coded_rows
from nearkind.distances.vectors import TINY, ChiSquareVectors, chi_square
from nearkind.encoding.rows import CodedRows, UniqueRows
from nearkind.losses.edges import AnchorPairs
from nearkind.losses.hinge import SmoothedHinge
from nearkind.metrics.metric import Embedding
from nearkind.protocols import Array, Map
from nearkind.validation.parameters import Positive, WholeNumber

DIAGONAL = 0.75
"""Of L at the start; what a column lacks to one is shared by its other entries. Nearer
one, the softmax is so flat that nothing is learned."""
MARGINS = (1e-12, 1e12)
"""Shares of the mean distance below which a margin, and above which d, is rounding."""


class Chi2LMNN(MarginDescent):
    """Large margin nearest neighbour with the chi-square distance of histograms.

        d_ij = chi2(L x_i, L x_j),  chi2(u, v) = 1/2 sum of (u_k - v_k)^2 / (u_k + v_k)
        min over L of  (1 - mu) sum of d_ij  +  mu sum of h(margin + d_ij - d_il)

    over rows i, their k nearest j of the same class before learning, and all rows l of
    other classes. x concatenates the class histograms of a row's values, divided by D:
    D C numbers with sum one. L has entries >= 0 and columns with sum one, so L x is a
    histogram too. Kedem, Tyree, Weinberger, Sha and Lanckriet, *Non-linear metric
    learning*, NIPS 2012. The distance is the root of d, which is a metric. Our
    readings: columns of L are the softmax of unconstrained numbers, starting with 3/4
    on the diagonal; h is the hinge with a quadratic corner as wide as the margin; the
    margin is relative to the mean d between classes at the start.

    Parameters
    ----------
    n_neighbors : int, default=3
        Target neighbours per row; fewer in smaller classes.
    mu : float, 0 < mu <= 1, default=0.5
        Weight of pushing impostors away, against pulling targets.
    margin : float > 0, default=0.1
        In units of the mean d between rows of different classes at the start, which no
        L can increase.
    max_iter : int, default=100
        Maximum number of iterations.
    tol : float, default=1e-4
        Stop when an iteration gains less than this fraction of the initial objective.
    max_rows : int, default=500
        Maximum number of distinct rows to learn from; larger tables are subsampled,
        stratified by class. Time grows with their square times D C.
    random_state : int, RandomState or None, default=0
        Selects the sampled rows; None: other rows in each fit.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    components_ : ndarray of shape (D C, D C)
        L.
    history_ : list of float
        Objective at the start and after each iteration.
    objective_ : float
        Final value of the objective.
    n_iter_ : int
        Number of iterations.
    stop_reason_ : str
        Reason for stopping.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> model = Chi2LMNN(n_neighbors=1).fit(rows, labels)
    >>> near, far = model.pairwise_distances(rows[:1], rows[1:3])[0]
    >>> bool(near < far)
    True
    """

    n_neighbors: WholeNumber = 3
    _: KW_ONLY
    margin: Positive = 0.1
    max_iter: WholeNumber = 100
    max_rows: WholeNumber = 500
    coding = "vdm"

    def _descend(
        self, rows: CodedRows, drawn: UniqueRows, run: Map
    ) -> tuple[ChiSquareVectors, Descent]:
        flat = flat_tables(self._fit_coding(rows, len(drawn)))
        shares = [table / len(flat) for table in flat]
        X = coded_rows(shares, drawn.codes)
        d2 = chi_square(X, X)
        places = coordinates(-0.5 * centred(d2))  # the root of chi2 is Hilbertian
        margin = float(np.clip(self.margin, *MARGINS)) * _mean_between(d2, drawn)
        near, hinge = Embedding(places, places), SmoothedHinge(margin)
        loss = self._loss(drawn, near, hinge, run, margin, ChiSquareRows)
        width = X.shape[1]
        start = np.log((width - 1) * DIAGONAL / (1.0 - DIAGONAL)) * np.eye(width)
        found = descend(mixed(loss, X), start, self.max_iter, self.tol)
        self.components_: Array = mixing(found.point)
        tables = learned_tables(shares, self.components_)
        return ChiSquareVectors(rows.codebook, tables), found


class ChiSquareRows:
    """Rows U (n, q) >= 0 between which the distance is chi-square.

    Examples
    --------
    >>> rows = ChiSquareRows(np.array([[0.5, 0.5], [1.0, 0.0]]))
    >>> rows.distances(AnchorPairs(np.array([0]))).round(4)
    array([[0.    , 0.3333]])
    """

    def __init__(self, U: Array) -> None:
        self._U = U

    def distances(self, pairs: AnchorPairs) -> Array:
        """Return chi-square of anchors and all rows (a, n)."""
        return chi_square(self._U[pairs.anchors], self._U)

    def gradient(self, pairs: AnchorPairs, weights: Array) -> Array:
        """Return the gradient in U (n, q) of the sum of weights (a, n) times those.

        d chi2 / d u_k = 1/2 - 2 (v_k / (u_k + v_k))^2, and likewise in v.
        """
        U, G = self._U, np.zeros_like(self._U)
        for i, w in zip(pairs.anchors, weights, strict=True):
            (active,) = np.nonzero(w)
            u, v = U[i], U[active]
            s = np.maximum(u + v, TINY)
            G[i] += w[active] @ (0.5 - 2.0 * (v / s) ** 2)
            G[active] += w[active, None] * (0.5 - 2.0 * (u / s) ** 2)
        return G


def mixing(T: Array) -> Array:
    """Return L, whose columns are softmax of those of T (q, W).

    Examples
    --------
    >>> mixing(np.array([[0.0, 1000.0], [0.0, 0.0]]))
    array([[0.5, 1. ],
           [0.5, 0. ]])
    """
    E = np.exp(T - T.max(axis=0))
    L: Array = E / E.sum(axis=0)
    return L


def mixed(loss: MarginLoss, X: Array) -> Callable[[Array], tuple[float, Array]]:
    """Return the loss at rows X L', and its gradient, as a function of T (q, W)."""

    def evaluate(T: Array) -> tuple[float, Array]:
        L = mixing(T)
        value, G = loss.gradient(X @ L.T)
        slopes = G.T @ X  # in L
        return value, L * (slopes - (L * slopes).sum(axis=0))

    return evaluate


def _mean_between(d2: Array, rows: UniqueRows) -> float:
    """Return the mean distance between rows of two classes; 1 if it is zero."""
    pairs = np.outer(rows.weights, rows.weights) * (rows.y[:, None] != rows.y)
    total = pairs.sum()
    mean = float((pairs * d2).sum() / total) if total > 0.0 else 0.0
    return mean or 1.0
