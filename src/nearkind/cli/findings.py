"""What ``nearkind duplicates`` prints."""

from typing import Any

from nearkind.cli.console import MOST_REASONS, cell_text, cells_text, print_text
from nearkind.datasets.display import console, table_of

MOST_GROUPS = 20
MOST_LISTED = 6


def show_duplicates(facts: dict[str, Any]) -> None:
    """Print equal rows, and the nearest pairs of others."""
    out, equal, near = console(), facts["equal"], facts["near"]
    print_text(
        out,
        f"{facts['data']}: {facts['rows']:,} rows, {facts['different']:,} different",
        bold=True,
    )
    print_text(out, f"by {facts['distance']}")
    if equal:
        out.print()
        print_text(out, "Equal rows", bold=True)
        lines = [
            (
                str(len(group["rows"])),
                _listed(group["rows"]),
                cells_text(group["cells"]),
            )
            for group in equal[:MOST_GROUPS]
        ]
        out.print(table_of(out, ("times", "rows", "cells"), lines, right={"times"}))
        if len(equal) > MOST_GROUPS:
            print_text(out, f"and {len(equal) - MOST_GROUPS:,} more; --json lists all")
    if near:
        out.print()
        print_text(out, "Nearest pairs of different rows", bold=True)
        pairs = [
            ("{} and {}".format(*pair["rows"]), f"{pair['distance']:.4g}", _apart(pair))
            for pair in near
        ]
        out.print(table_of(out, ("rows", "distance", "what differs"), pairs))
    else:
        out.print()
        print_text(out, "No two different rows are so near.")


def _listed(rows: list[int]) -> str:
    more = ", ..." if len(rows) > MOST_LISTED else ""
    return ", ".join(map(str, rows[:MOST_LISTED])) + more


def _apart(pair: dict[str, Any]) -> str:
    """Return in which columns two rows differ, and how."""
    parts = [
        f"{p['feature']}: {cell_text(p['a'])}, {cell_text(p['b'])}"
        for p in pair["differs"]
    ]
    more = f" and {len(parts) - MOST_REASONS} more" if len(parts) > MOST_REASONS else ""
    return "; ".join(parts[:MOST_REASONS]) + more
