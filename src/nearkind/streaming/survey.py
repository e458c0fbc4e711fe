"""What one pass over the rows brings home: counts of all, and a sample of some."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearkind.streaming.counts import Counts
from nearkind.streaming.priorities import priorities
from nearkind.streaming.sample import RowSample, merged_samples, sample_of
from nearkind.tables import Table

WAITING = 8
"""Samples to gather before they are merged."""


@dataclass
class Survey:
    """Counts and a sample of blocks.

    Parameters
    ----------
    room : rows of the sample at most

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> y, classes = np.array([0, 1]), np.array(["a", "b"])
    >>> survey = Survey.of(0, read_table([["red"], ["blue"]]), y, classes, room=9)
    >>> survey.counts.n_rows, survey.sample.table
    (2, {'x0': ['red', 'blue']})
    """

    room: int
    counts: Counts = field(default_factory=Counts)
    samples: list[RowSample] = field(default_factory=list)
    n_blocks: int = 0

    @classmethod
    def of(
        cls,
        block: int,
        table: Table,
        y: NDArray[np.intp],
        classes: NDArray[Any],
        room: int,
        numeric: str = "auto",
        seed: int = 0,
    ) -> Self:
        """Survey one block: its columns are read once."""
        columns = [table.column(d) for d in range(len(table.names))]
        counts = Counts.of(block, table, y, classes, numeric, columns)
        drawn = priorities(seed, block, table.n_rows)
        sample = sample_of(table.names, columns, y, classes, drawn, room)
        return cls(room, counts, [sample], 1)

    def add(self, other: "Survey") -> Self:
        """Add the survey of other blocks, which stays as it is."""
        self.counts.add(other.counts)
        self.n_blocks += other.n_blocks
        self.samples += other.samples
        if len(self.samples) > WAITING:
            self.samples = [merged_samples(self.samples, self.room)]
        return self

    @property
    def sample(self) -> RowSample:
        """Rows of lowest priority of each class; columns stand as in ``counts``."""
        merged = merged_samples(self.samples, self.room)
        return merged.in_order_of(self.counts.names)


def merged_surveys(parts: Iterable[Survey], room: int) -> Survey:
    """Return the survey of all blocks, from those of some each."""
    whole = Survey(room)
    for part in parts:
        whole.add(part)
    return whole
