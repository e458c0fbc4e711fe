"""Blocks of labelled rows: what one brings to a survey, and rows to learn from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.errors import error_context
from nearkind.estimators.labels import batch_labels
from nearkind.streaming.blocks import Block
from nearkind.streaming.evaluation import Rows
from nearkind.streaming.survey import Survey
from nearkind.tables import read_rows, read_table


@dataclass(frozen=True)
class SurveyBatch:
    """Count and sample one block: to be mapped.

    Attributes
    ----------
    owner : who to name in messages
    numeric : what becomes of columns of numbers
    seed : of the sample
    room : rows of the sample at most
    """

    owner: str
    numeric: str
    seed: int
    room: int

    def __call__(self, block: Block) -> Survey:
        """Return the survey of a block, which may be empty."""
        with error_context(f"Batch {block.number}"):
            classes, y = batch_labels(block.y, self.owner)
            if not len(y) and not _has_rows(block.X):
                return Survey(self.room, n_blocks=1)
            table = read_table(block.X)
            _check_length(len(y), table.n_rows)
            return Survey.of(
                block.number, table, y, classes, self.room, self.numeric, self.seed
            )


@dataclass(frozen=True)
class ReadRows:
    """Read some rows of a block whose classes are known.

    Attributes
    ----------
    owner : who to name in messages
    classes : (C,), sorted labels of all blocks
    """

    owner: str
    classes: NDArray[Any]

    def __call__(self, block: Block, chosen: Callable[..., Any]) -> Rows | None:
        """Return the rows that are chosen by their class numbers."""
        with error_context(f"Batch {block.number}"):
            classes, y = batch_labels(block.y, self.owner)
            if not len(y):
                return None
            refuse_unknown_classes(classes, self.classes)
            numbers = np.searchsorted(self.classes, classes)[y]
            rows = chosen(block.number, numbers)
            return Rows(read_rows(block.X, rows), numbers[rows])


def refuse_unknown_classes(found: NDArray[Any], known: NDArray[Any]) -> None:
    """Raise if a class is not among those that are known."""
    strangers = [label for label in found.tolist() if label not in set(known.tolist())]
    if strangers:
        listed = ", ".join(map(repr, strangers[:5]))
        raise ValueError(
            f"y holds {listed}, which is none of the {len(known)} classes known. "
            "Give all classes in the first call of partial_fit, or the same batches "
            "each time they are read."
        )


def _has_rows(X: Any) -> bool:
    try:
        return read_table(X).n_rows > 0
    except ValueError:  # a table without rows, or without columns
        return False


def _check_length(n_labels: int, n_rows: int) -> None:
    if n_labels != n_rows:
        raise ValueError(
            f"X has {n_rows} rows, y has {n_labels} labels. Give one label a row."
        )
