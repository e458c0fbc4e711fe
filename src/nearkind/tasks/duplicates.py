"""Equal rows of a table, and the nearest pairs of different rows."""

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.baselines import Hamming
from nearkind.distances.form import FittedDistance, query_chunks
from nearkind.encoding.rows import row_keys, unique_rows
from nearkind.errors import NearlyUniqueWarning
from nearkind.io import Columns
from nearkind.model_view import ModelView
from nearkind.neighbors import RowGroups
from nearkind.protocols import Array, Codes
from nearkind.tables import FactorizedTable, read_table
from nearkind.tasks.audited_rows import AuditedRows

CHUNK = 1 << 21
"""Distances that are held at a time."""
MOST_COMPARED = 6_000
"""Different rows of a table under audit that are compared with each other."""
MOST_LISTED = 5
"""Rows, labels or columns that a sentence lists."""


@dataclass(frozen=True)
class Contradiction:
    """Rows that are equal in every column and have different labels.

    Attributes
    ----------
    rows : list of int
        Row numbers, ascending.
    labels : list
        The label of each.
    n_wrong : int
        Minimum number of errors of any prediction for these rows.
    """

    rows: list[int]
    labels: list[object]
    n_wrong: int

    def in_words(self) -> tuple[str, str]:
        """Return what this is about, and what is odd about it."""
        counts = [f"{y!r} ({n:,})" for y, n in Counter(self.labels).most_common()]
        return f"rows {listed(self.rows)}", f"are equal and have {listed(counts)}"


@dataclass(frozen=True)
class NearRows:
    """Two rows that differ in few columns.

    Attributes
    ----------
    rows : list of int
        Their numbers.
    labels : list
        Their labels, None where unknown.
    distance : float
        Share of the columns in which they differ.
    differs : list
        Names of these columns.
    """

    rows: list[int]
    labels: list[object]
    distance: float
    differs: list[object]

    def in_words(self) -> tuple[str, str]:
        """Return what this is about, and what is odd about it."""
        names = listed([repr(name) for name in self.differs])
        a, b = self.labels
        return "rows {} and {}".format(*self.rows), f"({a!r}, {b!r}) differ in {names}"


class Pairs(NamedTuple):
    """Pairs of rows, the nearest first, then by row numbers.

    Attributes
    ----------
    first, second : ndarray of int (n,)
        Rows of each pair, ``first < second``.
    distances : ndarray (n,)
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    distances: Array

    def nearest(self, n_pairs: int) -> "Pairs":
        """Return the nearest of them."""
        order = np.lexsort((self.second, self.first, self.distances))[:n_pairs]
        return Pairs(self.first[order], self.second[order], self.distances[order])


def similarity_facts(
    X: Columns,
    model: object = None,
    n_pairs: int = 10,
    within: float = np.inf,
    advance: Callable[[int], None] = lambda n_rows: None,
) -> dict[str, Any]:
    """Return the equal rows of a table and the nearest pairs of different ones.

    Parameters
    ----------
    X : dict of list
        Columns.
    model : CPMLClassifier, CPMLClassifierCV or a distance, default=None
        Fitted; None: Hamming's distance, the share of columns that differ.
    n_pairs : int, default=10
        Pairs to return at most.
    within : float, default=inf
        Largest distance of a pair.
    advance : callable, default=nothing
        Is told how many more rows have been compared.
    """
    table = read_table(X).factorize()
    for column in table.columns:
        column.declared = True  # texts are equal or not, however many there are
    unique = unique_rows(table.codes)
    of_row = RowGroups.of(unique.of_row, np.arange(table.n_rows))
    groups = sorted(
        np.split(of_row.rows, of_row.starts[1:-1]), key=lambda rows: rows[0]
    )
    view = ModelView(_hamming(table) if model is None else model)
    first_rows = np.array([group[0] for group in groups])
    codes = view.distance.encode(table.take(first_rows))
    pairs = nearest_pairs(view.distance, codes, n_pairs, within, advance)
    return {
        "rows": table.n_rows,
        "different": len(groups),
        "distance": view.report.title,
        "equal": [
            {
                "rows": group.tolist(),
                "cells": {str(name): cells[group[0]] for name, cells in X.items()},
            }
            for group in sorted(groups, key=len, reverse=True)
            if len(group) > 1
        ],
        "near": [
            {
                "rows": [a, b],
                "distance": distance,
                "differs": [
                    {"feature": str(name), "a": cells[a], "b": cells[b]}
                    for name, cells in X.items()
                    if cells[a] != cells[b]
                ],
            }
            for a, b, distance in zip(
                first_rows[pairs.first].tolist(),
                first_rows[pairs.second].tolist(),
                pairs.distances.tolist(),
                strict=True,
            )
        ],
    }


def _hamming(table: FactorizedTable) -> Hamming:
    """Return Hamming's distance, every number a value, fitted."""
    with warnings.catch_warnings():  # nothing is said of new rows
        warnings.simplefilter("ignore", NearlyUniqueWarning)
        return Hamming(numeric="category").fit(table)


