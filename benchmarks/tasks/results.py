"""Rows of results, one line of JSON for each trial, and a Markdown page of them."""

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

RESULTS = Path(__file__).parents[2] / "docs" / "results"


def rows_of(
    path: Path, keys: Sequence[Sequence[Any]], run: Callable[..., dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the row of each key, from a file if it is there, and else by running it.

    A row that is run is added to the file at once.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = path.read_text().splitlines() if path.exists() else []
    known = {tuple(row["key"]): row for row in map(json.loads, lines)}
    for key in map(tuple, keys):
        if key not in known:
            known[key] = {"key": key, **run(*key)}
            with path.open("a") as file:
                file.write(json.dumps(known[key]) + "\n")
            print(json.dumps(known[key]), flush=True)
    return [known[tuple(key)] for key in keys]


def table(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table; numbers are to be text already."""
    rows = [head, ["---"] * len(head), *lines]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in rows)


def chosen(rows: Iterable[dict[str, Any]], n_sets: int) -> str:
    """Return the option that names the sets of some rows, "" if these are all."""
    names = list(dict.fromkeys(row["key"][0] for row in rows))
    return f" --sets {' '.join(names)}" if len(names) < n_sets else ""


def versions(*packages: str) -> str:
    """Return Python's version and those of some packages, in a sentence."""
    named = [f"{name} {version(name)}" for name in packages]
    return ", ".join([f"Python {python_version()}", *named])


def arguments(doc: str) -> argparse.Namespace:
    """Return the command line: folder, sets, repeats, whether to write a page."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--sets", nargs="*", default=None)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--page", action="store_true", help="write docs/results too")
    return parser.parse_args()
