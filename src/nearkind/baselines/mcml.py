"""MCML: the metric under which rows draw neighbours of their own class evenly."""

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from nearkind.baselines.coding import CODINGS, fit_coding, vectors_under
from nearkind.constraints.soft_neighbors import SoftNeighbors
from nearkind.constraints.weighted_labels import (
    AT_ONCE,
    LabelConstraints,
    WeightedLabels,
    chunk_rows,
    require_constraints,
)
from nearkind.encoding.rows import UniqueRows
from nearkind.estimators.base import VectorDistance, code_rows
from nearkind.estimators.bases import BaseEstimator
from nearkind.estimators.spec import strength_of
from nearkind.losses.edges import AnchorPairs
from nearkind.metrics.compression import CompressedRows, compress
from nearkind.metrics.spectrum import Spectrum
from nearkind.metrics.structures import Full
from nearkind.projections.coordinates import with_coordinates
from nearkind.protocols import Array, Loss, LossGradient, Projection, RowNumbers
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.objective import Objective
from nearkind.solvers.proximal import Proximal
from nearkind.solvers.solution import Solution, Stop, zero_solution
from nearkind.validation import parameters
from nearkind.validation.convergence import not_converged
from nearkind.validation.limits import distances_at_once
from nearkind.validation.parameters import (
    estimator_class,
    generator,
    number,
    whole_number,
)
from nearkind.validation.threads import thread_map

ROUNDING = 1e-12
"""Slopes at M = 0 below this are none: vectors of values are of size one."""


