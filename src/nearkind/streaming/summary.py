"""Summary of one pass over batches: counts of all rows, and a sample of some."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearkind.streaming.counts import TableCounts
from nearkind.streaming.sample import RowSample, merge_samples, priorities
from nearkind.tables import Table

MAX_SAMPLES = 8
"""Samples that a summary gathers before it merges them."""


@dataclass
class BatchSummary:
    """Counts and a sample of the rows of some batches.

    Attributes
    ----------
    sample_size : int
        Most rows of the sample.
    counts : TableCounts
        Counts of all rows.
    samples : list of RowSample
        Samples of some batches each, yet to be merged.
    n_batches : int
        Number of batches, empty ones among them.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> y, classes = np.array([0, 1]), np.array(["a", "b"])
    >>> table = read_table([["red"], ["blue"]])
    >>> summary = BatchSummary.of(0, table, y, classes, sample_size=9)
    >>> summary.counts.n_rows, summary.sample.table
    (2, {'x0': ['red', 'blue']})
    """

    sample_size: int
    counts: TableCounts = field(default_factory=TableCounts)
    samples: list[RowSample] = field(default_factory=list)
    n_batches: int = 0

    @classmethod
    def of(
        cls,
        number: int,
        table: Table,
        y: NDArray[np.intp],
        classes: NDArray[Any],
        sample_size: int,
        numeric: str = "auto",
        seed: int = 0,
    ) -> Self:
        """Count and sample one batch, reading each column once.

        Parameters
        ----------
        number : int
            Number of the batch in its source; the sample depends on it.
        table : Table
            Rows of the batch.
        y : ndarray of int of shape (n,)
            Class numbers.
        classes : ndarray of shape (C,)
            Labels of the class numbers.
        sample_size : int
            Most rows of the sample.
        numeric : str, default="auto"
            How columns of numbers are treated, as in Codebook.
        seed : int, default=0
            Seed of the sample.
        """
        columns = [table.column(d) for d in range(len(table.names))]
        counts = TableCounts.of(number, table, y, classes, numeric, columns)
        drawn = priorities(seed, number, table.n_rows)
        sample = RowSample.of(table.names, columns, y, classes, drawn, sample_size)
        return cls(sample_size, counts, [sample], 1)

    def add(self, other: "BatchSummary") -> Self:
        """Add the summary of other batches, which is left unchanged."""
        self.counts.add(other.counts)
        self.n_batches += other.n_batches
        self.samples += other.samples
        if len(self.samples) > MAX_SAMPLES:
            self.samples = [merge_samples(self.samples, self.sample_size)]
        return self

    @property
    def sample(self) -> RowSample:
        """Sample of all batches; its columns are in the order of ``counts``."""
        merged = merge_samples(self.samples, self.sample_size)
        return merged.reorder(self.counts.names)


def merge_summaries(parts: Iterable[BatchSummary], sample_size: int) -> BatchSummary:
    """Return the summary of all batches, from summaries of some each."""
    whole = BatchSummary(sample_size)
    for part in parts:
        whole.add(part)
    return whole
