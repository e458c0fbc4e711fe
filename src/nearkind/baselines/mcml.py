"""MCML: maximally collapsing metric learning."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from nearkind.baselines.baseline import Learner, WeightedBaseline
from nearkind.baselines.coding import CodingName, compressed_rows
from nearkind.constraints.soft_neighbors import SoftNeighbors
from nearkind.constraints.weighted_labels import (
    AT_ONCE,
    LabelConstraints,
    WeightedLabels,
    chunk_rows,
    require_constraints,
)
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.rows import CodedRows
from nearkind.estimators.base import VectorDistance
from nearkind.estimators.spec import strength_of
from nearkind.losses.edges import AnchorPairs
from nearkind.protocols import Array, Loss, LossGradient, RowNumbers
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.objective import Objective
from nearkind.solvers.proximal import Proximal
from nearkind.solvers.solution import zero_solution
from nearkind.validation.limits import distances_at_once
from nearkind.validation.parameters import NonNegative, Seed, WholeNumber, generator
from nearkind.validation.threads import thread_map

ROUNDING = 1e-12
"""Slopes at M = 0 below this are none: vectors of values are of size one."""


class MCML(Learner, VectorDistance, WeightedBaseline):
    """Maximally collapsing metric learning.

        min over M of  mean over rows i of KL(p_0(. | i), p_M(. | i)) + strength Tr(M)
        with  p_M(j | i) in proportion to exp(-d_ij),  d_ij = v' M v

    and p_0(. | i) uniform over the other rows of the class of i: these should coincide,
    infinitely far from all others. Globerson and Roweis, *Metric learning by collapsing
    classes*, NIPS 2005. The formulas are our reconstruction. The problem is convex, and
    the divergence is never negative, so its tangent at any M gives a lower bound and
    the optimality gap ``gap_``. The source has no penalty; without it, there is no
    optimum for separable classes, because a larger M is always better. A row alone in
    its class samples no neighbour, but may be sampled.

    Parameters
    ----------
    strength : float >= 0 or str, default="auto"
        Weight of the trace of M, or a percentage of ``strength_max_`` such as "0.1%";
        "auto": 1%.
    max_rows : int, default=2_000
        Maximum number of distinct rows to learn from; larger tables are subsampled,
        with rows of each class. Time and memory grow with the square.
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-3
        Stop when the gap is below this fraction of the objective.
    coding : {"onehot", "vdm", "thermometer"}, default="onehot"
        Values as indicators or as class histograms.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.
    n_jobs : int, default=None
        Number of threads; None: 1, -1: one per core. Results do not depend on it.
    random_state : int, RandomState or None, default=0
        Selects the sampled rows; None: other rows in each fit.

    Attributes
    ----------
    metric_ : ndarray of shape (W, W)
        M over the coordinates of the coding.
    objective_ : float
        Final value of the objective, on the sampled rows.
    gap_ : float
        Optimality gap: the objective exceeds the minimum by at most this.
    strength_ : float
        Weight of the trace.
    strength_max_ : float
        The smallest strength at which M = 0 is optimal.
    n_iter_ : int
        Number of iterations.
    stop_reason_ : str
        Reason for stopping.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> MCML().fit(rows, labels).pairwise_distances(rows[:1], rows[1:3]).round(1)
    array([[0. , 2.4]])
    """

    _has_coordinates = True

    strength: float | str = "auto"
    _: KW_ONLY
    max_rows: WholeNumber = 2_000
    max_iter: WholeNumber = 200
    tol: NonNegative = 1e-3
    coding: CodingName = "onehot"
    n_jobs: int | None = None
    random_state: Seed = 0

    def _learn(self, rows: CodedRows) -> ValueVectors:
        strength, rng = strength_of(self), generator(self.random_state)
        unique = rows.merge_equal()
        projection = self._fit_coding(unique, len(unique))
        coded = compressed_rows(projection, unique.codes)
        labels, Z = WeightedLabels(unique.y, unique.weights), coded.Z
        if len(unique) > self.max_rows:
            drawn, labels = labels.sample(self.max_rows, rng)
            Z = Z[:, drawn]
        constraints = ClassCollapse(distances_at_once()).bind(labels)
        with thread_map(self.n_jobs, Z.shape[1]) as run:
            objective = Objective(Z, constraints, Schatten(1.0), 0.0, map=run)
            at_zero = objective.descent_at_zero().values
            largest = objective.regularizer.strength_max(at_zero)
            self.strength_max_ = largest if largest >= ROUNDING else 0.0
            self.strength_ = strength(self.strength_max_)
            objective = objective.with_strength(self.strength_)
            if self.strength_ >= self.strength_max_:
                zero = objective.zero
                found = zero_solution(zero, objective.value(zero))
            else:
                solver = Proximal(self.max_iter, self.tol)
                found = solver.solve(objective, coded.identity)
        form = self._keep_metric(projection, coded.expand(found.point))
        is_zero = not self.metric_.any()
        self._report(found.reason, found.n_iter, found.value, found.gap, is_zero)
        return form


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
