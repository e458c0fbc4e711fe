"""Large margin nearest neighbours: LMNN on indicators, KDML on class histograms."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np

from nearkind.baselines.coding import (
    CODINGS,
    NOTHING,
    fit_coding,
    vectors_under,
    warn_unless_settled,
)
from nearkind.constraints.local import LocalConstraints, LocalTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.encoding.rows import UniqueRows
from nearkind.estimators.base import VectorDistance, code_rows
from nearkind.estimators.bases import BaseEstimator
from nearkind.metrics.compression import CompressedRows, compress
from nearkind.metrics.metric import Embedding
from nearkind.metrics.structures import Full
from nearkind.projections.vdm import VDM
from nearkind.protocols import Array, Projection
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.lbfgs import SmoothedLBFGS
from nearkind.solvers.objective import Objective
from nearkind.solvers.solution import Solution
from nearkind.validation import parameters
from nearkind.validation.limits import distances_at_once
from nearkind.validation.parameters import estimator_class, number, whole_number
from nearkind.validation.threads import ALL_CORES, thread_map

ROWS = 4_000
"""Distinct rows up to which all are anchors and impostors; of more, so many."""


class LargeMargin(VectorDistance, BaseEstimator, ABC):
    """Pull the nearest rows of one class, push all others beyond a margin of one.

        (1 - mu) sum of d_ij  +  mu sum of [1 + d_ij - d_il]_+

    over rows i, their targets j and rows l of other classes, d the squared distance.
    A learner gives ``_projection``, the coding of values.
    """

    _requires_labels = True
    _is_learned = True

    n_neighbors: Any
    mu: Any
    max_iter: Any
    tol: Any

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the distance.

        Parameters
        ----------
        X : table of shape (n, D)
        y : array-like of shape (n,), default=None
            One label a row; None is refused.
        sample_weight : array-like of shape (n,), default=None
            One weight >= 0 a row, counting repetitions of it; None: ones.

        Returns
        -------
        self
        """
        rule, solver = self._rule(), self._solver()
        projection = self._projection()
        unique = code_rows(self, X, y, sample_weight).merge_equal()
        coded = self._code(projection, unique)
        bound = rule.bind(WeightedLabels(unique.y, unique.weights))
        with thread_map(ALL_CORES) as run:
            near = search_embedding(coded.Z[0, :, 0], unique, self.codebook_.n_values)
            searched = LocalConstraints(rule, bound.labels, near)
            objective = Objective(coded.Z, searched, Schatten(1.0), 0.0, map=run)
            solution = self._solve(solver, objective, coded)
        self._keep(solution, coded, projection)
        return self

    @abstractmethod
    def _projection(self) -> Projection:
        """Return the coding of values, unfitted."""

    def _rule(self) -> LocalTriplets:
        k = whole_number(self, "n_neighbors")
        mu = number(self, "mu", "a number > 0 and <= 1", 0.0, 1.0, open_low=True)
        return LocalTriplets(1.0, k, distances_at_once(), (1.0 - mu) / mu)

    def _solver(self) -> SmoothedLBFGS:
        max_iter = whole_number(self, "max_iter")
        return SmoothedLBFGS(max_iter, number(self, "tol", "a number >= 0", 0.0))

    def _code(self, projection: Projection, unique: UniqueRows) -> CompressedRows:
        book, n_classes = self.codebook_, len(self.classes_)
        fit_coding(projection, book, unique, len(unique.y), n_classes)
        return compress(Full().blocks(projection.transform(unique.codes)))

    def _solve(
        self, solver: SmoothedLBFGS, objective: Objective, coded: CompressedRows
    ) -> Solution:
        if objective.n_rows > ROWS:
            objective = objective.sample(ROWS, np.random.default_rng(0))
        self.objective_scale_ = self.mu * objective.constraints.mass  # type: ignore[attr-defined]
        return solver.solve(objective, coded.identity)

    def _keep(
        self, solution: Solution, coded: CompressedRows, projection: Projection
    ) -> None:
        point = coded.expand(solution.point)
        if point.values.max(initial=0.0) < NOTHING:
            point = point.with_values(np.zeros_like(point.values))
        self.metric_: Array = point.matrix[0]
        self.objective_ = solution.value * self.objective_scale_
        self.n_iter_, self.stop_reason_ = solution.n_iter, solution.reason.name
        self.distance_ = vectors_under(self.codebook_, projection, point)
        warn_unless_settled(solution.reason, self.n_iter_, self.objective_)


