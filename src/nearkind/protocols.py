"""The seams: what each piece must offer, and the law that holds for all of its kind.

Shapes: n rows (or weighted cells of equal rows), D features, C channels a feature
(classes for class histograms), B blocks of the metric, each of width W, K vectors a row
in each block.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int32]
Map = Callable[[Any, Iterable[Any]], Iterable[Any]]
"""As the builtin ``map``, which is the default: same results, same order."""


class Projection(Protocol):
    """Codes to vectors, by one lookup table a feature.

    Law: ``transform(codes)`` only gathers rows of ``tables``; renaming categories
    changes nothing; rows of "vdm" sum to one.
    """

    tables: list[Array]  # feature d: (n_values[d] + 1, R_d, C); last row: unseen

    def shape(self, n_values: Sequence[int], n_classes: int) -> tuple[int, int]:
        """Return (sum of R_d, C) before anything is allocated."""

    def fit(
        self,
        codes: Codes,
        n_values: Sequence[int],
        y: NDArray[np.intp] | None,
        weights: Array,
    ) -> Self:
        """Count and fill ``tables``; y is -1 where a label is unknown, None for all."""

    def fit_counts(self, counts: Sequence[Array], totals: Array) -> Self:
        """Fill ``tables`` from counts (n_values[d], C) and class totals (C,)."""

    def transform(self, codes: Codes) -> Array:
        """Return phi (n, D, C)."""

    def transform_training(self, codes: Codes, y: NDArray[np.intp] | None) -> Array:
        """Return phi (n, D, C) of the rows given to ``fit``."""


class Structure(Protocol):
    """How M couples features and channels.

    Law: linear in phi; "multi" with equal blocks equals "single".
    """

    def blocks(self, phi: Array) -> Array:
        """Reshape phi (n, D, C) into Z (B, n, K, W)."""


class Edges(Protocol):
    """Pairs of rows: distances forward, Laplacian back.

    Law: ``vdot(w, squared_distances(embed(Z, M))) == vdot(pull_back(Z, w), M)``.
    """

    def squared_distances(self, rows: Any) -> Array:
        """Return one squared distance an edge, from an Embedding of the rows."""

    def pull_back(self, Z: Array, weights: Array) -> Array:
        """Return sum of w_ij (z_i - z_j)(z_i - z_j)' over edges, (B, W, W)."""

    def halves(self, Z: Array, weights: Array) -> tuple[Array, Array]:
        """Return it as a matrix and weights (n,) of z_i z_i' still to be added."""

    def laplacian(self, U: Array, weights: Array) -> Array:
        """Return L U (n, q), where the pull-back is Z' L Z."""


class Loss(Protocol):
    """A convex function of a margin's violation z.

    Law: ``slope`` is in [0, 1] and is the derivative of ``value``.
    """

    def value(self, z: Array) -> Array:
        """Return the loss of each violation."""

    def slope(self, z: Array) -> Array:
        """Return its derivative."""

    def total(self, d2: Array, sides: Any) -> float:
        """Sum over every pair of a near and a far distance of each row (a, n)."""

    def pull(self, d2: Array, sides: Any) -> "Pull":
        """Return that sum, its slope in each distance (a, n), and its intercept."""


class Pull(NamedTuple):
    """A loss at some distances, and its linear lower bound there.

    ``intercept + vdot(weights, d2)`` is the sum of alpha times violation, alpha the
    slopes of the loss; for the plain hinge that is the loss itself. The intercept is
    what the dual certificate needs.
    """

    loss: float
    weights: Array  # d loss / d d2, one an edge
    intercept: float


class Block(Protocol):
    """Some constraints and the edges they compare, small enough to hold at once.

    Law: ``weights`` are the slope of the loss in d2; ``value`` is the pull's loss.
    """

    @property
    def edges(self) -> Edges:
        """Which pairs of rows."""

    def value(self, d2: Array, loss: Loss) -> float:
        """Return the loss at the distances of ``edges``."""

    def pull(self, d2: Array, loss: Loss) -> Pull:
        """Return loss, weights and intercept there."""


