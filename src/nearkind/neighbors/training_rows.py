"""The rows that vote."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows, unique_rows
from nearkind.neighbors.groups import RowGroups
from nearkind.neighbors.reach import Reach
from nearkind.protocols import Array, Codes


@dataclass(frozen=True)
class TrainingRows:
    """Training rows that vote, equal ones merged, whatever their classes.

    Attributes
    ----------
    codebook : Codebook
        Which values the codes stand for.
    classes : ndarray (C,)
        Sorted labels.
    codes : ndarray of int32 (m, D)
        Unique rows, sorted.
    weights : ndarray (m,)
        How many rows each stands for.
    counts : ndarray (m, C)
        The same by class.
    shares : ndarray (m, C)
        Share of each class in the weight.
    groups : RowGroups
        Which rows of the user's table each stands for.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> table, y = read_table([["red"], ["blue"], ["red"]]), np.array([0, 1, 1])
    >>> rows = CodedRows.of(table, Codebook(), np.array(["no", "yes"]), y)
    >>> voters = TrainingRows.of(rows)
    >>> voters.counts.tolist(), voters.row_numbers(1).tolist()
    ([[0.0, 1.0], [1.0, 1.0]], [0, 2])
    """

    codebook: Codebook
    classes: NDArray[Any]
    codes: Codes
    weights: Array
    counts: Array
    shares: Array
    groups: RowGroups

    @classmethod
    def of(cls, rows: CodedRows) -> "TrainingRows":
        """Merge equal rows, each of which has a label."""
        unique = unique_rows(rows.codes, np.zeros_like(rows.y), rows.weights)
        n_classes = len(rows.classes)
        at = unique.of_row * n_classes + rows.y
        totals = np.bincount(at, rows.weights, len(unique) * n_classes)
        counts: Array = totals.astype(float).reshape(-1, n_classes)
        groups = RowGroups.of(unique.of_row, rows.row_numbers)
        return cls(
            rows.codebook,
            rows.classes,
            unique.codes,
            unique.weights,
            counts,
            counts / unique.weights[:, None],
            groups,
        )

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_rows(self) -> int:
        """Number of rows of the user's table that vote."""
        return len(self.groups.rows)

    @cached_property
    def reach(self) -> Reach:
        """Finds the unique rows that hold the k nearest rows."""
        return Reach(self.weights)

    def row_numbers(self, unique: int) -> NDArray[np.intp]:
        """Return the numbers, in the user's table, of the rows that one stands for."""
        start, end = self.groups.starts[unique : unique + 2]
        return self.groups.rows[start:end]

    def unique_of(self, row_number: int) -> int:
        """Return the unique row that stands for a row of the user's table."""
        place = int(np.flatnonzero(self.groups.rows == row_number)[0])
        return int(np.searchsorted(self.groups.starts, place, side="right")) - 1

    def merged_with(self, rows: CodedRows) -> "TrainingRows":
        """Return these and more rows of the same codebook and classes."""
        before = len(self.codes)
        codes = np.concatenate([self.codes, rows.codes])
        weights = np.concatenate([self.weights, rows.weights])
        unique = unique_rows(codes, np.zeros(len(codes), dtype=np.intp), weights)
        counts = np.zeros((len(unique), len(self.classes)))
        counts[unique.of_row[:before]] = self.counts
        np.add.at(counts, (unique.of_row[before:], rows.y), rows.weights)
        old, owner = self.groups.members_of(np.arange(before))
        of_row = np.concatenate([unique.of_row[owner], unique.of_row[before:]])
        numbers = np.concatenate([old, rows.row_numbers])
        order = np.argsort(numbers, kind="stable")
        return TrainingRows(
            self.codebook,
            self.classes,
            unique.codes,
            unique.weights,
            counts,
            counts / unique.weights[:, None],
            RowGroups.of(of_row[order], numbers[order]),
        )
