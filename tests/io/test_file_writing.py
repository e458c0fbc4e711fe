"""Writing tables: whole or not at all."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkind.io import check_ending, check_place, read, write, write_text
from nearkind.io.writing import beside

COLUMNS = {"size": [1, None], "colour": ["dark, red", 'a "b"\r\n']}


def test_each_form(tmp_path):
    expected = {
        "a.csv": 'size,colour\n1,"dark, red"\n,"a ""b""\r\n"\n',
        "a.tsv": 'size\tcolour\n1\tdark, red\n\t"a ""b""\r\n"\n',
        "a.jsonl": '{"size": 1, "colour": "dark, red"}\n'
        '{"size": null, "colour": "a \\"b\\"\\r\\n"}\n',
    }
    for name, text in expected.items():
        write(COLUMNS, tmp_path / name)
        assert (tmp_path / name).read_bytes().decode() == text
        write(COLUMNS, tmp_path / f"{name}.gz")
        assert gzip.decompress((tmp_path / f"{name}.gz").read_bytes()).decode() == text


LETTERS = st.characters(codec="utf-8", exclude_characters="\0")
CELLS = st.lists(st.text(LETTERS), min_size=1, max_size=3)


@given(cells=CELLS, ending=st.sampled_from([".csv", ".tsv", ".jsonl", ".csv.gz"]))
def test_what_is_written_is_read(cells, ending, tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / f"a{ending}"
    cells = [cell.strip() or None for cell in cells]
    columns = {"a": cells, "b": ["x"] * len(cells)}
    write(columns, path)
    assert read(str(path)) == columns


@pytest.mark.parametrize("name", ["a.xlsx", "a", "a.parquet.gz", "csv"])
def test_endings_that_cannot_be_written(name):
    with pytest.raises(ValueError, match=r"must end in \.csv, \.tsv"):
        check_ending(Path(name))


def _write_half(path):
    with beside(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt


def test_an_error_leaves_what_was_there(tmp_path):
    path = tmp_path / "a.csv"
    write_text("before", path)
    with pytest.raises(KeyboardInterrupt):
        _write_half(path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(OSError, match="There is no folder"):
        write(COLUMNS, tmp_path / "nowhere" / "a.csv")
    with pytest.raises(OSError, match="is a folder; name a file"):
        check_place(tmp_path)
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(OSError, match="is a folder; name a file"):
        write(COLUMNS, tmp_path / "a.csv")
    check_place(tmp_path / "b.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_a_folder_that_may_not_be_written(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # root may write anywhere
    with pytest.raises(PermissionError, match=r"^Cannot write '.*a\.csv': Permission"):
        write(COLUMNS, tmp_path / "a.csv")
