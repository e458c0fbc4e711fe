"""Rows of results, one line of JSON for each trial, which are run once."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def kept_rows(
    path: Path, keys: Iterable[str], run: Callable[[str], dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the row of each key: from the file, or by running it and adding it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = path.read_text().splitlines() if path.exists() else []
    known = {row["key"]: row for row in map(json.loads, lines)}
    found = []
    for key in keys:
        if key not in known:
            known[key] = {"key": key, **run(key)}
            with path.open("a") as file:
                file.write(f"{json.dumps(known[key])}\n")
        found.append(known[key])
    return found
