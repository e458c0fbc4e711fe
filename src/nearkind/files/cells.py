"""Which text is a number, and which is missing.

A text column whose every filled cell is written as a number holds numbers: digits
without a leading zero, perhaps a minus, a decimal point, an exponent. So "007", "+49"
and "1,5" are text and keep their column text, as do whole numbers of more than 15
digits, which are names of things. A cell is missing if it is empty or one of MISSING.
"""

import re
from collections.abc import Collection, Sequence
from typing import Any

from nearkind.files.asked import Columns

MISSING = frozenset({"NA", "N/A", "NaN", "nan", "NULL", "null", "?"})
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,14})", re.ASCII)
_NUMBER = re.compile(
    r"-?(0|[1-9]\d{0,14}|(?=\.\d))(\.\d*)?([eE][+-]?\d{1,2})?", re.ASCII
)


def typed(columns: Columns, text: Collection[str] = ()) -> Columns:
    """Return columns with numbers as numbers and None for what is missing.

    Parameters
    ----------
    columns : cells as they were read
    text : columns to leave as they are; there, only an empty cell is missing

    Examples
    --------
    >>> typed({"n": ["1", "?", "20"], "zip": ["007", "12", None]})
    {'n': [1, None, 20], 'zip': ['007', '12', None]}
    """
    return {
        name: cells if name in text else _typed(name, cells)
        for name, cells in columns.items()
    }


def _typed(name: str, cells: Sequence[Any]) -> list[Any]:
    known = distinct(name, cells)
    filled = {cell for cell in known if not is_missing(cell)}
    is_text = all(isinstance(cell, str) for cell in filled)
    reads = _reader(filled) if is_text else _as_it_is
    becomes = {cell: None if is_missing(cell) else reads(cell) for cell in known}
    return [becomes[cell] for cell in cells]


def distinct(name: str, cells: Sequence[Any]) -> set[Any]:
    """Return the distinct cells of a column, refusing a cell that holds many values."""
    try:
        return set(cells)
    except TypeError:
        row = next(i for i, cell in enumerate(cells) if isinstance(cell, list | dict))
        raise ValueError(
            f"Column {name!r}, row {row} holds {cells[row]!r:.60}; a cell must be one "
            "value, such as text or a number. Drop the column, or join it to text."
        ) from None


def is_missing(cell: Any) -> bool:
    """Say whether a cell as it was read is missing."""
    return cell is None or (isinstance(cell, str) and cell in MISSING)


def number(text: str) -> int | float | None:
    """Return the number that a text writes, None if it writes none.

    Examples
    --------
    >>> number("-3"), number("2.50"), number("007"), number("1e3")
    (-3, 2.5, None, 1000.0)
    """
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else None


def _reader(filled: Collection[str]) -> Any:
    """Return what makes cells of all these: whole numbers, numbers, or text."""
    if all(map(_WHOLE.fullmatch, filled)):
        return int
    return float if all(map(_NUMBER.fullmatch, filled)) else _as_it_is


def _as_it_is(cell: Any) -> Any:
    return cell
