"""Results of trials as lines of JSON, and a Markdown table of them."""

import json
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the results in a file; none if there is no file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def append_rows(rows: Iterable[dict[str, Any]], path: Path) -> None:
    """Add results to a file, those of one trial at once."""
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    with path.open("a") as file:
        file.write(lines)


def markdown(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    """Return a table."""
    cells = [head, ["---"] * len(head), *lines]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in cells)


def versions(*packages: str) -> str:
    """Return a sentence on the versions of packages."""
    return f"Versions: {', '.join(f'{name} {version(name)}' for name in packages)}."
