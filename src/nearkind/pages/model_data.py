"""The members of a model as page data: columns, training rows, distance."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import unique_rows
from nearkind.estimators.classifier import CPMLClassifier
from nearkind.export.portable import (
    CrossFeature,
    Feature,
    IntervalFeature,
    ValueFeature,
    as_text,
    portable_features,
    portable_voters,
)
from nearkind.pages.data import ReportData
from nearkind.pages.distance_tables import distance_tables
from nearkind.pages.table_data import json_value
from nearkind.plot.layout import stratified_sample
from nearkind.protocols import Array, Codes

MOST_ROWS = 20_000
"""Unique training rows that a page holds."""
MOST_NUMBERS = 25
"""Of equal rows, the first so many are named."""
N_NEIGHBORS = 5
"""Of a distance alone."""


def member_facts(data: ReportData) -> dict[str, Any]:
    """Return the members, the one that explains first.

    Columns and training rows that they share are held once.
    """
    features, memories, found = UniqueList(), UniqueList(), []
    voting = [rows_of_member(member) for member in data.members]
    voting = voting or [rows_of_table(data.codes)]
    for distance, rows in zip(data.distances, voting, strict=True):
        columns = feature_facts(distance.codebook_)
        found.append(
            {
                "features": features.index(repr(columns), columns),
                "memory": memories.index(rows.key, rows.facts(distance.codebook_)),
                "distance": distance_tables(distance, rows.codes),
                "k": rows.n_neighbors,
                "weights": rows.weights,
                "temperature": rows.temperature,
            }
        )
    return {"members": found, "features": features.items, "memories": memories.items}


class UniqueList:
    """A list that holds items of the same key once."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._index_of: dict[Any, int] = {}

    def index(self, key: Any, item: Any) -> int:
        """Return the index of the item of a key, which is added if there is none."""
        if key not in self._index_of:
            self._index_of[key] = len(self.items)
            self.items.append(item)
        return self._index_of[key]


def feature_facts(book: Codebook) -> list[dict[str, Any]]:
    """Return what a codebook knows of each column."""
    return [
        {
            **KINDS[type(feature)](feature, book.values(d)),
            "name": feature.name,
            "missing": feature.missing,
            "n_places": feature.n_codes,
            "takes_missing": book.missing != "error",
            "takes_unseen": book.unseen != "error",
        }
        for d, feature in enumerate(portable_features(book))
    ]


def _listed(feature: ValueFeature, values: list[Any]) -> dict[str, Any]:
    return {"kind": "listed", "values": [json_value(value) for value in feature.values]}


def _ranged(feature: IntervalFeature, values: list[Any]) -> dict[str, Any]:
    """Return the edges of ranges of numbers, and the name of each range."""
    names = [as_text(value) for value in values if value is not None]
    return {"kind": "ranged", "edges": feature.edges, "values": names}


def _paired(feature: CrossFeature, values: list[Any]) -> dict[str, Any]:
    """Return the two columns, the codes of each pair of values, and their names."""
    pairs = [f"{a} {b}" for a, b in feature.pairs]
    names = [str(value) for value in values]
    return {"kind": "pair", "parts": feature.parts, "pairs": pairs, "values": names}


KINDS: dict[type[Feature], Callable[[Any, list[Any]], dict[str, Any]]] = {
    ValueFeature: _listed,
    IntervalFeature: _ranged,
    CrossFeature: _paired,
}


@dataclass(frozen=True)
class VotingRows:
    """The unique rows that vote on a page, at most ``MOST_ROWS``.

    Attributes
    ----------
    codes : ndarray of int of shape (m, D)
    counts : ndarray of shape (m,)
        How many rows each stands for.
    shares : ndarray of shape (m, C)
        Share of each class among those.
    rows : list of ndarray of int
        Numbers of the first rows that each stands for.
    row_counts : ndarray of int of shape (m,)
        How many rows each stands for, whatever their weights.
    n_neighbors : float
        How many vote.
    weights : str
        How they vote.
    temperature : float or None
        Of soft votes.
    n_distinct, n_rows : int
        Number of unique rows, and of rows, before the sample.
    """

    codes: Codes
    counts: Array
    shares: Array
    rows: list[NDArray[np.intp]]
    row_counts: NDArray[np.intp]
    n_neighbors: float
    weights: str
    temperature: float | None
    n_distinct: int
    n_rows: int

    @property
    def key(self) -> bytes:
        """Bytes that are equal only for the same rows."""
        parts = self.codes, self.counts, self.shares
        return b"|".join(np.ascontiguousarray(part).tobytes() for part in parts)

    def facts(self, book: Codebook) -> dict[str, Any]:
        """Return the rows column by column; shares of zero are left out."""
        row, label = np.nonzero(self.shares)
        n_labels = np.bincount(row, minlength=len(self.rows))
        return {
            "codes": places(self.codes, book),
            "counts": self.counts,
            "share_starts": _starts(n_labels),
            "share_class": label,
            "shares": self.shares[row, label],
            "row_starts": _starts([len(rows) for rows in self.rows]),
            "rows": np.concatenate(self.rows),
            "row_counts": self.row_counts,
            "n_distinct": self.n_distinct,
            "n_rows": self.n_rows,
        }


