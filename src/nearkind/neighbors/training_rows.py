"""The training rows that vote, equal ones merged into unique rows."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.checks import check_codes, check_integers, check_reals
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows, unique_rows
from nearkind.errors import RefusedError
from nearkind.neighbors.k_nearest import KNearest, Near, ranks
from nearkind.protocols import Array, Codes


@dataclass(frozen=True)
class RowGroups:
    """Which rows each unique row stands for.

    Attributes
    ----------
    rows : ndarray of int (n,)
        Row numbers; those of unique row u, rising, are
        ``rows[starts[u]:starts[u + 1]]``.
    starts : ndarray of int (m + 1,)
    """

    rows: NDArray[np.intp]
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, unique: NDArray[np.intp], numbers: NDArray[np.intp]) -> "RowGroups":
        """Group rows, given by rising number, by the unique row of each."""
        order = np.argsort(unique, kind="stable")
        starts = np.searchsorted(unique[order], np.arange(unique.max() + 2))
        return cls(numbers[order], starts)

    def check_split(self, n_unique: int) -> None:
        """Raise ``RefusedError`` unless every unique row stands for rows of its own."""
        rows, starts = self.rows, self.starts
        check_integers(rows, "row numbers", (None,))
        check_integers(starts, "starts of row numbers", (n_unique + 1,))
        spans = starts[0] == 0 and starts[-1] == len(rows)
        if not spans or (np.diff(starts) < 1).any():
            raise RefusedError("row numbers are not split among the unique rows")
        if (rows < 0).any() or (np.diff(np.sort(rows)) < 1).any():
            raise RefusedError("a row number is negative, or is there twice")
        is_rising = np.diff(rows) > 0
        is_rising[starts[1:-1] - 1] = True  # from one unique row to the next
        if not is_rising.all():
            raise RefusedError("row numbers of a unique row are not in rising order")

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """Number of rows that each unique row represents (m,)."""
        return np.diff(self.starts)

    @property
    def first_rows(self) -> NDArray[np.intp]:
        """The first row that each unique row stands for (m,)."""
        return self.rows[self.starts[:-1]]

    @cached_property
    def k_nearest(self) -> KNearest:
        """Finds the k nearest rows, each counted once whatever it weighs."""
        return KNearest(self.sizes.astype(float))

    def by_row(self, entries: Array) -> tuple[NDArray[np.intp], Array]:
        """Return the row numbers, rising, and for each the entry of its unique row."""
        unique = np.repeat(np.arange(len(self.sizes)), self.sizes)
        order = np.argsort(self.rows, kind="stable")
        return self.rows[order], entries[unique[order]]

    def members_of(
        self, unique: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows of some unique rows, and the place in ``unique`` of each.

        Examples
        --------
        >>> groups = RowGroups.of(np.array([0, 1, 0]), np.array([4, 5, 6]))
        >>> [part.tolist() for part in groups.members_of(np.array([1, 0]))]
        [[5, 4, 6], [0, 1, 1]]
        """
        sizes = self.sizes[unique]
        owner = np.repeat(np.arange(len(unique)), sizes)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return self.rows[self.starts[unique][owner] + within], owner

    def nearest(
        self, near: Near, k: int, itself: NDArray[np.intp]
    ) -> tuple[Array, NDArray[np.intp]]:
        """Return the k nearest rows of each query, by distance, then by row number.

        Parameters
        ----------
        near : Near
            Within reach of k rows, of one more where a row is left out.
        k : int
            How many rows.
        itself : ndarray of int (b,)
            A row to leave out, or -1.

        Returns
        -------
        distances, rows : ndarray (b, k)
            Fewer than k if there are no more.
        """
        ends = np.searchsorted(near.query, np.arange(len(itself) + 1))
        found = [
            self._nearest(near.unique_row[a:b], near.distance[a:b], tie, k, row)
            for a, b, tie, row in zip(ends, ends[1:], near.tie, itself, strict=False)
        ]
        distances, rows = zip(*found, strict=True)
        return np.array(distances), np.array(rows)

    def _nearest(
        self,
        unique: NDArray[np.intp],
        distances: Array,
        tie: float,
        k: int,
        itself: int,
    ) -> tuple[Array, NDArray[np.intp]]:
        rows, owner = self.members_of(unique)
        d = distances[owner]
        order = np.lexsort((rows, ranks(d, tie)))
        order = order[rows[order] != itself][:k]
        return np.sort(d[order]), rows[order]


