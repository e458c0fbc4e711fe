"""Objectives on minibatches: rows of a batch together with a sample of all rows.

What is sent to a batch is small (a few thousand rows, lookup tables), and so is what
comes back (a number and one matrix), so a batch may be on another machine.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import unique_sampled_rows
from nearkind.metrics.spectrum import Spectrum
from nearkind.protocols import Array, Codes, Projection, Structure
from nearkind.solvers.objective import Linearization, Objective
from nearkind.streaming.sample import lowest_priority, priorities
from nearkind.streaming.source import Batch
from nearkind.tables import Table

MINIBATCH_SIZE = 1_000
"""Most rows of a batch in a minibatch, and most rows of the sample beside them."""


class BatchRows(NamedTuple):
    """Some rows of a batch, and their class numbers."""

    table: Table
    y: NDArray[np.intp]


@dataclass(frozen=True)
class MinibatchSampler:
    """Makes the objective on rows of a batch and rows of the sample.

    Attributes
    ----------
    read : callable
        From a batch and a function that chooses rows by their class numbers to the
        BatchRows; None for a batch without rows.
    book : Codebook
    projection : Projection
    structure : Structure
    bases : ndarray of shape (B, W, W')
        Basis of the vectors that the metric is learned on.
    rule : object
        Turns labels into constraints, by ``bind``.
    totals : ndarray of shape (C,)
        Rows of each class among all.
    codes : ndarray of int32 of shape (n, D)
        Codes of the sample.
    y : ndarray of int of shape (n,)
        Class numbers of the sample.
    seed : int, default=0
        Seed of the choice of rows.
    size : int, default=1000
        Most rows of a batch, and of the sample, in a minibatch.
    """

    read: Callable[[Batch, Callable[..., Any]], BatchRows | None]
    book: Codebook
    projection: Projection
    structure: Structure
    bases: Array
    rule: Any
    totals: Array
    codes: Codes
    y: NDArray[np.intp]
    seed: int = 0
    size: int = MINIBATCH_SIZE

    def objective(self, batch: Batch, like: Objective) -> Objective | None:
        """Return the objective on a minibatch; None if the batch has no rows.

        Its mean over batches estimates the objective on all rows.

        Parameters
        ----------
        batch : Batch
            May have rows of one class only.
        like : Objective
            Gives loss, regularizer, strength, precision and ``map``.
        """
        rows = self.read(batch, self._choose)
        if rows is None:
            return None
        drawn = self._choose(batch.number, self.y)
        codes = np.vstack([self.book.encode(rows.table), self.codes[drawn]])
        y = np.concatenate([rows.y, self.y[drawn]])
        unique = unique_sampled_rows(codes, y, self.totals)
        phi = self.projection.transform_training(unique.codes, unique.y)
        Z = self.structure.blocks(phi) @ self.bases[:, None]
        Z -= Z.mean(axis=1, keepdims=True)
        labels = WeightedLabels(unique.y, unique.weights, unique.self_weights)
        constraints = self.rule.bind(labels)
        return replace(like, Z=Z.astype(like.Z.dtype), constraints=constraints)

    def objectives(
        self, batches: Iterable[Batch], like: Objective
    ) -> Iterator[Objective]:
        """Yield the objective on a minibatch of each batch that has rows."""
        for batch in batches:
            found = self.objective(batch, like)
            if found is not None:
                yield found

    def linearize(
        self, batch: Batch, like: Objective, point: Spectrum
    ) -> Linearization | None:
        """Return value and gradient on a minibatch; None if the batch has no rows.

        Parameters
        ----------
        batch, like
            As in ``objective``.
        point : Spectrum
            The metric (B, W', W').
        """
        objective = self.objective(batch, like)
        return None if objective is None else objective.linearize(point)

    def factor_gradient(
        self, batch: Batch, like: Objective, F: Array
    ) -> tuple[float, Array] | None:
        """Return the loss at F'F on a minibatch and its gradient in F (B, r, W').

        None if the batch has no rows.
        """
        objective = self.objective(batch, like)
        return None if objective is None else objective.factor_gradient(F)

    def _choose(self, batch: int, labels: NDArray[Any]) -> NDArray[np.intp]:
        """Return rows to take, equally many of each class as far as it has them."""
        drawn = priorities(self.seed + 1, batch, len(labels))
        return lowest_priority(labels, drawn, self.size)


def mean_linearization(parts: Iterable[Linearization | None]) -> Linearization:
    """Return the mean over minibatches, which estimates that of all rows."""
    found = [part for part in parts if part is not None]
    value, loss, gradient, intercept = zip(*found, strict=True)
    return Linearization(
        float(np.mean(value)),
        float(np.mean(loss)),
        np.mean(gradient, axis=0),
        float(np.mean(intercept)),
    )
