"""What is odd in a table, in sentences: its columns, values and equal rows."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nearkind.pages.data import ReportData
from nearkind.pages.text import Line
from nearkind.tables import read_table
from nearkind.tasks.audited_rows import AuditedRows
from nearkind.tasks.duplicates import contradictions
from nearkind.tasks.odd_columns import odd_columns
from nearkind.tasks.synonyms import synonyms

MOST_LINES = 20
"""Columns, and pairs of values, that are told."""
MOST_GROUPS = 3
"""Groups of equal rows that are told."""
OTHER = "a class unknown to the model"


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
        *_lines(odd, MOST_LINES, "more columns are odd."),
        *_equal_row_lines(useful),
        *_lines(alike, MOST_LINES, "more pairs of values may be one."),
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
        told = f"No model can get more than {ceiling:.1%} right here."
        yield "Equal rows of different classes", told
        yield from _lines(found, MOST_GROUPS, "more groups of rows are equal.")
