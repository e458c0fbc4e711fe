"""Base class of large-margin learners: their loss, and gradient descent."""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Annotated, Any, Protocol

import numpy as np
from scipy.optimize import minimize

from nearkind.baselines.baseline import Learner, WeightedBaseline
from nearkind.constraints.local import LocalConstraints, LocalTriplets
from nearkind.constraints.weighted_labels import WeightedLabels, sample_rows
from nearkind.distances.form import FittedDistance
from nearkind.encoding.rows import CodedRows, UniqueRows
from nearkind.losses.edges import AnchorPairs
from nearkind.metrics.metric import Embedding
from nearkind.metrics.spectrum import decompose
from nearkind.protocols import Array, Loss, Map
from nearkind.solvers.solution import Stop
from nearkind.validation.limits import distances_at_once
from nearkind.validation.parameters import (
    NonNegative,
    Seed,
    WholeNumber,
    generator,
    number,
)
from nearkind.validation.threads import ALL_CORES, thread_map


class PlacedRows(Protocol):
    """Rows at places U (n, q), between which a distance is differentiable.

    Law: ``gradient`` is that of the weighted sum of ``distances`` in U.
    """

    def distances(self, pairs: AnchorPairs) -> Array:
        """Return the (squared) distances of anchors to all rows (a, n)."""

    def gradient(self, pairs: AnchorPairs, weights: Array) -> Array:
        """Return the gradient in U (n, q) of the sum of weights (a, n) times those."""


class EuclideanRows:
    """Rows whose squared distances are Euclidean.

    Examples
    --------
    >>> rows = EuclideanRows(np.array([[0.0], [2.0]]))
    >>> pairs = AnchorPairs(np.array([0]))
    >>> rows.distances(pairs), rows.gradient(pairs, np.array([[0.0, 1.0]])).ravel()
    (array([[0., 4.]]), array([-4.,  4.]))
    """

    def __init__(self, U: Array) -> None:
        self._rows = Embedding(U, U)

    def distances(self, pairs: AnchorPairs) -> Array:
        """Return the squared distances of anchors to all rows (a, n)."""
        return pairs.squared_distances(self._rows)

    def gradient(self, pairs: AnchorPairs, weights: Array) -> Array:
        """Return the gradient in U (n, q) of the sum of weights (a, n) times those."""
        return 2.0 * pairs.apply_laplacian(self._rows.U, weights)


@dataclass(frozen=True)
class MarginLoss:
    """(1 - mu) sum of d_ij  +  mu sum of h(margin + d_ij - d_il).

    Over rows i, their targets j and rows l of other classes, as a function of the
    places U (n, q) of the rows.

    Attributes
    ----------
    constraints : LocalConstraints
        The targets, which stay, the margin, and mu as the weight (1 - mu) / mu of a
        target's distance.
    mu : float
    loss : Loss
        h.
    places : callable
        From U (n, q) to PlacedRows.
    map : callable, default=map
        As the builtin, over chunks of anchors.
    """

    constraints: LocalConstraints
    mu: float
    loss: Loss
    places: Callable[[Array], PlacedRows] = EuclideanRows
    map: Map = map

    def value(self, U: Array) -> float:
        """Return the loss."""
        rows = self.places(U)

        def of(chunk: Any) -> float:
            return float(chunk.value(rows.distances(chunk.edges), self.loss))

        return self._scale * sum(self.map(of, self.constraints.chunks()))

    def gradient(self, U: Array) -> tuple[float, Array]:
        """Return the loss, and its gradient in U (n, q)."""
        rows = self.places(U)

        def of(chunk: Any) -> tuple[float, Array]:
            at = chunk.gradient(rows.distances(chunk.edges), self.loss)
            return at.loss, rows.gradient(chunk.edges, at.weights)

        value, G = _add(self.map(of, self.constraints.chunks()))
        return self._scale * value, self._scale * G

    @property
    def _scale(self) -> float:
        """What turns the mean over triplets, in units of mu, into the sum."""
        return self.mu * self.constraints.mass


def _add(parts: Iterable[tuple[float, Array]]) -> tuple[float, Array]:
    """Sum in the order of the chunks, so that results are reproducible."""
    value, G = next(parts := iter(parts))
    for more, gradient in parts:
        value, G = value + more, G + gradient
    return value, G


@dataclass(frozen=True)
class Descent:
    """Where a descent ended, and why.

    Attributes
    ----------
    point : ndarray
    history : list of float
        The objective at the start and after each step; it never rises.
    reason : Stop
    """

    point: Array
    history: list[float]
    reason: Stop

    @property
    def n_iter(self) -> int:
        """Number of steps, one at least: the first shows whether there is any."""
        return max(1, len(self.history) - 1)