def search_embedding(
    Z: Array, unique: UniqueRows, n_values: Sequence[int]
) -> Embedding:
    """Return where targets are nearest: coded rows, of equally near ones like ones.

    Class histograms are added to the coded rows Z (n, W), so that among rows equally
    near those of like histograms come first. Indicators differ by whole numbers, and
    what is added to them stays below one.
    """
    vdm = VDM().fit(unique.codes, n_values, unique.y, unique.weights)
    phi = vdm.transform(unique.codes).reshape(len(unique.y), -1)
    U = np.hstack([Z, (0.5 / len(n_values)) ** 0.5 * phi])
    return Embedding(U, U)


@estimator_class()
class LMNN(LargeMargin):
    """Large margin nearest neighbour.

        min over M of  (1 - mu) sum of d_ij  +  mu sum of [1 + d_ij - d_il]_+

    over rows i, their k nearest j of the same class before learning, and all rows l of
    other classes; d is the squared distance under M. Weinberger, Blitzer and Saul, NIPS
    2006; mu as in Weinberger and Saul, JMLR 10, 2009. Targets are fixed once. Rows
    equally near are taken in the order of their class histograms' distance. Of more
    than 4,000 distinct rows a sample of 4,000 are anchors and impostors.

    Parameters
    ----------
    n_neighbors : int, default=3
        Targets of a row; a smaller class is taken whole.
    mu : float, 0 < mu <= 1, default=0.5
        Weight of pushing against pulling.
    max_iter : int, default=200
        Iterations at most.
    tol : float, default=1e-3
        Stop when a round of 20 gains less than this share of the objective.
    coding : {"onehot", "vdm"}, default="onehot"
        Values as indicators or as class histograms.
    unseen, missing, numeric : str, default="prior", "level", "auto"
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    metric_ : ndarray of shape (W, W)
        M over the coordinates of the coding.
    objective_ : float
        Value reached.
    objective_scale_ : float
        mu times the weight of all triplets, by which the mean hinge is multiplied.
    n_iter_ : int
        Iterations made.
    stop_reason_ : str
        Why they ended.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> model = LMNN(n_neighbors=1).fit(rows, labels)
    >>> near, far = model.pairwise_distances(rows[:1], rows[1:3])[0]
    >>> bool(near < far)
    True
    """

    n_neighbors: int = 3
    _: KW_ONLY
    mu: float = 0.5
    max_iter: int = 200
    tol: float = 1e-3
    coding: str = "onehot"

    def _projection(self) -> Projection:
        return parameters.choice(self, "coding", CODINGS)()


@estimator_class()
class KDML(LargeMargin):
    """Kernel density metric learning, as we read it.

    He, Chen, Chen and Mao, ICDM 2013. Our reconstruction from abstracts and from the
    paper's description, with these choices. K1: a value is its class histogram. K2:
    numeric columns are cut into quantile bins and K1 applies, in place of a kernel
    estimate. K3: bandwidths are not learned. K4: the learner is LMNN (see
    :class:`nearkind.baselines.LMNN`) on all D C numbers, started at the identity.

    Parameters
    ----------
    n_neighbors, mu, max_iter, tol : default=3, 0.5, 200, 1e-3
        As in :class:`nearkind.baselines.LMNN`.
    unseen, missing, numeric : str, default="prior", "level", "auto"
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    metric_ : ndarray of shape (D C, D C)
        M.
    objective_ : float
        Value reached.
    objective_scale_ : float
        mu times the weight of all triplets, by which the mean hinge is multiplied.
    n_iter_ : int
        Iterations made.
    stop_reason_ : str
        Why they ended.

    Examples
    --------
    >>> rows, labels = [["a"], ["a"], ["b"], ["b"]], ["no", "no", "no", "yes"]
    >>> KDML(n_neighbors=1).fit(rows, labels).metric_.shape
    (2, 2)
    """

    n_neighbors: int = 3
    _: KW_ONLY
    mu: float = 0.5
    max_iter: int = 200
    tol: float = 1e-3

    def _projection(self) -> Projection:
        return VDM()
