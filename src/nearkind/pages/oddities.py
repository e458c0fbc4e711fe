"""What is odd in a table, in sentences: its columns, values and equal rows."""

from collections.abc import Iterator

import numpy as np

from nearkind.pages.data import ReportData
from nearkind.pages.text import Line
from nearkind.plot.text import count_text
from nearkind.tables import read_table
from nearkind.tasks.contradictions import contradictions
from nearkind.tasks.labelled_rows import LabelledRows
from nearkind.tasks.odd_columns import KINDS, OddColumn, odd_columns
from nearkind.tasks.synonyms import REASONS, synonyms

MOST_LINES = 20
"""Columns, and pairs of values, that are told."""
MOST_GROUPS, MOST_ROWS = 3, 6
"""Groups of equal rows that are told, and rows of each."""
OTHER = "a class unknown to the model"


def oddity_lines(data: ReportData) -> list[Line]:
    """Return a title and a sentence for each thing that is odd in the table.

    Labels are not judged here: that takes models which have not seen them, as
    ``nearkind.audit`` learns.

    Parameters
    ----------
    data : ReportData
    """
    table = read_table(data.X).factorize()
    classes = np.array([*data.classes, OTHER], dtype=object)
    rows = LabelledRows(table, classes, data.true_class, np.arange(table.n_rows))
    odd = odd_columns(rows)
    useful = rows.without({each.column for each in odd if each.what == "identifier"})
    return [
        *_column_lines(odd),
        *_equal_row_lines(useful),
        *_synonym_lines(useful, data),
    ]


def _column_lines(found: list[OddColumn]) -> Iterator[Line]:
    for each in found[:MOST_LINES]:
        what = f"It {KINDS[each.what]}."
        if each.accuracy is not None:
            what += (
                f" Alone it tells {each.accuracy:.1%} of the labels, each row left out "
                "in turn. Is it known before the label is?"
            )
        yield f"Column {each.column!r}", what
    if len(found) > MOST_LINES:
        yield "Further columns", f"{len(found) - MOST_LINES:,} more are odd."


def _equal_row_lines(rows: LabelledRows) -> Iterator[Line]:
    if not (rows.y >= 0).any():
        return
    found, ceiling = contradictions(rows)
    if not found:
        return
    listed = "; ".join(
        ", ".join(map(str, each.rows[:MOST_ROWS]))
        + (" and more" if len(each.rows) > MOST_ROWS else "")
        for each in found[:MOST_GROUPS]
    )
    groups = count_text(len(found), "group")
    yield (
        "Equal rows of different classes",
        f"{groups}, so that no model can get more than {ceiling:.1%} right here. "
        f"The first: rows {listed}.",
    )


def _synonym_lines(rows: LabelledRows, data: ReportData) -> Iterator[Line]:
    found = synonyms(rows, data.view.distance)
    for each in found[:MOST_LINES]:
        value, like = (
            f"{cell!r} ({count_text(n, 'row')})"
            for cell, n in ((each.value, each.n_rows), (each.like, each.n_like))
        )
        why = f"{value} and {like} may be one: {REASONS[each.reason]}."
        yield f"Values of {each.column!r}", why
    if len(found) > MOST_LINES:
        yield "Further values", f"{len(found) - MOST_LINES:,} more pairs may be one."
