"""Columns to learn from: without identifiers, and with one spelling per value."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any
from warnings import warn

import numpy as np

from nearkind.datasets.readers import read_labelled
from nearkind.io import Columns, LabelledSource, LabelledTable, ReadingWarning
from nearkind.io.schema import MAX_LISTED, folded
from nearkind.tables import Column, FactorizedTable, read_table
from nearkind.tasks.odd_columns import names_rows

MOST_SHOWN = 3
"""Pairs of spellings that a message shows."""


def read_usable(
    source: LabelledSource, fold_case: bool = False, columns: Columns | None = None
) -> LabelledTable:
    """Return a labelled table without identifiers and free text, which is said.

    Parameters
    ----------
    source : LabelledSource
        Its columns of text are kept.
    fold_case : bool, default=False
        Whether values that differ only in case are one; if not, they are pointed out.
    columns : dict of list, default=None
        Those that ``source`` has, if they have been read.
    """
    table = read_labelled(source) if columns is None else source.select(columns)
    where = source.where
    X = without_aside(table.X, source.text, where)
    folded = {name: one_spelling(cells) for name, cells in X.items()}
    labels = one_spelling(table.y)
    if fold_case:
        return replace(table, X=folded, y=labels)
    target = table.target
    _warn_of_spellings(X | {target: table.y}, folded | {target: labels}, where)
    return replace(table, X=X)


def without_aside(X: Columns, keep: Collection[str], where: str) -> Columns:
    """Return the columns to learn from, like ``set_aside``, which says the others."""
    aside = set_aside(X, keep, where)
    return {name: cells for name, cells in X.items() if name not in aside}


def set_aside(X: Columns, keep: Collection[str], where: str) -> list[str]:
    """Return the columns that are not learned from, with a warning that names them.

    Parameters
    ----------
    X : dict of list
    keep : collection of str
        Columns to learn from in any case.
    where : str
        Name of the table, for the warning.
    """
    names = identifiers(X, keep)
    if names:
        listed, many = ", ".join(map(repr, names[:MAX_LISTED])), len(names) > 1
        warn(
            f"{where}: {'columns' if many else 'column'} {listed} "
            f"{'have' if many else 'has'} a different value in nearly every row, like "
            f"identifiers or free text, and {'are' if many else 'is'} left out. Keep "
            f"{'one' if many else 'it'} with --categorical {names[0]!r}.",
            ReadingWarning,
            stacklevel=3,
        )
    return names


def identifiers(X: Columns, keep: Collection[str] = ()) -> list[str]:
    """Return the columns in which nearly every row has a value of its own.

    Of numbers these are only whole ones that number the rows: others may be measured.

    Examples
    --------
    >>> X = {"key": [f"k{i}" for i in range(30)], "size": [1, 2, 3] * 10}
    >>> identifiers(X | {"row": list(range(30))})
    ['key', 'row']
    """
    table = read_table(X).factorize()
    columns = zip(table.names, table.columns, table.codes.T, strict=True)
    found = [
        name
        for name, column, codes in columns
        if name not in keep and names_rows(column, codes) and _can_number(column)
    ]
    return found if len(found) < len(X) else []


def _can_number(column: Column) -> bool:
    """Return whether values are no numbers, or whole ones without many gaps."""
    x = column.numeric
    if x is None:
        return True
    x = x[~np.isnan(x)]
    return float(np.ptp(x)) < 1.1 * len(x)


def one_spelling(cells: Iterable[Any]) -> list[Any]:
    """Return cells with the most frequent spelling of texts that differ in case.

    Examples
    --------
    >>> one_spelling(["red", "Red", "red", "blue ", "blue ", "Blue", 1])
    ['red', 'red', 'red', 'blue ', 'blue ', 'blue ', 1]
    """
    cells = list(cells)
    groups: dict[str, list[Any]] = defaultdict(list)
    for cell, _ in Counter(cells).most_common():
        if isinstance(cell, str):
            groups[folded(cell)].append(cell)
    first = {cell: group[0] for group in groups.values() for cell in group}
    return [first.get(cell, cell) for cell in cells]


def declare(columns: Columns, names: Collection[str]) -> FactorizedTable:
    """Return a table, some columns of which are categories whatever they hold."""
    table = read_table(columns).factorize()
    for name, column in zip(table.names, table.columns, strict=True):
        column.declared |= name in names
    return table


def _warn_of_spellings(columns: Columns, folded: Columns, where: str) -> None:
    """Warn of values that differ only in case, if there are any."""
    pairs = [
        f"{a!r} and {b!r} in {name!r}"
        for name, cells in columns.items()
        for a, b in dict.fromkeys(zip(folded[name], cells, strict=True))
        if a is not b and a != b
    ]
    if pairs:
        more = f" and {len(pairs) - MOST_SHOWN} more" if len(pairs) > MOST_SHOWN else ""
        warn(
            f"{where}: some values differ only in case or blanks: "
            f"{'; '.join(pairs[:MOST_SHOWN])}{more}. Pass --fold-case to merge them.",
            ReadingWarning,
            stacklevel=3,
        )
