"""The same values are read from every kind of table, whole, in part or by column."""

import datetime as dt
import math

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from helpers.table_cells import arrow_chunks, arrow_dictionary, cells
from nearkind.tables import read_column, read_rows, read_table

MOMENTS = [dt.datetime(2020, 2, 3, 12, 0, 0, 500), None, dt.datetime(2021, 1, 1)]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame(
            {"a": pd.Series(MOMENTS, dtype="datetime64[ns]")}, dtype="category"
        ),
        pd.DataFrame({"a": pd.Categorical(pd.Series(MOMENTS, dtype=object))}),
        arrow_dictionary(pa.array(MOMENTS)),
        arrow_dictionary(pa.array(MOMENTS, type=pa.timestamp("ns"))),
    ],
)
def test_moments_declared_categories_read_alike(X):
    assert cells(X) == ["2020-02-03T12:00:00.000500", None, "2021-01-01"]


TEXT = ["b", None, "a", "", "b"]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": pd.Series(TEXT, dtype=object)}),
        pd.DataFrame({"a": pd.Series(TEXT, dtype="str")}),
        pd.DataFrame({"a": pd.Series(TEXT, dtype="string[pyarrow]")}),
        pd.DataFrame({"a": pd.Series(TEXT, dtype="string[python]")}),
        pd.DataFrame({"a": pd.Categorical(TEXT)}),
        pd.DataFrame({"a": pd.Categorical(TEXT, ["z", "b", "", "a", "y", "x"])}),
        pd.DataFrame({"a": pd.Series(TEXT, dtype=pd.ArrowDtype(pa.string()))}),
        pl.DataFrame({"a": TEXT}),
        pl.DataFrame({"a": pl.Series(TEXT, dtype=pl.Categorical)}),
        pl.DataFrame({"a": pl.Series(TEXT, dtype=pl.Enum(["z", "a", "b", ""]))}),
        nw.from_native(pl.DataFrame({"a": TEXT})),
        pa.table({"a": TEXT}),
        pa.record_batch({"a": TEXT}),
        arrow_chunks(TEXT),
        arrow_chunks(TEXT, type=pa.dictionary(pa.int8(), pa.string())),
        arrow_chunks(TEXT, type=pa.dictionary(pa.uint32(), pa.string())),
        [{"a": cell} for cell in TEXT],
        {"a": TEXT},
        {"a": np.array(TEXT, dtype=object)},
        {"a": pd.Series(TEXT)},
    ],
)
def test_named_text(X):
    table = read_table(X)
    assert (table.names, table.n_rows, table.named) == (["a"], 5, True)
    assert cells(X) == TEXT
    assert table.column(0).numeric is None
    assert table.column(0).missing.tolist() == [False, True, False, False, False]


@pytest.mark.parametrize(
    "X",
    [
        np.array(TEXT, dtype=object)[:, None],
        np.ma.array([[t or ""] for t in TEXT], mask=[[t is None] for t in TEXT]),
        [[cell] for cell in TEXT],
        tuple((cell,) for cell in TEXT),
        [np.array([cell], dtype=object) for cell in TEXT],
    ],
)
def test_unnamed_text(X):
    table = read_table(X)
    assert (table.names, table.n_rows, table.named) == (["x0"], 5, False)
    assert cells(X) == TEXT


