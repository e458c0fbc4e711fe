"""LMNN on one-hot values, and KDML on class histograms."""

from collections.abc import Sequence
from dataclasses import KW_ONLY

import numpy as np

from nearkind.baselines.coding import NOTHING, CodingName, compressed_rows
from nearkind.baselines.margin_learner import MarginLearner
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.rows import CodedRows, UniqueRows
from nearkind.estimators.base import VectorDistance
from nearkind.metrics.metric import Embedding
from nearkind.projections.vdm import VDM
from nearkind.protocols import Array
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.lbfgs import SmoothedLBFGS
from nearkind.solvers.objective import Objective
from nearkind.validation.parameters import NonNegative, WholeNumber
from nearkind.validation.threads import ALL_CORES, thread_map

ROWS = 4_000
"""Distinct rows up to which all are anchors and impostors; of more, so many."""


class LargeMargin(VectorDistance, MarginLearner):
    """Pull the nearest rows of one class, push all others beyond a margin of one.

        (1 - mu) sum of d_ij  +  mu sum of [1 + d_ij - d_il]_+

    over rows i, their targets j and rows l of other classes, d the squared distance.
    """

    _: KW_ONLY
    tol: NonNegative = 1e-3

    def _learn(self, rows: CodedRows) -> ValueVectors:
        unique = rows.merge_equal()
        projection = self._fit_coding(unique, len(unique))
        coded = compressed_rows(projection, unique.codes)
        near = search_embedding(coded.Z[0, :, 0], unique, rows.codebook.n_values)
        with thread_map(ALL_CORES) as run:
            searched = self._constraints(unique, near)
            objective = Objective(coded.Z, searched, Schatten(1.0), 0.0, map=run)
            if objective.n_rows > ROWS:
                objective = objective.sample(ROWS, np.random.default_rng(0))
            solver = SmoothedLBFGS(self.max_iter, self.tol)
            self.objective_scale_ = self.mu * objective.constraints.mass  # type: ignore[attr-defined]
            found = solver.solve(objective, coded.identity)
        point = coded.expand(found.point)
        if point.values.max(initial=0.0) < NOTHING:
            point = point.with_values(np.zeros_like(point.values))
        self._report(found.reason, found.n_iter, found.value * self.objective_scale_)
        return self._keep_metric(projection, point)


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


class LMNN(LargeMargin):
    """Large margin nearest neighbour.

        min over M of  (1 - mu) sum of d_ij  +  mu sum of [1 + d_ij - d_il]_+

    over rows i, their k nearest j of the same class before learning, and all rows l of
    other classes; d is the squared distance under M. Weinberger, Blitzer and Saul, NIPS
    2006; mu as in Weinberger and Saul, JMLR 10, 2009. Targets are fixed. Ties are
    broken by the distance between class histograms. With more than 4,000 distinct rows,
    4,000 are sampled as anchors and impostors.

    Parameters
    ----------
    n_neighbors : int, default=3
        Target neighbours per row; fewer in smaller classes.
    mu : float, 0 < mu <= 1, default=0.5
        Weight of pushing impostors away, against pulling targets.
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-3
        Stop when 20 iterations gain less than this fraction of the objective.
    coding : {"onehot", "vdm", "thermometer"}, default="onehot"
        Values as indicators or as class histograms.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    metric_ : ndarray of shape (W, W)
        M over the coordinates of the coding.
    objective_ : float
        Final value of the objective.
    objective_scale_ : float
        mu times the weight of all triplets, by which the mean hinge is multiplied.
    n_iter_ : int
        Number of iterations.
    stop_reason_ : str
        Reason for stopping.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> model = LMNN(n_neighbors=1).fit(rows, labels)
    >>> near, far = model.pairwise_distances(rows[:1], rows[1:3])[0]
    >>> bool(near < far)
    True
    """

    n_neighbors: WholeNumber = 3
    _: KW_ONLY
    coding: CodingName = "onehot"


class KDML(LargeMargin):
    """Kernel density metric learning, in our reading.

    He, Chen, Chen and Mao, ICDM 2013. Our reconstruction from abstracts and from the
    paper's description, with these choices. K1: a value is its class histogram. K2:
    numeric columns are cut into quantile bins with K1, instead of a kernel density
    estimate. K3: bandwidths are not learned. K4: the learner is LMNN (see
    :class:`nearkind.baselines.LMNN`) on all D C numbers, starting from the identity.

    Parameters
    ----------
    n_neighbors, mu, max_iter, tol : default=3, 0.5, 200, 1e-3
        As in :class:`nearkind.baselines.LMNN`.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    metric_ : ndarray of shape (D C, D C)
        M.
    objective_ : float
        Final value of the objective.
    objective_scale_ : float
        mu times the weight of all triplets, by which the mean hinge is multiplied.
    n_iter_ : int
        Number of iterations.
    stop_reason_ : str
        Reason for stopping.

    Examples
    --------
    >>> rows, labels = [["a"], ["a"], ["b"], ["b"]], ["no", "no", "no", "yes"]
    >>> KDML(n_neighbors=1).fit(rows, labels).metric_.shape
    (2, 2)
    """

    n_neighbors: WholeNumber = 3
    coding = "vdm"
