"""LMCA: large margins in few directions, of coded rows or of a kernel's space."""

from collections.abc import Callable
from dataclasses import KW_ONLY
from typing import Any

import numpy as np

from nearkind.baselines.coding import CODINGS, flat_tables, learned_tables
from nearkind.baselines.helic import centred
from nearkind.baselines.large_margin import search_embedding
from nearkind.baselines.margin_learner import MarginLearner
from nearkind.baselines.margin_loss import Descent, MarginLoss, coordinates, descend
from nearkind.distances.kernel import KERNELS, KernelLandmarks, coded_rows
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.rows import CodedRows, UniqueRows, unique_rows
from nearkind.estimators.base import EmbeddedDistance, VectorDistance
from nearkind.estimators.bases import BaseEstimator
from nearkind.losses.hinge import SmoothedHinge
from nearkind.metrics.compression import compress
from nearkind.metrics.metric import pairwise_distances
from nearkind.metrics.spectrum import decompose
from nearkind.metrics.structures import Full
from nearkind.protocols import Array, Map
from nearkind.validation import parameters
from nearkind.validation.parameters import estimator_class, number, whole_number

MARGIN = 1.0
"""Also the width of the corner of the smooth hinge."""
NARROWEST = 1e-9
"""Bandwidth below which a row is like itself alone, whatever the bandwidth."""


@estimator_class()
class LMCA(MarginLearner, VectorDistance, BaseEstimator):
    """Large margin component analysis.

        min over L of  (1 - mu) sum of d_ij  +  mu sum of h(1 + d_ij - d_il)
        d_ij = |L x_i - L x_j|^2,  L with few rows

    over rows i, their k nearest j of the same class before learning, and all rows l of
    other classes; h is the hinge with a quadratic corner of width one. Torresani and
    Lee, *Large margin component analysis*, NIPS 2006, whose c is mu / (1 - mu). As L
    has fewer rows than columns this is not convex; it ends at a minimum near its start.
    Our readings: h is the smooth hinge of Rennie and Srebro, 2005; L starts at the
    principal axes of the coded rows, and limited-memory BFGS descends.

    Parameters
    ----------
    n_components : int, default=10
        Rows of L; fewer if the coded rows differ in fewer directions.
    n_neighbors : int, default=3
        Targets of a row; a smaller class is taken whole.
    mu : float, 0 < mu <= 1, default=0.5
        Weight of pushing against pulling.
    max_iter : int, default=200
        Iterations at most.
    tol : float, default=1e-4
        Stop when an iteration gains less than this share of the objective at the start.
    coding : {"onehot", "vdm"}, default="onehot"
        Values as indicators or as class histograms.
    max_rows : int, default=4_000
        Distinct rows to learn from; of more so many are drawn, of each class its share.
    random_state : int, RandomState or None, default=0
        For the rows drawn; None: others each time.
    unseen, missing, numeric : str, default="prior", "level", "auto"
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    components_ : ndarray of shape (q, W)
        L over the coordinates of the coding.
    history_ : list of float
        Objective at the start and after each iteration.
    objective_ : float
        Value reached.
    n_iter_ : int
        Iterations made.
    stop_reason_ : str
        Why they ended.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> model = LMCA(n_components=1, n_neighbors=1).fit(rows, labels)
    >>> model.transform(rows).shape
    (4, 1)
    >>> near, far = model.pairwise_distances(rows[:1], rows[1:3])[0]
    >>> bool(near < far)
    True
    """

    n_components: int = 10
    _: KW_ONLY
    n_neighbors: int = 3
    mu: float = 0.5
    max_iter: int = 200
    tol: float = 1e-4
    coding: str = "onehot"
    max_rows: int = 4_000
    random_state: Any = 0

    def _check(self) -> None:
        super()._check()
        whole_number(self, "n_components")
        parameters.choice(self, "coding", CODINGS)

    def _learn(self, rows: CodedRows, drawn: UniqueRows, run: Map) -> Descent:
        projection = self._fit_projection(CODINGS[self.coding](), rows, len(drawn))
        coded = compress(Full().blocks(projection.transform(drawn.codes)))
        Z = coded.Z[0, :, 0]
        near = search_embedding(Z, drawn, self.codebook_.n_values)
        loss = self._loss(drawn, near, SmoothedHinge(MARGIN), run)
        start = principal_axes(Z, drawn.weights, self.n_components)
        found = descend(projected(loss, Z), start, self.max_iter, self.tol)
        self.components_: Array = found.point @ coded.bases[0].T
        flat = flat_tables(projection)
        tables = learned_tables(flat, self.components_)
        self.distance_ = ValueVectors(self.codebook_, tables)
        return found


