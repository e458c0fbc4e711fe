"""DATA as users give it: a file, standard input, or the name of a built-in set."""

import pytest

from helpers.table_files import complaint, written
from nearkind import datasets
from nearkind.datasets.readers import (
    is_set,
    read_batches,
    read_data,
    read_labelled,
)
from nearkind.io import LabelledSource, ReadingWarning, ReadOptions

ROWS = "size,colour\n1,red\n2,\n"
COLUMNS = {"size": ["1", "2"], "colour": ["red", None]}


def test_a_built_in_set_by_name_and_a_file_of_that_name_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns, data = read_data("monks1"), datasets.load("monks1", as_frame=False)
    assert list(columns) == [*data.feature_names, "class"]
    assert columns["class"] == data.y.tolist()
    assert columns["a5"] == data.X[:, 4].tolist()
    assert is_set("monks1")
    written(tmp_path, "monks1", ROWS)
    with pytest.warns(
        ReadingWarning, match="'monks1' is both a file in this folder and a built-in"
    ):
        assert read_data("monks1") == COLUMNS
    assert not is_set("monks1")


def test_no_such_file_or_set(tmp_path):
    path = written(tmp_path, "people.csv", ROWS)
    told = complaint(path.replace("people", "poeple"), read_data)
    assert "Did you mean 'people.csv'?" in told
    told = complaint("balence", read_data)
    assert "no file or built-in set 'balence'. Did you mean 'bal" in told
    assert "`nearkind datasets` lists" in complaint("/zzzzzz/qqqqqq", read_data)
    assert "is a folder" in complaint(str(tmp_path), read_data)
    assert "Cannot read" in complaint("a\0b", read_data)
    assert "one of csv, tsv" in complaint("monks1", read_data, format="xls")


def test_a_labelled_set(tmp_path):
    source = LabelledSource("monks1", "class", drop=("a1",), text=("a2",))
    table = read_labelled(source)
    assert list(table.X) == ["a2", "a3", "a4", "a5", "a6"]
    assert set(table.X["a2"]) == {"1", "2", "3"}
    assert set(table.X["a3"]) == {1, 2}
    assert (set(table.y), table.target) == ({"0", "1"}, "class")


def test_batches_of_a_file_and_of_no_set(tmp_path):
    path = written(tmp_path, "a.csv", "x;kind\n1;a\n2;b\n3;a\n")
    source = LabelledSource(path, "kind", options=ReadOptions(delimiter=";"))
    assert read_batches(source, 2).n_rows == 3
    with pytest.raises(ValueError, match="credit_risk is a built-in set, which cannot"):
        read_batches(LabelledSource("credit_risk", "Risk"), 2)
