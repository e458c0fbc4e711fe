"""Loss and gradient of a block's rows at a metric, against a sample of all rows.

What goes to a block is small (a few thousand rows, lookup tables), and so is what comes
back (a number and one matrix); where the block is does not matter.
"""

from collections.abc import Callable, Iterable
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
from nearkind.streaming.blocks import Block
from nearkind.streaming.priorities import priorities
from nearkind.streaming.sample import lowest
from nearkind.tables import Table

ANCHORS = 1_000
"""Rows of a block that take part in one evaluation, beside as many of the sample."""


class Rows(NamedTuple):
    """Rows of a block, and their class numbers."""

    table: Table
    y: NDArray[np.intp]


@dataclass(frozen=True)
class SmallModel:
    """All that an evaluation on a block needs to know.

    Attributes
    ----------
    read : from a block and a function that says which rows to those
    book, projection, structure, bases : from a table to Z (B, n, K, W')
    rule : what turns labels into constraints
    totals : (C,), rows of each class among all
    codes, y : the sample of all rows
    seed : of the choice of rows
    anchors : rows of a block to take
    """

    read: Callable[[Block, Callable[..., Any]], Rows | None]
    book: Codebook
    projection: Projection
    structure: Structure
    bases: Array  # (B, W, W')
    rule: Any
    totals: Array
    codes: Codes
    y: NDArray[np.intp]
    seed: int = 0
    anchors: int = ANCHORS

    def objective(self, block: Block, like: Objective) -> Objective | None:
        """Return a problem on rows of a block and of the sample; None if it has none.

        Its mean over blocks of rows in any order is the problem on all rows.

        Parameters
        ----------
        block : its rows may be of one class only
        like : says loss, regularizer, strength, precision and ``map``
        """
        rows = self.read(block, self._chosen)
        if rows is None:
            return None
        drawn = self._chosen(block.number, self.y)
        codes = np.vstack([self.book.encode(rows.table), self.codes[drawn]])
        y = np.concatenate([rows.y, self.y[drawn]])
        cells = unique_sampled_rows(codes, y, self.totals)
        phi = self.projection.transform_training(cells.codes, cells.y)
        Z = self.structure.blocks(phi) @ self.bases[:, None]
        Z -= Z.mean(axis=1, keepdims=True)
        constraints = self.rule.bind(WeightedLabels(cells.y, cells.weights, cells.own))
        return replace(like, Z=Z.astype(like.Z.dtype), constraints=constraints)

    def objectives(
        self, blocks: Iterable[Block], like: Objective
    ) -> Iterable[Objective]:
        """Yield the problem of each block that has rows."""
        for block in blocks:
            found = self.objective(block, like)
            if found is not None:
                yield found

    def _chosen(self, block: int, labels: NDArray[Any]) -> NDArray[np.intp]:
        """Return some rows, no class starved."""
        drawn = priorities(self.seed + 1, block, len(labels))
        return lowest(labels, drawn, self.anchors)


@dataclass(frozen=True)
class SlopeAt:
    """The objective and its gradient at a metric, on one block: to be mapped.

    Attributes
    ----------
    model : what is needed of all rows
    like : loss, regularizer, strength
    point : the metric (B, W', W')
    """

    model: SmallModel
    like: Objective
    point: Spectrum

    def __call__(self, block: Block) -> Linearization | None:
        """Return it, None for a block without rows."""
        problem = self.model.objective(block, self.like)
        return None if problem is None else problem.linearize(self.point)


def mean_slope(slopes: Iterable[Linearization | None]) -> Linearization:
    """Return the mean of what blocks say, which estimates that of all rows."""
    found = [slope for slope in slopes if slope is not None]
    value, loss, gradient, intercept = zip(*found, strict=True)
    return Linearization(
        float(np.mean(value)),
        float(np.mean(loss)),
        np.mean(gradient, axis=0),
        float(np.mean(intercept)),
    )
