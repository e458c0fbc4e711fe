"""Pieces of what a terminal shows: text as it is, bars, cells."""

from typing import Any

from rich.console import Console
from rich.text import Text

WIDTH = 24
"""Letters of the longest bar."""


def say(out: Console, text: str, bold: bool = False) -> None:
    """Print text as it is, whatever brackets it holds."""
    out.print(Text(text, style="bold" if bold else ""), soft_wrap=True)


def bar(value: float, most: float) -> str:
    """Return a bar, of WIDTH letters for the most; of minus signs below zero.

    Examples
    --------
    >>> len(bar(1.0, 2.0))
    12
    """
    share = abs(value) / most if most > 0.0 else 0.0
    share = min(share, 1.0) if share == share else 1.0
    return ("█" if value > 0.0 else "-") * round(WIDTH * share)


def cell(value: Any) -> str:
    """Return a cell as text; a missing one is nothing."""
    return "nothing" if value is None else str(value)


def number(value: float | None, form: str) -> str:
    """Return a number as text, "-" if there is none."""
    return "-" if value is None else format(value, form)
