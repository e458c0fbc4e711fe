"""Sums over features of a table of pairs of values, for whole blocks of rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nearkind.baselines.indicators import Places, indicators, starts
from nearkind.encoding.codebook import Codebook
from nearkind.protocols import Array

LARGEST_TABLES = 50_000_000
"""Numbers in all tables of pairs of values."""
_SPREAD = 1 << 16
"""Numbers of table rows spread out at a time: about what a core's cache holds."""


@dataclass(frozen=True)
class PairTables:
    """One table a feature, A_d (s_d + 1, s_d + 1); last row and column: unseen.

    Examples
    --------
    >>> differ = PairTables([1.0 - np.eye(3), 1.0 - np.eye(2)])
    >>> differ.sums(np.array([[0, 3]]), np.array([[0, 3], [1, 3], [1, 4]]))
    array([[0., 1., 2.]])
    """

    tables: Sequence[Array]

    @cached_property
    def _starts(self) -> Places:
        return starts([len(table) - 1 for table in self.tables])

    def sums(self, a: Places, b: Places) -> Array:
        """Return sum over d of A_d[a_d, b_d] (n, m) between rows given by places.

        Every sum runs over the features in their order, so symmetric tables give
        symmetric sums to the last bit.
        """
        n_places = int(self._starts[-1])
        at_b = indicators(b, n_places)
        total = np.empty((len(a), len(b)))
        for rows in portions(len(a), n_places):
            total[rows] = (at_b @ self._spread(a[rows])).T  # O(n m D)
        return total

    def _spread(self, a: Places) -> Array:
        """Return A_d[a_d, v] for every value v of every feature (n_places, n)."""
        local = (a - self._starts[:-1]).T
        columns = zip(self.tables, local, strict=True)
        return np.concatenate([table.T[:, code] for table, code in columns])


def portions(n_rows: int, n_places: int) -> Iterator[slice]:
    """Split rows so that few numbers are spread at once, but not one by one."""
    size = max(_SPREAD // max(n_places, 1), min(16, (1 << 24) // max(n_places, 1)), 1)
    return (slice(at, at + size) for at in range(0, n_rows, size))


def with_unseen(table: Array) -> Array:
    """Return distances of values (s, s) with an unseen one, at its mean from each.

    Examples
    --------
    >>> with_unseen(np.array([[0.0, 3.0], [3.0, 0.0]]))
    array([[0. , 3. , 1.5],
           [3. , 0. , 1.5],
           [1.5, 1.5, 0. ]])
    """
    size = len(table)
    whole = np.zeros((size + 1, size + 1))
    whole[:size, :size] = table
    if size:
        whole[size, :size] = whole[:size, size] = table.mean(axis=1)
    return whole


def overlap(size: int) -> Array:
    """Return the table that says whether two values differ (size, size)."""
    return 1.0 - np.eye(size)


def check_tables(book: Codebook, owner: str) -> None:
    """Raise if tables of pairs of values of one feature would be too large."""
    numbers = sum((size + 1) ** 2 for size in book.n_values)
    _refuse_large(numbers, "pairs of values of one column", book, owner)


def check_contingency(book: Codebook, owner: str) -> None:
    """Raise if tables of pairs of values of any features would be too large."""
    numbers = int(starts(book.n_values)[-1]) ** 2
    _refuse_large(numbers, "pairs of values of all columns", book, owner)


def _refuse_large(numbers: int, of_what: str, book: Codebook, owner: str) -> None:
    if numbers <= LARGEST_TABLES:
        return
    sizes = book.n_values
    widest = max(range(len(sizes)), key=sizes.__getitem__)
    raise ValueError(
        f"{owner} would need {numbers:,} numbers, one for each of the {of_what}; "
        f"{LARGEST_TABLES:,} are allowed. Column {book.names_[widest]!r} has the most "
        f"values, {sizes[widest]:,}: drop or coarsen it, or take Hamming or Euclidean, "
        "which need no such table."
    )
