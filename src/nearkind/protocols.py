"""Protocols: the interfaces between packages, each with a law.

Shapes: n rows (or weighted unique rows), D features, C channels a feature (classes for
class histograms), B blocks of the metric M, each of width W, K vectors per row in each
block.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    NamedTuple,
    Protocol,
    Self,
    runtime_checkable,
)

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # only for annotations: nothing of these packages is loaded
    from nearkind.losses.pair_sums import NearFar
    from nearkind.metrics.metric import Embedding
    from nearkind.metrics.spectrum import Spectrum
    from nearkind.solvers.objective import Objective
    from nearkind.solvers.solution import Callback, Solution

Array = NDArray[np.float64]
Codes = NDArray[np.int32]
RowNumbers = NDArray[np.intp]
LabelArray = NDArray[np.generic]
"""Labels as users have them, of any type that has an order."""
Labels = NDArray[np.intp] | None
"""Class numbers of rows, -1 where a label is unknown; None: there are none."""
TableLike = object
"""A table that ``nearkind.tables.read_table`` reads: a data frame of pandas, polars or
pyarrow, an array, a list of rows or of dicts, a dict of columns."""
Map = Callable[[Any, Iterable[Any]], Iterable[Any]]
"""As the builtin ``map``, which is the default: same results, same order."""


class Projection(Protocol):
    """Codes to vectors, by one lookup table a feature.

    Law: ``transform(codes)`` only gathers rows of ``tables``; renaming categories
    changes nothing; rows of "vdm" sum to one.
    """

    tables: list[Array]  # feature d: (n_values[d] + 1, R_d, C); last row: unseen

    def with_orders(self, n_ordered: Sequence[int]) -> "Projection":
        """Return the projection of features of which so many values are in order."""

    def shape(self, n_values: Sequence[int], n_classes: int) -> tuple[int, int]:
        """Return (sum of R_d, C) before anything is allocated."""

    def fit(
        self, codes: Codes, n_values: Sequence[int], y: Labels, weights: Array
    ) -> Self:
        """Count and fill ``tables``; y is -1 where a label is unknown, None for all."""

    def fit_counts(self, counts: Sequence[Array], totals: Array) -> Self:
        """Fill ``tables`` from counts (n_values[d], C) and class totals (C,)."""

    def transform(self, codes: Codes) -> Array:
        """Return phi (n, D, C)."""

    def transform_training(self, codes: Codes, y: Labels) -> Array:
        """Return phi (n, D, C) of the rows given to ``fit``."""


class Structure(Protocol):
    """How M couples features and channels.

    Law: linear in phi; "multi" with equal blocks equals "single".
    """

    def blocks(self, phi: Array) -> Array:
        """Reshape phi (n, D, C) into Z (B, n, K, W)."""

    def shape(self, n_features: int, n_channels: int) -> tuple[int, int]:
        """Return (B, W)."""


class Edges(Protocol):
    """Pairs of rows: squared distances forward, a graph Laplacian back.

    Law: ``vdot(w, squared_distances(embed(Z, M))) == vdot(adjoint(Z, w), M)``.
    """

    def squared_distances(self, rows: "Embedding") -> Array:
        """Return one squared distance an edge."""

    def adjoint(self, Z: Array, weights: Array) -> Array:
        """Return sum of w_ij (z_i - z_j)(z_i - z_j)' over edges, (B, W, W)."""

    def adjoint_parts(self, Z: Array, weights: Array) -> tuple[Array, Array]:
        """Return it as a matrix and weights (n,) of z_i z_i' still to be added."""

    def apply_laplacian(self, U: Array, weights: Array) -> Array:
        """Return L U (n, q), where the adjoint is Z' L Z."""


class Loss(Protocol):
    """A convex function of a constraint's violation z.

    Law: ``derivative`` is in [0, 1] and is the derivative of ``value``.
    """

    def value(self, z: Array) -> Array:
        """Return the loss of each violation."""

    def derivative(self, z: Array) -> Array:
        """Return the derivative of the loss at each violation."""

    def total(self, d2: Array, columns: "NearFar") -> float:
        """Sum over every pair of a near and a far distance in each row of d2 (a, n)."""

    def gradient(self, d2: Array, columns: "NearFar") -> "LossGradient":
        """Return that sum, its gradient in d2 (a, n), and its intercept."""


class LossGradient(NamedTuple):
    """A loss at some distances, and its linear lower bound there.

    ``intercept + vdot(weights, d2)`` is the sum of alpha times violation, alpha the
    derivatives of the loss; for the plain hinge that is the loss itself. The intercept
    is what the dual certificate needs.
    """

    loss: float
    weights: Array  # d loss / d d2, one an edge
    intercept: float


