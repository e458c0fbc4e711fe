"""What the paper prints, and tables in three forms."""

import csv
from io import StringIO

import pytest

from nearkind.datasets.catalogue import CATALOGUE
from nearkind.experiments.paper import printed
from nearkind.experiments.paper.tables import Table

TABLE = Table("A & B", ["set", "100 %"], [["dna_nominal", "1 ± 0"], ["a|b", "2"]])


@pytest.mark.parametrize("kind", ["triplets", "classification"])
def test_printed_accuracies_are_whole(kind):
    found = printed.accuracies(kind)
    assert len(found) == 23 * 7
    assert {name for name, _ in found} == set(printed.sets()) <= set(CATALOGUE)
    assert all(0.5 <= figure.mean <= 1.0 for figure in found.values())
    assert all(0.0 <= figure.deviation < 0.2 for figure in found.values())


def test_some_printed_figures():
    assert printed.accuracies("triplets")["led24", "cpml-s"].mean == 0.713
    assert printed.accuracies("classification")["voting", "kdml"].deviation == 0.112
    assert printed.sets()["krkopt"] == (28_056, 6, 17)
    assert printed.noise()[13, 2] == (0.016, 0.092)
    assert len(printed.noise()) == 15


def test_csv_gives_the_cells_back():
    lines = list(csv.reader(StringIO(TABLE.csv())))
    assert lines == [list(TABLE.head), *map(list, TABLE.rows)]


def test_markdown_and_latex_escape_what_they_must():
    assert r"| a\|b | 2 |" in TABLE.markdown()
    tex = TABLE.latex()
    assert r"\caption{A \& B}" in tex
    assert r"dna\_nominal & 1 $\pm$ 0 \\" in tex
    assert r"100 \%" in tex


def test_all_forms_are_written(tmp_path):
    paths = TABLE.write(tmp_path / "new", "one")
    assert [path.suffix for path in paths] == [".md", ".csv", ".tex"]
    assert all(path.read_text(encoding="utf-8") for path in paths)
