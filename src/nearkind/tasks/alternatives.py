"""Alternative values of the columns of a row, and the rows that have them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding import Bins, Coordinate, Feature
from nearkind.encoding.codebook import Codebook
from nearkind.errors import did_you_mean, require_known
from nearkind.protocols import Codes
from nearkind.tables import as_cell

Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class Alternatives:
    """Values that columns of a row may take, each with its code for each codebook.

    Values that no codebook tells apart are one. They are sorted by column.

    Attributes
    ----------
    books : list of Codebook
        Over the same columns.
    row_codes : list of ndarray of int (D,)
        Codes of the row as it is, by each codebook.
    column : ndarray of int (S,)
        Number of the column of each alternative, rising.
    codes : list of ndarray of int (S,)
        Code of each, by each codebook.
    values : list of length S
        The values; of a range of numbers, one in it.
    texts : list of length S
        The same for people; of a range, its name.

    Examples
    --------
    >>> book = Codebook()
    >>> codes = book.fit_encode([["red", "s"], ["blue", "m"], ["blue", "l"]])
    >>> found = Alternatives.of([book], [codes[1]])
    >>> found.column.tolist(), found.values
    ([0, 1, 1], ['red', 'l', 's'])
    >>> found.codes_of(np.array([[0, 2]]))[0].tolist()  # red and s
    [[1, 2]]
    """

    books: Sequence[Codebook]
    row_codes: Sequence[Codes]
    column: Numbers
    codes: Sequence[Numbers]
    values: list[Any]
    texts: list[Any]

    @classmethod
    def of(
        cls,
        books: Sequence[Codebook],
        row_codes: Sequence[Codes],
        fixed: Iterable[object] = (),
        allowed: Mapping[Any, Iterable[object]] | None = None,
    ) -> "Alternatives":
        """Return the values that fit saw, where these are not the row's own.

        Parameters
        ----------
        books, row_codes
            As above.
        fixed : iterable, default=()
            Names of columns that stay as they are.
        allowed : dict of name to values, default=None
            The values that some columns may take, of those that fit saw; any number
            where numbers are in ranges.
        """
        names = books[0].names_
        kept = {_place(names, name, "fixed") for name in fixed}
        given = {_place(names, n, "allowed"): v for n, v in (allowed or {}).items()}
        found = []
        for d in range(len(names)):
            if d in kept:
                continue
            features = [book.features_[d] for book in books]
            here = tuple(int(codes[d]) for codes in row_codes)
            by_codes: dict[tuple[int, ...], tuple[Any, Any]] = {}
            for value, text in _values(features, given.get(d)):
                codes = tuple(feature.code(value) for feature in features)
                if min(codes) >= 0 and codes != here:
                    by_codes.setdefault(codes, (value, text))
            found += [(d, codes, *by_codes[codes]) for codes in sorted(by_codes)]
        columns, codes, values, texts = zip(*found, strict=True) if found else [()] * 4
        table = np.array(codes, np.intp).reshape(-1, len(books))
        column = np.array(columns, np.intp)
        return cls(books, row_codes, column, list(table.T), list(values), list(texts))

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def later(self) -> Numbers:
        """The first alternative of a later column, for each alternative (S,)."""
        return np.searchsorted(self.column, self.column, side="right")

    def count(self, n_changes: int) -> int:
        """Return how many rows have so many changes.

        Examples
        --------
        >>> column = np.array([0, 0, 1, 2])
        >>> some = Alternatives([], [], column, [], [1, 2, 1, 1], [])
        >>> [some.count(n) for n in range(5)]
        [1, 4, 5, 2, 0]
        """
        n_ways = [1] + [0] * n_changes
        for size in np.unique(self.column, return_counts=True)[1].tolist():
            for n in range(n_changes, 0, -1):
                n_ways[n] += size * n_ways[n - 1]
        return n_ways[n_changes]

    @property
    def n_columns(self) -> int:
        """Number of columns that may change."""
        return len(np.unique(self.column))

    def codes_of(self, chosen: Numbers) -> list[Codes]:
        """Return the codes (n, D), by each codebook, of changed rows.

        Parameters
        ----------
        chosen : ndarray of int (n, r)
            Alternatives that each row takes, of different columns; -1: none.
        """
        row, place = np.nonzero(chosen >= 0)
        at = chosen[row, place]
        found = []
        parts = zip(self.books, self.row_codes, self.codes, strict=True)
        for book, own, codes in parts:
            rows = np.tile(own, (len(chosen), 1))
            rows[row, self.column[at]] = codes[at]
            found.append(book.fill_crosses(rows))
        return found

    def nearest_to(self, codes: Codes, place: int) -> Numbers:
        """Return the alternatives (n, D) that make the row most like others.

        Parameters
        ----------
        codes : ndarray of int (n, D)
            Of other rows.
        place : int
            Of the codebook that they are coded by.

        Returns
        -------
        ndarray of int (n, D)
            In each column the first alternative of the other row's code, -1 where that
            is the row's own or none has it.
        """
        found = np.full((len(codes), len(self.books[place].names_)), -1)
        for d in np.unique(self.column):
            start, end = np.searchsorted(self.column, [d, d + 1])
            first_of = np.full(self.books[place].n_values[d] + 1, -1)  # -1: unseen
            first_of[self.codes[place][start:end][::-1]] = np.arange(start, end)[::-1]
            first_of[self.row_codes[place][d]] = -1
            found[:, d] = first_of[codes[:, d]]
        return found


def number_in(feature: Bins, code: int) -> float:
    """Return a number in a range: the least, which fit saw, or one below all edges.

    Examples
    --------
    >>> bins = Bins("age", [20.0, 30.5], has_missing=False)
    >>> [number_in(bins, code) for code in range(3)]
    [9.5, 20, 30.5]
    """
    edges = feature.edges.tolist()
    if code > 0:
        return _shown(edges[code - 1])
    if not edges:
        return 0
    gap = next((b - a for a, b in pairwise(edges)), max(1.0, abs(edges[0]) / 10.0))
    low = edges[0] - gap
    return 0 if low < 0.0 < edges[0] else _shown(low)  # few numbers cross zero


def _shown(x: float) -> float:
    return int(x) if x.is_integer() and abs(x) < 2.0**53 else x


def _values(
    features: Sequence[Feature], allowed: Iterable[object] | None
) -> list[tuple[Any, Any]]:
    """Return the values that a column may take, and their texts."""
    if allowed is not None:
        return [
            (value, value) for value in map(as_cell, allowed) if _known(features, value)
        ]
    alike = isinstance(features[0], Bins) and all(
        isinstance(each, Bins) and np.array_equal(each.edges, features[0].edges)
        for each in features
    )
    found = []
    for feature in sorted(features, key=lambda each: isinstance(each, Bins)):
        for code, text in enumerate(feature.values):
            value = text
            if isinstance(feature, Bins) and text is not None:
                value = number_in(feature, code)
            found.append((value, text if alike else value))
    return found


def _known(features: Sequence[Feature], value: object) -> bool:
    """Return True; raise ValueError if some feature has no code for a value."""
    for feature in features:
        if feature.code(value) < 0:
            numbers = isinstance(feature, Bins | Coordinate)
            hint = "Give numbers." if numbers else did_you_mean(value, feature.values)
            raise ValueError(
                f"allowed has {value!r} for column {feature.name!r}, which had no such "
                f"value in fit. {hint}"
            )
    return True


def _place(names: list[Any], name: object, parameter: str) -> int:
    message = f"{parameter} names {name!r}, and there was no such column in fit."
    require_known(name, names, message)
    return names.index(name)
