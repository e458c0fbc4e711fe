"""Cells of a new table as a fitted model knows them.

A column of a new file may look like numbers where the training file had words among
them, or the other way round; what the model knows decides.
"""

from collections.abc import Collection, Mapping
from typing import Any

from nearkind.io.asked import Columns
from nearkind.io.cells import distinct, is_missing, number


def as_known(columns: Columns, levels: Mapping[str, Collection[Any]]) -> Columns:
    """Return the columns that a model knows, cells as it knows them.

    Parameters
    ----------
    columns : cells as they were read
    levels : the model's columns, with the values that each had in training; none where
        numbers were not kept one by one

    Returns
    -------
    columns of ``levels`` that are there, in its order

    Examples
    --------
    >>> as_known({"id": [7], "size": ["1", "2"]}, {"size": {"1", "x"}})
    {'size': ['1', '2']}
    >>> as_known({"size": ["1", "NA"]}, {"size": {1, 2}})
    {'size': [1, None]}
    """
    return {
        name: _column(name, columns[name], known)
        for name, known in levels.items()
        if name in columns
    }


def _column(name: str, cells: list[Any], known: Collection[Any]) -> list[Any]:
    has_words = any(isinstance(value, str) for value in known)
    came = distinct(name, cells)
    becomes = {cell: _cell(cell, known, has_words) for cell in came}
    return [becomes[cell] for cell in cells]


def _cell(cell: Any, known: Collection[Any], has_words: bool) -> Any:
    if cell in known:
        return cell
    if is_missing(cell):
        return None
    if not isinstance(cell, str):
        return str(cell) if str(cell) in known else cell
    value = number(cell)
    is_number = value is not None and (value in known or not has_words)
    return value if is_number else cell