@estimator_class()
class MCML(VectorDistance, BaseEstimator):
    """Maximally collapsing metric learning.

        min over M of  mean over rows i of KL(p_0(. | i), p_M(. | i)) + strength Tr(M)
        with  p_M(j | i) in proportion to exp(-d_ij),  d_ij = v' M v

    and p_0(. | i) even over the other rows of the class of i: those should be at one
    place, all others infinitely far. Globerson and Roweis, *Metric learning by
    collapsing classes*, NIPS 2005. The formulas are our reconstruction. The problem is
    convex, and the divergence is never negative, so its tangent at any M proves how far
    the optimum can be: ``gap_``. The source has no penalty; without one, where the
    classes can be told apart, the larger M the better, and there is no optimum. A row
    that is alone in its class draws none, but may be drawn.

    Parameters
    ----------
    strength : float >= 0 or str, default="auto"
        Weight of the trace of M, or a share of ``strength_max_`` such as "0.1%";
        "auto": 1%.
    max_rows : int, default=2_000
        Distinct rows to learn from; of more so many are drawn, some of each class.
        Time and memory grow with their square.
    max_iter : int, default=200
        Iterations at most.
    tol : float, default=1e-3
        Stop when the gap is below this share of the objective.
    coding : {"onehot", "vdm"}, default="onehot"
        Values as indicators or as class histograms.
    unseen, missing, numeric : str, default="prior", "level", "auto"
        As in :class:`nearkind.CPML`.
    n_jobs : int, default=None
        Threads; None: one, -1: one per core. No bit of the result depends on it.
    random_state : int, RandomState or None, default=0
        For the rows drawn; None: others each time.

    Attributes
    ----------
    metric_ : ndarray of shape (W, W)
        M over the coordinates of the coding.
    objective_ : float
        Value reached, on the rows drawn.
    gap_ : float
        How much smaller it could be at most.
    strength_ : float
        Weight of the trace.
    strength_max_ : float
        The smallest strength at which M = 0 is optimal.
    n_iter_ : int
        Iterations made.
    stop_reason_ : str
        Why they ended.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> MCML().fit(rows, labels).pairwise_distances(rows[:1], rows[1:3]).round(1)
    array([[0. , 2.4]])
    """

    _requires_labels = True
    _is_learned = True
    _has_coordinates = True

    strength: Any = "auto"
    _: KW_ONLY
    max_rows: int = 2_000
    max_iter: int = 200
    tol: float = 1e-3
    coding: str = "onehot"
    n_jobs: Any = None
    random_state: Any = 0

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the distance.

        Parameters
        ----------
        X : table of shape (n, D)
        y : array-like of shape (n,), default=None
            One label a row.
        sample_weight : array-like of shape (n,), default=None
            One weight >= 0 a row, counting repetitions of it; None: ones.

        Returns
        -------
        self
        """
        solver, rng = self._solver(), generator(self.random_state)
        coding = parameters.choice(self, "coding", CODINGS)
        max_rows = whole_number(self, "max_rows")
        strength = strength_of(self)
        unique = code_rows(self, X, y, sample_weight).merge_equal()
        projection = self._projection(coding(), unique)
        coded = compress(Full().blocks(projection.transform(unique.codes)))
        labels, Z = WeightedLabels(unique.y, unique.weights), coded.Z
        if len(unique) > max_rows:
            drawn, labels = labels.sample(max_rows, rng)
            Z = Z[:, drawn]
        constraints = ClassCollapse(distances_at_once()).bind(labels)
        with thread_map(self.n_jobs, Z.shape[1]) as run:
            objective = Objective(Z, constraints, Schatten(1.0), 0.0, map=run)
            at_zero = objective.descent_at_zero().values
            largest = objective.regularizer.strength_max(at_zero)
            self.strength_max_ = largest if largest >= ROUNDING else 0.0
            self.strength_ = strength(self.strength_max_)
            objective = objective.with_strength(self.strength_)
            solution = self._solve(solver, objective, coded.identity)
        self._keep(solution, coded, projection)
        return self

    def _solver(self) -> Proximal:
        max_iter = whole_number(self, "max_iter")
        return Proximal(max_iter, number(self, "tol", "a number >= 0", 0.0))

    def _projection(self, coding: Projection, unique: UniqueRows) -> Projection:
        """Return the coding, fitted to all rows."""
        book, n_classes = self.codebook_, len(self.classes_)
        projection = with_coordinates(coding, book.positions)
        return fit_coding(projection, book, unique, len(unique), n_classes)

    def _solve(
        self, solver: Proximal, objective: Objective, start: Spectrum
    ) -> Solution:
        if self.strength_ >= self.strength_max_:
            return zero_solution(objective.zero, objective.value(objective.zero))
        return solver.solve(objective, start)

    def _keep(
        self, solution: Solution, coded: CompressedRows, projection: Projection
    ) -> None:
        point = coded.expand(solution.point)
        self.metric_: Array = point.matrix[0]
        self.objective_, self.gap_ = solution.value, solution.gap
        self.n_iter_, self.stop_reason_ = solution.n_iter, solution.reason.name
        self.distance_ = vectors_under(self.codebook_, projection, point)
        if not self.metric_.any():
            warnings.warn(
                "MCML learned the metric zero, and all distances are zero: nothing "
                "brings rows of one class together at this strength. Take a smaller "
                "one, or more columns.",
                UserWarning,
                stacklevel=3,
            )
        elif solution.reason is not Stop.TOLERANCE:
            told = not_converged(
                solution.reason,
                f"After {self.n_iter_} iterations the "
                f"objective is {self.objective_:.6g}, at most {self.gap_:.2g} above "
                "the optimum.",
            )
            warnings.warn(told, stacklevel=3)


@dataclass(frozen=True)
class CollapseChunk:
    """The divergences of some rows, the anchors, from the draws that they should make.

    With w_ij the weight of row j as a partner of i and S_i its sum over the class of i,

        KL_i = sum over the class of w_ij / S_i d_ij
               + log sum over all j of w_ij / S_i exp(-d_ij)

    which is convex in d and not negative.

    Attributes
    ----------
    edges : AnchorPairs
        Anchors against all rows.
    targets : ndarray of shape (a, n)
        p_0: w_ij / S_i in the class, else 0.
    log_weights : ndarray of shape (a, n)
        log(w_ij / S_i).
    shares : ndarray of shape (a,)
        Weight of each anchor in the mean.
    """

    edges: AnchorPairs
    targets: Array
    log_weights: Array
    shares: Array

    def value(self, d2: Array, loss: Loss) -> float:
        """Return the share of the mean divergence that these anchors have."""
        return self._divergence(d2)[0]

    def gradient(self, d2: Array, loss: Loss) -> LossGradient:
        """Return it, its gradient in d2 (a, n), and the intercept of the tangent."""
        total, drawn = self._divergence(d2)
        weights = self.shares[:, None] * (self.targets - drawn)
        return LossGradient(total, weights, total - float(np.vdot(weights, d2)))

    def _divergence(self, d2: Array) -> tuple[float, Array]:
        """Return the mean, and the probabilities p_M (a, n)."""
        scores = self.log_weights - d2
        top = scores.max(axis=1, keepdims=True)
        terms = np.exp(scores - top)
        totals = terms.sum(axis=1, keepdims=True)
        within = np.einsum("ij,ij->i", self.targets, d2)
        divergences = within + (np.log(totals) + top)[:, 0]
        return float(self.shares @ divergences), terms / totals


@dataclass(frozen=True)
class ClassCollapse:
    """mean of KL(p_0(. | i), p_M(. | i)), p_0 even over the other rows of a class."""

    at_once: int = AT_ONCE

    def bind(self, labels: WeightedLabels) -> LabelConstraints[CollapseChunk]:
        """Return the loss among labelled rows, in chunks."""
        can_draw = (labels.same > 0.0) & (labels.other > 0.0)
        weights = np.where(can_draw, labels.anchor_weights, 0.0)
        mass = float(weights.sum())
        require_constraints(mass, "neighbours")
        anchors = chunk_rows(np.flatnonzero(weights), len(labels.y), self.at_once)
        chunks = [_chunk(labels, part, weights[part] / mass) for part in anchors]
        return LabelConstraints(self, labels, chunks)

    def gradient_at_zero(self, labels: WeightedLabels, Z: Array) -> Array:
        """Return the gradient at M = 0, where draws from a class are even already.

        So it is that of the chance to draw from one's class.
        """
        return SoftNeighbors().gradient_at_zero(labels, Z)


def _chunk(labels: WeightedLabels, anchors: RowNumbers, shares: Array) -> CollapseChunk:
    partners = labels.partners(anchors, np.arange(len(labels.y)))  # (a, n)
    partners /= labels.same[anchors, None]
    is_alike = labels.y[anchors, None] == labels.y
    with np.errstate(divide="ignore"):  # a row without weight is never drawn
        log_weights = np.log(partners)
    targets = np.where(is_alike, partners, 0.0)
    return CollapseChunk(AnchorPairs(anchors), targets, log_weights, shares)
