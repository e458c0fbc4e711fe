"""Loss plus strength times regularizer: value, gradient, prox and a lower bound."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nearkind import optimizations
from nearkind.losses.edges import weighted_gram
from nearkind.losses.hinge import Hinge
from nearkind.metrics.metric import Embedding, embed, embed_by
from nearkind.metrics.spectrum import Spectrum, decompose, decompose_factor
from nearkind.protocols import (
    Array,
    Chunk,
    Constraints,
    Loss,
    Map,
    Regularizer,
    SmoothConstraints,
)
from nearkind.regularizers.entrywise import EntrywiseL1

_HINGE = Hinge()


class Linearization(NamedTuple):
    """The objective at one metric, and its loss's linear lower bound there.

    For every M, loss(M) >= intercept + <gradient, M> up to the smoothing of the loss.
    """

    value: float
    loss: float
    gradient: Array  # of the loss alone, (B, W, W)
    intercept: float


class MeanLinearization:
    """Averages of gradient and intercept, later iterations weighing more.

    Each comes from multipliers in [0, 1], so the averages do too: a dual candidate.
    """

    def __init__(self) -> None:
        self.count = 0
        self.gradient: Array = np.zeros(1)
        self.intercept = 0.0

    def add(self, at: Linearization) -> None:
        """Take one more into the averages."""
        self.count += 1
        share = 2.0 / (self.count + 1.0)  # the mean with weights 1, 2, 3, ...
        self.gradient = (1.0 - share) * self.gradient + share * at.gradient
        self.intercept = (1.0 - share) * self.intercept + share * at.intercept


@dataclass(frozen=True)
class Objective:
    """f(M) = loss(M) + strength * r(M) over positive semi-definite M (B, W, W)."""

    Z: Array  # (B, n, K, W)
    constraints: Constraints
    regularizer: Regularizer
    strength: float
    loss: Loss = _HINGE
    map: Map = map

    def value(self, point: Spectrum) -> float:
        """Return f at a metric."""
        return self.loss_value(point) + self.penalty(point)

    def loss_value(self, point: Spectrum) -> float:
        """Return the loss alone."""
        rows = embed(self.Z, point)
        return sum(self.map(_LossOf(rows, self.loss), self.constraints.chunks()))

    def penalty(self, point: Spectrum) -> float:
        """Return strength times regularizer."""
        return self.strength * self.regularizer.value(self._argument(point))

    def linearize(self, point: Spectrum) -> Linearization:
        """Return f, the gradient of the loss and its intercept at a metric."""
        rows = embed(self.Z, point)
        gradient_of = _GradientOf(self.Z, rows, self.loss)
        gradients = self.map(gradient_of, self.constraints.chunks())
        loss, G, at_rows, intercept = _add(gradients)
        G = G + weighted_gram(self.Z, at_rows)
        return Linearization(loss + self.penalty(point), loss, G, intercept)

    def factor_gradient(self, F: Array) -> tuple[float, Array]:
        """Return the loss at F'F, and its gradient in F (B, r, W), which is 2 F G.

        For ``SmoothConstraints``. Their Laplacian is applied to embedded rows, as these
        are shorter than rows.
        """
        (B, n, K, W), r = self.Z.shape, F.shape[1]
        rows = embed_by(self.Z, F)
        smooth = cast(SmoothConstraints, self.constraints)
        loss, LU = smooth.laplacian(rows, self.map)
        stacked = LU.reshape(n, B, K, r).swapaxes(0, 1).reshape(B, n * K, r)
        FG = stacked.astype(self.Z.dtype).swapaxes(1, 2) @ self.Z.reshape(B, n * K, W)
        return loss, 2.0 * FG.astype(float)

    def factor_penalty(self, F: Array) -> tuple[float, Array]:
        """Return strength times regularizer at F'F, and its gradient in F (B, r, W)."""
        if self.regularizer.is_trace:  # |F|^2: no spectrum needed
            return self.strength * float(np.vdot(F, F)), 2.0 * self.strength * F
        at = decompose_factor(F)
        slopes = self.regularizer.subgradient(at.values.ravel()).reshape(
            at.values.shape
        )
        along = F @ at.vectors * slopes[:, None]  # (B, r, r)
        gradient = 2.0 * self.strength * along @ at.vectors.swapaxes(1, 2)
        return self.penalty(at), gradient

    def subgradient(self, point: Spectrum, at: Linearization) -> Array:
        """Return one subgradient of f (B, W, W)."""
        penalty = self.regularizer.subgradient(self._argument(point))
        if not self.regularizer.takes_matrix:
            penalty = point.with_values(penalty).matrix
        return at.gradient + self.strength * penalty

    def prox(self, M: Array, step: float) -> Spectrum:
        """Return argmin over PSD X of |X - M|^2 / 2 + step * strength * r(X)."""
        if self.regularizer.takes_matrix:
            return decompose(self.regularizer.prox(M, step * self.strength)).positive()
        spectrum = decompose(M)
        shrunk = self.regularizer.prox(spectrum.values.ravel(), step * self.strength)
        return spectrum.with_values(shrunk)

    def lower_bound(
        self, gradient: Array, intercept: float, near: Spectrum | None = None
    ) -> float:
        """Return a proven lower bound on the minimum of f with the plain hinge.

        From multipliers alpha in [0, 1], one a constraint, known only through their
        sums ``gradient`` and ``intercept``: the dual value, the best over multiples of
        alpha. ``near`` is a metric near the optimum, for penalties whose dual value
        must be searched for; of others it follows from the spectrum.
        """
        if not self.regularizer.takes_matrix:
            spectrum = decompose(-gradient).values
            return self.regularizer.dual_value(spectrum, intercept, self.strength)
        norm = cast(EntrywiseL1, self.regularizer)
        M = None if near is None else near.matrix
        return norm.dual_value(-gradient, intercept, self.strength, M)

    def dual_norm(self, descent: Spectrum) -> float:
        """Return the dual norm of minus a gradient of the loss."""
        return self.regularizer.dual_norm(self._argument(descent))

    def strength_max(self, descent: Spectrum) -> float:
        """Return the smallest strength at which M = 0 is optimal.

        ``descent`` is what ``descent_at_zero`` returns.
        """
        return self.regularizer.strength_max(self._argument(descent))

    def _argument(self, point: Spectrum) -> Array:
        """Return what the regularizer takes: eigenvalues, or M itself."""
        return point.matrix if self.regularizer.takes_matrix else point.values

    def with_loss(self, loss: Loss) -> "Objective":
        """Return the same problem under another loss."""
        return replace(self, loss=loss)

    def with_strength(self, strength: float) -> "Objective":
        """Return the same problem at another strength."""
        return replace(self, strength=strength)

    def descent_at_zero(self) -> Spectrum:
        """Return the spectrum of minus the gradient of the loss at M = 0.

        A constraint just met there is one of alike rows, d2 <= 0. It counts in full: no
        other subgradient has a smaller positive part.
        """
        return decompose(-self.constraints.gradient_at_zero(self.Z))

    def renewed(self, point: Spectrum) -> "Objective":
        """Return the problem with the constraints of a metric; itself if unchanged."""
        constraints = self.constraints.renewed(self.Z, point)
        if constraints is self.constraints:
            return self
        return replace(self, constraints=constraints)

    def sample(self, size: int, rng: np.random.Generator) -> "Objective":
        """Return the same problem on about ``size`` rows, an estimate of this one."""
        rows, constraints = self.constraints.sample(size, rng)
        return replace(self, Z=self.Z[:, rows], constraints=constraints)

    def sample_draws(
        self,
        size: int,
        rng: np.random.Generator,
        may_draw: NDArray[np.bool_],
        most: int | None = None,
    ) -> "Objective":
        """Return the draws of some rows among about ``size``, an estimate of this.

        For ``SmoothConstraints``; see there.
        """
        smooth = cast(SmoothConstraints, self.constraints)
        rows, constraints = smooth.sample_draws(size, rng, may_draw, most)
        return replace(self, Z=self.Z[:, rows], constraints=constraints)

    def in_single(self) -> "Objective":
        """Return the same problem, its distances in single precision.

        On centred rows loss and gradient are then right to about 1e-6 of their size.
        With optimisations turned off precision stays double.
        """
        if not optimizations.enabled():
            return self
        return replace(self, Z=self.Z.astype(np.float32))

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return int(self.Z.shape[1])

    @property
    def zero(self) -> Spectrum:
        """M = 0."""
        B, _, _, W = self.Z.shape
        return Spectrum(np.zeros((B, W)), np.broadcast_to(np.eye(W), (B, W, W)))


