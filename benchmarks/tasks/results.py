"""Rows of results, a line of JSON for each, and the page that is made of them."""

import argparse
import json
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parents[2] / "docs" / "results"


def read_rows(path: Path, key: Iterable[str]) -> dict[tuple, dict[str, Any]]:
    """Return the rows of a file by the values of some fields; none if there is none."""
    if not path.exists():
        return {}
    rows = map(json.loads, path.read_text().splitlines())
    return {tuple(row[name] for name in key): row for row in rows}


def append_row(path: Path, row: dict[str, Any]) -> None:
    """Add a row to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(row) + "\n")


def versions(*packages: str) -> str:
    """Return the versions of packages in a sentence."""
    told = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"Versions: {told}."


def arguments(doc: str | None) -> argparse.Namespace:
    """Return the arguments that each of the benchmarks takes."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--sets", nargs="*", help="all if not given")
    return parser.parse_args()
