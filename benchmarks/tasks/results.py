"""Results of trials as lines of JSON, and Markdown pages of them."""

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parents[2] / "docs" / "results"

Row = dict[str, Any]


def read_rows(path: Path) -> list[Row]:
    """Return the results in a file; none if there is no file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def append_rows(rows: Iterable[Row], path: Path) -> None:
    """Add results to a file, all of them at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    with path.open("a") as file:
        file.write(lines)


def rows_of(
    path: Path, keys: Sequence[Sequence[Any]], run: Callable[..., Row]
) -> list[Row]:
    """Return the row of each key, from a file if it is there, and else by running it.

    A row that is run is added to the file at once.
    """
    known = {tuple(row["key"]): row for row in read_rows(path)}
    for key in map(tuple, keys):
        if key not in known:
            known[key] = {"key": key, **run(*key)}
            append_rows([known[key]], path)
            print(json.dumps(known[key]), flush=True)
    return [known[tuple(key)] for key in keys]


def markdown(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table; numbers are to be text already."""
    rows = [head, ["---"] * len(head), *lines]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in rows)


def chosen(rows: Iterable[Row], n_sets: int) -> str:
    """Return the option that names the sets of some rows, "" if these are all."""
    names = list(dict.fromkeys(row["key"][0] for row in rows))
    return f" --sets {' '.join(names)}" if len(names) < n_sets else ""


def versions(*packages: str) -> str:
    """Return the versions of packages in a sentence."""
    told = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"Versions: {told}."


def arguments(doc: str | None, repeats: int | None = None) -> argparse.Namespace:
    """Return the command line: folder, sets and, where they have a default, repeats."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--sets", nargs="*", help="all if not given")
    if repeats is not None:
        parser.add_argument("--repeats", type=int, default=repeats)
        parser.add_argument("--page", action="store_true", help="write docs/results")
    return parser.parse_args()


def write_page(given: argparse.Namespace, name: str, text: str) -> None:
    """Print a page, and write it to the folder, and to docs/results if asked for."""
    for folder in [given.output, *([PAGES] if given.page else [])]:
        (folder / name).write_text(text)
    print(text)
