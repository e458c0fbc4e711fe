"""JSON lines: a row a line, and what is no row."""

import json

import pytest

from helpers.table_files import complaint, written
from nearkind.io import infer_types, read_columns


def test_json_lines(tmp_path):
    lines = '{"size": 1, "ok": true}\n\n{"colour": "röt", "size": null}\n'
    assert read_columns(written(tmp_path, "a.jsonl", lines)) == {
        "size": [1, None],
        "ok": [True, None],
        "colour": [None, "röt"],
    }
    assert read_columns(written(tmp_path, "a.ndjson.gz", lines.encode("utf-16")))[
        "size"
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected rows, one JSON object per line"),
        ('{"a": 1}\n{"a": \n', "line 2: this is not a JSON object on one line"),
        ('[{"a": 1},\n{"a": 2}]\n', "`jq -c '.[]'`"),
        ("[1, 2]\n", "expected a JSON object with one value per column, found list"),
        ('{"a": 1, "a": 2}', "line 1: column 'a' occurs more than once"),
        ("{" + '"a":[' * 100_000, "line 1: this"),
    ],
)
def test_bad_json_lines(tmp_path, text, words):
    assert words in complaint(written(tmp_path, "a.jsonl", text))


def test_nested_cells_are_refused_by_name_and_row(tmp_path):
    path = written(tmp_path, "a.jsonl", json.dumps({"a": 1, "b": [1, 2]}))
    with pytest.raises(ValueError, match=r"Column 'b', row 0 holds \[1, 2\]"):
        infer_types(read_columns(path))
