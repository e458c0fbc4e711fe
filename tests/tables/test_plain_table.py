"""The table without pandas prints what pandas would, and rounds as it does."""

import numpy as np
import pandas as pd
import pytest

from nearkind.tables.frames import PlainTable

COLUMNS = {
    "feature": np.array(["tone", "size", "a"], dtype=object),
    "contribution": np.array([2.25, 10.0, -0.5]),
    "n": [1, 20, 3],
    7: np.array([1.0, 2.0, 3.0]),
}


@pytest.mark.parametrize("index", [None, ["x", "long", "y"]])
@pytest.mark.parametrize("decimals", [None, 1])
def test_it_prints_as_pandas_does(index, decimals):
    made, expected = PlainTable(COLUMNS, index), pd.DataFrame(COLUMNS, index)
    if decimals is not None:
        made, expected = made.round(decimals), expected.round(decimals)
    assert repr(made) == repr(expected)


def test_it_is_a_dict_of_columns():
    table = PlainTable(COLUMNS)
    assert dict(table) == COLUMNS
    assert table.index == [0, 1, 2]
    assert table.round(0)["feature"] is COLUMNS["feature"]


def test_of_a_long_table_the_ends_are_shown():
    lines = repr(PlainTable({"a": np.arange(1000)})).splitlines()
    assert lines[1] == "0      0"
    assert lines[6] == "..."
    assert lines[-2:] == ["999  999", "(1,000 rows)"]


def test_an_empty_table_shows_its_columns():
    assert repr(PlainTable({"a": [], "b": np.empty(0)})).split() == ["a", "b"]
