"""The base of learners that descend the loss of large margins by other maps than M."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

from nearkind.baselines.coding import fit_coding, warn_unless_settled
from nearkind.baselines.margin_loss import (
    Descent,
    EuclideanRows,
    MarginLoss,
    PlacedRows,
)
from nearkind.constraints.local import LocalConstraints, LocalTriplets
from nearkind.constraints.weighted_labels import WeightedLabels, sample_rows
from nearkind.encoding.rows import CodedRows, UniqueRows
from nearkind.estimators.base import Distance, code_rows
from nearkind.metrics.metric import Embedding
from nearkind.protocols import Array, Loss, Map, Projection
from nearkind.validation.limits import distances_at_once
from nearkind.validation.parameters import generator, number, whole_number
from nearkind.validation.threads import ALL_CORES, thread_map


class MarginLearner(Distance, ABC):
    """Mixin of a distance learned by large margins; a learner gives ``_learn``.

        (1 - mu) sum of d_ij  +  mu sum of h(margin + d_ij - d_il)

    over rows i, their targets j, which are the nearest of their class before learning,
    and rows l of other classes; d is the square of the distance.

    Attributes
    ----------
    history_ : list of float
        Objective at the start and after each iteration.
    objective_ : float
        Value reached.
    n_iter_ : int
        Iterations made.
    stop_reason_ : str
        Why they ended.
    """

    _requires_labels = True
    _is_learned = True

    n_neighbors: Any
    mu: Any
    max_iter: Any
    tol: Any
    max_rows: Any
    random_state: Any

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the distance.

        Parameters
        ----------
        X : table of shape (n, D)
        y : array-like of shape (n,), default=None
            One label a row.
        sample_weight : array-like of shape (n,), default=None
            One weight >= 0 a row, counting repetitions of it; None: ones.

        Returns
        -------
        self
        """
        self._check()
        max_rows, rng = whole_number(self, "max_rows"), generator(self.random_state)
        rows = code_rows(self, X, y, sample_weight)
        drawn = sample_rows(rows.merge_equal(), max_rows, rng)
        with thread_map(ALL_CORES, len(drawn)) as run:
            found = self._learn(rows, drawn, run)
        self.history_, self.objective_ = found.history, found.history[-1]
        self.n_iter_, self.stop_reason_ = found.n_iter, found.reason.name
        warn_unless_settled(found.reason, self.n_iter_, self.objective_)
        return self

    @abstractmethod
    def _learn(self, rows: CodedRows, drawn: UniqueRows, run: Map) -> Descent:
        """Learn from the rows drawn, and set what ``represent`` needs."""

    def _check(self) -> None:
        """Refuse wrong parameters."""
        whole_number(self, "n_neighbors")
        number(self, "mu", "a number > 0 and <= 1", 0.0, 1.0, open_low=True)
        number(self, "tol", "a number >= 0", 0.0)
        whole_number(self, "max_iter")

    def _fit_projection(
        self, projection: Projection, rows: CodedRows, n_drawn: int
    ) -> Projection:
        """Return the coding, fitted to all rows."""
        n_classes = len(rows.classes)
        return fit_coding(projection, self.codebook_, rows, n_drawn, n_classes)

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
        pull = (1.0 - self.mu) / self.mu
        rule = LocalTriplets(margin, self.n_neighbors, distances_at_once(), pull)
        labels = rule.bind(
            WeightedLabels(drawn.y, drawn.weights, drawn.self_weights)
        ).labels
        constraints = LocalConstraints(rule, labels, near)
        return MarginLoss(constraints, self.mu, loss, places, run)