def rows_of_member(member: CPMLClassifier) -> VotingRows:
    """Return the training rows of a fitted classifier."""
    vote, rows = portable_voters(member), member.training_rows_
    kept = stratified_sample(vote.shares.argmax(axis=1), MOST_ROWS)
    starts, ends = rows.groups.starts[kept], rows.groups.starts[kept + 1]
    return VotingRows(
        codes=rows.codes[kept],
        counts=vote.counts[kept],
        shares=vote.shares[kept],
        rows=_first_rows(rows.groups.rows, starts, ends),
        row_counts=ends - starts,
        n_neighbors=vote.n_neighbors,
        weights=vote.weights,
        temperature=vote.temperature,
        n_distinct=len(vote.counts),
        n_rows=rows.n_rows,
    )


def rows_of_table(codes: Codes) -> VotingRows:
    """Return the rows of a table, without classes.

    Examples
    --------
    >>> rows = rows_of_table(np.array([[0], [1], [0]], dtype=np.int32))
    >>> rows.counts.tolist(), [numbers.tolist() for numbers in rows.rows]
    ([2.0, 1.0], [[0, 2], [1]])
    """
    one_class = np.zeros(len(codes), dtype=np.intp)
    unique = unique_rows(codes, one_class, np.ones(len(codes)))
    order = np.argsort(unique.of_row, kind="stable")
    sizes = unique.weights.astype(np.intp)
    ends = np.cumsum(sizes)
    kept = stratified_sample(np.zeros(len(unique), dtype=np.intp), MOST_ROWS)
    return VotingRows(
        codes=unique.codes[kept],
        counts=unique.weights[kept],
        shares=np.zeros((len(kept), 0)),
        rows=_first_rows(order, (ends - sizes)[kept], ends[kept]),
        row_counts=sizes[kept],
        n_neighbors=min(N_NEIGHBORS, len(codes)),
        weights="uniform",
        temperature=None,
        n_distinct=len(unique),
        n_rows=len(codes),
    )


def places(codes: Codes, book: Codebook) -> list[NDArray[np.intp]]:
    """Return codes column by column, those of unseen values as the last place."""
    columns = zip(codes.T, book.n_values, strict=True)
    return [np.where(code < 0, size, code).astype(np.intp) for code, size in columns]


def value_counts(data: ReportData) -> dict[str, Any]:
    """Return the training rows with each value, and the class that most are of.

    All rows are counted, those too that the page does not hold; for a distance alone
    they are those of the table.

    Returns
    -------
    dict
        ``value_rows`` and ``value_class`` are lists of arrays, one per feature, with a
        number per place; a class is its number plus one, 0 for none.
    """
    codes, counts = data.codes, np.zeros((len(data.codes), 1))
    weights: Array = np.ones(len(codes))
    if data.view.classifies:
        rows = data.view.training_rows
        codes, counts, weights = rows.codes, rows.counts, rows.weights
    book = data.view.codebook
    n_rows, classes = [], []
    for at, size in zip(places(codes, book), book.n_values, strict=True):
        by_class = np.zeros((size + 1, counts.shape[1]))
        np.add.at(by_class, at, counts)
        n_rows.append(np.bincount(at, weights, size + 1).astype(float))
        classes.append(np.where(by_class.any(axis=1), by_class.argmax(axis=1) + 1, 0))
    return {"value_rows": n_rows, "value_class": classes}


def _first_rows(
    rows: NDArray[np.intp], starts: NDArray[np.intp], ends: NDArray[np.intp]
) -> list[NDArray[np.intp]]:
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    return [rows[start : min(end, start + MOST_NUMBERS)] for start, end in spans]


def _starts(sizes: Any) -> NDArray[np.intp]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
