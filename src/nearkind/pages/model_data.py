"""The members of a model as page data: columns, training rows, distance."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding import NumberLine
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import unique_rows
from nearkind.export.portable import PortableVotes, places, portable_votes
from nearkind.export.portable_features import (
    CrossFeature,
    IntervalFeature,
    PortableFeature,
    ValueFeature,
    as_text,
    portable_features,
)
from nearkind.neighbors import RowGroups, TrainingRows
from nearkind.pages.data import ReportData
from nearkind.pages.distance_tables import distance_tables
from nearkind.pages.table_data import json_value
from nearkind.plot.layout import stratified_sample
from nearkind.protocols import Codes
from nearkind.voting import LeafRule, Voter

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
    features: dict[str, Any] = {}
    memories: dict[bytes, Any] = {}
    found = []
    view, voting = data.view, votes_of(data)
    for distance, report, votes, part in zip(
        view.distances, view.reports, voting, view.weights, strict=True
    ):
        book, rows = distance.codebook, votes.rows
        columns = feature_facts(book)
        shown = stratified_sample(rows.shares.argmax(axis=1), MOST_ROWS)
        parts = rows.codes, rows.weights, rows.shares
        key = b"|".join(part.tobytes() for part in parts)
        method = report.method
        found.append(
            {
                "features": _place(features, repr(columns), columns),
                "memory": _place(memories, key, row_facts(rows, shown, book)),
                "distance": distance_tables(distance, rows.codes[shown], method),
                "k": votes.n_neighbors,
                "weights": votes.weights,
                "temperature": votes.temperature,
                "part": part,
            }
        )
    return {
        "members": found,
        "features": [*features.values()],
        "memories": [*memories.values()],
    }


def votes_of(data: ReportData) -> list[PortableVotes]:
    """Return how each voter votes; of a distance alone, the rows of the table do."""
    found = [page_votes(voter) for voter in data.view.voters]
    k = min(N_NEIGHBORS, len(data.codes))
    return found or [
        PortableVotes(rows_without_classes(data.codes), "uniform", k, None)
    ]


def page_votes(voter: Voter) -> PortableVotes:
    """Return the rows that vote and how, by the leaves of a forest too."""
    if isinstance(voter.rule, LeafRule):
        k = voter.rows.k_nearest.at_most(float(voter.rule.n_neighbors))
        return PortableVotes(voter.rows, "leaves", k, None)
    return portable_votes(voter)


def _place(items: dict[Any, Any], key: object, item: object) -> int:
    """Return the place of the item of a key, which is added if there is none."""
    items.setdefault(key, item)
    return list(items).index(key)


def feature_facts(book: Codebook) -> list[dict[str, Any]]:
    """Return what a codebook knows of each column."""
    return [
        {
            **_kind(book, d)(feature, book.values(d)),
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


KINDS: dict[type[PortableFeature], Callable[[Any, list[Any]], dict[str, Any]]] = {
    ValueFeature: _listed,
    IntervalFeature: _ranged,
    CrossFeature: _paired,
}


def _numbered(feature: PortableFeature, values: list[Any]) -> dict[str, Any]:
    """Return the numbers of a column in which each of them is a value."""
    return {"kind": "numbers", "values": [json_value(value) for value in values]}


def _kind(book: Codebook, d: int) -> Callable[[Any, list[Any]], dict[str, Any]]:
    is_line = d < len(book.features_) and isinstance(book.features_[d], NumberLine)
    return _numbered if is_line else KINDS[type(portable_features(book)[d])]


def row_facts(
    rows: TrainingRows, shown: NDArray[np.intp], book: Codebook
) -> dict[str, Any]:
    """Return some unique rows column by column; shares of zero are left out."""
    shares = rows.shares[shown]
    row, label = np.nonzero(shares)
    numbers = [rows.row_numbers(unique)[:MOST_NUMBERS] for unique in shown.tolist()]
    return {
        "codes": list(places(rows.codes[shown], book.n_values).T),
        "counts": rows.weights[shown],
        "share_starts": _starts(np.bincount(row, minlength=len(shown))),
        "share_class": label,
        "shares": shares[row, label],
        "row_starts": _starts([len(some) for some in numbers]),
        "rows": np.concatenate(numbers),
        "row_counts": rows.groups.sizes[shown],
        "n_distinct": len(rows),
        "n_rows": rows.n_rows,
    }


def rows_without_classes(codes: Codes) -> TrainingRows:
    """Return the rows of a table, all counts and shares of the one class being zero.

    Examples
    --------
    >>> rows = rows_without_classes(np.array([[0], [1], [0]], dtype=np.int32))
    >>> rows.weights.tolist(), [rows.row_numbers(unique).tolist() for unique in (0, 1)]
    ([2.0, 1.0], [[0, 2], [1]])
    """
    unique = unique_rows(codes)
    groups = RowGroups.of(unique.of_row, np.arange(len(codes)))
    none = np.zeros((len(unique), 1))
    return TrainingRows(unique.codes, unique.weights, none, none, groups)


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
    rows, n_values = votes_of(data)[0].rows, data.view.codebook.n_values
    n_rows, classes = [], []
    for at, size in zip(places(rows.codes, n_values).T, n_values, strict=True):
        by_class = np.zeros((size + 1, rows.counts.shape[1]))
        np.add.at(by_class, at, rows.counts)
        n_rows.append(np.bincount(at, rows.weights, size + 1).astype(float))
        classes.append(np.where(by_class.any(axis=1), by_class.argmax(axis=1) + 1, 0))
    return {"value_rows": n_rows, "value_class": classes}


def _starts(sizes: Any) -> NDArray[np.intp]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
