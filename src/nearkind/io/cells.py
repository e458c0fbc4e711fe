"""Which text is a number, and which is missing.

A text column whose every filled cell is written as a number holds numbers: digits
without a leading zero, perhaps a minus, a decimal point, an exponent. So "007", "+49"
and "1,5" are text and keep their column text, as do whole numbers of more than 15
digits, which are names of things. A cell is missing if it is empty or one of MISSING.
"""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from nearkind.io.asked import Columns

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
    how = written(known)
    becomes = {cell: cell_as(how, cell) for cell in known}
    return [becomes[cell] for cell in cells]


class Written(NamedTuple):
    """How the filled cells of a column are written, as far as they have been seen."""

    text: bool = True  # all as text
    numbers: bool = True  # of these, all as numbers
    whole: bool = True  # of these, all as whole ones

    def with_(self, other: "Written") -> "Written":
        """Return how the cells of both are written.

        Examples
        --------
        >>> written({"1", "2"}).with_(written({"1.5"}))
        Written(text=True, numbers=True, whole=False)
        """
        return Written(*(a and b for a, b in zip(self, other, strict=True)))

    @property
    def reads(self) -> Callable[[Any], Any]:
        """What makes values of the cells: whole numbers, numbers, or what they are."""
        if not (self.text and self.numbers):
            return _as_it_is
        return int if self.whole else float


def written(cells: Collection[Any]) -> Written:
    """Say how distinct cells are written, missing ones aside.

    Examples
    --------
    >>> written({"1", "007", "NA"})
    Written(text=True, numbers=False, whole=False)
    """
    filled = [cell for cell in cells if not is_missing(cell)]
    if not all(isinstance(cell, str) for cell in filled):
        return Written(False, False, False)
    whole = all(map(_WHOLE.fullmatch, filled))
    return Written(True, whole or all(map(_NUMBER.fullmatch, filled)), whole)


def cell_as(how: Written, cell: Any) -> Any:
    """Return the value of one cell of a column that is written like this."""
    return None if is_missing(cell) else how.reads(cell)


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


def _as_it_is(cell: Any) -> Any:
    return cell
