"""Tables in README and docs are those of the files in docs/results."""

import csv
import gzip
import json
from pathlib import Path

import pytest

from nearkind.experiments.result_table import ResultTable
from tools.result_tables import BLOCK, RESULTS, fill

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "README.md", RESULTS / "README.md"
TABLES = sorted(path for path in RESULTS.glob("*.csv") if path.stem != "accuracy")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_pages_show_the_files(page):
    text = page.read_text(encoding="utf-8")
    assert BLOCK.search(text)
    assert fill(text) == text, f"run: python -m tools.result_tables {page}"


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_a_table_is_the_same_in_all_its_forms(path):
    with path.open(encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    made = ResultTable("", head, rows).markdown().partition("\n\n")[2]
    assert made.strip() in path.with_suffix(".md").read_text(encoding="utf-8")


def test_every_learned_row_says_how_its_fits_ended():
    rows = gzip.decompress((RESULTS / "rows.jsonl.gz").read_bytes()).splitlines()
    learned = [row for row in map(json.loads, rows) if row["method"].startswith("cpml")]
    assert learned
    for row in learned:
        assert row["status"] != "done" or row["stops"], row


def test_another_number_in_a_page_is_found():
    text = "<!-- table claims: claim; verdict -->\n| of another run |\n<!-- end -->"
    filled = fill(text)
    assert "of another run" not in filled
    assert filled.startswith(
        "<!-- table claims: claim; verdict -->\n| claim | verdict |"
    )
