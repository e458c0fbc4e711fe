"""Plain values: what is missing, how dates and scalars read, that dates are refused."""

import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.table_cells import arrow_chunks, arrow_dictionary, cells
from nearkind.tables import is_missing, is_printable, plain, printable, read_table

NOON = dt.datetime(2020, 2, 3, 12, 0, 0, 500)
MOMENTS = [None, NOON, dt.datetime(2021, 1, 1), NOON]
DAYS = [None, dt.date(2020, 2, 3)]
SPANS = [None, dt.timedelta(days=1)]
TIMES = [None, dt.time(4, 5)]


@pytest.mark.parametrize(
    "value",
    [
        None,
        math.nan,
        np.float32("nan"),
        Decimal("NaN"),
        Decimal("sNaN"),
        pd.NA,
        pd.NaT,
        np.datetime64("NaT", "s"),
        np.timedelta64("NaT", "s"),
        np.ma.masked,
    ],
    ids=repr,
)
def test_missing(value):
    assert is_missing(value) is True
    assert plain(value) is None
    assert cells([["a"], [value], ["b"], [value]]) == ["a", None, "b", None]


@pytest.mark.parametrize("value", ["", " ", "nan", "None", 0, False, math.inf, ()])
def test_not_missing(value):
    assert is_missing(value) is False
    assert cells([[value], [None]]) == [value, None]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int8(3), 3),
        (np.float32(0.5), 0.5),
        (np.longdouble(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.bytes_(b"a"), b"a"),
        (Decimal("1.5"), Decimal("1.5")),
        (dt.date(2020, 2, 3), "2020-02-03"),
        (dt.time(4, 5), "04:05:00"),
        (dt.timedelta(days=1, seconds=2), "1 day, 0:00:02"),
        (pd.Timedelta(days=1, seconds=2), "1 day, 0:00:02"),
        (np.timedelta64(86_402_000_000_001, "ns"), "1 day, 0:00:02"),
        (np.timedelta64(3, "Y"), "3 years"),
        (np.datetime64("20000-01-01"), "20000-01-01"),
        (pd.Interval(0, 1), "(0, 1]"),
        (pd.Period("2020-02"), "2020-02"),
    ],
    ids=repr,
)
def test_plain(value, expected):
    assert plain(value) == expected
    assert type(plain(value)) is type(expected)


@pytest.mark.parametrize(
    "value",
    [
        NOON,
        pd.Timestamp(NOON) + pd.Timedelta(7, unit="ns"),
        np.datetime64(NOON),
        np.datetime64(NOON).astype("datetime64[ns]") + np.timedelta64(7, "ns"),
    ],
    ids=repr,
)
def test_one_moment_has_one_text(value):
    assert plain(value) == "2020-02-03T12:00:00.000500"


@pytest.mark.parametrize(
    "value",
    [
        dt.datetime(2020, 2, 3),
        dt.date(2020, 2, 3),
        pd.Timestamp("2020-02-03"),
        np.datetime64("2020-02-03"),
        np.datetime64("2020-02-03T00:00:00.000000000"),
    ],
    ids=repr,
)
def test_midnight_reads_as_its_date(value):
    assert plain(value) == "2020-02-03"


def test_time_zones_meet_in_utc():
    paris = pd.Timestamp("2020-02-03 13:00", tz="Europe/Paris")
    assert plain(paris) == plain(paris.tz_convert("Asia/Tokyo"))
    assert plain(paris) == "2020-02-03T12:00:00+00:00"


def refused(X, what, example, advice):
    with pytest.raises(TypeError) as caught:
        read_table(X).column(0)
    text = str(caught.value)
    assert text.startswith(f"Column 'a' holds {what}, such as {example!r}")
    assert advice in text
    assert "convert it to text" in text


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
    refused(X, "dates", noon, "Use its month, weekday or age in days")


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
    assert cells({"a": [pd.NaT, np.datetime64("NaT", "s"), "x"]}) == [None, None, "x"]


def test_dates_declared_categories_are_categories():
    column = pd.Series(DAYS * 2, dtype="datetime64[ns]").astype("category")
    assert cells(pd.DataFrame({"a": column})) == [None, "2020-02-03"] * 2
    assert cells(arrow_dictionary(pa.array(DAYS))) == [None, "2020-02-03"]


def test_dates_as_text_are_text():
    X = pd.DataFrame({"a": pd.Series(DAYS, dtype="datetime64[ns]").astype(str)})
    assert cells(X)[1] == "2020-02-03"


def test_no_text_looks_like_a_date():
    assert cells([["2020-02-03"], ["12:00"]]) == ["2020-02-03", "12:00"]


def test_printable_keeps_what_people_write():
    for text in ("naïve", "日本\u3000語", "نمی\u200cشود", "👩\u200d🚀", "10\xa0km"):
        assert printable(text) == text


@given(st.text(st.characters(exclude_categories=()), max_size=8))
def test_printable_is_one_line_that_no_terminal_obeys(text):
    shown = printable(text)
    assert all(map(is_printable, shown))
    assert len(shown.splitlines()) <= 1
    shown.encode()  # no halves of surrogate pairs