def descend(
    evaluate: Callable[[Array], tuple[float, Array]],
    start: Array,
    max_iter: int,
    tol: float,
) -> Descent:
    """Minimise a smooth function by limited-memory BFGS (Liu and Nocedal, 1989).

    Parameters
    ----------
    evaluate : callable
        From a point to the objective and its gradient, of the point's shape.
    start : ndarray
    max_iter : int
        Steps at most.
    tol : float
        Stop when a step gains less than this share of the objective at the start.

    Examples
    --------
    >>> found = descend(lambda x: (float(x @ x), 2.0 * x), np.ones(2), 10, 1e-6)
    >>> found.point.round(6), found.reason.name
    (array([0., 0.]), 'SETTLED')
    """
    first, _ = evaluate(start)
    history = [first]
    if first <= 0.0 or not np.isfinite(first):
        reason = Stop.SETTLED if first <= 0.0 else Stop.NOT_FINITE
        return Descent(start, history, reason)

    def scaled(x: Array) -> tuple[float, Array]:
        value, gradient = evaluate(x.reshape(start.shape))
        return value / first, gradient.ravel() / first

    def after_step(intermediate_result: Any) -> None:
        history.append(float(intermediate_result.fun) * first)

    found = minimize(
        scaled,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        callback=after_step,
        options={"maxiter": max_iter, "maxcor": 10, "ftol": min(tol, 1.0), "gtol": 0.0},
    )
    ran_out = found.status == 1
    reason = Stop.MAX_ITER if ran_out else Stop.SETTLED
    return Descent(found.x.reshape(start.shape), history, reason)


def coordinates(gram: Array) -> Array:
    """Return rows Z (n, r) with products Z Z' = gram (n, n), in orthogonal columns.

    Examples
    --------
    >>> np.abs(coordinates(np.array([[2.0, -2.0], [-2.0, 2.0]]))).round(4)
    array([[1.4142],
           [1.4142]])
    """
    ((F, _),) = decompose(gram[None]).positive().factors()
    return F.T if len(F) else np.zeros((len(gram), 1))


Share = Annotated[
    float,
    partial(number, wanted="a number > 0 and <= 1", low=0.0, high=1.0, open_low=True),
]


class MarginLearner(Learner, WeightedBaseline):
    """Base of learners that pull targets and push rows of other classes.

        (1 - mu) sum of d_ij  +  mu sum of h(margin + d_ij - d_il)

    over rows i, their targets j, which are the nearest of their class before learning,
    and rows l of other classes; d is the square of the distance.
    """

    _: KW_ONLY
    n_neighbors: WholeNumber = 3
    mu: Share = 0.5
    max_iter: WholeNumber = 200
    tol: NonNegative = 1e-4

    def _constraints(
        self, rows: UniqueRows, near: Embedding, margin: float = 1.0
    ) -> LocalConstraints:
        """Return the constraints, with the targets nearest in an embedding."""
        pull = (1.0 - self.mu) / self.mu
        rule = LocalTriplets(margin, self.n_neighbors, distances_at_once(), pull)
        labels = WeightedLabels(rows.y, rows.weights, rows.self_weights)
        return LocalConstraints(rule, rule.bind(labels).labels, near)


class MarginDescent(MarginLearner):
    """Base of learners that move rows down the loss; each gives ``_descend``.

    Attributes
    ----------
    history_ : list of float
        Objective at the start and after each iteration.
    objective_ : float
        Final value of the objective.
    n_iter_ : int
        Number of iterations.
    stop_reason_ : str
        Reason for stopping.
    """

    _: KW_ONLY
    max_rows: WholeNumber = 4_000
    random_state: Seed = 0

    def _learn(self, rows: CodedRows) -> FittedDistance:
        rng = generator(self.random_state)
        drawn = sample_rows(rows.merge_equal(), self.max_rows, rng)
        with thread_map(ALL_CORES, len(drawn)) as run:
            form, found = self._descend(rows, drawn, run)
        self.history_ = found.history
        self._report(found.reason, found.n_iter, found.history[-1])
        return form

    @abstractmethod
    def _descend(
        self, rows: CodedRows, drawn: UniqueRows, run: Map
    ) -> tuple[FittedDistance, Descent]:
        """Return the form learned from the rows drawn, and the descent."""

    def _loss(
        self,
        drawn: UniqueRows,
        near: Embedding,
        loss: Loss,
        run: Map,
        margin: float = 1.0,
        places: Callable[[Array], PlacedRows] = EuclideanRows,
    ) -> MarginLoss:
        """Return the loss, with the targets that are nearest in an embedding."""
        constraints = self._constraints(drawn, near, margin)
        return MarginLoss(constraints, self.mu, loss, places, run)
