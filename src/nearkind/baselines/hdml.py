"""HDML: learned binary codes, compared by Hamming distance."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np

from nearkind.baselines.baseline import Baseline, Learner
from nearkind.baselines.coding import FLAT, Coding, CodingName, map_tables
from nearkind.baselines.matrix_learner import whitening
from nearkind.baselines.row_pairs import PairSampler
from nearkind.constraints.weighted_labels import require_constraints
from nearkind.distances.bits import Bits
from nearkind.encoding.rows import CodedRows, Numbers
from nearkind.estimators.base import EmbeddingEstimator
from nearkind.metrics.value_tables import ValueTables
from nearkind.protocols import Array, Codes, RowNumbers
from nearkind.solvers.solution import Stop
from nearkind.validation.parameters import NonNegative, Seed, WholeNumber, generator
from nearkind.validation.threads import one_blas_thread

STARTS = 10
"""Planes to begin with that are drawn for each one that is taken."""
START_ROWS = 2_000
"""Rows by which they are drawn."""
BATCH = 100
"""Triplets in a step."""
MOMENTUM = 0.9
RATE = 0.1
"""Length of a step at the start, for rows of length one."""
HALVINGS = 5
"""How often steps are halved before the objective has settled."""
AT_ONCE = 1 << 17
"""Bits of triplets that are held at a time."""


class HDML(Learner, EmbeddingEstimator, Baseline):
    """Hamming distance metric learning: d = proportion of bits that differ.

        code of x:  h(x) = sign(W x + b), n_bits numbers -1 or 1
        min over W, b of  mean over triplets of [1 + D(h, h+) - D(h, h-)]_+

    over rows x, a near row x+ of the same class and a near row x- of another, with D
    the number of bits that differ. Norouzi, Fleet and Salakhutdinov, *Hamming distance
    metric learning*, NIPS 2012; the formulas are our reconstruction. The objective is
    the upper bound of the source,

        max over g, g+, g- of  [1 + D(g, g+) - D(g, g-)]_+ + g'f + g+'f+ + g-'f-
        less  |f|_1 + |f+|_1 + |f-|_1,  with f = W x + b

    plus strength / 2 times the sum of squares of W and b, minimised in minibatches of
    triplets. The source finds the codes g by dynamic programming in O(n_bits^2). A
    hinge is the larger of zero and its argument, and both maxima are sums over the
    bits, so O(n_bits) is enough. Rows are centred and scaled to mean squared length
    one. The initial rows of W are the best of ten times as many random ones: those that
    separate far but not near rows. The bound is not convex, so the result depends on
    the start.

    Parameters
    ----------
    n_bits : int, default=64
        Number of bits of a code.
    strength : float >= 0, default=1e-3
        Weight of the squares of W and b.
    n_triplets : int, default=10_000
        Number of triplets, from rows sampled with equal probability.
    n_candidates : int, default=30
        Number of candidates for each near row, of which the one that differs from x in
        the fewest features is used; 1: a random row of the class.
    max_iter : int, default=100
        Maximum number of passes over the triplets.
    tol : float, default=1e-3
        Steps are halved when a pass gains less than this fraction of the objective, at
        most five times.
    coding : {"onehot", "vdm", "thermometer"}, default="onehot"
        Values as indicators or as class histograms.
    random_state : int, RandomState or None, default=0
        Selects the start, the triplets and their order; None: different in each fit.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    objective_ : float
        Final value of the objective.
    n_iter_ : int
        Number of passes.
    stop_reason_ : str
        Reason for stopping.

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> HDML(n_bits=16).fit(rows, labels).pairwise_distances(rows[:1], rows[1:3])
    array([[0., 1.]])
    """

    n_bits: WholeNumber = 64
    _: KW_ONLY
    strength: NonNegative = 1e-3
    n_triplets: WholeNumber = 10_000
    n_candidates: WholeNumber = 30
    max_iter: WholeNumber = 100
    tol: NonNegative = 1e-3
    coding: CodingName = "onehot"
    random_state: Seed = 0

    def _learn(self, rows: CodedRows) -> Bits:
        rng = generator(self.random_state)
        sizes = self.n_triplets, self.n_candidates
        drawn = draw_triplets(rows.codes, rows.y, *sizes, rng)
        used, triplets = np.unique(drawn, return_inverse=True)
        triplets = triplets.reshape(drawn.shape)
        coding = Coding.of(self._fit_coding(rows, len(used)).tables)
        hashed = HashedRows.of(coding.rows(rows.codes[used]))
        settings = self.strength, self.tol, self.max_iter
        with one_blas_thread():
            planes = hashed.random_planes(STARTS * self.n_bits, rng)
            start = best_planes(hashed.Z, triplets, planes, self.n_bits)
            found = learn_planes(hashed.Z, triplets, start, rng, *settings)
        self._report(found.reason, found.n_iter, found.objective, unit="passes")
        return Bits(rows.codebook, hashed.value_tables(coding, found.planes))


@dataclass(frozen=True)
class HashedRows:
    """Rows to be hashed, centred, of mean square length one, and a one for b.

    Attributes
    ----------
    Z : ndarray of shape (n, W + 1)
    mean : ndarray of shape (W,)
        Of the rows before.
    size : float
        Root of their mean square length, once centred; 1 if that is zero.
    """

    Z: Array
    mean: Array
    size: float

    @classmethod
    def of(cls, rows: Array) -> "HashedRows":
        """Prepare coded rows (n, W)."""
        mean = rows.mean(axis=0)
        centred = rows - mean
        size = float(np.sqrt((centred**2).sum() / len(rows)))
        size = size if size > FLAT else 1.0
        return cls(np.column_stack([centred / size, np.ones(len(rows))]), mean, size)

    def random_planes(self, n_bits: int, rng: np.random.Generator) -> Array:
        """Return W and b (q, W + 1): W normal, b such that a bit halves the rows.

        A row of W is a random sum of whitened rows, so it follows the rows if their
        coordinates are turned or exchanged.
        """
        rows = self.Z[:, :-1]
        if len(rows) > START_ROWS:
            rows = rows[rng.choice(len(rows), START_ROWS, replace=False)]
        W = rng.normal(size=(n_bits, len(rows))) @ rows / len(rows) ** 0.5
        if rows.shape[1]:
            W = W @ whitening(rows.T @ rows / len(rows))
        return np.column_stack([W, -np.median(rows @ W.T, axis=0)])

    def value_tables(self, coding: Coding, planes: Array) -> ValueTables:
        """Return the vectors of values that add up to W x + b.

        b is shared among the features. A sum that is zero up to rounding counts as
        positive.
        """
        W, b = planes[:, :-1] / self.size, planes[:, -1] + FLAT
        tables = map_tables(coding.tables, W).vectors
        shift = (b - W @ self.mean) / len(tables)
        return ValueTables([table + shift for table in tables])


def draw_triplets(
    codes: Codes, y: Numbers, size: int, n_candidates: int, rng: np.random.Generator
) -> RowNumbers:
    """Return rows, a near one of the same class and a near one of another (3, size).

    Near is the one of ``n_candidates`` drawn that differs in the fewest features; what
    is equal comes last, since it is equal under every code.

    Examples
    --------
    >>> codes, y = np.array([[0, 0], [0, 1], [1, 1], [2, 2]]), np.array([0, 0, 0, 1])
    >>> i, j, k = draw_triplets(codes, y, 100, 9, np.random.default_rng(0))
    >>> np.unique(j[i == 0]), np.unique(k)
    (array([1]), array([3]))
    """
    pairs = PairSampler(y)
    require_constraints(len(pairs.anchors) * pairs.n_unlike, "triplets")
    i = rng.choice(pairs.anchors, size)

    def nearest(draw: Callable[[Numbers, np.random.Generator], Numbers]) -> Numbers:
        drawn = draw(np.tile(i, (n_candidates, 1)), rng)  # (c, m)
        differing = np.zeros(drawn.shape, dtype=np.intp)
        for column in codes.T:
            differing += column[drawn] != column[i]
        differing[differing == 0] = codes.shape[1] + 1
        return drawn[differing.argmin(axis=0), np.arange(len(i))]

    return np.stack([i, nearest(pairs.draw_alike), nearest(pairs.draw_unlike)])


class LearnedPlanes(NamedTuple):
    """W and b (q, W + 1), the objective there, the passes made and why they ended."""

    planes: Array
    objective: float
    n_iter: int
    reason: Stop


def learn_planes(
    Z: Array,
    triplets: RowNumbers,
    planes: Array,
    rng: np.random.Generator,
    strength: float = 1e-3,
    tol: float = 1e-3,
    max_iter: int = 100,
) -> LearnedPlanes:
    """Minimise the objective by passes over the triplets, some at a step.

    After a pass that gains too little, steps are half as long. Each pass begins at the
    best planes so far.

    Parameters
    ----------
    Z : ndarray of shape (n, W + 1)
        Rows, the last coordinate being one.
    triplets : ndarray of int of shape (3, m)
        Numbers of a row, of one of its class and of one of another.
    planes : ndarray of shape (q, W + 1)
        The start.
    rng : numpy.random.Generator
        For the order of the triplets.
    strength, tol, max_iter : float, float, int
        As in :class:`HDML`.

    Examples
    --------
    >>> Z, triplets = np.array([[-1.0], [-1.0], [1.0]]), np.array([[0], [1], [2]])
    >>> rng = np.random.default_rng(0)
    >>> learn_planes(Z, triplets, np.array([[0.5]]), rng, strength=0.0).objective
    0.0
    """
    rate, shortest = RATE, RATE * 0.5**HALVINGS
    value, n_iter = objective(Z, triplets, planes, strength), 0
    while rate > shortest and n_iter < max_iter:
        trial = _pass(Z, triplets, planes, rng, strength, rate)
        reached, n_iter = objective(Z, triplets, trial, strength), n_iter + 1
        if value - reached <= tol * value:
            rate /= 2.0
        if reached < value:
            planes, value = trial, reached
    reason = Stop.MAX_ITER if rate > shortest else Stop.SETTLED
    return LearnedPlanes(planes, value, n_iter, reason)


def best_planes(Z: Array, triplets: RowNumbers, planes: Array, n_bits: int) -> Array:
    """Return the planes that most often part far rows and not near ones.

    What parts only the near rows of a triplet cannot be worse for it, so that the bound
    has no slope there: a bit that begins badly stays so.

    Examples
    --------
    >>> Z = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0]])
    >>> best_planes(Z, np.array([[0], [1], [2]]), np.eye(2), 1)
    array([[1., 0.]])
    """
    gains = []
    for some in np.array_split(planes, STARTS):
        is_one = Z @ some.T >= 0.0
        i, j, k = triplets
        parted_far, parted_near = is_one[i] != is_one[k], is_one[i] != is_one[j]
        gains.append(parted_far.sum(axis=0) - parted_near.sum(axis=0))
    return planes[np.argsort(-np.concatenate(gains), kind="stable")[:n_bits]]


def objective(Z: Array, triplets: RowNumbers, planes: Array, strength: float) -> float:
    """Return the mean bound over triplets plus strength / 2 |planes|^2."""
    F, total, size = Z @ planes.T, 0.0, max(1, AT_ONCE // len(planes))
    for at in range(0, triplets.shape[1], size):
        total += float(ranking_bounds(F[triplets[:, at : at + size]]).sum())
    return total / triplets.shape[1] + 0.5 * strength * float(np.vdot(planes, planes))


def _pass(
    Z: Array,
    triplets: RowNumbers,
    planes: Array,
    rng: np.random.Generator,
    strength: float,
    rate: float,
) -> Array:
    """Return the planes after a step on each batch of triplets, in random order."""
    speed, order = np.zeros_like(planes), rng.permutation(triplets.shape[1])
    for at in range(0, len(order), BATCH):
        X = Z[triplets[:, order[at : at + BATCH]]]  # (3, t, W + 1)
        slopes = ranking_slopes(X @ planes.T)
        gradient = np.tensordot(slopes, X, axes=([0, 1], [0, 1])) / X.shape[1]
        speed = MOMENTUM * speed - rate * (gradient + strength * planes)
        planes = planes + speed
    return planes


def ranking_bounds(F: Array) -> Array:
    """Return the upper bounds of triplets on their loss (t,).

    The largest of [z]_+ + g'f + .. over all codes is the larger of two maxima, with 0
    and with z = 1 + D(g, g+) - D(g, g-) for [z]_+. The first is |f|_1 + .., at the
    codes of the rows. The second adds up over bits, each of which takes the best of

        z as it is:  g+ = g-, which is free, as is g;  |f| + |f+ + f-|
        z one more:  g = g- = -g+;                     |f - f+ + f-| + 1
        z one less:  g = g+ = -g-;                     |f + f+ - f-| - 1

    Parameters
    ----------
    F : ndarray of shape (3, t, q)
        W x + b of rows, of their near ones and of their far ones.

    Examples
    --------
    >>> ranking_bounds(np.array([[[1.0]], [[-0.5]], [[1.0]]]))  # the far one is nearer
    array([2.])
    >>> ranking_bounds(np.array([[[2.0]], [[1.5]], [[-2.0]]]))
    array([0.])
    """
    best = np.maximum.reduce(_scores(F))  # (t, q)
    bounds: Array = 1.0 + best.sum(axis=1) - np.abs(F).sum(axis=(0, 2))
    return np.maximum(bounds, 0.0)


def ranking_slopes(F: Array) -> Array:
    """Return the slopes of the bounds in F (3, t, q): the codes g less the rows' own.

    Examples
    --------
    >>> ranking_slopes(np.array([[[0.5]], [[0.5]], [[0.5]]])).ravel()
    array([ 0., -2.,  0.])
    """
    f, near, far = F
    as_is, more, less = _scores(F)
    free, g, r = _signs(near + far), _signs(f - near + far), _signs(f + near - far)
    codes = np.where(more > less, [g, -g, g], [r, r, -r])
    is_free = as_is > np.maximum(more, less)
    codes = np.where(is_free, [_signs(f), free, free], codes)
    return np.where((ranking_bounds(F) > 0.0)[:, None], codes - _signs(F), 0.0)


def _scores(F: Array) -> tuple[Array, Array, Array]:
    """Return what a bit adds at best, with z as it is, one more and one less (t, q)."""
    f, near, far = F
    apart = far - near
    as_is = np.abs(f) + np.abs(near + far)
    return as_is, np.abs(f + apart) + 1.0, np.abs(f - apart) - 1.0


def _signs(F: Array) -> Array:
    return np.where(F >= 0.0, 1.0, -1.0)
