"""Columns: distinct values made one, numbers told from categories, what occurs."""

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.table_cells import cells
from nearkind.tables import as_floats, read_table


def test_numeric_text_is_text():
    column = read_table([["1"], [1]]).column(0)
    assert column.values == ["1", 1]
    assert column.numeric is None


@pytest.mark.parametrize(
    "X",
    [
        [[1], [1.0], [np.int8(1)], [Decimal(1)], [Fraction(1)], [True]],
        pd.DataFrame({"a": pd.Series([1, 1.0, np.int8(1), True], dtype=object)}),
        np.array([[0.0], [-0.0]]),
    ],
)
def test_equal_values_are_one(X):
    assert set(read_table(X).column(0).indices.tolist()) == {0}


def test_values_that_become_equal_are_merged():
    cells = [dt.date(2020, 2, 3), "x", "2020-02-03", pd.Timestamp("2020-02-03")]
    X = pd.DataFrame({"a": pd.Series(cells, dtype=object).astype("category")})
    column = read_table(X).column(0)
    assert column.values == ["2020-02-03", "x"]
    assert column.indices.tolist() == [0, 1, 0, 0]


def test_large_integers_stay_apart():
    big = 2**60
    for X in ([[big], [big + 1]], np.array([[big], [big + 1]]), {"a": [big, big + 1]}):
        assert cells(X) == [big, big + 1]
    assert cells(pl.DataFrame({"a": [big, None, big + 1]})) == [big, None, big + 1]
    assert as_floats([10**400, -(10**400)])[:2].tolist() == [math.inf, -math.inf]


def test_numbers_that_only_floats_confuse_stay_apart_when_rows_are_taken():
    numbers = [Decimal("0.1"), 0.1, 2**70, 2**70 + 1, math.inf, 10**400, 0.1]
    taken = read_table([[1], *([x] for x in numbers)]).take(np.arange(1, 8))
    codes, column = taken.column(0).distinct()
    distinct = [column.values[i] for i in column.indices[:-1]]
    assert [distinct[code] for code in codes] == numbers
    assert len(distinct) == 6


def test_numpy_scalars_and_decimals_are_compared():
    for one in (np.int8(1), np.float32(1), 1.0):
        column = read_table([[Decimal(1)], [one], [np.uint8(2)]]).column(0)
        assert column.indices.tolist() == [0, 0, 1]


def test_tuples_are_values():
    pairs = [(1, 2), (3,), (1, 2)]
    X = pd.DataFrame({"a": pd.Series(pairs, dtype=object)})
    assert cells(X) == cells([[pair] for pair in pairs]) == pairs


def test_unused_categories_do_not_occur():
    X = pd.DataFrame({"a": pd.Categorical(["b", "b", None], list("abc"))})
    column = read_table(X).column(0)
    assert [
        v for v, occurs in zip(column.values, column.occurs, strict=True) if occurs
    ] == ["b"]


def test_what_occurs_in_some_rows():
    column = read_table([["b"], ["a"], [None], ["c"], ["b"]]).column(0)
    assert column.values == ["b", "a", "c"]
    assert column.occurring(slice(None)).tolist() == [0, 1, 2]
    assert column.occurring([2, 3, 4]).tolist() == [0, 2]
    assert column.occurring(np.array([False, True, True, False, False])).tolist() == [1]
    assert column.occurring([2]).tolist() == []
    assert column.occurring([]).tolist() == []


def test_unused_categories_occur_in_no_rows():
    X = pd.DataFrame({"a": pd.Categorical(["b", "c", None], list("abc"))})
    column = read_table(X).column(0)
    assert [column.values[i] for i in column.occurring([0, 2])] == ["b"]


@given(st.lists(st.none() | st.sampled_from("abc"), min_size=1, max_size=8), st.data())
def test_occurring_equals_looking_at_every_row(values, data):
    column = read_table([[value] for value in values]).column(0)
    flags = st.lists(st.booleans(), min_size=len(values), max_size=len(values))
    rows = np.array(data.draw(flags))
    expected = {v for v, kept in zip(values, rows, strict=True) if kept} - {None}
    assert {column.values[i] for i in column.occurring(rows)} == expected
