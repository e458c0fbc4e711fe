"""What the commands print that look for oddities: duplicates and audit."""

from collections import Counter
from typing import Any

from nearkind.cli.console import (
    MOST_CLASSES,
    MOST_REASONS,
    cell_text,
    cells_text,
    print_text,
)
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


def show_audit(facts: dict[str, Any], top: int) -> None:
    """Print what is odd in a table, a table for each kind that there is."""
    out = console()
    print_text(
        out,
        f"{facts['data']}: {facts['n_rows']:,} rows, {facts['n_columns']} columns, "
        f"{facts['n_classes']} classes of {facts['target']!r}",
        bold=True,
    )
    for title, part, head, line in AUDIT_PARTS:
        found = facts[part]
        if found:
            out.print()
            print_text(out, f"{title}: {len(found):,}", bold=True)
            lines = [line(each) for each in found[:top]]
            out.print(table_of(out, head, lines, right={"row", "sure", "rows"}))
            if len(found) > top:
                print_text(out, f"and {len(found) - top:,} more; --top shows more")
    quiet = [title.lower() for title, part, *_ in AUDIT_PARTS if not facts[part]]
    out.print()
    if quiet:
        print_text(out, f"None found: {', '.join(quiet)}")
    print_text(
        out,
        f"{facts['ceiling']:.1%} of the labels can be right at most, as equal rows get "
        f"one answer; {facts['n_repeated']:,} rows repeat another",
    )
    for note in facts["notes"]:
        print_text(out, note)


def _doubtful_line(found: dict[str, Any]) -> tuple[str, ...]:
    return (
        str(found["row"]),
        cell_text(found["label"]),
        cell_text(found["suggested"]),
        f"{found['sure']:.0%}",
        _listed(found["neighbors"]),
    )


def _contradiction_line(found: dict[str, Any]) -> tuple[str, ...]:
    labels = Counter(map(cell_text, found["labels"])).most_common(MOST_CLASSES)
    shares = ", ".join(f"{label} ({n})" for label, n in labels)
    return _listed(found["rows"]), shares


def _odd_column_line(found: dict[str, Any]) -> tuple[str, ...]:
    from nearkind.tasks.odd_columns import KINDS

    told = found["accuracy"]
    more = "" if told is None else f": alone it tells {told:.1%} of the labels"
    return str(found["column"]), f"{KINDS[found['what']]}{more}"


def _synonym_line(found: dict[str, Any]) -> tuple[str, ...]:
    from nearkind.tasks.synonyms import REASONS

    return (
        str(found["column"]),
        f"{cell_text(found['value'])} ({found['n_rows']:,})",
        f"{cell_text(found['like'])} ({found['n_like']:,})",
        REASONS[found["reason"]],
    )


def _near_line(found: dict[str, Any]) -> tuple[str, ...]:
    names = list(map(str, found["differs"]))
    more = f" and {len(names) - MOST_REASONS} more" if len(names) > MOST_REASONS else ""
    return (
        "{} and {}".format(*found["rows"]),
        " and ".join(map(cell_text, found["labels"])),
        ", ".join(names[:MOST_REASONS]) + more,
    )


AUDIT_PARTS: tuple[tuple[str, str, tuple[str, ...], Any], ...] = (
    (
        "Doubtful labels",
        "doubtful_labels",
        ("row", "label", "neighbours say", "sure", "such as rows"),
        _doubtful_line,
    ),
    (
        "Equal rows of different labels",
        "contradictions",
        ("equal", "labels"),
        _contradiction_line,
    ),
    ("Odd columns", "odd_columns", ("column", "what"), _odd_column_line),
    (
        "Values that may be one",
        "synonyms",
        ("column", "value", "like", "why"),
        _synonym_line,
    ),
    ("Near rows", "near_rows", ("pair", "labels", "differ in"), _near_line),
)
"""Title, key, head of the table, and what makes a line of a finding."""
