"""Delimited text by pyarrow has the cells of our own reader, or is left to it."""

import sys
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.table_files import written
from nearkind.io import Asked, Batches, Wanted, scanning
from nearkind.io.arrow_lines import can_scan, scan_lines
from nearkind.io.delimited import read

CELL = st.text(st.sampled_from("a1 .?é\t'-"), max_size=4)
QUOTED = st.text(st.sampled_from('a, ;\n"b'), max_size=4).map(
    lambda text: '"' + text.replace('"', '""') + '"'
)


def by_arrow(data, asked=Asked(), size=2):  # noqa: B008 - a tuple
    columns = {}
    for table in scan_lines(BytesIO(data), asked, size):
        assert table.num_rows <= size
        for name, column in zip(table.column_names, table.columns, strict=True):
            columns.setdefault(name, []).extend(column.to_pylist())
    return columns


@given(st.lists(st.lists(st.one_of(CELL, QUOTED), min_size=2, max_size=2), min_size=1))
def test_cells_are_those_of_our_own_reader(rows):
    text = "".join(",".join(row) + "\n" for row in [["x", "y"], *rows]).encode()
    asked = Asked(delimiter=",")
    assert by_arrow(text, asked) == read(BytesIO(text), asked)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "|", "\t"])
def test_delimiters_and_ends_of_lines_are_found(delimiter, end):
    lines = [["x ", "y"], ["1", " red"], [], ["2", '"a\nb"'], ["NA", ""]]
    text = (end.join(map(delimiter.join, lines)) + end).encode()
    for start in (b"", b"\xef\xbb\xbf"):
        assert by_arrow(start + text) == read(BytesIO(start + text), Asked())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ragged.csv", b"x,kind\n1,a\n2\n"),
        ("twice.csv", b"x,x,kind\n1,1,a\n2,2,b\n"),
        ("nul.csv", b"x,kind\n1\x00,a\n2,b\n"),
    ],
)
def test_complaints_are_those_of_our_own_reader(tmp_path, name, text):
    wanted = Wanted(written(tmp_path, name, text), "kind")
    with pytest.raises(ValueError, match=name) as whole:
        wanted.read()
    with pytest.raises(ValueError, match=name) as parts:
        list(Batches(wanted, 2))
    assert str(parts.value) == str(whole.value)


def test_without_pyarrow_our_own_reader_does_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    assert not can_scan(BytesIO(b"x"), Asked())
    wanted = Wanted(written(tmp_path, "a.csv", "x,kind\n1,a\n2,b\n3,a\n"), "kind")
    monkeypatch.setattr(scanning, "can_scan", lambda stream, asked: False)
    assert list(Batches(wanted, 2)) == [
        ({"x": [1, 2]}, ["a", "b"]),
        ({"x": [3]}, ["a"]),
    ]


def test_other_encodings_are_left_to_our_own_reader():
    assert can_scan(BytesIO(b"\xef\xbb\xbfx"), Asked())
    assert not can_scan(BytesIO("x".encode("utf-16")), Asked())
    assert not can_scan(BytesIO(b"x"), Asked(encoding="latin-1"))
