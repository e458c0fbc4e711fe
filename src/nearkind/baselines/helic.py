"""HELIC: weights of many kernels between values, from how values couple."""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform

from nearkind.baselines.baseline import Learner, WeightedBaseline
from nearkind.baselines.contingency import contingency
from nearkind.baselines.kernel_weights import KernelGroups, learn_weights
from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.distances.pair_tables import check_contingency
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.rows import CodedRows, UniqueRows
from nearkind.estimators.base import VectorDistance
from nearkind.estimators.spec import strength_of
from nearkind.projections.base import value_counts
from nearkind.projections.vdm import shares
from nearkind.protocols import Array, Codes
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.objective import Objective
from nearkind.validation.limits import distances_at_once
from nearkind.validation.parameters import NonNegative, WholeNumber
from nearkind.validation.threads import ALL_CORES, thread_map

COUPLINGS = "frequency", "values", "classes"
KERNELS = "gaussian 1/2", "gaussian 1", "gaussian 2", "linear"
WIDTHS = 0.5, 1.0, 2.0
"""Of Gaussian kernels, in units of the median distance between values."""
ROWS = 4_000
"""Distinct rows up to which every triplet counts; of more, those among so many."""


class HELIC(Learner, VectorDistance, WeightedBaseline):
    """Heterogeneous couplings of categorical values, as we read them.

        d^2(x, x') = sum over groups g of w_g |k_g(x) - k_g(x')|^2,  w >= 0
        min over w of  mean [d2_ij + 1 - d2_il]_+  +  strength * sum of w_g

    Zhu, Cao, Liu, Yin and Kumar, TKDE 2018. Our reconstruction from the abstract, with
    these choices. H1-H3: a value couples to its own feature by p(v), to the others by
    p(v | u), to the classes by p(c | v). H4: Gaussian kernels of half, one and two
    times the median distance, and a linear one. H5: one weight for each feature,
    coupling and kernel. H6: all triplets, with a penalty on the sum of the weights.

    Parameters
    ----------
    strength : float, "auto" or a share such as "0.5%", default="auto"
        Weight of the penalty, as a number or as a share of ``strength_max_``; "auto" is
        "1%".
    max_iter : int, default=200
        Iterations at most.
    tol : float, default=1e-2
        Stop when the proven gap is below this share of the objective.
    unseen, missing, numeric : str, default="prior", "level", "auto"
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    weights_ : ndarray of shape (G,)
        Weight of each group.
    groups_ : list of (feature, coupling, kernel)
        The groups.
    objective_ : float
        Objective reached.
    gap_ : float
        Proven bound on its distance from the optimum.
    strength_ : float
        Strength used.
    strength_max_ : float
        Smallest strength at which all weights are zero.
    n_iter_ : int
        Iterations made.
    stop_reason_ : str
        Why they ended.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], [0, 0, 1, 1]
    >>> near, far = HELIC().fit(rows, labels).pairwise_distances(rows[:1], rows[1:3])[0]
    >>> bool(near < far)
    True
    """

    strength: Any = "auto"
    _: KW_ONLY
    max_iter: WholeNumber = 200
    tol: NonNegative = 1e-2

    def _learn(self, rows: CodedRows) -> ValueVectors:
        strength = strength_of(self)
        check_contingency(rows.codebook, type(self).__name__)
        unique = rows.merge_equal()
        groups = self._groups(unique)
        bound = AllTriplets(1.0, distances_at_once()).bind(
            WeightedLabels(unique.y, unique.weights)
        )
        with thread_map(ALL_CORES) as run:
            Z = groups.indicators(unique.codes)
            objective = Objective(Z, bound, Schatten(1.0), 0.0, map=run)
            if objective.n_rows > ROWS:
                objective = objective.sample(ROWS, np.random.default_rng(0))
            found, self.strength_, self.strength_max_ = learn_weights(
                objective, groups, strength, self.max_iter, self.tol
            )
        self.weights_ = found.weights
        self._tell(
            found.reason,
            found.n_iter,
            found.value,
            found.gap,
            is_zero=not found.weights.any(),
        )
        return ValueVectors(rows.codebook, groups.value_tables(found.weights))

    def _groups(self, unique: UniqueRows) -> KernelGroups:
        """Make every kernel of every coupling of every feature."""
        book = self.codebook_
        described = couplings(unique.codes, book.n_values, unique.y, unique.weights)
        made = [
            (d, name, kernel)
            for d, of_feature in enumerate(described)
            for name, vectors in zip(COUPLINGS, of_feature, strict=True)
            for kernel in enumerate(kernels(vectors))
        ]
        self.groups_ = [(book.names_[d], name, KERNELS[k]) for d, name, (k, _) in made]
        features = np.array([d for d, *_ in made], dtype=np.intp)
        return KernelGroups(
            features, [kernel for *_, (_, kernel) in made], book.n_values
        )


def couplings(
    codes: Codes, n_values: Sequence[int], y: np.ndarray, weights: Array
) -> list[list[Array]]:
    """Return for each feature how its values couple, each (s_d, any).

    To their own feature, by frequency; to the values u of the others, as p(v | u); to
    the classes, as p(c | v).
    """
    pairs = contingency(codes, n_values, weights)
    prior = np.bincount(y, weights) / weights.sum()
    classes = value_counts(codes, n_values, y, weights)
    return [
        [
            frequency(N.sum(axis=1)),
            np.hstack([np.zeros((len(N), 0))]
                      + [pairs.given(e, d).T for e in pairs.others(d)]),
            shares(N, 0.0, prior),
        ]
        for d, N in enumerate(classes)
    ]  # fmt: skip


def frequency(counts: Array) -> Array:
    """Return relative frequencies as a column (s, 1)."""
    return (counts / max(counts.sum(), 1e-300))[:, None]


def kernels(described: Array) -> Iterator[Array]:
    """Yield kernels (s, s) between descriptions (s, any): three Gaussian, one linear.

    Each is centred, which no distance sees; those without any difference are left out.

    Examples
    --------
    >>> [kernel.shape for kernel in kernels(np.array([[0.0], [1.0]]))]
    [(2, 2), (2, 2), (2, 2), (2, 2)]
    >>> list(kernels(np.array([[1.0], [1.0]])))
    []
    """
    apart = pdist(described) if described.shape[1] else np.zeros(0)
    if not (apart > 1e-12).any():
        return
    middle = float(np.median(apart[apart > 1e-12]))
    for width in WIDTHS:
        d2 = squareform(apart) ** 2
        yield centred(np.exp(-d2 / (2.0 * (width * middle) ** 2)))
    yield centred(described @ described.T)


def centred(kernel: Array) -> Array:
    """Return the kernel about the mean of its values."""
    kernel = kernel - kernel.mean(axis=0)
    return kernel - kernel.mean(axis=1, keepdims=True)
