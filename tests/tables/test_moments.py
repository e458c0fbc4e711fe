"""Dates, times and durations are refused from every kind of table, with advice."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from helpers.table_cells import arrow_chunks, arrow_dictionary, cells
from nearkind.tables import read_table

NOON = dt.datetime(2020, 2, 3, 12, 0, 0, 500)
MOMENTS = [None, NOON, dt.datetime(2021, 1, 1), NOON]
DAYS = [None, dt.date(2020, 2, 3)]
SPANS = [None, dt.timedelta(days=1)]
TIMES = [None, dt.time(4, 5)]


def refused(X, what, example, advice):
    with pytest.raises(TypeError) as caught:
        read_table(X).column(0)
    text = str(caught.value)
    assert text.startswith(f"Column 'a' holds {what}, such as {example!r}")
    assert advice in text
    assert "turn it into text" in text


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": pd.Series(MOMENTS, dtype="datetime64[ns]")}),
        pd.DataFrame({"a": pd.Series(MOMENTS, dtype=object)}),
        pd.DataFrame(
            {"a": pd.Series(MOMENTS, dtype=pd.ArrowDtype(pa.timestamp("us")))}
        ),
        pl.DataFrame({"a": MOMENTS}),
        pl.DataFrame({"a": pl.Series(MOMENTS, dtype=pl.Datetime("ns"))}),
        arrow_chunks(MOMENTS),
        arrow_chunks(MOMENTS, type=pa.timestamp("ns")),
        {"a": np.array(MOMENTS, dtype="datetime64[ns]")},
        {"a": np.ma.array(np.array(MOMENTS, "datetime64[ns]"), mask=[1, 0, 0, 0])},
        {"a": MOMENTS},
        [{"a": moment} for moment in MOMENTS],
        [{"a": "unknown"}, {"a": pd.NaT}, {"a": NOON}],
    ],
)
def test_moments(X):
    noon = "2020-02-03T12:00:00.000500"
    refused(X, "dates", noon, "Take its month, weekday or age in days")


def test_moments_with_a_zone():
    stamps = pd.Series([pd.Timestamp("2020-02-03 13:00", tz="Europe/Paris")])
    noon = "2020-02-03T12:00:00+00:00"
    for X in (pd.DataFrame({"a": stamps}), pl.DataFrame({"a": pl.Series(stamps)})):
        refused(X, "dates", noon, "weekday")


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": DAYS}),
        pl.DataFrame({"a": DAYS}),
        pa.table({"a": DAYS}),
        {"a": np.array(DAYS, dtype="datetime64[D]")},
        {"a": DAYS},
    ],
)
def test_days(X):
    refused(X, "dates", "2020-02-03", "age in days")


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": pd.Series(SPANS, dtype="timedelta64[ns]")}),
        pl.DataFrame({"a": SPANS}),
        pa.table({"a": SPANS}),
        pa.table({"a": pa.array(SPANS, type=pa.duration("ns"))}),
        {"a": np.array(SPANS, dtype="timedelta64[s]")},
        {"a": SPANS},
    ],
)
def test_durations(X):
    refused(X, "durations", "1 day, 0:00:00", "its length in days or hours")


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": TIMES}),
        pl.DataFrame({"a": TIMES}),
        pa.table({"a": TIMES}),
        {"a": TIMES},
    ],
)
def test_times_of_day(X):
    refused(X, "times of day", "04:05:00", "its hour")


@pytest.mark.parametrize("dtype", ["datetime64[ns]", "timedelta64[ns]"])
def test_columns_without_a_single_date_are_only_missing(dtype):
    assert cells(pd.DataFrame({"a": pd.Series([None, None], dtype=dtype)})) == [
        None,
        None,
    ]
    assert cells({"a": [pd.NaT, np.datetime64("NaT"), "x"]}) == [None, None, "x"]


def test_dates_declared_categories_are_categories():
    column = pd.Series(DAYS * 2, dtype="datetime64[ns]").astype("category")
    assert cells(pd.DataFrame({"a": column})) == [None, "2020-02-03"] * 2
    assert cells(arrow_dictionary(pa.array(DAYS))) == [None, "2020-02-03"]


def test_dates_as_text_are_text():
    X = pd.DataFrame({"a": pd.Series(DAYS, dtype="datetime64[ns]").astype(str)})
    assert cells(X)[1] == "2020-02-03"


def test_no_text_looks_like_a_date():
    assert cells([["2020-02-03"], ["12:00"]]) == ["2020-02-03", "12:00"]
