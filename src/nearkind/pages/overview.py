"""What a table shows by itself: its columns, odd rows and values, and groups."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.distances import FittedDistance
from nearkind.encoding.rows import unique_rows
from nearkind.errors import InfiniteNumberError
from nearkind.estimators.distance_names import named_distances
from nearkind.io import Columns
from nearkind.model_view import ModelView
from nearkind.pages.data import ReportData
from nearkind.pages.text import Line
from nearkind.plot.text import count_text
from nearkind.tables import Column, read_table, records
from nearkind.tasks.audited_rows import AuditedRows
from nearkind.tasks.duplicates import contradictions
from nearkind.tasks.medoids import KMedoids
from nearkind.tasks.odd_columns import odd_columns
from nearkind.tasks.outliers import NearestOutliers
from nearkind.tasks.synonyms import synonyms

MOST_LINES = 20
"""Columns, and pairs of values, that are told."""
MOST_GROUPS = 3
"""Groups of equal rows that are told."""
OTHER = "a class unknown to the model"
MOST_JUDGED = 4_000
"""Rows from which groups are found, and among which odd ones are looked for."""
MOST_ODD = 10
"""Odd rows that are told."""
MOST_REASONS = 3
"""Columns that are told of an odd row, and values of a column."""
FEWEST_DISTINCT = 8
"""Distinct rows below which no groups are looked for."""


def overview(
    X: Columns,
    where: str,
    y: list[Any] | None = None,
    metric: Any = None,
    groups: NDArray[np.intp] | None = None,
) -> ReportData:
    """Return what a page on a table alone is about.

    Parameters
    ----------
    X : dict of list
        The table.
    where : str
        Its name.
    y : list, default=None
        Labels that colour the map instead of groups.
    metric : distance, default=None
        Not fitted, and needs no labels; None: Gower's, with bins where a number is
        infinite.
    groups : ndarray of int (n,), default=None
        Group of each row; None: groups are looked for, unless there are labels.
    """
    try:
        model = (named_distances()["gower"]() if metric is None else metric).fit(X)
    except InfiniteNumberError:
        if metric is not None:
            raise
        model = named_distances()["gower"](numeric="bin").fit(X)
    distance, codes = model.distance_, model.distance_.encode(X)
    drawn = np.random.default_rng(0).permutation(len(codes))[:MOST_JUDGED]
    rows, drawn = read_table(X).factorize(), np.sort(drawn)
    is_varied = len(unique_rows(codes).codes) >= FEWEST_DISTINCT
    if y is None and groups is None and is_varied:
        medoids = KMedoids(distance, n_clusters="auto", n_init=1, random_state=0)
        groups = medoids.fit(rows.take(drawn)).predict(rows)
    return ReportData(
        model=model,
        X=X,
        relevance=ModelView(model).relevance(X),
        name="",
        where=where,
        y_true=y,
        groups=groups,
        odd_rows=odd_rows(distance, rows.take(drawn), drawn),
    )


def odd_rows(
    distance: FittedDistance, X: object, numbers: NDArray[np.intp]
) -> list[Line]:
    """Return the rows farthest from their neighbours, and what is unusual in each.

    Parameters
    ----------
    distance : FittedDistance
    X : table
    numbers : ndarray of int (n,)
        What the rows are called.
    """
    if len(numbers) < 3:
        return []
    model = NearestOutliers(distance, n_neighbors=min(20, len(numbers) - 1)).fit(X)
    scores = model.decision_function()
    found = []
    for i in np.argsort(scores, kind="stable")[:MOST_ODD]:
        if scores[i] >= 0.0:
            break
        told = [
            f"{each['feature']}: {_text(each['value'])} "
            f"(usually {_text(each['usual'])})"
            for each in records(model.explain(int(i)))
            if each["value"] != each["usual"]
        ]
        found.append((f"Row {numbers[i]}", "; ".join(told[:MOST_REASONS])))
    return found


def column_facts(X: Columns) -> list[list[str]]:
    """Return name, distinct values, missing cells and frequent values of each column.

    Examples
    --------
    >>> column_facts({"size": [1, 3, 3, None], "coat": ["fur", "fur", "down", "fur"]})
    [['size', '2', '1 (25.0%)', '3 50.0%, 1 25.0%'], \
['coat', '2', '0', 'fur 75.0%, down 25.0%']]
    """
    table = read_table(X)
    columns = zip(X, map(table.column, range(len(X))), strict=True)
    return [[str(name), *_about(column, table.n_rows)] for name, column in columns]


def _about(column: Column, n_rows: int) -> list[str]:
    missing, counts = column.missing, np.bincount(column.indices + 1)[1:]
    n_missing = int(missing.sum())
    share = f"{n_missing:,} ({n_missing / n_rows:.1%})" if n_missing else "0"
    n_values = f"{(counts > 0).sum():,}"
    if missing.all():
        return [n_values, share, "no values"]
    if column.numeric is not None and len(counts) > MOST_REASONS:
        x = column.numeric[~missing]
        with np.errstate(invalid="ignore"):  # halfway between two infinite numbers
            ends = x.min(), np.median(x), x.max()
        low, middle, high = (f"{q:.6g}" for q in ends)
        return [n_values, share, f"{low} to {high}, median {middle}"]
    first = np.argsort(-counts, kind="stable")[:MOST_REASONS]
    often = (f"{_text(column.values[c])} {counts[c] / n_rows:.1%}" for c in first)
    return [n_values, share, ", ".join(often)]


def equal_row_line(data: ReportData) -> list[Line]:
    """Return how many rows repeat another one, if some do."""
    n_repeated = len(data.codes) - len(unique_rows(data.codes).codes)
    if not n_repeated:
        return []
    return [("Duplicates", f"{count_text(n_repeated, 'row')} equal to an earlier row.")]


def _text(value: object) -> str:
    return "missing" if value is None or value != value else str(value)


def oddity_lines(data: ReportData) -> list[Line]:
    """Return a title and a sentence for each thing that is odd in the table.

    Labels are not judged here: that takes models which have not seen them, as
    ``nearkind.audit`` learns.

    Parameters
    ----------
    data : ReportData
    """
    table, view = read_table(data.X).factorize(), data.view
    classes = np.array([*data.classes, OTHER], dtype=object)
    rows = AuditedRows(table, classes, data.true_class, np.arange(table.n_rows))
    odd = odd_columns(rows)
    useful = rows.without({each.column for each in odd if each.what == "identifier"})
    distance = view.distance if view.report.is_learned else None
    alike = synonyms(useful, distance)
    return [
        *_lines(odd, MOST_LINES, "more columns."),
        *_equal_row_lines(useful),
        *_lines(alike, MOST_LINES, "more pairs of values."),
    ]


def _lines(found: Sequence[Any], most: int, rest: str) -> Iterator[Line]:
    """Yield the first findings, and how many there are beside them."""
    for each in found[:most]:
        about, told = (text[:1].upper() + text[1:] for text in each.in_words())
        yield about.rstrip(":"), f"{told}."
    if len(found) > most:
        yield "Beside these", f"{len(found) - most:,} {rest}"


def _equal_row_lines(rows: AuditedRows) -> Iterator[Line]:
    if not (rows.y >= 0).any():
        return
    found, ceiling = contradictions(rows)
    if found:
        told = f"No model can have an accuracy above {ceiling:.1%} on this table."
        yield "Equal rows of different classes", told
        yield from _lines(
            found, MOST_GROUPS, "more groups of equal rows have different classes."
        )
