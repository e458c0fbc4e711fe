"""Delimited text: delimiters, encodings, quotes, and what is wrong in which line."""

import csv
import io
import sys
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.table_files import complaint, written
from nearkind.io import (
    Batches,
    LabelledSource,
    ReadingWarning,
    ReadOptions,
    csv_text,
    lines,
    read_columns,
)
from nearkind.io.csv_text import arrow_chunks, can_use_arrow, find_delimiter

ROWS = "size,colour\n1,red\n2,\n"
COLUMNS = {"size": ["1", "2"], "colour": ["red", None]}


@pytest.mark.parametrize("name", ["a.csv", "a.CSV", "a.csv.gz", "a.txt", "a", "a.data"])
def test_by_any_name(tmp_path, name):
    assert read_columns(written(tmp_path, name, ROWS)) == COLUMNS


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(tmp_path, delimiter, end):
    text = ROWS.replace(",", delimiter).replace("\n", end)
    assert read_columns(written(tmp_path, "a.csv", text)) == COLUMNS


def test_a_delimiter_that_was_given_is_taken(tmp_path):
    path = written(tmp_path, "a.csv", "a;b,c\n1;2,3\n")
    assert read_columns(path, ReadOptions(delimiter=",")) == {
        "a;b": ["1;2"],
        "c": ["3"],
    }
    assert list(read_columns(path, ReadOptions(delimiter=";"))) == ["a", "b,c"]
    assert read_columns(written(tmp_path, "a.tsv", "a,b\n1,2\n")) == {"a,b": ["1,2"]}
    assert read_columns(
        written(tmp_path, "b.tsv", "a\tb\n1\t2\n"), ReadOptions(delimiter="tab")
    )
    assert "one character" in complaint(path, delimiter=",,")


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("größe\nklein\n".encode("utf-8-sig"), None),
        ("größe\nklein\n".encode("utf-16"), None),
        ("größe\nklein\n".encode("utf-32"), None),
        ("größe\nklein\n".encode("cp1252"), "cp1252"),
        ("größe\nklein\n".encode("utf-16-le"), "utf-16-le"),
    ],
)
def test_encodings(tmp_path, content, encoding):
    path = written(tmp_path, "a.csv", content)
    assert read_columns(path, ReadOptions(encoding=encoding)) == {"größe": ["klein"]}


def test_latin_1_is_the_last_resort_and_said(tmp_path):
    late = "size\n" + "1\n" * 30_000 + "größer\n"
    path = written(tmp_path, "a.csv.gz", late.encode("latin-1"))
    with pytest.warns(ReadingWarning, match=r"^a\.csv\.gz: .* read as Latin-1") as said:
        assert read_columns(path)["size"][-1] == "größer"
    assert len(said) == 1


def test_a_wrong_encoding_is_told_with_its_line(tmp_path):
    path = written(tmp_path, "a.csv", "a\nb\nä\n".encode("latin-1"))
    assert complaint(path, encoding="ascii").startswith("a.csv, line 3: it is not")
    assert "no encoding 'klingon'" in complaint(path, encoding="klingon")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "a.csv, line 1: the file is empty."),
        ("\n \n\n", "a.csv, line "),
        ("a,b\n", "line 1: expected rows after the header (2 cells)."),
        ("a,b\n1,2\n1,2,3\n", "line 3: 2 cells in the header, 3 cells here;"),
        ("a,b\n\n1,2\n1\n", "line 4: 2 cells in the header, 1 cell here;"),
        ("a,b,a\n1,2,3\n", "line 1: column 'a' occurs more than once;"),
        (
            'a,b\n1,2\n1,"2\n',
            "line 3: the row that begins in line 3 has a quote that is",
        ),
        ('a,b\n1,"2\n1,2\n1,2\n', "line 4: the row that begins in line 2 has a quote"),
        ('a,b\n1,"2\n1,"2"\n', "line 3: the row that begins in line 2 has a quote"),
        ('a,b\n1,"2"x\n', "line 2: "),
        (b"a,b\n1,\x002\n", "line 2: it has a NUL byte"),
    ],
)
def test_bad_files_are_told_with_their_line(tmp_path, content, words):
    assert words in complaint(written(tmp_path, "a.csv", content))


def test_a_line_is_counted_beyond_those_looked_at_for_the_delimiter(tmp_path):
    text = "a,b\n" + "1,2\n" * 250 + "1\n"
    assert "line 252:" in complaint(written(tmp_path, "a.csv", text))


def test_a_line_without_end_takes_no_memory_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "MAX_LENGTH", 1000)
    path = written(tmp_path, "a.csv.gz", "a,b\n" + "x" * 1_000_000)
    assert "line 2: it is longer than 1,000 characters" in complaint(path)


def test_a_table_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_text, "MAX_CELLS", 1000)
    path = written(tmp_path, "a.csv.gz", "a,b\n" + "1,2\n" * 10_000)
    assert "more than 1,000 cells" in complaint(path)


