"""The table that every benchmark prints, and a word while it works."""

import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

PIPE_WIDTH = 130
"""Columns where there is no terminal to ask."""


def show(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    notes: Iterable[str] = (),
) -> None:
    """Print one table, numbers to the right, and a line for each note."""
    console = Console()
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    table = Table(title=title, title_justify="left")
    for place, name in enumerate(columns):
        table.add_column(name, justify="right" if place else "left")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    for note in notes:
        console.print(note, highlight=False)


def say(text: str) -> None:
    """Tell on standard error what is being measured: some of it takes minutes."""
    print(text, file=sys.stderr, flush=True)
