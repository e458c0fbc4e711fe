"""Sums over features of tables of distances between values.

The values of all features stand on one axis, each at its *place*; an unseen value has
the last place of its feature. Rows are given by the places of their values (n, D).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nearkind.distances.checks import check_tables
from nearkind.distances.form import SeparableForm
from nearkind.encoding.codebook import Codebook
from nearkind.errors import RefusedError
from nearkind.protocols import Array, Codes

Places = NDArray[np.intp]

LARGEST_TABLES = 50_000_000
"""Numbers in all tables of pairs of values."""
_SPREAD = 1 << 16
"""Numbers of table rows spread out at a time: about what a core's cache holds."""


def starts(n_values: Sequence[int]) -> Places:
    """Return where each feature begins, and where the last one ends (D + 1,).

    Examples
    --------
    >>> starts([2, 3])
    array([0, 3, 7])
    """
    return np.cumsum([0, *(size + 1 for size in n_values)])


def places(codes: Codes, n_values: Sequence[int]) -> Places:
    """Return the place of each value (n, D); the unseen have a feature's last.

    Examples
    --------
    >>> places(np.array([[0, 2], [-1, -1]], dtype=np.int32), [2, 3])
    array([[0, 5],
           [2, 6]])
    """
    own = np.where(codes < 0, np.asarray(n_values, dtype=np.intp), codes)
    return own + starts(n_values)[:-1]


def indicators(at: Places, n_places: int, values: Array | None = None) -> csr_array:
    """Return rows (n, n_places) that are 1, or ``values`` (n, D), at their places."""
    ends = np.arange(0, at.size + 1, at.shape[1])
    data = np.ones(at.size) if values is None else values.ravel()
    return csr_array((data, at.ravel(), ends), shape=(len(at), n_places))


@dataclass(frozen=True, eq=False)
class PairTables(SeparableForm):
    """d = sum over features of A_d[x_d, x'_d].

    Attributes
    ----------
    tables : sequence of ndarray of shape (s_d + 1, s_d + 1)
        The tables A_d; the last row and column are for unseen values.
    """

    tables: Sequence[Array]

    def represent(self, codes: Codes) -> Places:
        """Return the places of the values of rows (n, D)."""
        return places(codes, self.codebook.n_values)

    def compare(self, a: Places, b: Places) -> Array:
        """Return distances (n, m) between represented rows."""
        return table_sums(self.tables, a, b)

    def between_values(self, d: int, codes: Places, squared: bool) -> Array:
        """Return the distances between values of feature d (s, s)."""
        table = self.tables[d][np.ix_(codes, codes)]
        return table**2 if squared else table

    def check(self) -> None:
        """Raise ``RefusedError`` unless there is one table >= 0 per feature."""
        check_tables(self.tables, "tables", self.codebook.n_values, square=True)
        if any((table < 0.0).any() for table in self.tables):
            raise RefusedError("tables have a negative distance")

    @property
    def cost(self) -> int:
        """How many numbers are read to compare two represented rows."""
        return len(self.tables)


def table_sums(tables: Sequence[Array], a: Places, b: Places) -> Array:
    """Return sum over d of A_d[a_d, b_d] (n, m) between rows given by places.

    Every sum runs over the features in their order, so symmetric tables give symmetric
    sums to the last bit.

    Examples
    --------
    >>> differ = [1.0 - np.eye(3), 1.0 - np.eye(2)]
    >>> table_sums(differ, np.array([[0, 3]]), np.array([[0, 3], [1, 3], [1, 4]]))
    array([[0., 1., 2.]])
    """
    first = starts([len(table) - 1 for table in tables])
    n_places = int(first[-1])
    at_b = indicators(b, n_places)
    total = np.empty((len(a), len(b)))
    for rows in row_chunks(len(a), n_places):
        local = (a[rows] - first[:-1]).T
        columns = zip(tables, local, strict=True)
        spread = np.concatenate([table.T[:, code] for table, code in columns])
        total[rows] = (at_b @ spread).T  # O(n m D)
    return total


def match_sums(
    a: Places,
    b: Places,
    n_places: int,
    of_a: Array | None = None,
    of_b: Array | None = None,
) -> Array:
    """Return sum over r with a_r = b_r of of_a_r of_b_r, for any two rows.

    A place belongs to one column only. Exchanging both pairs of arguments transposes
    the sums, to the last bit.

    Parameters
    ----------
    a : ndarray of shape (n, R)
        Places of the rows on the left.
    b : ndarray of shape (m, R)
        Places of the rows on the right.
    n_places : int
        Number of places that there are.
    of_a, of_b : ndarray of the shape of a and b, default=None
        What is summed; None: ones.

    Returns
    -------
    ndarray of shape (n, m)

    Examples
    --------
    >>> match_sums(np.array([[0, 2]]), np.array([[0, 2], [1, 2]]), 3)
    array([[2., 1.]])
    """
    at_b = indicators(b, n_places, of_b)
    total = np.empty((len(a), len(b)))
    for rows in row_chunks(len(a), n_places):
        at = a[rows]
        spread = np.zeros((n_places, len(at)))
        columns = np.arange(len(at))
        spread[at.T, columns] = 1.0 if of_a is None else of_a[rows].T
        total[rows] = (at_b @ spread).T  # O(n m R)
    return total


def row_chunks(n_rows: int, n_places: int) -> Iterator[slice]:
    """Return chunks of rows of which few numbers are spread at once."""
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


def check_table_size(book: Codebook, owner: str) -> None:
    """Raise if tables of pairs of values of one feature would be too large."""
    numbers = sum((size + 1) ** 2 for size in book.n_values)
    refuse_large(numbers, "pairs of values of one column", book, owner)


def check_contingency(book: Codebook, owner: str) -> None:
    """Raise if tables of pairs of values of any features would be too large."""
    numbers = int(starts(book.n_values)[-1]) ** 2
    refuse_large(numbers, "pairs of values of all columns", book, owner)


def refuse_large(
    numbers: int,
    of_what: str,
    book: Codebook,
    owner: str,
    most: int = LARGEST_TABLES,
) -> None:
    """Raise if a distance would need more numbers than are allowed."""
    if numbers <= most:
        return
    sizes = book.n_values
    widest = max(range(len(sizes)), key=sizes.__getitem__)
    raise ValueError(
        f"{owner} would need {numbers:,} numbers, one for each of the {of_what}; "
        f"{most:,} are allowed. Column {book.names_[widest]!r} has the most "
        f"values, {sizes[widest]:,}: fit without it, or take Hamming or Euclidean, "
        "which need no such table."
    )