class Chunk(Protocol):
    """Some constraints and the edges they compare, small enough to hold at once.

    Law: ``gradient(d2).weights`` is the gradient of ``value`` in d2, and
    ``gradient(d2).loss`` equals ``value(d2)``.
    """

    @property
    def edges(self) -> Edges:
        """Which pairs of rows."""

    def value(self, d2: Array, loss: Loss) -> float:
        """Return the loss at the squared distances of ``edges``."""

    def gradient(self, d2: Array, loss: Loss) -> LossGradient:
        """Return loss, gradient and intercept there."""


class Constraints(Protocol):
    """Which distances must be smaller than which.

    Law: the gradients of the chunks add up to that of the whole, as an oracle
    enumerates it.
    """

    @property
    def depends_on_metric(self) -> bool:
        """Whether the metric changes them; see ``renewed``."""

    @property
    def n_distances(self) -> int:
        """How many distances one evaluation computes."""

    def chunks(self) -> Sequence[Chunk]:
        """Return the chunks."""

    def gradient_at_zero(self, Z: Array) -> Array:
        """Return the gradient of the loss at M = 0 (B, W, W)."""

    def renewed(self, Z: Array, point: "Spectrum") -> "Constraints":
        """Return the constraints under a metric: others, or these themselves.

        Where the metric changes them, the objective at that metric does not rise.
        """

    def sample(
        self, size: int, rng: np.random.Generator
    ) -> tuple[RowNumbers | slice, "Constraints"]:
        """Return some rows, and constraints among them whose mean estimates this."""


class SmoothConstraints(Constraints, Protocol):
    """Constraints whose loss has a gradient everywhere.

    Law: ``laplacian`` gives the loss of the chunks, and what their gradients in d2 make
    of the rows.
    """

    def laplacian(self, rows: "Embedding", run: "Map") -> tuple[float, Array]:
        """Return the loss at embedded rows, and L U (n, q), L its Laplacian."""

    def sample_draws(
        self,
        size: int,
        rng: np.random.Generator,
        may_draw: NDArray[np.bool_],
        most: int | None = None,
    ) -> tuple[RowNumbers, Constraints]:
        """Return about ``size`` rows, and the draws of some of them among these."""


@runtime_checkable
class Regularizer(Protocol):
    """A convex function of the joint spectrum of M, increasing in each eigenvalue.

    One with ``takes_matrix`` is a convex function of M itself, and its methods take M
    (B, W, W) where those of others take eigenvalues.

    Law: subgradient inequality; three-point inequality of the prox; prox >= 0.
    """

    @property
    def is_smooth(self) -> bool:
        """Whether it has a gradient at all M of full rank."""

    @property
    def is_trace(self) -> bool:
        """Whether it is the sum of the eigenvalues, for which no spectrum is needed."""
        return False

    @property
    def takes_matrix(self) -> bool:
        """Whether its methods take M, and coordinates may not be rotated before."""
        return False

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

    A frozen dataclass of its settings. Law: the result is PSD and no worse than the
    start; solvers agree on small problems.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def max_iter(self) -> int:
        """Maximum number of iterations."""

    def solve(
        self,
        objective: "Objective",
        start: "Spectrum",
        *,
        callback: "Callback | None" = None,
    ) -> "Solution":
        """Minimise from a start, and return the best metric found."""


class Index(Protocol):
    """Unique rows in a form that finds those near a query.

    Law: ``near`` is what ``KNearest.near`` returns for all distances, up to rounding,
    for every query whose true neighbours are found; ``recall_`` is the share found.
    """

    def __init__(self, metric: Any, rows: Any, k: int) -> None:
        """Take a fitted metric, unique rows as it represents them, and the usual k."""

    @staticmethod
    def takes(metric: Any) -> bool:
        """Return whether it can search under a metric, which need not be fitted."""

    @staticmethod
    def check(metric: Any, method: str, owner: str) -> None:
        """Raise if it cannot search under a metric, or if a package is missing.

        ``metric`` is a form or has its ``is_euclidean``; ``method`` is its name.
        """

    @property
    def rows(self) -> Any:
        """The unique rows, as the metric represents them."""

    @property
    def kind(self) -> str:
        """How it searches."""

    @property
    def recall_(self) -> float:
        """Share of the true neighbours that were found when it was built."""

    @property
    def n_rows(self) -> int:
        """Number of unique rows."""

    @property
    def seconds(self) -> float:
        """Time of building."""

    def build(self) -> "Index":
        """Build it now and return it; else it is built when it is first asked."""

    def chunks(self, n_queries: int, at_once: int) -> list[slice]:
        """Split queries into chunks that need about ``at_once`` numbers each."""

    def near(self, queries: Any, k_nearest: Any, k: float) -> Any:
        """Return the rows within reach of the k-th neighbour of each query, a Near."""
