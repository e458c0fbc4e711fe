"""Result tables in three forms."""

import csv
from io import StringIO

from nearkind.experiments.result_table import ResultTable

TABLE = ResultTable("A & B", ["set", "100 %"], [["dna_nominal", "1 ± 0"], ["a|b", "2"]])


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
