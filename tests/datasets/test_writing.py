"""What is written can be read, and is there whole or not at all."""

import csv
import gzip
import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkind.datasets import reading, writing
from nearkind.datasets.checksums import CHECKSUMS
from nearkind.datasets.table import Table

CELL = st.none() | st.text(st.characters(codec="utf-8"), min_size=1, max_size=4)
LABEL = st.sampled_from(["a", "b,c", 'd"e', "f\ng", "h\ri"])
ROWS = st.lists(st.tuples(CELL, CELL, LABEL), min_size=1, max_size=6)


def table_of(rows, names=("left", "right")):
    cells = np.array(rows, dtype=object)
    return Table(list(names), "class", cells[:, :-1], cells[:, -1])


TABLE = table_of([("1", None, "x"), ("é", 'a,"b"', "y")])


@given(ROWS)
def test_reading_gives_back_what_was_written(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("written") / "drawn.csv.gz"
    written = table_of(rows)
    writing.write(written, path)
    again = reading.read(path, writing.digest(written))  # another checksum would warn
    assert again.feature_names == written.feature_names
    assert again.X.tolist() == written.X.tolist()
    assert again.y.tolist() == written.y.tolist()


@pytest.mark.parametrize("name", sorted(set(CHECKSUMS) - {"census", "connect4"}))
def test_known_files_are_written_letter_for_letter(name, real_file, tmp_path):
    table = reading.read(real_file(name))
    writing.write(table, tmp_path / "again.csv")
    text = gzip.decompress(real_file(name).read_bytes())
    assert (tmp_path / "again.csv").read_bytes() == text
    assert writing.digest(table) == CHECKSUMS[name] == hashlib.sha256(text).hexdigest()


def test_plain_and_packed_hold_the_same_and_always_the_same(tmp_path):
    writing.write(TABLE, tmp_path / "a.csv")
    writing.write(TABLE, tmp_path / "b.csv.gz")
    writing.write(TABLE, tmp_path / "c.csv.gz")
    packed = (tmp_path / "b.csv.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "a.csv").read_bytes()
    assert packed == (tmp_path / "c.csv.gz").read_bytes()
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["left", "right", "class"],
        ["1", "", "x"],
        ["é", 'a,"b"', "y"],
    ]


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz"])
def test_a_failure_leaves_the_old_file_and_nothing_else(name, tmp_path):
    path = tmp_path / name
    path.write_text("old")
    lone = table_of([("1", "\ud800", "x")])  # half a character cannot be written
    with pytest.raises(UnicodeEncodeError):
        writing.write(lone, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    writing.write(TABLE, path)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() != b"old"


@pytest.mark.parametrize("name", ["zoo", "zoo.txt", "zoo.gz", "zoo.csv.zip", "csv"])
def test_other_endings_are_refused(name, tmp_path):
    with pytest.raises(ValueError, match=rf"must end in .csv.gz or .csv, got '{name}'"):
        writing.write(TABLE, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*nowhere"):
        writing.write(TABLE, tmp_path / "nowhere" / "zoo.csv")
