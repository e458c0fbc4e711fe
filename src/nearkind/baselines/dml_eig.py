"""DML-eig: maximises the least distance of unlike rows by eigenvalue optimisation."""

from dataclasses import KW_ONLY

import numpy as np
from scipy.special import softmax

from nearkind.baselines.coding import CodingName
from nearkind.baselines.matrix_learner import LabelledRows, Spread, SpreadLearner
from nearkind.metrics.spectrum import decompose
from nearkind.protocols import Array
from nearkind.validation.parameters import NonNegative, Positive, WholeNumber

NEGLIGIBLE = 1e-17
"""Weights of pairs below this are zero."""


class DMLEig(SpreadLearner):
    """Distance metric learning with eigenvalue optimisation.

        max over M of  min over dissimilar rows of v' M v
        with  mean over similar rows of v' M v <= 1,  M positive semi-definite

    Ying and Li, JMLR 2012. With S the mean of v v' over similar rows plus 1e-5 of its
    mean eigenvalue, and Z = S^(1/2) M S^(1/2), it is a problem over matrices of trace
    1. The minimum is smoothed to -m log mean exp(-d / m); each Frank-Wolfe step moves Z
    towards the leading eigenvector of the dissimilar differences, weighted by the
    smoothing.

    Choices of ours: the mean over all similar pairs instead of the sum, so that m does
    not depend on their number; the best step on the segment instead of 2 / (t + 2); and
    m halved down to ``smoothing``, each time that the Frank-Wolfe gap is below it.
    Dissimilar pairs of equal rows are left out.

    The few steps rarely reach the optimum. ``gap_`` is the optimality gap: the smallest
    leading eigenvalue of all steps, an upper bound, minus the objective. Rounding
    errors grow from step to step: after fifty steps, distances learned from the same
    columns in another order may differ by some thousandths.

    Parameters
    ----------
    smoothing : float > 0, default=1e-4
        Final value of m.
    n_pairs : int, default=100_000
        Number of dissimilar pairs to sample if there are more; fewer if they need more
        than 32 MB.
    tol : float, default=1e-2
        Stop when the gap is below this share of the minimum.
    max_iter : int, default=50
        Maximum number of evaluations; a Frank-Wolfe step follows each but the last.
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
    objective_ : float
        Smallest v' M v over the dissimilar pairs.
    gap_ : float
        Optimality gap: the maximum exceeds the objective by at most this.
    n_iter_ : int
        Number of evaluations.
    stop_reason_ : {"TOLERANCE", "MAX_ITER"}

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> model = DMLEig().fit(rows, labels)
    >>> model.pairwise_distances(rows[:1], rows[1:3]).round(4)
    array([[0.    , 1.4142]])
    """

    smoothing: Positive = 1e-4
    _: KW_ONLY
    n_pairs: WholeNumber = 100_000
    tol: NonNegative = 1e-2
    max_iter: WholeNumber = 50
    coding: CodingName = "vdm"

    def _matrix(self, rows: LabelledRows, rng: np.random.Generator) -> Array:
        M = super()._matrix(rows, rng)
        within = self.gap_ <= self.tol * self.objective_
        self.stop_reason_ = "TOLERANCE" if within else "MAX_ITER"
        return M

    def _spread(self, V: Array) -> Spread:
        return frank_wolfe(V, self.smoothing, self.tol, self.max_iter)


def frank_wolfe(
    V: Array, smoothing: float = 1e-4, tol: float = 1e-2, max_iter: int = 50
) -> Spread:
    """Maximise the least v' Z v over rows v of V, Z of trace 1; O(m W^2) a step.

    Examples
    --------
    >>> from nearkind.baselines.matrix_learner import whitening
    >>> V = np.array([[1.0, 1.0], [2.0, 0.0]]) @ whitening(np.diag([4.0, 1.0]))
    >>> found = frank_wolfe(V, tol=1e-4, max_iter=1000)
    >>> round(found.objective, 3)
    0.8
    """
    width = V.shape[1]
    Z = np.eye(width) / width
    d2 = np.einsum("iw,iw->i", V, V) / width
    best, bound, objective = Z, np.inf, -np.inf
    m = max(float(np.median(d2)), smoothing)
    for n_iter in range(1, max_iter + 1):
        u = softmax(-d2 / m)
        near = u > NEGLIGIBLE
        weighted = V[near] * np.sqrt(u[near])[:, None]
        spectrum = decompose((weighted.T @ weighted)[None])
        top, w = float(spectrum.values[0, -1]), spectrum.vectors[0, :, -1]
        bound = min(bound, top)
        if d2.min() > objective:
            best, objective = Z, float(d2.min())
        if bound - objective <= tol * objective or n_iter == max_iter:
            break
        if top - u @ d2 < m:
            m = max(0.5 * m, smoothing)
        far = (V @ w) ** 2
        a = best_step(d2, far - d2, m)
        Z = (1.0 - a) * Z + a * np.outer(w, w)
        d2 = (1.0 - a) * d2 + a * far
    return Spread(best, objective, max(bound - objective, 0.0), n_iter)


def best_step(d2: Array, change: Array, m: float, n_halvings: int = 20) -> float:
    """Return the step in [0, 1] along a change with the largest smoothed minimum.

    Examples
    --------
    >>> round(best_step(np.array([0.0, 1.0]), np.array([1.0, -1.0]), 0.01), 4)
    0.5
    """
    ends = np.stack([d2, d2 + change])
    # The minimum is never above the least of the larger ends; others weigh nothing.
    near = ends.min(axis=0) <= ends.max(axis=0).min() - m * np.log(NEGLIGIBLE)
    d2, change = d2[near], change[near]
    low, high = 0.0, 1.0
    for _ in range(n_halvings):
        middle = 0.5 * (low + high)
        rises = softmax(-(d2 + middle * change) / m) @ change > 0.0
        low, high = (middle, high) if rises else (low, middle)
    return 0.5 * (low + high)