@dataclass(frozen=True)
class TrainingRows:
    """Training rows that vote, equal ones merged, whatever their classes.

    Attributes
    ----------
    codes : ndarray of int32 (m, D)
        Unique rows, sorted.
    weights : ndarray (m,)
        Number of rows that each represents.
    counts : ndarray (m, C)
        The same by class.
    shares : ndarray (m, C)
        Share of each class in the weight.
    groups : RowGroups
        Which rows of the user's table each stands for.

    Examples
    --------
    >>> from nearkind.encoding.codebook import Codebook
    >>> from nearkind.tables import read_table
    >>> table, y = read_table([["red"], ["blue"], ["red"]]), np.array([0, 1, 1])
    >>> rows = CodedRows.of(table, Codebook(), np.array(["no", "yes"]), y)
    >>> voters = TrainingRows.of(rows)
    >>> voters.counts.tolist(), voters.row_numbers(1).tolist()
    ([[0.0, 1.0], [1.0, 1.0]], [0, 2])
    """

    codes: Codes
    weights: Array
    counts: Array
    shares: Array
    groups: RowGroups

    @classmethod
    def of(cls, rows: CodedRows) -> "TrainingRows":
        """Merge equal rows, each of which has a label, or none of them."""
        unique = unique_rows(rows.codes, np.zeros_like(rows.y), rows.weights)
        shape = len(unique), len(rows.classes)
        known = np.flatnonzero(rows.y >= 0)
        at = unique.of_row[known] * shape[1] + rows.y[known]
        totals = np.bincount(at, rows.weights[known], shape[0] * shape[1])
        counts: Array = totals.astype(float).reshape(shape)
        groups = RowGroups.of(unique.of_row, rows.row_numbers)
        return cls.counted(unique.codes, unique.weights, counts, groups)

    @classmethod
    def counted(
        cls, codes: Codes, weights: Array, counts: Array, groups: RowGroups
    ) -> "TrainingRows":
        """Make unique rows from their counts by class."""
        return cls(codes, weights, counts, counts / weights[:, None], groups)

    def __len__(self) -> int:
        return len(self.codes)

    def check_codes(self, book: Codebook) -> None:
        """Raise ``RefusedError`` unless these are unique rows coded by a codebook."""
        check_codes(self.codes, "codes of rows", book.n_values, book.lowest_codes)
        m = len(self.codes)
        weights = check_reals(self.weights, "weights", (m,))
        shares = check_reals(self.shares, "shares", (m, None))
        counts = check_reals(self.counts, "counts", shares.shape)
        if not (weights > 0.0).all():
            raise RefusedError("weights are not one above zero for each unique row")
        if (shares < 0.0).any() or (counts < 0.0).any():
            raise RefusedError("shares or counts of classes are negative")
        has_labels = shares.shape[1] > 0
        if has_labels and (np.abs(shares.sum(axis=1) - 1.0) > 1e-6).any():
            raise RefusedError("shares of the classes of a row do not add up to one")
        if (np.abs(shares * weights[:, None] - counts) > 1e-6 * weights[:, None]).any():
            raise RefusedError("counts of classes are not their shares of the weights")
        self.groups.check_split(m)

    @property
    def n_rows(self) -> int:
        """Number of rows of the user's table that vote."""
        return len(self.groups.rows)

    @cached_property
    def k_nearest(self) -> KNearest:
        """Finds the unique rows that hold the k nearest rows."""
        return KNearest(self.weights)

    @property
    def weight_of_one(self) -> float:
        """Weight of one row: the mean, and 1 at most, as it counts repetitions."""
        return min(1.0, float(self.weights.sum()) / self.n_rows)

    def row_numbers(self, unique: int) -> NDArray[np.intp]:
        """Return the numbers, in the user's table, of the rows that one stands for."""
        start, end = self.groups.starts[unique : unique + 2]
        return self.groups.rows[start:end]

    def unique_of(self, row_number: int) -> int:
        """Return the unique row that stands for a row of the user's table."""
        place = int(np.flatnonzero(self.groups.rows == row_number)[0])
        return int(np.searchsorted(self.groups.starts, place, side="right")) - 1

    def take(self, unique: NDArray[np.intp], counts: Array) -> "TrainingRows":
        """Return some unique rows, with other counts.

        Parameters
        ----------
        unique : ndarray of int (n,)
            Their numbers, rising.
        counts : ndarray (n, C)
            Rows of each class that each stands for from now on.
        """
        rows, owner = self.groups.members_of(unique)
        groups = RowGroups(rows, np.searchsorted(owner, np.arange(len(unique) + 1)))
        codes, weights = self.codes[unique], counts.sum(axis=1)
        return TrainingRows.counted(codes, weights, counts, groups)

    def merged_with(self, rows: CodedRows) -> "TrainingRows":
        """Return these and more rows of the same codebook and classes."""
        before = len(self.codes)
        codes = np.concatenate([self.codes, rows.codes])
        weights = np.concatenate([self.weights, rows.weights])
        unique = unique_rows(codes, np.zeros(len(codes), dtype=np.intp), weights)
        counts = np.zeros((len(unique), self.counts.shape[1]))
        counts[unique.of_row[:before]] = self.counts
        np.add.at(counts, (unique.of_row[before:], rows.y), rows.weights)
        old, owner = self.groups.members_of(np.arange(before))
        of_row = np.concatenate([unique.of_row[owner], unique.of_row[before:]])
        numbers = np.concatenate([old, rows.row_numbers])
        order = np.argsort(numbers, kind="stable")
        groups = RowGroups.of(of_row[order], numbers[order])
        return TrainingRows.counted(unique.codes, unique.weights, counts, groups)
