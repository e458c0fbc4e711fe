"""Formats of files: found out, or by the name of the file to write."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkind.io import check_ending, read_columns, write_columns
from nearkind.io.formats import FORMATS
from nearkind.io.options import FORMAT_NAMES

COLUMNS = {"size": [1, None], "colour": ["dark, red", 'a "b"\r\n']}


def test_each_form(tmp_path):
    expected = {
        "a.csv": 'size,colour\n1,"dark, red"\n,"a ""b""\r\n"\n',
        "a.tsv": 'size\tcolour\n1\tdark, red\n\t"a ""b""\r\n"\n',
        "a.jsonl": '{"size": 1, "colour": "dark, red"}\n'
        '{"size": null, "colour": "a \\"b\\"\\r\\n"}\n',
    }
    for name, text in expected.items():
        write_columns(COLUMNS, tmp_path / name)
        assert (tmp_path / name).read_bytes().decode() == text
        write_columns(COLUMNS, tmp_path / f"{name}.gz")
        assert gzip.decompress((tmp_path / f"{name}.gz").read_bytes()).decode() == text


LETTERS = st.characters(codec="utf-8", exclude_characters="\0")
CELLS = st.lists(st.text(LETTERS), min_size=1, max_size=3)


@given(cells=CELLS, ending=st.sampled_from([".csv", ".tsv", ".jsonl", ".csv.gz"]))
def test_what_is_written_is_read(cells, ending, tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / f"a{ending}"
    cells = [cell.strip() or None for cell in cells]
    columns = {"a": cells, "b": ["x"] * len(cells)}
    write_columns(columns, path)
    assert read_columns(str(path)) == columns


@pytest.mark.parametrize("name", ["a.xlsx", "a", "a.parquet.gz", "csv"])
def test_endings_that_cannot_be_written(name):
    with pytest.raises(ValueError, match=r"must end in \.csv, \.tsv"):
        check_ending(Path(name))


def test_every_format_can_be_asked_for_by_name():
    assert tuple(FORMATS) == FORMAT_NAMES
