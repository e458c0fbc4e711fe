"""Fill the tables of a page from the files of docs/results.

    python -m tools.result_tables README.md docs/results/README.md

A page has blocks between ``<!-- table NAME: COLUMN; COLUMN -->`` and ``<!-- end -->``:
these columns of docs/results/NAME.csv, or all of them if none is named.
"""

import csv
import re
import sys
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "docs" / "results"
BLOCK = re.compile(r"(<!-- table ([\w-]+)(?:: (.*?))? -->\n).*?(?=<!-- end -->)", re.S)


def fill(text):
    """Return a page with its tables as the files have them."""
    return BLOCK.sub(lambda found: found[1] + table(found[2], found[3]), text)


def table(name, columns=None):
    """Return columns of a file as a Markdown table."""
    with (RESULTS / f"{name}.csv").open(encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    wanted = [name.strip() for name in columns.split(";")] if columns else head
    places = [head.index(column) for column in wanted]
    lines = [[row[place] for place in places] for row in (head, *rows)]
    lines.insert(1, ["---"] * len(wanted))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(fill(page.read_text(encoding="utf-8")), encoding="utf-8")
