"""Problems with target neighbours, for tests of constraints and of solvers."""

import numpy as np

from nearkind.constraints.labels import Labels
from nearkind.constraints.local import LocalTriplets
from nearkind.objective import Objective
from nearkind.regularizers import Schatten
from nearkind.spectral import decompose, identity
from nearkind.structures import Diagonal, Full, Multi, Single

STRUCTURES = {
    "single": Single(),
    "multi": Multi(),
    "diagonal": Diagonal(),
    "full": Full(),
}
RNG = np.random.default_rng(0)
Y = RNG.choice(3, size=60, p=[0.6, 0.3, 0.1])
PHI = RNG.dirichlet(np.ones(3), size=(60, 4))
WEIGHTED = Labels(Y, RNG.integers(1, 4, 60).astype(float))


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