NUMBERS = [3, None, 1, 3]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": NUMBERS}),
        pd.DataFrame({"a": pd.Series(NUMBERS, dtype=object)}),
        pd.DataFrame({"a": pd.Series(NUMBERS, dtype="Int64")}),
        pd.DataFrame({"a": pd.Series(NUMBERS, dtype=pd.ArrowDtype(pa.int32()))}),
        pd.DataFrame({"a": pd.arrays.SparseArray([3.0, np.nan, 1.0, 3.0])}),
        pl.DataFrame({"a": NUMBERS}),
        pl.DataFrame({"a": [3.0, math.nan, 1.0, 3.0]}),
        arrow_chunks(NUMBERS),
        arrow_chunks([3.0, math.nan, 1.0, 3.0]),
        np.array([[3.0], [np.nan], [1.0], [3.0]]),
        np.array([[3.0], [np.nan], [1.0], [3.0]], dtype=np.longdouble),
        np.ma.array([[3], [0], [1], [3]], mask=[[0], [1], [0], [0]]),
        [[cell] for cell in NUMBERS],
        [{"a": 3}, {}, {"a": 1.0}, {"a": 3.0}],
        {"a": NUMBERS},
    ],
)
def test_numbers(X):
    column = read_table(X).column(0)
    assert cells(X) == NUMBERS
    assert column.numeric.dtype == np.float64
    np.testing.assert_array_equal(column.numeric, [3, np.nan, 1, 3])
    assert column.missing.tolist() == [False, True, False, False]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": [True, False]}),
        pd.DataFrame({"a": pd.Series([True, False], dtype="boolean")}),
        pd.DataFrame({"a": pd.Categorical([True, False])}),
        pl.DataFrame({"a": [True, False]}),
        pa.table({"a": [True, False]}),
        np.array([[True], [False]]),
        [[True], [False]],
    ],
)
def test_booleans_are_no_numbers(X):
    assert cells(X) == [True, False]
    assert read_table(X).column(0).numeric is None


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": [None, None]}),
        pd.DataFrame({"a": [np.nan, np.nan]}),
        pd.DataFrame({"a": pd.Categorical([None, None])}),
        pd.DataFrame({"a": pd.Series([None, None], dtype="str")}),
        pl.DataFrame({"a": [None, None]}),
        pl.DataFrame({"a": pl.Series([None, None], dtype=pl.Categorical)}),
        pa.table({"a": pa.nulls(2)}),
        np.array([[None], [None]]),
        [[None], [math.nan]],
    ],
)
def test_all_missing(X):
    column = read_table(X).column(0)
    assert column.indices.tolist() == [-1, -1]
    assert column.missing.tolist() == [True, True]


def test_input_is_not_changed():
    X = pd.DataFrame({"a": TEXT, "n": [1.0, np.nan, 2.0, 3.0, 4.0]})
    copy = X.copy(deep=True)
    for d in range(2):
        assert len(read_table(X).column(d).indices) == 5
    pd.testing.assert_frame_equal(X, copy)
    array = np.array(TEXT, dtype=object)[:, None]
    cells(array)
    assert array[:, 0].tolist() == TEXT


def test_a_table_that_was_read_passes_through():
    table = read_table([{"a": 1, "b": "u"}])
    assert read_table(table) is table


COLUMNS = {"w": ["u", None, "v", "u"], "n": [1, 2, 3, 4]}
TABLES = [
    COLUMNS,
    pd.DataFrame(COLUMNS),
    pl.DataFrame(COLUMNS),
    pa.table(COLUMNS),
    {name: np.array(cells, dtype=object) for name, cells in COLUMNS.items()},
    [
        dict(zip(COLUMNS, row, strict=True))
        for row in zip(*COLUMNS.values(), strict=True)
    ],
    np.array(list(zip(*COLUMNS.values(), strict=True)), dtype=object),
    read_table(COLUMNS),
]


@pytest.mark.parametrize("X", TABLES, ids=lambda X: type(X).__module__)
def test_some_rows(X):
    table = read_rows(X, np.array([2, 1]))
    words, numbers = table.column(0), table.column(1)
    assert table.n_rows == 2
    assert [None if i < 0 else words.values[i] for i in words.indices] == ["v", None]
    assert [numbers.values[i] for i in numbers.indices] == [3, 2]


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pa.array])
def test_a_column_on_its_own(make):
    column = read_column(make(["b", "a", "b"]))
    assert [column.values[i] for i in column.indices] == ["b", "a", "b"]
