"""Problems with target neighbours, for tests of constraints and of solvers."""

import numpy as np
from hypothesis import strategies as st

from helpers import oracles
from helpers.strategies import labels, metrics, weights
from nearkind.constraints.local import LocalTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.metrics.spectrum import decompose, identity
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.objective import Objective

STRUCTURES = {
    "single": Single(),
    "multi": Multi(),
    "diagonal": Diagonal(),
    "full": Full(),
}
RNG = np.random.default_rng(0)
Y = RNG.choice(3, size=60, p=[0.6, 0.3, 0.1])
PHI = RNG.dirichlet(np.ones(3), size=(60, 4))
WEIGHTED = WeightedLabels(Y, RNG.integers(1, 4, 60).astype(float))


def bound_at(Z, point, labelled, margin=1.0, n_targets=3, **settings):
    rule = LocalTriplets(margin, n_targets, **settings)
    return rule.bind(labelled).renewed(Z, point)


def problem(structure="single", regularizer=None, n_targets=3, strength=0.02):
    Z = np.ascontiguousarray(STRUCTURES[structure].blocks(PHI))
    point = identity(Z.shape[0], Z.shape[3])
    bound = bound_at(Z, point, WEIGHTED, n_targets=n_targets)
    return Objective(Z, bound, regularizer or Schatten(1.0), strength)


def random_metric(objective, seed, scale=1.0):
    B, _, _, W = objective.Z.shape
    F = np.random.default_rng(seed).normal(size=(B, W, W))
    return decompose(scale * F @ F.swapaxes(1, 2)).positive()


def square(bound):
    """Return the weight of each cell as target of each cell (n, n)."""
    targets = bound.targets
    T = np.zeros((len(bound.labels.y),) * 2)
    np.add.at(T, (np.arange(len(T))[:, None], targets.columns), targets.weights)
    return T


@st.composite
def cases(draw, structure="single", max_rows=6):
    """Return (Z, M, d2, y, weights): few places, so rows tie; classes may be of one."""
    phi, M = draw(metrics(STRUCTURES[structure], max_rows=max_rows))
    d2 = oracles.squared_distances(oracles.difference_matrices(phi, structure), M)
    y, w = draw(labels(len(phi))), draw(weights(len(phi)))
    return STRUCTURES[structure].blocks(phi), M, d2, y, w


def whole(bound, d2, loss):
    """Return the sum over parts of value, pull.loss, weights on i <= j, intercept."""
    W = np.zeros_like(d2)
    value, total, intercept = 0.0, 0.0, 0.0
    for part in bound.chunks():
        i, j = np.ix_(part.edges.anchors, np.arange(len(d2)))
        pull = part.gradient(d2[i, j], loss)
        np.add.at(W, (np.minimum(i, j), np.maximum(i, j)), pull.weights)
        value += part.value(d2[i, j], loss)
        total, intercept = total + pull.loss, intercept + pull.intercept
    return value, total, W, intercept
