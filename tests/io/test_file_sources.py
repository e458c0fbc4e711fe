"""Where tables come from, and what is no table."""

import gzip
import io
import json
import sys

import pytest

from helpers.table_files import complaint, written
from nearkind import datasets
from nearkind.io import Asked, read

ROWS = "size,colour\n1,red\n2,\n"
COLUMNS = {"size": ["1", "2"], "colour": ["red", None]}


@pytest.fixture
def stdin(monkeypatch):
    def give(data):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    "text",
    [ROWS, ROWS.replace(",", ";"), '{"size":"1","colour":"red"}\n{"size":"2"}\n'],
)
def test_standard_input_is_found_out(stdin, pack, text):
    stdin(pack(text.encode()))
    assert read("-") == COLUMNS


def test_standard_input_as_asked(stdin):
    stdin(b"a,b\tc\n1,2\t3\n")
    assert read("-", Asked(format="tsv")) == {"a,b": ["1,2"], "c": ["3"]}
    stdin(b"")
    assert complaint("-").startswith("standard input, line 1: the file is empty")
    stdin(b"a\n1\n")
    assert "one of csv, tsv" in complaint("-", format="xls")


def test_a_built_in_set_by_name_and_a_file_of_that_name_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns, data = read("monks1"), datasets.load("monks1", as_frame=False)
    assert list(columns) == [*data.feature_names, "class"]
    assert columns["class"] == data.y.tolist()
    assert columns["a5"] == data.X[:, 4].tolist()
    written(tmp_path, "monks1", ROWS)
    assert read("monks1") == COLUMNS


def test_no_such_file(tmp_path):
    path = written(tmp_path, "people.csv", ROWS)
    assert "Did you mean 'people.csv'?" in complaint(path.replace("people", "poeple"))
    assert "no file or built-in set 'balence'. Did you mean 'bal" in complaint(
        "balence"
    )
    assert "`nearkind datasets` lists" in complaint("/zzzzzz/qqqqqq")
    assert "is a folder" in complaint(str(tmp_path))
    assert "Cannot read" in complaint("a\0b")


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"PK\x03\x04rest", "a zip archive or a spreadsheet"),
        (b"%PDF-1.4", "a PDF"),
        (b"\x89nearkind\r\n", "a model of nearkind"),
        (b"\xfd7zXZ\x00", "compressed by xz"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "NUL"),
        (bytes(range(256)), "NUL"),
    ],
)
def test_what_is_no_table(tmp_path, start, words):
    assert words in complaint(written(tmp_path, "a.csv", start))


def test_a_damaged_gz(tmp_path):
    packed = gzip.compress(ROWS.encode() * 1000)
    for data in (packed[:-9], packed[:40], packed[:60] + b"x" * 20 + packed[80:]):
        path = tmp_path / "a.csv.gz"
        path.write_bytes(data)
        assert "a.csv.gz is damaged" in complaint(str(path))


def test_json_lines(tmp_path):
    lines = '{"size": 1, "ok": true}\n\n{"colour": "röt", "size": null}\n'
    assert read(written(tmp_path, "a.jsonl", lines)) == {
        "size": [1, None],
        "ok": [True, None],
        "colour": [None, "röt"],
    }
    assert read(written(tmp_path, "a.ndjson.gz", lines.encode("utf-16")))["size"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "rows were expected, one JSON object a line"),
        ('{"a": 1}\n{"a": \n', "line 2: this is no JSON object of one line"),
        ('[{"a": 1},\n{"a": 2}]\n', "`jq -c '.[]'`"),
        ("[1, 2]\n", "a JSON object was expected, with a value a column, not list"),
        ('{"a": 1, "a": 2}', "line 1: column 'a' occurs more than once"),
        ("{" + '"a":[' * 100_000, "line 1: this"),
    ],
)
def test_bad_json_lines(tmp_path, text, words):
    assert words in complaint(written(tmp_path, "a.jsonl", text))


def test_nested_cells_are_refused_by_name_and_row(tmp_path):
    from nearkind.io import typed

    path = written(tmp_path, "a.jsonl", json.dumps({"a": 1, "b": [1, 2]}))
    with pytest.raises(ValueError, match=r"Column 'b', row 0 holds \[1, 2\]"):
        typed(read(path))
