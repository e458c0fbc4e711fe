"""Where tables come from, and what is no table."""

import gzip
import io
import sys
from pathlib import Path

import pytest

from helpers.table_files import complaint, written
from nearkind.io import (
    Batches,
    LabelledSource,
    ReadingWarning,
    ReadOptions,
    read_columns,
)
from nearkind.io.sources import open_table

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
    assert read_columns("-") == COLUMNS


def test_standard_input_as_asked(stdin):
    stdin(b"a,b\tc\n1,2\t3\n")
    assert read_columns("-", ReadOptions(format="tsv")) == {"a,b": ["1,2"], "c": ["3"]}
    stdin(b"")
    assert complaint("-").startswith("standard input, line 1: the file is empty")
    stdin(b"a\n1\n")
    assert "one of csv, tsv" in complaint("-", format="xls")


def test_no_such_file(tmp_path):
    path = written(tmp_path, "people.csv", ROWS)
    assert "Did you mean 'people.csv'?" in complaint(path.replace("people", "poeple"))
    assert complaint("/zzz/qqq") == "There is no file '/zzz/qqq'. Check the path."
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


LABELLED = "id,size,kind\n1,007,cat\n2,1,dog\n3,2,?\n4,3,cat\n"


def test_features_labels_and_what_is_dropped(tmp_path):
    path = written(tmp_path, "a.csv", LABELLED.replace("?", "dog"))
    table = LabelledSource(path, "kind", drop=("id",)).read()
    assert table.X == {"size": ["007", "1", "2", "3"]}
    assert table.y == ["cat", "dog", "dog", "cat"]
    assert table.target == "kind"
    assert LabelledSource(path, "kind", text=("id",)).read().X["id"] == [
        "1",
        "2",
        "3",
        "4",
    ]
    assert LabelledSource(path, "kind").read().X["id"] == [1, 2, 3, 4]


def test_rows_without_label_are_left_out_and_said(tmp_path):
    path = written(tmp_path, "a.csv", LABELLED)
    with pytest.warns(ReadingWarning, match=r"a\.csv: 1 of 4 rows have no 'kind'"):
        table = LabelledSource(path, "kind").read()
    assert (table.X["id"], table.y) == ([1, 2, 4], ["cat", "dog", "cat"])
    assert (table.rows, table.n_given) == ([0, 1, 3], 4)


def test_labels_of_several_types_become_text(tmp_path):
    path = written(tmp_path, "a.jsonl", '{"a": 1, "y": 1}\n{"a": 2, "y": "x"}\n')
    assert LabelledSource(path, "y").read().y == ["1", "x"]
    path = written(tmp_path, "b.jsonl", '{"a": 1, "y": 1}\n{"a": 2, "y": 2}\n')
    assert LabelledSource(path, "y").read().y == [1, 2]


@pytest.mark.parametrize(
    ("text", "roles", "words"),
    [
        (
            LABELLED,
            {"target": "Kind"},
            "no column 'Kind' in a.csv. Did you mean 'kind'?",
        ),
        (LABELLED, {"target": "kind", "drop": ("ix",)}, "no column 'ix' in a.csv."),
        (LABELLED, {"target": "kind", "text": ("sise",)}, "Did you mean 'size'?"),
        ("kind\na\nb\n", {"target": "kind"}, "no column beside 'kind' to learn from"),
        ("a,kind\n1,x\n2,x\n", {"target": "kind"}, "holds 1 class; at least two"),
        ("a,kind\n1,\n2,NA\n", {"target": "kind"}, "holds no class; at least two"),
        (
            "a,kind\n" + "".join(f"1,v{i}\n" for i in range(50)),
            {"target": "kind"},
            "50 different values in 50 rows, so they are not classes",
        ),
        (
            "a,kind\n1,abc\n" + "".join(f"1,{i}\n" for i in range(49)),
            {"target": "kind"},
            "50 rows, all numbers but 1, such as 'abc', so they are not classes",
        ),
        (
            "a,kind\n" + "".join(f"1,{i}\n" for i in range(50)),
            {"target": "kind"},
            "50 different numbers, so this looks like regression",
        ),
        (
            "a,kind\n" + "".join(f"1,{i}.5\n" for i in range(50)),
            {"target": "kind"},
            "50 different numbers, so this looks like regression",
        ),
    ],
)
def test_bad_tables_are_told(tmp_path, text, roles, words):
    path = written(tmp_path, "a.csv", text)
    with pytest.raises(ValueError, match="olumn") as error:
        LabelledSource(path, **roles).read()
    assert words in str(error.value)


def test_how_to_read_is_passed_on(tmp_path):
    path = written(tmp_path, "a.csv", "a;b,kind\n1,x\n2,y\n")
    assert list(
        LabelledSource(path, "kind", options=ReadOptions(delimiter=",")).read().X
    ) == ["a;b"]


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path):
    path = written(tmp_path, "a.csv", LABELLED)

    def read_and_append():
        with open_table(path, ReadOptions()), Path(path).open("a") as file:
            file.write("5,9,cat\n")

    with pytest.raises(ValueError, match=r"a\.csv was changed while it was read"):
        read_and_append()


def test_a_file_that_grows_between_two_readings_is_refused(tmp_path):
    path = Path(written(tmp_path, "a.csv", LABELLED.replace("?", "cat")))
    found = Batches(LabelledSource(str(path), "kind"), batch_rows=2)
    assert found.n_rows == 4
    with path.open("a") as file:
        file.write("5,9,cat\n")
    with pytest.raises(ValueError, match=r"a\.csv was changed while it was read"):
        list(found)


def test_lists_in_a_column_of_text_are_text(tmp_path):
    lines = '{"a": [1, 2], "b": "x"}\n{"a": 3, "b": "y"}\n'
    path = written(tmp_path, "a.jsonl", lines)
    source = LabelledSource(path, "b", text=("a",))
    assert source.read().X == {"a": ["[1, 2]", "3"]}
