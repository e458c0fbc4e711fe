"""Small problems in nearkind's own terms, and the solvers under test."""

import numpy as np
from scipy import sparse

from helpers.convex_reference import EntrywisePenalty
from nearkind.constraints.pairs import AllPairs
from nearkind.constraints.quadruplets import AllQuadruplets
from nearkind.constraints.soft_neighbors import SoftNeighbors
from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.tuples import TupleList
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.edges import PairList
from nearkind.metrics.spectrum import Spectrum, identity
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.regularizers.entrywise import EntrywiseL1
from nearkind.regularizers.schatten import Schatten, SchattenPower
from nearkind.solvers.objective import Objective

STRUCTURES = {"single": Single, "multi": Multi, "diagonal": Diagonal, "full": Full}
TRACE = Schatten(1.0)
KINDS = {"triplets": AllTriplets, "pairs": AllPairs, "quadruplets": AllQuadruplets}

# The paper's six persons; shares of Low, Middle and High at each value.
_OCCUPATION = {
    "Accountant": (1 / 2, 0, 1 / 2),
    "Doctor": (1 / 2, 1 / 2, 0),
    "Plumber": (0, 1 / 2, 1 / 2),
}
_EDUCATION = {
    "Bachelor": (1, 0, 0),
    "High school": (0, 1, 0),
    "Master": (1 / 3, 1 / 3, 1 / 3),
    "TAFE": (0, 0, 1),
}
_MARITAL = {"Married": (2 / 3, 1 / 3, 0), "Single": (0, 1 / 3, 2 / 3)}
_PERSONS = [
    ("Accountant", "Bachelor", "Married"),
    ("Doctor", "Master", "Married"),
    ("Plumber", "TAFE", "Single"),
    ("Plumber", "High school", "Single"),
    ("Doctor", "Master", "Married"),
    ("Accountant", "Master", "Single"),
]


def six_persons():
    """Return phi (6, 3, 3) and class numbers (Low 0, Middle 1, High 2)."""
    tables = (_OCCUPATION, _EDUCATION, _MARITAL)
    phi = [
        [table[value] for table, value in zip(tables, person, strict=True)]
        for person in _PERSONS
    ]
    return np.array(phi, dtype=float), np.array([0, 0, 2, 1, 1, 2])


def random_rows(seed, n_rows=8, n_features=3, n_classes=3):
    """Return phi and class numbers: histograms that lean to the row's own class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    leaning = 0.7 + 0.7 * np.eye(n_classes)[y]
    phi = [[rng.dirichlet(alpha) for _ in range(n_features)] for alpha in leaning]
    return np.array(phi), y


def regularizer(penalty):
    if isinstance(penalty, EntrywisePenalty):
        return EntrywiseL1()
    return (SchattenPower if penalty.powered else Schatten)(penalty.p)


def objective(phi, y, structure, kind, penalty, strength, margin=1.0):
    """Return the problem as nearkind states it."""
    constraints = KINDS[kind](margin).bind(WeightedLabels(y, np.ones(len(y))))
    Z = np.ascontiguousarray(STRUCTURES[structure]().blocks(phi))
    return Objective(Z, constraints, regularizer(penalty), strength)


def unit(problem):
    """Return the start of the paper, M = I."""
    return identity(problem.Z.shape[0], problem.Z.shape[-1])


def zero(problem):
    """Return M = 0."""
    start = unit(problem)
    return Spectrum(np.zeros_like(start.values), start.vectors)


def kinked(strength=0.0):
    """Return w1 + 2 |w2 - 1| + 8 over w >= 0, so written that its slope misleads.

    To which strength * (w1 + w2) is added.

    2 |w2 - 1| is 4 [w2 - 1]_+ + [10 - 2 w2]_+ - 8 while w2 < 5; the first hinge has
    slope 0 at its corner, so the second pushes w2 away from where it is best.
    """
    edges = PairList(np.array([0, 0]), np.array([1, 2]))  # d2 are w1 and w2
    phi = np.zeros((3, 2, 1))
    phi[1, 0] = phi[2, 1] = 1.0
    signs = sparse.csr_array([[1.0, 0.0], [0.0, 1.0], [0.0, -2.0]])
    offsets, shares = np.array([0.0, -1.0, 10.0]), np.array([1.0, 4.0, 1.0])
    Z = np.ascontiguousarray(Diagonal().blocks(phi))
    return Objective(
        Z, TupleList(edges, signs, offsets, shares), Schatten(1.0), strength
    )


def soft_neighbors(
    n_rows=30, structure="full", penalty=TRACE, strength=1e-2, **options
):
    """Return the problem of soft neighbours among rows that are drawn."""
    phi, y = random_rows(1, n_rows)
    bound = SoftNeighbors(0.2, **options).bind(WeightedLabels(y, np.ones(n_rows)))
    Z = np.ascontiguousarray(STRUCTURES[structure]().blocks(phi))
    return Objective(Z, bound, penalty, strength)