def test_a_column_without_name_is_called_by_its_number(tmp_path):
    path = written(tmp_path, "a.csv", ",size\n0,1\n")
    with pytest.warns(ReadingWarning, match="called 'column 1'"):
        assert read_columns(path) == {"column 1": ["0"], "size": ["1"]}


def test_blanks_around_cells_and_blank_lines_are_dropped(tmp_path):
    path = written(tmp_path, "a.csv", " size , colour\n\n 1 , dark red \n\n\n")
    assert read_columns(path) == {"size": ["1"], "colour": ["dark red"]}


def test_ragged_rows_do_not_hide_the_delimiter():
    assert find_delimiter(["a;b;c\n", "1;2;3\n", "1,5;2\n"]) == ";"
    assert find_delimiter(["one\n", "1\n"]) == ","
    assert find_delimiter([]) == ","


WORDS = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6
)


@st.composite
def tables(draw):
    """Rows of two to four cells."""
    row = st.lists(WORDS, min_size=(width := draw(st.integers(2, 4))), max_size=width)
    return draw(st.lists(row, min_size=1, max_size=5))


@given(tables(), st.sampled_from(",;\t|"))
def test_what_csv_writes_is_read(rows, delimiter):
    text = io.StringIO()
    header = [f"c{d}" for d in range(len(rows[0]))]
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n")
    writer.writerows([header, *rows])
    columns = csv_text.read(
        io.BytesIO(text.getvalue().encode()), ReadOptions(delimiter=delimiter)
    )
    cells = [[cell.strip() or None for cell in row] for row in rows]
    assert [list(row) for row in zip(*columns.values(), strict=True)] == cells


@given(st.binary(max_size=200))
def test_any_bytes_are_a_table_or_one_sentence(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            columns = csv_text.read(io.BytesIO(data), ReadOptions())
        except ValueError as error:
            said = str(error)
        else:
            said = "line: all columns are of one length"
            assert len({len(cells) for cells in columns.values()}) == 1
    assert said.startswith("line")


PLAIN_CELL = st.text(st.sampled_from("a1 .?é\t'-"), max_size=4)
QUOTED_CELL = st.text(st.sampled_from('a, ;\n"b'), max_size=4).map(
    lambda text: '"' + text.replace('"', '""') + '"'
)


def by_arrow(data, options=ReadOptions(), size=2):  # noqa: B008 - a tuple
    columns = {}
    for table in arrow_chunks(io.BytesIO(data), options, size):
        assert table.num_rows <= size
        for name, column in zip(table.column_names, table.columns, strict=True):
            columns.setdefault(name, []).extend(column.to_pylist())
    return columns


@given(
    st.lists(
        st.lists(st.one_of(PLAIN_CELL, QUOTED_CELL), min_size=2, max_size=2), min_size=1
    )
)
def test_pyarrow_reads_the_cells_of_the_csv_module(rows):
    text = "".join(",".join(row) + "\n" for row in [["x", "y"], *rows]).encode()
    options = ReadOptions(delimiter=",")
    assert by_arrow(text, options) == csv_text.read(io.BytesIO(text), options)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "|", "\t"])
def test_pyarrow_finds_delimiters_and_ends_of_lines(delimiter, end):
    lines = [["x ", "y"], ["1", " red"], [], ["2", '"a\nb"'], ["NA", ""]]
    text = (end.join(map(delimiter.join, lines)) + end).encode()
    for start in (b"", b"\xef\xbb\xbf"):
        assert by_arrow(start + text) == csv_text.read(
            io.BytesIO(start + text), ReadOptions()
        )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ragged.csv", b"x,kind\n1,a\n2\n"),
        ("twice.csv", b"x,x,kind\n1,1,a\n2,2,b\n"),
        ("nul.csv", b"x,kind\n1\x00,a\n2,b\n"),
    ],
)
def test_what_pyarrow_cannot_read_has_the_errors_of_the_csv_module(
    tmp_path, name, text
):
    source = LabelledSource(written(tmp_path, name, text), "kind")
    with pytest.raises(ValueError, match=name) as whole:
        source.read()
    with pytest.raises(ValueError, match=name) as parts:
        list(Batches(source, 2))
    assert str(parts.value) == str(whole.value)


def test_without_pyarrow_the_csv_module_reads_batches(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    assert not can_use_arrow(io.BytesIO(b"x"), ReadOptions())
    source = LabelledSource(
        written(tmp_path, "a.csv", "x,kind\n1,a\n2,b\n3,a\n"), "kind"
    )
    monkeypatch.setattr(
        "nearkind.io.batches.can_use_arrow", lambda stream, options: False
    )
    assert list(Batches(source, 2)) == [
        ({"x": [1, 2]}, ["a", "b"]),
        ({"x": [3]}, ["a"]),
    ]


def test_other_encodings_are_left_to_the_csv_module():
    assert can_use_arrow(io.BytesIO(b"\xef\xbb\xbfx"), ReadOptions())
    assert not can_use_arrow(io.BytesIO("x".encode("utf-16")), ReadOptions())
    assert not can_use_arrow(io.BytesIO(b"x"), ReadOptions(encoding="latin-1"))
