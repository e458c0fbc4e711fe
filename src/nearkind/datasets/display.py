"""Facts about the sets on a terminal, or as plain text in a pipe."""

from collections.abc import Collection, Iterable
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

_COUNTS = {"rows", "features", "classes", "values", "missing"}
_WIDE = 200  # a pipe has no width: long lines are not broken


def console() -> Console:
    """Return the console of standard output."""
    plain = Console(highlight=False)
    return plain if plain.is_terminal else Console(highlight=False, width=_WIDE)


def show_overview(rows: list[dict[str, Any]]) -> None:
    """Print one line a set."""
    out = console()
    lines = [_line(row) for row in rows]
    head = ("name", "rows", "features", "classes", "from", "what it is")
    out.print(table_of(out, head, lines))


def show_description(facts: dict[str, Any]) -> None:
    """Print what one set holds."""
    out = console()
    n_classes = len(facts["classes"])
    out.print(
        f"{facts['name']}: {facts['rows']:,} rows, {len(facts['columns'])} features, "
        f"{n_classes} classes",
        style="bold",
        markup=False,
    )
    for key in ("source", "licence", "citation"):
        out.print(f"{key:<8}  {facts[key]}", markup=False, soft_wrap=True)
    columns = [
        (column["name"], _count(column["values"]), _count(column["missing"]))
        for column in facts["columns"]
    ]
    classes = [(str(label), _count(rows)) for label, rows in facts["classes"].items()]
    out.print()
    out.print(table_of(out, ("feature", "values", "missing"), columns))
    out.print()
    out.print(table_of(out, (facts["target"], "rows"), classes))


def table_of(
    out: Console,
    head: Iterable[str],
    lines: Iterable[tuple[str, ...]],
    right: Collection[str] = _COUNTS,
) -> Table:
    """Return a table, framed on a terminal only; some columns to the right."""
    table = Table(box=box.HEAVY_HEAD if out.is_terminal else None, pad_edge=False)
    for title in head:
        justify: Any = "right" if title in right else "left"
        table.add_column(Text(title), justify=justify)
    for line in lines:
        table.add_row(*map(Text, line))
    return table


def _count(value: int | None) -> str:
    """Return a count as text, "-" if it is not known."""
    return "-" if value is None else f"{value:,}"


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    """Return one line of the overview."""
    counts = [_count(row[key]) for key in ("rows", "features", "classes")]
    beyond = f", OpenML {row['openml']}" if row["where"] == "not here" else ""
    return (row["name"], *counts, row["where"] + beyond, row["about"] or "")
