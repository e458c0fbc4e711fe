"""LMCA: large margin nearest neighbours in a low-dimensional space."""

from collections.abc import Callable
from dataclasses import KW_ONLY
from functools import partial
from typing import Annotated

import numpy as np

from nearkind.baselines.coding import (
    CodingName,
    compressed_rows,
    flat_tables,
    learned_tables,
)
from nearkind.baselines.helic import centred
from nearkind.baselines.large_margin import search_embedding
from nearkind.baselines.margin_learner import (
    Descent,
    MarginDescent,
    MarginLoss,
    coordinates,
    descend,
)
from nearkind.distances.kernel import KERNELS, KernelLandmarks, coded_rows
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.rows import CodedRows, UniqueRows, unique_rows
from nearkind.estimators.base import EmbeddedDistance, VectorDistance
from nearkind.losses.hinge import SmoothedHinge
from nearkind.metrics.metric import pairwise_distances
from nearkind.metrics.spectrum import decompose
from nearkind.protocols import Array, Map
from nearkind.validation.parameters import Positive, WholeNumber, choice

MARGIN = 1.0
"""Also the width of the corner of the smooth hinge."""
NARROWEST, WIDEST = 1e-9, 1e50
"""Bandwidth below which a row is like itself alone, and length above which all rows are
alike, whatever they are."""


class MarginComponents(MarginDescent):
    """Base of learners of a map to few directions."""

    _: KW_ONLY
    n_components: WholeNumber = 10
    coding: CodingName = "onehot"

    def _components(
        self, Z: Array, coded: Array, drawn: UniqueRows, run: Map
    ) -> Descent:
        """Descend in L (q, W) on rows Z (n, W), targets being near as coded rows."""
        near = search_embedding(coded, drawn, self.codebook_.n_values)
        loss = self._loss(drawn, near, SmoothedHinge(MARGIN), run)
        start = principal_axes(Z, drawn.weights, self.n_components)
        return descend(projected(loss, Z), start, self.max_iter, self.tol)


class LMCA(VectorDistance, MarginComponents):
    """Large margin component analysis.

        min over L of  (1 - mu) sum of d_ij  +  mu sum of h(1 + d_ij - d_il)
        d_ij = |L x_i - L x_j|^2,  L with few rows

    over rows i, their k nearest j of the same class before learning, and all rows l of
    other classes; h is the hinge with a quadratic corner of width one. Torresani and
    Lee, *Large margin component analysis*, NIPS 2006, whose c is mu / (1 - mu). Since L
    has fewer rows than columns, this is not convex; the result is a local minimum near
    the start. Our readings: h is the smooth hinge of Rennie and Srebro, 2005; L starts
    from the principal axes of the coded rows, and the solver is limited-memory BFGS.

    Parameters
    ----------
    n_components : int, default=10
        Rows of L; fewer if the coded rows differ in fewer directions.
    n_neighbors : int, default=3
        Target neighbours per row; fewer in smaller classes.
    mu : float, 0 < mu <= 1, default=0.5
        Weight of pushing impostors away, against pulling targets.
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-4
        Stop when an iteration gains less than this fraction of the initial objective.
    coding : {"onehot", "vdm", "thermometer"}, default="onehot"
        Values as indicators or as class histograms.
    max_rows : int, default=4_000
        Distinct rows to learn from; larger tables are subsampled,
        stratified by class.
    random_state : int, RandomState or None, default=0
        Selects the sampled rows; None: other rows in each fit.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    components_ : ndarray of shape (q, W)
        L over the coordinates of the coding.
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
    >>> model = LMCA(n_components=1, n_neighbors=1).fit(rows, labels)
    >>> model.transform(rows).shape
    (4, 1)
    >>> near, far = model.pairwise_distances(rows[:1], rows[1:3])[0]
    >>> bool(near < far)
    True
    """

    n_components: WholeNumber = 10

    def _descend(
        self, rows: CodedRows, drawn: UniqueRows, run: Map
    ) -> tuple[ValueVectors, Descent]:
        projection = self._fit_coding(rows, len(drawn))
        coded = compressed_rows(projection, drawn.codes)
        Z = coded.Z[0, :, 0]
        found = self._components(Z, Z, drawn, run)
        self.components_: Array = found.point @ coded.bases[0].T
        tables = learned_tables(flat_tables(projection), self.components_)
        return ValueVectors(rows.codebook, tables), found


class KernelLMCA(EmbeddedDistance, MarginComponents):
    """Large margin component analysis in the space of a kernel.

        min over A of  (1 - mu) sum of d_ij  +  mu sum of h(1 + d_ij - d_il) d_ij = |A
        k(x_i) - A k(x_j)|^2,  k(x) the kernel values of x and training rows

    as in :class:`LMCA`; Torresani and Lee, NIPS 2006. The solver works with L = A Phi,
    where Phi contains the rows in orthonormal coordinates of the kernel's space, so the
    linear kernel gives the distances of :class:`LMCA`. A row is not a sum of value
    vectors, so there is ``transform`` but neither ``explain`` nor an export.

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
        Maximum number of distinct rows to learn from; larger tables are subsampled,
        stratified by class. Time grows with their cube, memory with their square.
    random_state : int, RandomState or None, default=0
        Selects the sampled rows; None: other rows in each fit.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    components_ : ndarray of shape (q, m)
        A, over the kernels with the training rows ``distance_.landmarks``.
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
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 1, 1, 0]
    >>> model = KernelLMCA(n_neighbors=1).fit(rows, labels)
    >>> far, near = model.pairwise_distances(rows[:1], rows[2:])[0]
    >>> bool(near < far)
    True
    """

    n_components: WholeNumber = 10
    _: KW_ONLY
    kernel: Annotated[str, partial(choice, table=KERNELS)] = "rbf"
    bandwidth: Positive = 2.0
    max_rows: WholeNumber = 1_000

    def _descend(
        self, rows: CodedRows, drawn: UniqueRows, run: Map
    ) -> tuple[KernelLandmarks, Descent]:
        coding = flat_tables(self._fit_coding(rows, len(drawn)))
        points = unique_rows(drawn.codes, np.zeros_like(drawn.y), drawn.weights)
        X = coded_rows(coding, points.codes)
        length = max(self.bandwidth, NARROWEST) * median_distance(X)
        length = min(length, WIDEST)
        K = KERNELS[self.kernel](X, X, length)
        P = coordinates(centred(K))  # (m, r), orthogonal columns
        found = self._components(P[points.of_row], X[points.of_row], drawn, run)
        # P has the centred kernels in its range: P' K = diag(P'P) P' up to a shift.
        lengths = np.maximum((P * P).sum(axis=0), np.finfo(float).tiny)
        self.components_: Array = found.point @ (P / lengths).T
        kernel = points.codes, self.kernel, length, self.components_
        return KernelLandmarks(rows.codebook, coding, *kernel), found


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