@estimator_class()
class KernelLMCA(MarginLearner, EmbeddedDistance, BaseEstimator):
    """Large margin component analysis in the space of a kernel.

        min over A of  (1 - mu) sum of d_ij  +  mu sum of h(1 + d_ij - d_il)
        d_ij = |A k(x_i) - A k(x_j)|^2,  k(x) the kernels of x with rows learned from

    as in :class:`LMCA`; Torresani and Lee, NIPS 2006. The descent is in L = A Phi, Phi
    the rows in the kernel's space: it runs in orthonormal coordinates of that space, so
    the linear kernel gives the distances of :class:`LMCA`. A row is no sum of vectors
    of its values, so it has ``transform`` but neither ``explain`` nor an export.

    Parameters
    ----------
    n_components : int, default=10
        Rows of A; fewer if the kernel has fewer directions.
    kernel : {"rbf", "linear"}, default="rbf"
        exp(-|x - z|^2 / (2 length^2)), or the product x'z, between coded rows.
    bandwidth : float > 0, default=2.0
        The length of "rbf", in units of the median distance between distinct rows.
    n_neighbors, mu, max_iter : int, float, int, default=3, 0.5, 200
        As in :class:`LMCA`.
    tol, coding : float, str, default=1e-4, "onehot"
        As in :class:`LMCA`.
    max_rows : int, default=1_000
        Distinct rows to learn from; of more so many are drawn, of each class its share.
        Time grows with their cube, memory with their square.
    random_state : int, RandomState or None, default=0
        For the rows drawn; None: others each time.
    unseen, missing, numeric : str, default="prior", "level", "auto"
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    components_ : ndarray of shape (q, m)
        A, over the kernels with the rows learned from, ``distance_.landmarks``.
    history_ : list of float
        Objective at the start and after each iteration.
    objective_ : float
        Value reached.
    n_iter_ : int
        Iterations made.
    stop_reason_ : str
        Why they ended.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 1, 1, 0]
    >>> model = KernelLMCA(n_neighbors=1).fit(rows, labels)
    >>> far, near = model.pairwise_distances(rows[:1], rows[2:])[0]
    >>> bool(near < far)
    True
    """

    n_components: int = 10
    _: KW_ONLY
    kernel: str = "rbf"
    bandwidth: float = 2.0
    n_neighbors: int = 3
    mu: float = 0.5
    max_iter: int = 200
    tol: float = 1e-4
    coding: str = "onehot"
    max_rows: int = 1_000
    random_state: Any = 0

    def _check(self) -> None:
        super()._check()
        whole_number(self, "n_components")
        parameters.choice(self, "coding", CODINGS)
        parameters.choice(self, "kernel", KERNELS)
        number(self, "bandwidth", "a number > 0", 0.0, open_low=True)

    def _learn(self, rows: CodedRows, drawn: UniqueRows, run: Map) -> Descent:
        projection = self._fit_projection(CODINGS[self.coding](), rows, len(drawn))
        points = unique_rows(drawn.codes, np.zeros_like(drawn.y), drawn.weights)
        coding = flat_tables(projection)
        X = coded_rows(coding, points.codes)
        length = max(self.bandwidth, NARROWEST) * median_distance(X)
        K = KERNELS[self.kernel](X, X, length)
        P = coordinates(centred(K))  # (m, r), orthogonal columns
        Z = P[points.of_row]
        near = search_embedding(X[points.of_row], drawn, self.codebook_.n_values)
        loss = self._loss(drawn, near, SmoothedHinge(MARGIN), run)
        start = principal_axes(Z, drawn.weights, self.n_components)
        found = descend(projected(loss, Z), start, self.max_iter, self.tol)
        # P has the centred kernels in its range: P' K = diag(P'P) P' up to a shift.
        lengths = np.maximum((P * P).sum(axis=0), np.finfo(float).tiny)
        self.components_: Array = found.point @ (P / lengths).T
        kernel = points.codes, self.kernel, length, self.components_
        self.distance_ = KernelLandmarks(self.codebook_, coding, *kernel)
        return found


def projected(loss: MarginLoss, Z: Array) -> Callable[[Array], tuple[float, Array]]:
    """Return the loss at rows Z L', and its gradient, as a function of L (q, W)."""

    def evaluate(L: Array) -> tuple[float, Array]:
        value, G = loss.gradient(Z @ L.T)
        return value, G.T @ Z

    return evaluate


def principal_axes(Z: Array, weights: Array, size: int) -> Array:
    """Return the axes along which weighted rows Z (n, W) vary most, at most ``size``.

    Examples
    --------
    >>> Z = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.1]])
    >>> np.abs(principal_axes(Z, np.ones(3), 1)).round(4)
    array([[1., 0.]])
    """
    share = weights / weights.sum()
    Y = Z - share @ Z
    spectrum = decompose(((Y * share[:, None]).T @ Y)[None])
    return spectrum.truncated(size).vectors[0].T


def median_distance(X: Array) -> float:
    """Return the median distance between rows that differ; 1 if none do."""
    d2 = pairwise_distances(X)
    apart = d2[d2 > 0.0]
    return float(np.sqrt(np.median(apart))) if len(apart) else 1.0
