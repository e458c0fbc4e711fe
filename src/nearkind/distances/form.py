"""The base class of all forms.

A form is a frozen dataclass. Its fields say how rows are coded and what the distance
between two of them is, and nothing about how that was learned. Whatever comes after
learning - neighbours, prediction, saving, export, pages, tasks - reads forms.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearkind import scoring
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import unique_rows
from nearkind.errors import did_you_mean
from nearkind.protocols import Array, Codes
from nearkind.tables import frame, one_row

N_PAIRS = 400
"""Pairs of rows over which relevance is estimated where there is no formula."""
MOST_VALUES = 2_000
"""Values of a feature whose distances can be tabulated."""


@dataclass(frozen=True, eq=False)
class FittedDistance(ABC):
    """A distance between rows, as it was learned.

    Attributes
    ----------
    codebook : Codebook
        How rows are coded.
    is_euclidean : bool
        Whether ``represent`` gives vectors, and the distance is Euclidean between them.
    has_vectors : bool
        Whether, moreover, a row is the sum of the vectors of its values.
    votes_by_leaves : bool
        Whether soft votes are those of rows in the same leaves of a forest.
    contributions_to : str
        What ``contributions`` are parts of.
    """

    codebook: Codebook

    is_euclidean: ClassVar[bool] = False
    has_vectors: ClassVar[bool] = False
    votes_by_leaves: ClassVar[bool] = False
    contributions_to: ClassVar[str] = "distance"

    @abstractmethod
    def represent(self, codes: Codes) -> Any:
        """Return rows as ``compare`` takes them, one entry per row."""

    @abstractmethod
    def compare(self, a: Any, b: Any) -> Array:
        """Return distances (n, m) between represented rows."""

    @abstractmethod
    def check(self) -> None:
        """Raise ``RefusedError`` unless the fields fit together."""

    @property
    @abstractmethod
    def cost(self) -> int:
        """How many numbers are read to compare two represented rows."""

    def distances_over(
        self, row: Codes, others: Codes, kept: NDArray[np.bool_]
    ) -> Array:
        """Return the distances of rows from one row over subsets of features (E, m).

        Features outside of a subset count as equal: there the others take the value of
        the row.

        Parameters
        ----------
        row : ndarray of int (D,)
            Codes.
        others : ndarray of int (m, D)
            Codes.
        kept : ndarray of bool (E, D)
            The features of each subset.
        """
        found = np.empty((len(kept), len(others)))
        for distances, subset in zip(found, kept, strict=True):
            # Equal rows are represented once, so that exactly nothing is between them.
            unique = unique_rows(np.vstack([row, np.where(subset, others, row)]))
            represented, at = self.represent(unique.codes), unique.of_row
            distances[:] = self.compare(represented[at[:1]], represented)[0, at[1:]]
        return found

    def contributions(self, a: Codes, b: Codes) -> Array:
        """Return the contribution of each feature to the distance of two rows (D,).

        It is how much smaller the distance is if b has the value of a. The
        contributions add up to the distance where it is a sum over features.

        Parameters
        ----------
        a, b : ndarray of int (D,)
            Codes.
        """
        each = np.arange(len(a))
        rows = np.tile(b, (len(a) + 2, 1))
        rows[each + 1, each], rows[-1] = a, a
        # Equal rows are represented once, so that exactly nothing is between them.
        unique, places = np.unique(rows, axis=0, return_inverse=True)
        represented, places = self.represent(unique), places.ravel()
        d = self.compare(represented[places[-1:]], represented)[0, places[:-1]]
        with np.errstate(invalid="ignore"):  # infinity less infinity
            return np.nan_to_num(d[0] - d[1:], nan=0.0)

    def relevance(self, codes: Codes, weights: Array) -> Array:
        """Return each feature's share (D,) of the mean distance between two rows.

        Parameters
        ----------
        codes : ndarray of int (n, D)
        weights : ndarray (n,)
            Number of rows that each represents.
        """
        rng = np.random.default_rng(0)
        pairs = rng.choice(len(codes), (N_PAIRS, 2), p=weights / weights.sum())
        total = sum(self.contributions(codes[i], codes[j]) for i, j in pairs)
        return as_shares(np.nan_to_num(total, nan=0.0, posinf=0.0, neginf=0.0))

    def encode(self, X: Any, owner: str | None = None) -> Codes:
        """Return the codes (n, D) of a table with the columns that fit saw.

        Parameters
        ----------
        X : table of any kind
        owner : str, default=None
            Whom to name if the number of columns is wrong; None: the form.
        """
        return self.codebook.encode(X, owner=owner or type(self).__name__)

    def pairwise_distances(
        self, X: Any, Y: Any = None, *, owner: str | None = None
    ) -> Array:
        """Return the distances between rows.

        Parameters
        ----------
        X : table of shape (n, D)
            With the columns that fit saw.
        Y : table of shape (m, D), default=None
            As X; None: X itself.
        owner : str, default=None
            As in ``encode``.

        Returns
        -------
        ndarray of shape (n, m)
        """
        a = self.represent(self.encode(X, owner))
        return self.compare(
            a, a if Y is None else self.represent(self.encode(Y, owner))
        )

    def triplet_accuracy(self, X: Any, y: Any, *, owner: str | None = None) -> float:
        """Return the share of triplets of rows that the distance orders correctly.

        Parameters
        ----------
        X : table of shape (n, D)
        y : array-like of shape (n,)
            One label per row.
        owner : str, default=None
            As in ``encode``.

        Returns
        -------
        float
            In [0, 1]; ties count one half.
        """
        rows = self.represent(self.encode(X, owner))
        return scoring.triplet_accuracy_by(self.compare, rows, y)

    def explain(self, a: Any, b: Any, *, owner: str | None = None) -> Any:
        """Split the distance between two rows among the features.

        Where a row is a sum of vectors, a feature gets its own term of the squared
        distance and half of each cross term with another feature; the contributions
        add up to the squared distance, and a negative one works against the others.
        For other distances a contribution is how much smaller the distance is if the
        second row has the first one's value.

        Parameters
        ----------
        a, b : one row each: a dict, a list, a pandas Series or a table of one row
        owner : str, default=None
            As in ``encode``.

        Returns
        -------
        data frame with columns feature, a, b, contribution, the largest contribution
        first, whatever its sign: of the library of a, else of that of the table given
        to fit, else of pandas (a dict of columns where there is none)
        """
        library = self.codebook.library_of(a)
        a, b = one_row(a), one_row(b)
        codes = self.encode(a, owner)[0], self.encode(b, owner)[0]
        cells = self.codebook.cells_of(a), self.codebook.cells_of(b)
        return self.explain_codes(codes, cells, library)

    def explain_codes(
        self,
        codes: tuple[Codes, Codes],
        cells: tuple[list[Any], list[Any]],
        library: str | None,
    ) -> Any:
        """Return ``explain`` of two rows, given by their codes (D,) and their cells."""
        parts = self.contributions(*codes)
        order = np.argsort(-np.abs(parts), kind="stable")
        columns = {"feature": self.codebook.feature_names, "a": cells[0], "b": cells[1]}
        shown = {name: object_array(each)[order] for name, each in columns.items()}
        return frame({**shown, "contribution": parts[order]}, library=library)

    @property
    def categories(self) -> dict[Any, list[Any]]:
        """Values of each feature, a missing one as None."""
        book = self.codebook
        return {name: book.values(d) for d, name in enumerate(book.feature_names)}


@dataclass(frozen=True, eq=False)
class DistanceFromRow(FittedDistance):
    """Distances from one row, where a query is the subset of features that count.

    Attributes
    ----------
    distance : FittedDistance
        Over all features.
    row : ndarray of int (D,)
        Codes.
    """

    distance: FittedDistance
    row: Codes

    @property
    def cost(self) -> int:
        """How many numbers are read to compare a subset with a row."""
        return self.distance.cost

    def represent(self, codes: Codes) -> Codes:
        """Return the codes of rows."""
        return codes

    def compare(self, a: NDArray[np.bool_], b: Codes) -> Array:
        """Return the distances (E, m) of rows over each subset of features."""
        return self.distance.distances_over(self.row, b, a)

    def check(self) -> None:
        """Raise ``RefusedError`` if the distance does."""
        self.distance.check()


class SeparableForm(FittedDistance):
    """Base of forms that give distances between the values of one feature."""

    @abstractmethod
    def between_values(self, d: int, codes: NDArray[np.intp], squared: bool) -> Array:
        """Return the distances between values of feature d (s, s)."""

    def value_distances(
        self, feature: Any, *, squared: bool = False, values: Any = None
    ) -> Any:
        """Return how far apart the values of one feature are, all else being equal.

        Parameters
        ----------
        feature : object
            Name of a column.
        squared : bool, default=False
            Return squared distances, where the distance is the root of a sum.
        values : sequence, default=None
            Those to tabulate, in this order; None: all, of which there may be 2,000.

        Returns
        -------
        square data frame, the values on both sides, of the library of the table given
        to fit, or else of pandas (a dict of columns where there is none)
        """
        book = self.codebook
        d = book.place_of(feature)
        known = book.values(d)
        codes = np.arange(len(known))
        if values is not None:
            codes = np.array([_code_of(known, v, feature) for v in values], dtype=int)
        check_square(feature, len(codes))
        table = self.between_values(d, codes, squared)
        shown = [known[code] for code in codes]
        columns = dict(zip(shown, table.T, strict=True))
        return frame(columns, shown, book.library_, str(feature))


def check_square(feature: Any, n_values: int) -> None:
    """Raise if the distances between the values of a feature are too many to list."""
    if n_values > MOST_VALUES:
        n_numbers = n_values**2
        raise ValueError(
            f"Distances between the {n_values:,} values of column {feature!r} would be "
            f"{n_numbers:,} numbers, {8 * n_numbers / 2**30:.1f} GiB. Choose at most "
            f"{MOST_VALUES:,} of them: values=[...]."
        )


def query_chunks(n_queries: int, n_rows: int, at_once: int) -> list[slice]:
    """Split queries into chunks of at most ``at_once`` distances, or one query."""
    size = max(1, at_once // max(n_rows, 1))
    return [slice(at, at + size) for at in range(0, n_queries, size)]


def as_shares(parts: Array) -> Array:
    """Return parts (D,) as shares of their sum; zeros if that is not above zero.

    Examples
    --------
    >>> as_shares(np.array([3.0, 1.0]))
    array([0.75, 0.25])
    """
    total = parts.sum()
    return parts / total if total > 0.0 else np.zeros(len(parts))


def object_array(cells: list[Any]) -> NDArray[Any]:
    """Return cells of any type as an object array (n,)."""
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _code_of(known: list[Any], value: Any, feature: Any) -> int:
    """Return the code of a value of a feature; raise ValueError if it is not known."""
    if value not in known:
        hint = did_you_mean(value, known)
        raise ValueError(f"Column {feature!r} had no value {value!r} in fit. {hint}")
    return known.index(value)
