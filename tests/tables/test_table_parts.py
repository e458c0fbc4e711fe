"""Some rows of a table, and a column on its own."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nearkind.tables import read_column, read_table, some_rows

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
    table = some_rows(X, np.array([2, 1]))
    words, numbers = table.column(0), table.column(1)
    assert table.n_rows == 2
    assert [None if i < 0 else words.values[i] for i in words.indices] == ["v", None]
    assert [numbers.values[i] for i in numbers.indices] == [3, 2]


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pa.array])
def test_a_column_on_its_own(make):
    column = read_column(make(["b", "a", "b"]))
    assert [column.values[i] for i in column.indices] == ["b", "a", "b"]