BatchProblems = Callable[[Objective], Iterator[Objective]] | None
"""From a problem to problems on rows that were never all in memory; None: there are
none."""


def endless_problems(
    batches: BatchProblems, objective: Objective, draw: Callable[[], Objective]
) -> Iterator[Objective]:
    """Yield the problems of batches, if there are any, then drawn ones without end."""
    if batches is not None:
        yield from batches(objective)
    while True:
        yield draw()


_ChunkGradient = tuple[float, Array, Array, float]


class _LossOf(NamedTuple):
    rows: Embedding
    loss: Loss

    def __call__(self, chunk: Chunk) -> float:
        return chunk.value(chunk.edges.squared_distances(self.rows), self.loss)


class _GradientOf(NamedTuple):
    Z: Array
    rows: Embedding
    loss: Loss

    def __call__(self, chunk: Chunk) -> _ChunkGradient:
        at = chunk.gradient(chunk.edges.squared_distances(self.rows), self.loss)
        G, at_rows = chunk.edges.adjoint_parts(self.Z, at.weights)
        return at.loss, G, at_rows, at.intercept


def _add(gradients: Iterable[_ChunkGradient]) -> _ChunkGradient:
    """Sum in the order of the chunks, so that results are reproducible."""
    loss, G, at_rows, intercept = next(gradients := iter(gradients))
    for part in gradients:
        loss, intercept = loss + part[0], intercept + part[3]
        G, at_rows = G + part[1], at_rows + part[2]
    return loss, G, at_rows, intercept
