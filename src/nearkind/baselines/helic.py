"""HELIC: weights of kernels on couplings of values.

A kernel of feature d is a matrix over its values, and so is any sum of kernels with
weights: M_d(w). An objective on indicators of values gives the loss and its gradient in
M_d; the gradient in w_g is <gradient, K_g>. However many kernels there are, rows are no
wider than the number of values.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.spatial.distance import pdist, squareform

from nearkind.baselines.baseline import Learner, WeightedBaseline
from nearkind.baselines.coding import side_by_side, with_mean
from nearkind.baselines.contingency import contingency
from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.distances.pair_tables import check_contingency
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.rows import CodedRows, UniqueRows
from nearkind.estimators.base import VectorDistance
from nearkind.estimators.spec import strength_of
from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.metrics.spectrum import Spectrum, decompose
from nearkind.metrics.value_tables import ValueTables
from nearkind.projections.base import value_counts
from nearkind.projections.vdm import shares
from nearkind.protocols import Array, Codes
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.objective import Objective
from nearkind.solvers.solution import Progress, Stop
from nearkind.validation.limits import distances_at_once
from nearkind.validation.parameters import NonNegative, WholeNumber
from nearkind.validation.threads import ALL_CORES, thread_map

COUPLINGS = "frequency", "values", "classes"
KERNELS = "gaussian 1/2", "gaussian 1", "gaussian 2", "linear"
WIDTHS = 0.5, 1.0, 2.0
"""Of Gaussian kernels, in units of the median distance between values."""
ROWS = 4_000
"""Distinct rows up to which every triplet counts; of more, those among so many."""
ROUND_STEPS = 30
WARM_ROWS = 1_000
"""Begin on a sample of so many rows if there are twice as many or more."""
WIDEST = 0.1
"""Width of the corner at the start, as a share of the loss at M = 0."""
ROUNDING = 1e-9
"""Gains below this share of the objective are none."""
NARROWEST = 1e-9
"""Width of a corner, as a share of the loss at M = 0, below which rounding rules."""


class HELIC(Learner, VectorDistance, WeightedBaseline):
    """Heterogeneous couplings of categorical values, in our reading.

        d^2(x, x') = sum over groups g of w_g |k_g(x) - k_g(x')|^2,  w >= 0
        min over w of  mean [d2_ij + 1 - d2_il]_+  +  strength * sum of w_g

    Zhu, Cao, Liu, Yin and Kumar, TKDE 2018. Our reconstruction from the abstract, with
    these choices. H1-H3: a value couples to its own feature by p(v), to the others by
    p(v | u), to the classes by p(c | v). H4: Gaussian kernels of half, one and two
    times the median distance, and a linear one. H5: one weight for each feature,
    coupling and kernel. H6: all triplets, with a penalty on the sum of the weights.

    Parameters
    ----------
    strength : float, "auto" or a percentage such as "0.5%", default="auto"
        Weight of the penalty, as a number or as a percentage of ``strength_max_``;
        "auto" is "1%".
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-2
        Stop when the optimality gap is below this fraction of the objective.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    weights_ : ndarray of shape (G,)
        Weight of each group.
    groups_ : list of (feature, coupling, kernel)
        The groups.
    objective_ : float
        Final value of the objective.
    gap_ : float
        Optimality gap: the objective exceeds the minimum by at most this.
    strength_ : float
        Strength used.
    strength_max_ : float
        Smallest strength at which all weights are zero.
    n_iter_ : int
        Number of iterations.
    stop_reason_ : str
        Reason for stopping.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], [0, 0, 1, 1]
    >>> near, far = HELIC().fit(rows, labels).pairwise_distances(rows[:1], rows[1:3])[0]
    >>> bool(near < far)
    True
    """

    strength: float | str = "auto"
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
        is_zero = not found.weights.any()
        self._report(found.reason, found.n_iter, found.value, found.gap, is_zero)
        return ValueVectors(rows.codebook, groups.value_tables(found.weights))

    def _groups(self, unique: UniqueRows) -> "KernelGroups":
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


@dataclass(frozen=True)
class KernelGroups:
    """Kernels between the values of features.

    Attributes
    ----------
    features : ndarray of int of shape (G,)
        The feature of each kernel.
    kernels : sequence of G ndarrays of shape (s_d, s_d)
    n_values : sequence of int
        s_d of each feature.
    """

    features: NDArray[np.intp]
    kernels: Sequence[Array]
    n_values: Sequence[int]

    @cached_property
    def _spans(self) -> list[slice]:
        ends = np.cumsum([0, *self.n_values])
        return [slice(a, b) for a, b in pairwise(ends.tolist())]

    def indicators(self, codes: Codes) -> Array:
        """Return rows as indicators (1, n, 1, S); what is unseen is a bit of each."""
        Z = np.zeros((1, len(codes), 1, sum(self.n_values)))
        for code, at, size in zip(codes.T, self._spans, self.n_values, strict=True):
            Z[0, :, 0, at] = with_mean(np.eye(size))[code]
        return Z

    def metric(self, weights: Array) -> Spectrum:
        """Return M(w) over all values (1, S, S), one block per feature."""
        return decompose(self._matrix(weights)[None])

    def _matrix(self, weights: Array) -> Array:
        M = np.zeros((sum(self.n_values),) * 2)
        for d, w, K in zip(self.features, weights, self.kernels, strict=True):
            M[self._spans[d], self._spans[d]] += w * K
        return M

    def gradient(self, in_M: Array) -> Array:
        """Return the gradient in the weights (G,) from that in M (1, S, S)."""
        blocks = [in_M[0, at, at] for at in self._spans]
        both = zip(self.features, self.kernels, strict=True)
        return np.array([(blocks[d] * K).sum() for d, K in both])

    def value_tables(self, weights: Array) -> ValueTables:
        """Return the vectors of all values; an unseen one is in the middle."""
        M = self._matrix(weights)
        return side_by_side([with_mean(_factor(M[at, at])) for at in self._spans])


def _factor(M: Array) -> Array:
    """Return vectors (s, r) whose products are M (s, s)."""
    ((F, _),) = decompose(M[None]).positive().factors()
    return F.T


class LearnedWeights(NamedTuple):
    """The best weights found (G,), what is known of them, and the last width."""

    weights: Array
    value: float
    gap: float
    n_iter: int
    reason: Stop
    width: float


def learn_weights(
    objective: Objective,
    groups: KernelGroups,
    strength_of: Callable[[float], float],
    max_iter: int,
    tol: float,
) -> tuple[LearnedWeights, float, float]:
    """Minimise loss + strength * sum of weights over weights >= 0.

    Limited-memory BFGS on a smoothed hinge whose corner is narrowed from round to round
    until the lower bound, from gradients of the smoothed hinge, is near enough.

    Parameters
    ----------
    objective : Objective
        On indicators of values, without penalty.
    groups : KernelGroups
    strength_of : callable
        From the smallest strength at which all weights are zero to the one meant.
    max_iter : int
        Maximum number of iterations.
    tol : float
        Stop when the gap is below this share of the objective.

    Returns
    -------
    found : LearnedWeights
    strength, strength_max : float
        The strength used, and the smallest at which all weights are zero.
    """
    at_zero = groups.gradient(objective.constraints.gradient_at_zero(objective.Z))
    strength_max = float(np.maximum(-at_zero, 0.0).max(initial=0.0))
    strength = strength_of(strength_max)
    problem = WeightsProblem(objective.with_loss(Hinge()), groups, strength)
    if strength >= strength_max:
        w = np.zeros(len(groups.kernels))
        found = LearnedWeights(w, problem.value(w), 0.0, 0, Stop.TOLERANCE, 0.0)
    else:
        found = problem.solve(max_iter, tol)
    return found, strength, strength_max


@dataclass(frozen=True)
class WeightsProblem:
    """f(w) = loss(M(w)) + strength * sum of w."""

    hinge: Objective
    groups: KernelGroups
    strength: float

    def value(self, w: Array) -> float:
        """Return f."""
        loss = self.hinge.loss_value(self.groups.metric(w).positive())
        return loss + self.strength * float(w.sum())

    def solve(self, max_iter: int, tol: float) -> LearnedWeights:
        """Minimise; of many rows first on a sample of them."""
        w, width, t = self._start(), WIDEST * self._at_zero, 0
        if self.hinge.n_rows >= 2 * WARM_ROWS:
            sample = self.hinge.sample(WARM_ROWS, np.random.default_rng(0))
            few = replace(self, hinge=sample)
            w, *_, t, _, width = few._rounds(w, width, max_iter // 2, tol)
        found = self._rounds(w, width, max_iter - t, tol)
        return found._replace(n_iter=t + found.n_iter)

    @property
    def _at_zero(self) -> float:
        return self.hinge.loss_value(self.hinge.zero)

    def _rounds(
        self, w: Array, width: float, max_iter: int, tol: float
    ) -> LearnedWeights:
        """Descend in rounds; narrow the corner while it alone exceeds the tolerance."""
        best, narrowest, t = w, NARROWEST * self._at_zero, 0
        progress, reason = Progress(self.groups.metric(w), tol), Stop.MAX_ITER
        while t < max_iter:
            w, made = self._descend(w, width, min(ROUND_STEPS, max_iter - t))
            t += max(made, 1)
            before = progress.value
            if progress.offer(self.groups.metric(w), self.value(w)):
                best = w
            bound, corner = self._lower_bound(w, width)
            progress.raise_bound(bound)
            progress.record(t)
            stuck = progress.value >= (1.0 - ROUNDING) * before
            if progress.done or (stuck and width == narrowest):
                reason = Stop.TOLERANCE if progress.done else Stop.NO_DESCENT
                break
            if stuck or corner > 0.3 * tol * progress.value:
                width = max(width / 3.0, narrowest)
        return LearnedWeights(best, progress.value, progress.gap, t, reason, width)

    def _start(self) -> Array:
        """Return equal weights under which rows are a few margins apart."""
        spread = sum(np.trace(K) / len(K) for K in self.groups.kernels)
        return np.full(len(self.groups.kernels), 4.0 / max(spread, 1e-300))

    def _descend(self, w: Array, width: float, steps: int) -> tuple[Array, int]:
        smooth = self.hinge.with_loss(SmoothedHinge(width))

        def value_and_gradient(w: Array) -> tuple[float, Array]:
            at = smooth.linearize(self.groups.metric(w).positive())
            gradient = self.groups.gradient(at.gradient) + self.strength
            return at.loss + self.strength * float(w.sum()), gradient

        found = minimize(
            value_and_gradient, w, jac=True, method="L-BFGS-B",
            bounds=[(0.0, None)] * len(w),
            options={"maxiter": steps, "maxcor": 20, "ftol": 1e-12, "gtol": 0.0},
        )  # fmt: skip
        return found.x, int(found.nit)

    def _lower_bound(self, w: Array, width: float) -> tuple[float, float]:
        """Return the lower bound that smoothed gradients at w prove, and what it lacks.

        The latter is what the smoothed dual lies below the plain one, by the corner.
        """
        smooth = self.hinge.with_loss(SmoothedHinge(width))
        at = smooth.linearize(self.groups.metric(w).positive())
        gradient = self.groups.gradient(at.gradient)
        penalty = self.hinge.regularizer  # Schatten 1: no gain may exceed the strength
        bound = penalty.dual_value(-gradient, at.intercept, self.strength)
        return bound, at.intercept + float(gradient @ w) - at.loss