class Constraints(Protocol):
    """Which distances must be smaller than which.

    Law: the pulls of the parts add up to that of the whole, as an oracle enumerates it.
    """

    @property
    def moves(self) -> bool:
        """Whether the metric changes them; see ``renewed``."""

    @property
    def n_distances(self) -> int:
        """How many distances one evaluation computes."""

    def parts(self) -> Sequence[Block]:
        """Return the blocks."""

    def slope_at_zero(self, Z: Array) -> Array:
        """Return the gradient of the loss at M = 0 (B, W, W)."""

    def renewed(self, Z: Array, point: Any) -> "Constraints":
        """Return what holds under a metric: other constraints, or these themselves.

        Where the metric changes them, the objective at that metric does not rise.
        """

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Any, "Constraints"]:
        """Return some rows, and constraints among them whose mean estimates this."""


@runtime_checkable
class Regularizer(Protocol):
    """A convex function of the joint spectrum of M, increasing in each eigenvalue.

    Law: subgradient inequality; three-point inequality of the prox; prox >= 0.
    """

    @property
    def is_smooth(self) -> bool:
        """Whether it has a gradient at all M of full rank."""

    def value(self, spectrum: Array) -> float:
        """Return r."""

    def subgradient(self, spectrum: Array) -> Array:
        """Return one subgradient."""

    def prox(self, spectrum: Array, step: float) -> Array:
        """Return argmin over x >= 0 of |x - spectrum|^2 / 2 + step r(x)."""

    def dual_norm(self, spectrum: Array) -> float:
        """Return the dual norm of the positive part."""

    def strength_max(self, spectrum: Array) -> float:
        """Return the smallest strength at which M = 0 is optimal."""

    def dual_value(self, spectrum: Array, intercept: float, strength: float) -> float:
        """Return the best lower bound on the optimum along a ray of multipliers."""


class Solver(Protocol):
    """Minimise an objective over positive semi-definite M.

    Law: the result is PSD and no worse than the start; solvers agree on small problems.
    """

    def solve(self, objective: Any, start: Any, *, callback: Any = None) -> Any:
        """Return a Solution, from a start given as a Spectrum."""


class Dissimilarity(Protocol):
    """A fitted distance on rows as the user has them.

    Law: symmetric, non-negative, zero on itself where promised; ``pairwise_distances``
    is ``compare`` on what ``represent`` makes of the codes.
    """

    codebook_: Any

    def represent(self, codes: Codes) -> Any:
        """Return what ``compare`` needs of rows, one entry a row."""

    def compare(self, a: Any, b: Any) -> Array:
        """Return distances (n, m) between represented rows."""

    def pairwise_distances(self, X: Any, Y: Any = None) -> Array:
        """Return distances (n, m) between tables; Y = X if None."""


class Index(Protocol):
    """Distinct rows (cells), to be asked for those near some queries.

    Law: ``near`` is what ``Reach.near`` says of all distances, up to their rounding,
    for every query whose true neighbours are found; ``recall_`` says how many are.
    """

    def __init__(self, metric: Dissimilarity, cells: Any, k: int) -> None:
        """Take a fitted metric, cells as it represents them, and the usual k."""

    @staticmethod
    def takes(metric: Any) -> bool:
        """Say whether it can search under a metric, which need not be fitted."""

    @staticmethod
    def check(metric: Any, owner: str) -> None:
        """Raise if it does not take a metric, or lacks what it needs."""

    @property
    def kind(self) -> str:
        """How it searches."""

    @property
    def recall_(self) -> float:
        """Share of the true neighbours that were found when it was built."""

    @property
    def n_rows(self) -> int:
        """Number of cells."""

    @property
    def seconds(self) -> float:
        """What it took to build."""

    def build(self) -> "Index":
        """Build it now and return it; else it is built when it is first asked."""

    def blocks(self, n_queries: int, at_once: int) -> list[slice]:
        """Split queries so that each block needs about so many numbers."""

    def near(self, rows: Any, reach: Any, k: float) -> Any:
        """Return the cells within reach of the k-th neighbour of each row, a Near."""