def contradictions(rows: AuditedRows) -> tuple[list[Contradiction], float]:
    """Return the contradictions among labelled rows, and the largest accuracy.

    Parameters
    ----------
    rows : AuditedRows
        At least one of them has a label.

    Returns
    -------
    found : list of Contradiction
        Those of most wrong rows first, then by their first row.
    ceiling : float
        Share of the labelled rows that a function of their columns can get right at
        most.

    Examples
    --------
    >>> rows = AuditedRows.of([["a"], ["b"], ["a"], ["a"]], ["no", "no", "yes", "no"])
    >>> contradictions(rows)
    ([Contradiction(rows=[0, 2, 3], labels=['no', 'yes', 'no'], n_wrong=1)], 0.75)
    """
    rows = rows.labelled
    y, numbers, classes = rows.y, rows.numbers, rows.classes
    _, group = np.unique(row_keys(rows.table.codes), return_inverse=True)
    pairs, counts = np.unique(group * len(classes) + y, return_counts=True)
    of_pair = pairs // len(classes)
    sizes = np.bincount(group)
    most = np.zeros(len(sizes), dtype=np.intp)  # rows of the most frequent label
    np.maximum.at(most, of_pair, counts)
    found = []
    order = np.lexsort((numbers, group))
    starts = np.cumsum(sizes) - sizes
    for g in np.flatnonzero(most < sizes):
        mine = order[starts[g] : starts[g] + sizes[g]]
        labels = classes[y[mine]].tolist()
        n_wrong = int(sizes[g] - most[g])
        found.append(Contradiction(numbers[mine].tolist(), labels, n_wrong))
    found.sort(key=lambda each: (-each.n_wrong, each.rows[0]))
    return found, float(most.sum() / len(y))


def near_rows(
    rows: AuditedRows, n_pairs: int, rng: np.random.Generator
) -> tuple[list[NearRows], int]:
    """Return the pairs of different rows that differ in fewest columns.

    Of more than 6,000 different rows so many are drawn, and compared with each other.

    Parameters
    ----------
    rows : AuditedRows
    n_pairs : int
        Pairs to return at most.
    rng : numpy.random.Generator

    Returns
    -------
    found : list of NearRows
        Then by the numbers of the rows. Of equal rows the first is taken.
    n_different : int
        Number of different rows.

    Examples
    --------
    >>> rows = AuditedRows.of([["a", "x"], ["b", "y"], ["a", "y"]], ["no", None, "no"])
    >>> found, n_different = near_rows(rows, 1, np.random.default_rng(0))
    >>> found, n_different
    ([NearRows(rows=[0, 2], labels=['no', 'no'], distance=0.5, differs=['x1'])], 3)
    """
    keys = row_keys(rows.table.codes)
    _, first = np.unique(keys, return_index=True)  # sorted as the rows are
    n_different = len(first)
    if n_different > MOST_COMPARED:
        first = rng.choice(first, MOST_COMPARED, replace=False)
    some = rows.take(np.sort(first))
    table, labels = some.table, [*rows.classes.tolist(), None]
    distance = _hamming(table).distance_
    pairs = nearest_pairs(distance, distance.encode(table), n_pairs)
    found = [
        NearRows(
            some.numbers[[a, b]].tolist(),
            [labels[some.y[a]], labels[some.y[b]]],
            float(d),
            [table.names[j] for j in np.flatnonzero(table.codes[a] != table.codes[b])],
        )
        for a, b, d in zip(*pairs, strict=True)
    ]
    return found, n_different


def nearest_pairs(
    distance: FittedDistance,
    codes: Codes,
    n_pairs: int,
    within: float = np.inf,
    advance: Callable[[int], None] = lambda n_rows: None,
) -> Pairs:
    """Return the nearest pairs of rows, comparing each with all that follow.

    Parameters
    ----------
    distance : FittedDistance
    codes : ndarray of int32 (n, D)
        Rows.
    n_pairs, within, advance : as in ``similarity_facts``

    Examples
    --------
    >>> from nearkind.baselines import Hamming
    >>> form = Hamming().fit([["a", "x"], ["b", "y"], ["a", "y"]]).distance_
    >>> codes = np.array([[0, 0], [1, 1], [0, 1]], dtype=np.int32)
    >>> [part.tolist() for part in nearest_pairs(form, codes, 2)]
    [[0, 1], [2, 2], [0.5, 0.5]]
    """
    everything = distance.represent(codes)
    none = np.empty(0, dtype=np.intp)
    found = Pairs(none, none, np.empty(0))
    n_rows = len(codes)
    each = np.arange(n_rows)
    for at in query_chunks(n_rows, n_rows, CHUNK):
        d = distance.compare(distance.represent(codes[at]), everything)  # (b, n)
        later = each > each[at][:, None]
        near = later & (d <= within) & np.isfinite(d)
        near &= d <= _nth_smallest(d[near], n_pairs)
        a, b = np.nonzero(near)
        chunk = Pairs(a + at.start, b, d[a, b]).nearest(n_pairs)
        both = zip(found, chunk, strict=True)
        found = Pairs(*(np.concatenate(parts) for parts in both)).nearest(n_pairs)
        advance(len(d))
    return found


def listed(items: Sequence[object]) -> str:
    """Return the first items in one line.

    Examples
    --------
    >>> listed([3, 1, 4, 1, 5, 9])
    '3, 1, 4, 1, 5, ...'
    """
    more = ", ..." if len(items) > MOST_LISTED else ""
    return ", ".join(map(str, items[:MOST_LISTED])) + more


def _nth_smallest(values: Array, n: int) -> float:
    """Return the n-th smallest of some values, infinity if they are fewer."""
    return float(np.partition(values, n - 1)[n - 1]) if len(values) > n else np.inf
