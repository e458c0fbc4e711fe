"""RFM: the metric of a recursive feature machine."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from nearkind.baselines.baseline import Learner, WeightedBaseline
from nearkind.baselines.coding import CodingName, compressed_rows
from nearkind.constraints.weighted_labels import sample_rows
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.rows import CodedRows, unique_rows, unique_targets
from nearkind.estimators.base import VectorDistance
from nearkind.estimators.targets import FARTHEST
from nearkind.metrics.spectrum import decompose, symmetrized
from nearkind.protocols import Array, Map
from nearkind.validation.parameters import Positive, Seed, WholeNumber, generator
from nearkind.validation.threads import thread_map

NARROWEST = 1e-9
"""Bandwidth below which a row is like itself alone, whatever the bandwidth."""
COINCIDENT = 1e-6
"""Rows nearer than this share of the largest distance are at one place."""


class RFM(Learner, VectorDistance, WeightedBaseline):
    """Recursive feature machine.

    Kernel ridge regression of the classes, and the slopes of what it fits, by turns:

        f = argmin over f of  sum |f(x_i) - t_i|^2 + ridge |f|^2,  t_i marks the class
        with the kernel  K(x, z) = exp(-|x - z|_M / L),  |v|_M^2 = v' M v
        M <- mean over rows of  J(x_i)' J(x_i),  J the slopes of f

    from M = I. Radhakrishnan, Beaglehole, Pandit and Belkin, *Mechanism for feature
    learning in neural networks and backpropagation-free machine learning models*,
    Science 383, 2024. A row's own kernel has no slope there and is left out, as is that
    of any row at the same place under M. M is divided by its trace. L is ``bandwidth``
    times the median distance between distinct rows under M, so the scale of M does not
    matter; the source has a fixed one and divides M by its largest entry. The distance
    is that under the last M. In :class:`nearkind.CPMLRegressor` the regression is of
    the number to predict.

    Parameters
    ----------
    n_rounds : int, default=5
        How often M is renewed.
    bandwidth : float > 0, default=2.0
        L in units of the median distance.
    ridge : float > 0, default=1e-3
        Penalty of the regression.
    max_rows : int, default=4_000
        Maximum number of distinct rows to learn from; larger tables are subsampled,
        stratified by class. Time grows with their cube, memory with their square.
    coding : {"onehot", "vdm", "thermometer"}, default="onehot"
        Values as indicators or as class histograms.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.
    n_jobs : int, default=None
        Threads, over classes; None: one, -1: one per core. No bit of the result depends
        on it.
    random_state : int, RandomState or None, default=0
        Selects the sampled rows; None: other rows in each fit.

    Attributes
    ----------
    metric_ : ndarray of shape (W, W)
        M over the coordinates of the coding.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> RFM().fit(rows, labels).pairwise_distances(rows[:1], rows[1:3]).round(2)
    array([[0.1 , 1.41]])
    """

    _has_coordinates = True

    n_rounds: WholeNumber = 5
    _: KW_ONLY
    bandwidth: Positive = 2.0
    ridge: Positive = 1e-3
    max_rows: WholeNumber = 4_000
    coding: CodingName = "onehot"
    n_jobs: int | None = None
    random_state: Seed = 0

    def _learn(self, rows: CodedRows) -> ValueVectors:
        unique, rng = rows.merge_equal(), generator(self.random_state)
        if rows.target is None:
            drawn = sample_rows(unique, self.max_rows, rng)
            codes, weights = drawn.codes, drawn.weights
            shares, farthest = np.eye(len(self.classes_))[drawn.y], np.inf
        else:
            codes, target, weights = unique_targets(rows, self.max_rows, rng)
            upper = (target - target.min()) / np.ptp(target)
            shares, farthest = np.column_stack([1.0 - upper, upper]), FARTHEST
        points = unique_rows(codes, weights=weights)
        marks = np.zeros((len(points), shares.shape[1]))
        np.add.at(marks, points.of_row, weights[:, None] * shares)
        projection = self._fit_coding(unique, len(points), farthest)
        coded = compressed_rows(projection, points.codes)
        settings = self.n_rounds, self.bandwidth, self.ridge
        with thread_map(self.n_jobs, len(points)) as run:
            M = feature_matrix(coded.Z[0, :, 0], marks, *settings, run)
        point = coded.expand(decompose(M[None]).positive())
        return self._keep_metric(projection, point)


def feature_matrix(
    Z: Array,
    marks: Array,
    n_rounds: int = 5,
    bandwidth: float = 2.0,
    ridge: float = 1e-3,
    map: Map = map,
) -> Array:
    """Return M (W, W) after some rounds, divided by its trace.

    Where the fitted function is flat, the last M stays.

    Parameters
    ----------
    Z : ndarray of shape (n, W)
        Distinct rows.
    marks : ndarray of shape (n, C)
        Weight of the rows of each class at each of them.
    n_rounds, bandwidth, ridge : int, float, float
        As in :class:`RFM`.
    map : callable, default=map
        As the builtin, for the classes.

    Examples
    --------
    >>> Z, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 0, 1, 1]
    >>> np.diag(feature_matrix(Z, np.eye(2)[y])).round(2)
    array([1., 0.])
    """
    M = np.eye(Z.shape[1])
    for _ in range(n_rounds):
        products = KernelRegression.fit(Z, marks, M, bandwidth, ridge).agop(map)
        trace = np.trace(products)
        if trace <= 0.0:
            break
        M = products / trace
    return M


@dataclass(frozen=True)
class KernelRegression:
    """f(x) = sum over rows j of a_j exp(-|x - z_j|_M / L), a value for each class.

    Attributes
    ----------
    Z : ndarray of shape (n, W)
        Distinct rows.
    weights : ndarray of shape (n,)
        Number of rows that each represents.
    M : ndarray of shape (W, W)
    D : ndarray of shape (n, n)
        Distances between the rows under M.
    length : float
        L.
    coefficients : ndarray of shape (n, C)
        a.
    """

    Z: Array
    weights: Array
    M: Array
    D: Array
    length: float
    coefficients: Array

    @classmethod
    def fit(
        cls, Z: Array, marks: Array, M: Array, bandwidth: float, ridge: float
    ) -> "KernelRegression":
        """Fit to the share of each class at each row; a row weighs what it stands for.

        m equal rows in the sum of squares are one with the mean of their marks and the
        weight m: (K + ridge / weights) a = shares.
        """
        weights = marks.sum(axis=1)
        D = distances(Z, Z, M)
        length = max(bandwidth, NARROWEST) * _median(D)
        K = np.exp(-D / length)
        K[np.diag_indices_from(K)] = 1.0 + ridge / weights
        a = cho_solve(cho_factor(K, overwrite_a=True), marks / weights[:, None])
        return cls(Z, weights, M, D, length, a)

    def agop(self, map: Map = map) -> Array:
        """Return the mean over all rows of J'J (W, W), J (C, W) the slopes of f.

        The slope of f_c at x is -M sum over j of s_j a_jc (x - z_j), with
        s_j = exp(-|x - z_j|_M / L) / (L |x - z_j|_M), zero where rows coincide.
        """
        S = np.exp(-self.D / self.length) * _inverse(self.length * self.D)

        def of_class(a: Array) -> Array:
            V = (S @ a)[:, None] * self.Z - S @ (a[:, None] * self.Z)  # (n, W)
            return (V * self.weights[:, None]).T @ V

        total = sum(map(of_class, self.coefficients.T)) / self.weights.sum()
        return symmetrized((self.M @ total @ self.M)[None])[0]


def distances(A: Array, B: Array, M: Array) -> Array:
    """Return |a_i - b_j|_M (n, m).

    Examples
    --------
    >>> distances(np.array([[0.0, 1.0]]), np.array([[2.0, 0.0]]), np.diag([1.0, 0.0]))
    array([[2.]])
    """
    left = A @ M
    sizes = np.einsum("iw,iw->i", left, A), np.einsum("iw,iw->i", B @ M, B)
    d2 = np.add.outer(*sizes) - 2.0 * left @ B.T
    return np.sqrt(np.maximum(d2, 0.0, out=d2), out=d2)


def _is_apart(D: Array) -> NDArray[np.bool_]:
    """Say which distances are not zero up to rounding."""
    apart: NDArray[np.bool_] = COINCIDENT * D.max(initial=0.0) < D
    return apart


def _inverse(D: Array) -> Array:
    """Return 1 / D, zero where D is."""
    return np.divide(1.0, D, out=np.zeros_like(D), where=_is_apart(D))


def _median(D: Array) -> float:
    """Return the lower median of the distances that are not zero; 1 if all are."""
    between = D[_is_apart(D)]
    middle = (len(between) - 1) // 2
    return float(np.partition(between, middle)[middle]) if len(between) else 1.0
