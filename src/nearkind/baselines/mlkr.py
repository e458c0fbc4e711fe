"""MLKR: the metric under which soft neighbours predict a number best."""

from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from scipy.optimize import minimize

from nearkind.baselines.baseline import Learner, WeightedBaseline
from nearkind.baselines.coding import CodingName, compressed_rows
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.rows import CodedRows, unique_targets
from nearkind.estimators.base import VectorDistance, codebook_of
from nearkind.estimators.targets import FARTHEST, numbered_rows
from nearkind.metrics.spectrum import decompose
from nearkind.protocols import Array, TableLike
from nearkind.solvers.solution import Stop
from nearkind.validation.parameters import (
    NonNegative,
    Positive,
    Seed,
    WholeNumber,
    generator,
)

START = 1.0 / 3.0
"""Scale of the principal directions from which learning starts."""


class MLKR(Learner, VectorDistance, WeightedBaseline):
    """Metric learning for kernel regression: soft neighbours of a number.

        min over L of  sum_i w_i (p_i - t_i)^2 / sum_i w_i (t_i - mean)^2
                       + strength Tr(M),  M = L'L
        p_i = mean of t_j over all other rows j, weighted by w_j exp(-|z_i - z_j|_M^2)

    Weinberger and Tesauro, *Metric learning for kernel regression*, AISTATS 2007; the
    trace, the Schatten norm with p = 1, is added. The loss is not convex; L-BFGS starts
    from the principal directions of the rows. With coding="vdm" a value is the
    histogram of the quantile range of the target over the rows that have it, as VDM
    has for classes.

    Parameters
    ----------
    strength : float >= 0, default=1e-3
        Weight of the penalty.
    max_iter : int, default=30
        Maximum number of iterations.
    tol : float, default=1e-4
        Stop when no entry of the gradient is larger.
    max_rows : int, default=1_500
        Maximum number of distinct rows to learn from; larger tables are subsampled.
        Time grows with the square.
    max_rank : int, default=50
        Maximum number of directions.
    coding : {"onehot", "vdm"}, default="onehot"
        Values as indicators or as histograms of the target.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.
    random_state : int, RandomState or None, default=0
        Selects the sampled rows; None: other rows in each fit.

    Attributes
    ----------
    metric_ : ndarray of shape (W, W)
        M over the coordinates of the coding.
    objective_, n_iter_, stop_reason_ : float, int, str

    Examples
    --------
    >>> rows = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]] * 5
    >>> model = MLKR().fit(rows, [0.0, 0.0, 1.0, 1.0] * 5)
    >>> near, far = model.pairwise_distances(rows[:1], rows[1:3])[0]
    >>> bool(near < 0.1 * far)
    True
    """

    _has_coordinates = True

    strength: NonNegative = 1e-3
    _: KW_ONLY
    max_iter: WholeNumber = 30
    tol: Positive = 1e-4
    max_rows: WholeNumber = 1_500
    max_rank: WholeNumber = 50
    coding: CodingName = "onehot"
    random_state: Seed = 0

    def fit(self, X: TableLike, y: object = None, sample_weight: object = None) -> Self:
        """Learn the distance.

        Parameters
        ----------
        X : table of shape (n, D)
        y : array-like of shape (n,), default=None
            One number per row; None is refused.
        sample_weight : array-like of shape (n,), default=None
            One weight >= 0 per row, counting repetitions of it; None: ones.

        Returns
        -------
        self
        """
        book, owner = codebook_of(self), type(self).__name__
        return self._fit(numbered_rows(X, y, sample_weight, book, owner), None)

    def _learn(self, rows: CodedRows) -> ValueVectors:
        drawn = unique_targets(rows, self.max_rows, generator(self.random_state))
        codes, t, weights = drawn
        projection = self._fit_coding(rows.merge_equal(), len(codes), FARTHEST)
        coded = compressed_rows(projection, codes)
        Z = coded.Z[0, :, 0]
        principal = decompose((Z.T @ (weights[:, None] * Z))[None])
        L = START * principal.truncated(self.max_rank).vectors[0].T  # (q, W)

        def objective(flat: Array) -> tuple[float, Array]:
            loss, slope = loss_and_gradient(flat.reshape(L.shape), Z, t, weights)
            penalty = self.strength * float(flat @ flat)
            return loss + penalty, slope.ravel() + 2.0 * self.strength * flat

        limits = {"maxiter": self.max_iter, "gtol": self.tol}
        solve = {"jac": True, "method": "L-BFGS-B", "options": limits}
        found = minimize(objective, L.ravel(), **solve)
        self.objective_, self.n_iter_ = float(found.fun), int(found.nit)
        self.stop_reason_ = (Stop.SETTLED if found.success else Stop.MAX_ITER).name
        L = found.x.reshape(L.shape)
        point = coded.expand(decompose((L.T @ L)[None]).positive())
        return self._keep_metric(projection, point)


def loss_and_gradient(
    L: Array, Z: Array, t: Array, weights: Array
) -> tuple[float, Array]:
    """Return the share of the variance that is not predicted, and its slope (q, W).

    With k_ij = w_j exp(-d2_ij), one less than w_i rows standing for i itself, and
    p = k t / k 1, the slope in d2_ij is -2 w_i (p_i - t_i) k_ij (t_j - p_i) / k_i 1,
    over the variance.

    Parameters
    ----------
    L : ndarray of shape (q, W)
    Z : ndarray of shape (n, W)
        Coded rows.
    t, weights : ndarray of shape (n,)

    Examples
    --------
    >>> Z, t = np.array([[0.0], [0.0], [9.0], [9.0]]), np.array([0.0, 0.0, 1.0, 1.0])
    >>> loss, slope = loss_and_gradient(np.eye(1), Z, t, np.ones(4))
    >>> round(loss, 6), slope.round(6).tolist()
    (0.0, [[-0.0]])
    """
    share = weights / weights.sum()
    mean = share @ t
    variance = max(float(share @ (t - mean) ** 2), 1e-300)
    U = Z @ L.T  # (n, q)
    sizes = np.einsum("iq,iq->i", U, U)
    E = 2.0 * U @ U.T - sizes - sizes[:, None]  # -d2
    with np.errstate(divide="ignore"):  # none of a row is left without itself
        E += np.log(weights)
        np.fill_diagonal(E, np.log(np.maximum(weights - 1.0, 0.0)))
    E -= E.max(axis=1, keepdims=True)
    np.exp(E, out=E)
    E /= E.sum(axis=1, keepdims=True)
    p = E @ t
    error = p - t
    loss = float(share @ error**2) / variance
    E *= t - p[:, None]
    E *= (-2.0 / variance * share * error)[:, None]  # slope in d2 (n, n)
    E += E.T
    slope = 2.0 * (E.sum(axis=1)[:, None] * U - E @ U)  # in U (n, q)
    return loss, slope.T @ Z
