"""One rule for cells: which are missing, and how moments and scalars read."""

import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from helpers.table_cells import cells
from nearkind.tables import is_missing, plain

NOON = dt.datetime(2020, 2, 3, 12, 0, 0, 500)


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
        np.datetime64("NaT"),
        np.timedelta64("NaT"),
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
