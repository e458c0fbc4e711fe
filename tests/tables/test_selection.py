"""Cells taken from a table make a table of its kind, with its types."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nearkind.tables.selection import take_cells, take_rows, take_values, with_cells

LISTS = [["red", 1], ["blue", 2], [None, 3]]
RECORDS = [{"colour": "red", "size": 1}, {"colour": "blue", "size": 2}, {"size": 3}]
COLUMNS = {"colour": ["red", "blue", None], "size": [1, 2, 3]}
CELLS = np.array([[0, 1], [2, 2], [1, 0]])
FRAME = pd.DataFrame(COLUMNS, index=[7, 8, 9]).astype(
    {"colour": "category", "size": "Int64"}
)
KINDS = {
    "pandas": (FRAME, lambda X: X.astype(object).where(X.notna(), None).to_numpy()),
    "polars": (pl.DataFrame(COLUMNS), lambda X: X.rows()),
    "arrow": (pa.table(COLUMNS), lambda X: [[*row.values()] for row in X.to_pylist()]),
    "batch": (
        pa.RecordBatch.from_pydict(COLUMNS),
        lambda X: [[*row.values()] for row in X.to_pylist()],
    ),
    "array": (np.array(LISTS, dtype=object), lambda X: X),
    "lists": (LISTS, lambda X: X),
    "tuples": (tuple(map(tuple, LISTS)), lambda X: X),
    "records": (RECORDS, lambda X: [[r.get("colour"), r["size"]] for r in X]),
    "columns": (COLUMNS, lambda X: [*zip(X["colour"], X["size"], strict=True)]),
    "arrays": (
        {"colour": np.array(COLUMNS["colour"]), "size": np.array([1, 2, 3])},
        lambda X: [*zip(X["colour"], X["size"].tolist(), strict=True)],
    ),
}


def plain(rows):
    return [list(row) for row in rows]


@pytest.mark.parametrize(("X", "read"), KINDS.values(), ids=KINDS)
def test_each_cell_comes_from_its_row(X, read):
    made = take_cells(X, CELLS)
    assert type(made) is type(X)
    assert plain(read(made)) == [["red", 2], [None, 3], ["blue", 1]]


@pytest.mark.parametrize(("X", "read"), KINDS.values(), ids=KINDS)
def test_rows_are_taken_whole(X, read):
    made = take_rows(X, np.array([2, 0]))
    assert type(made) is type(X)
    assert plain(read(made)) == [[None, 3], ["red", 1]]


@pytest.mark.parametrize(("X", "read"), KINDS.values(), ids=KINDS)
def test_cells_are_replaced_and_columns_added(X, read):
    made = with_cells(X, {0: (np.array([2]), ["green"])}, {"new": np.array([3, 1, 2])})
    assert type(made) is type(X)
    rows = plain(read(made))
    assert [row[:2] for row in rows] == [["red", 1], ["blue", 2], ["green", 3]]
    if len(rows[0]) == 3:
        assert [row[2] for row in rows] == [3, 1, 2]
    assert plain(read(X))[2] == [None, 3]


def test_types_and_categories_of_a_data_frame_stay():
    made = take_cells(FRAME, CELLS)
    assert made.dtypes.to_dict() == FRAME.dtypes.to_dict()
    assert made.index.tolist() == [0, 1, 2]
    assert take_rows(FRAME, np.array([2])).index.tolist() == [9]


def test_columns_of_one_name_stay_apart():
    X = pd.DataFrame([["a", "b"], ["c", "d"]], columns=["x", "x"])
    made = take_cells(X, np.array([[0, 1]]))
    assert made.to_numpy().tolist() == [["a", "d"]]
    assert made.columns.tolist() == ["x", "x"]


def test_a_key_that_a_row_lacks_is_lacking():
    assert take_cells(RECORDS, np.array([[2, 0]])) == [{"size": 1}]


def test_a_masked_cell_stays_masked():
    X = np.ma.masked_array([[1, 2], [3, 4]], mask=[[1, 0], [0, 0]])
    assert take_cells(X, np.array([[0, 1]])).tolist() == [[None, 4]]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", "b"], list),
        (("a", "b"), tuple),
        (np.array(["a", "b"]), np.ndarray),
        (pd.Series(["a", "b"], name="class"), pd.Series),
        (pl.Series(["a", "b"]), pl.Series),
        (pa.array(["a", "b"]), pa.Array),
        (pa.chunked_array([["a"], ["b"]]), pa.ChunkedArray),
    ],
)
def test_labels_are_of_their_kind(values, kind):
    made = take_values(values, np.array([1, 0, 1]))
    assert isinstance(made, kind)
    listed = made.to_pylist() if hasattr(made, "to_pylist") else list(made)
    assert listed == ["b", "a", "b"]
    assert getattr(made, "name", None) == getattr(values, "name", None)
