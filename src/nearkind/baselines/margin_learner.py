"""What learners of large margins share: targets, and the descent of maps of rows."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY
from functools import partial
from typing import Annotated, Any

from nearkind.baselines.baseline import Learner, WeightedBaseline
from nearkind.baselines.margin_loss import (
    Descent,
    EuclideanRows,
    MarginLoss,
    PlacedRows,
)
from nearkind.constraints.local import LocalConstraints, LocalTriplets
from nearkind.constraints.weighted_labels import WeightedLabels, sample_rows
from nearkind.distances.form import FittedDistance
from nearkind.encoding.rows import CodedRows, UniqueRows
from nearkind.metrics.metric import Embedding
from nearkind.protocols import Array, Loss, Map
from nearkind.validation.limits import distances_at_once
from nearkind.validation.parameters import NonNegative, WholeNumber, generator, number
from nearkind.validation.threads import ALL_CORES, thread_map

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
        labels = rule.bind(WeightedLabels(rows.y, rows.weights, rows.own)).labels
        return LocalConstraints(rule, labels, near)


class MarginDescent(MarginLearner):
    """Base of learners that move rows down the loss; each gives ``_descend``.

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

    _: KW_ONLY
    max_rows: WholeNumber = 4_000
    random_state: Any = 0

    def _learn(self, rows: CodedRows) -> FittedDistance:
        rng = generator(self.random_state)
        drawn = sample_rows(rows.merge_equal(), self.max_rows, rng)
        with thread_map(ALL_CORES, len(drawn)) as run:
            form, found = self._descend(rows, drawn, run)
        self.history_ = found.history
        self._tell(found.reason, found.n_iter, found.history[-1])
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
