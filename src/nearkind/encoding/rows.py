"""Coded rows: a table that has been read and coded once."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.codebook import Codebook
from nearkind.protocols import Array, Codes, LabelArray
from nearkind.tables import FactorizedTable, Table

Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class CodedRows:
    """Labelled, weighted rows of a table, coded by a codebook.

    The table has been read: each of its columns is factorized. Rows can be taken, and
    coded again by another codebook, without reading any cell a second time.

    Attributes
    ----------
    table : FactorizedTable
        The rows as they were read.
    codebook : Codebook
        Which values of the table share a code; fitted.
    codes : ndarray of int32 (n, D)
        Codes by the codebook, -1 for a value that it has not seen.
    classes : ndarray (C,)
        Sorted labels; empty if no row has one.
    y : ndarray of int (n,)
        Class numbers, -1 where the label is not known.
    weights : ndarray (n,)
        Number of rows that each row represents.
    row_numbers : ndarray of int (n,)
        Numbers of the rows in the user's table, rising.
    n_given : int
        Number of rows of that table.
    codebook_is_own : bool
        Whether the codebook was fitted to these very rows.
    target : ndarray (n,) or None, default=None
        Numbers to predict, whose quantiles are then the classes.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> table = read_table([["red"], ["blue"], ["red"]])
    >>> rows = CodedRows.of(table, Codebook())
    >>> rows.codes.ravel().tolist(), rows.merge_equal().weights.tolist()
    ([1, 0, 1], [1.0, 2.0])
    >>> rows.take(np.array([0, 2])).recode(Codebook()).codes.ravel().tolist()
    [0, 0]
    """

    table: FactorizedTable
    codebook: Codebook
    codes: Codes
    classes: LabelArray
    y: Numbers
    weights: Array
    row_numbers: Numbers
    n_given: int
    codebook_is_own: bool = False
    target: Array | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        book: Codebook,
        classes: LabelArray | None = None,
        y: Numbers | None = None,
        weights: Array | None = None,
    ) -> "CodedRows":
        """Read a table and learn the codes of its values.

        Parameters
        ----------
        table : Table
            Rows of weight zero are left out.
        book : Codebook
            Fitted to the rows if it is not fitted yet.
        classes : ndarray (C,), default=None
            Sorted labels; None: there are none.
        y : ndarray of int (n,), default=None
            Class numbers, -1 where unknown; None: all unknown.
        weights : ndarray (n,), default=None
            Number of rows that each row represents; None: one.
        """
        n_given = table.n_rows
        y = np.full(n_given, -1) if y is None else y
        weights = np.ones(n_given) if weights is None else weights
        classes = np.empty(0, dtype=object) if classes is None else classes
        row_numbers = np.flatnonzero(weights)
        if len(row_numbers) < n_given:
            table = table.take(row_numbers)
            y, weights = y[row_numbers], weights[row_numbers]
        read = table.factorize()
        fits = not book.is_fitted
        codes = book.fit(read, weights, y).lookup(read) if fits else book.encode(read)
        labels = classes, y, weights, row_numbers, n_given
        return cls(read, book, codes, *labels, codebook_is_own=fits)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def is_weighted(self) -> bool:
        """Whether some weight is not one."""
        return bool((self.weights != 1.0).any())

    @property
    def numbers(self) -> Array:
        """The target (n,), of rows that have one."""
        assert self.target is not None
        return self.target

    def take(self, rows: Numbers) -> "CodedRows":
        """Return some rows, by their place here, of the classes that they have."""
        y = self.y[rows]
        present, numbers = np.unique(y[y >= 0], return_inverse=True)
        renumbered = np.full(len(y), -1)
        renumbered[y >= 0] = numbers
        return replace(
            self,
            table=self.table.take(rows),
            codes=self.codes[rows],
            classes=self.classes[present],
            y=renumbered,
            weights=self.weights[rows],
            row_numbers=self.row_numbers[rows],
            codebook_is_own=False,
            target=None if self.target is None else self.target[rows],
        )

    def numbered_from(self, first: int) -> "CodedRows":
        """Return the rows with numbers that go on from others before them."""
        return replace(self, row_numbers=self.row_numbers + first)

    def recode(self, book: Codebook) -> "CodedRows":
        """Return the rows in codes that a codebook learns from them alone."""
        if self.codebook_is_own and book.policies == self.codebook.policies:
            return self
        codes = book.fit(self.table, self.weights, self.y).lookup(self.table)
        return replace(self, codebook=book, codes=codes, codebook_is_own=True)

    def coded_by(self, book: Codebook) -> "CodedRows":
        """Return the rows in the codes of a fitted codebook, of values unseen -1."""
        if book is self.codebook:
            return self
        codes = book.encode(self.table)
        return replace(self, codebook=book, codes=codes, codebook_is_own=False)

    def merge_equal(self) -> "UniqueRows":
        """Return equal rows of one class as one row, which has their weight."""
        return unique_rows(self.codes, self.y, self.weights)


@dataclass(frozen=True)
class UniqueRows:
    """Distinct (codes, class) rows, sorted by class, then by codes.

    A row of weight m stands for m equal rows, so everything that is learned from
    unique rows equals what the rows themselves would give.

    Attributes
    ----------
    codes : ndarray of int32 (m, D)
    y : ndarray of int (m,)
        Class numbers, -1 where the label is not known.
    weights : ndarray (m,)
        Number of rows that each represents.
    of_row : ndarray of int (n,)
        The unique row of each row.
    self_weights : ndarray (m,) or None
        Weight of each as its own partner in a pair; None: its weight less one.
    """

    codes: Codes
    y: Numbers
    weights: Array
    of_row: Numbers
    self_weights: Array = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def labelled(self) -> "UniqueRows":
        """Those whose label is known, of the rows that have one."""
        first = int((self.y < 0).sum())  # unknown labels come first
        of_row = self.of_row[self.of_row >= first] - first
        return UniqueRows(
            self.codes[first:], self.y[first:], self.weights[first:], of_row
        )


def unique_rows(
    codes: Codes, y: Numbers | None = None, weights: Array | None = None
) -> UniqueRows:
    """Merge equal rows of one class, adding their weights.

    Parameters
    ----------
    codes : ndarray of int32 (n, D)
    y : ndarray of int (n,), default=None
        Class numbers; None: all are of class 0.
    weights : ndarray (n,), default=None
        Number of rows that each represents; None: one.

    Examples
    --------
    >>> codes = np.array([[0, 1], [0, 1], [2, 0]], dtype=np.int32)
    >>> unique_rows(codes, np.array([0, 0, 1]), np.ones(3)).weights
    array([2., 1.])
    """
    y = np.zeros(len(codes), dtype=np.intp) if y is None else y
    keys = row_keys(np.column_stack([y, codes]))
    _, first, of_row = np.unique(keys, return_index=True, return_inverse=True)
    totals: Array = np.bincount(of_row, weights, len(first)).astype(float)
    return UniqueRows(codes[first], y[first], totals, of_row)


def unique_sampled_rows(codes: Codes, y: Numbers, totals: Array) -> UniqueRows:
    """Merge equal rows of one class that were drawn to stand for others too.

    A class keeps its weight, shared among the rows drawn from it. A row stands for
    others elsewhere, so it is its own partner only as often as it was drawn again: the
    mean over pairs of drawn rows then estimates that over all pairs. Where every row
    was drawn these are the unique rows of all.

    Parameters
    ----------
    codes : ndarray of int32 (n, D)
    y : ndarray of int (n,)
        Class numbers of the rows drawn.
    totals : ndarray (C,)
        Rows of each class among all.

    Examples
    --------
    >>> codes = np.array([[0], [0], [1]], dtype=np.int32)
    >>> rows = unique_sampled_rows(codes, np.array([0, 0, 0]), np.array([6.0]))
    >>> rows.weights.tolist(), rows.self_weights.tolist()
    ([4.0, 2.0], [2.0, 0.0])
    """
    drawn = np.maximum(np.bincount(y, minlength=len(totals)), 1)
    each = totals / drawn  # rows that one row stands for
    rows = unique_rows(codes, y, np.ones(len(y)))
    weights = rows.weights * each[rows.y]
    self_weights = np.maximum(weights - each[rows.y], 0.0)
    return replace(rows, weights=weights, self_weights=self_weights)


def unique_targets(
    rows: CodedRows, most: int, rng: np.random.Generator
) -> tuple[Codes, Array, Array]:
    """Return codes, targets and weights of distinct (codes, target) rows.

    Parameters
    ----------
    rows : CodedRows
        With a target.
    most : int
        Number of distinct rows beyond which as many are drawn.
    rng : Generator
    """
    numbers, rank = np.unique(rows.numbers, return_inverse=True)
    unique = unique_rows(rows.codes, rank, rows.weights)
    kept = np.arange(len(unique))
    if len(unique) > most:
        kept = np.sort(rng.choice(len(unique), most, replace=False))
    return unique.codes[kept], numbers[unique.y[kept]], unique.weights[kept]


def row_keys(table: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return one integer per row, equal for equal rows and sorted as the rows are."""
    keys = np.zeros(len(table), dtype=np.int64)
    room = 1
    for column in table.T:
        low, high = int(column.min(initial=0)), int(column.max(initial=0))
        if room * (high - low + 1) >= 2**62:
            distinct, keys = np.unique(keys, return_inverse=True)
            room = len(distinct)
        keys = keys * (high - low + 1) + (column - low)
        room *= high - low + 1
    return keys
