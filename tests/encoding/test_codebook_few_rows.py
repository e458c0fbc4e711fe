"""A few rows, coded value by value, get what coding column by column gives them.

The same codes or the same error, and the same warnings, of any value in any table.
"""

import copy
import datetime as dt
import warnings
from decimal import Decimal
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkind.encoding import codebook
from nearkind.encoding.codebook import POLICIES, Codebook
from nearkind.errors import UnseenValueWarning
from nearkind.tables import is_missing, read_table

WORDS = ["red", "blue", "", "1"]
FEW = [0, 1, 2.5, True, 10**20]
MANY = [*range(-3, 30), 0.5, 1e300]
MISSING = [
    None,
    float("nan"),
    pd.NA,
    pd.NaT,
    np.nan,
    np.datetime64("NaT", "s"),
    np.ma.masked,
]
MISSING += [Decimal("nan"), Decimal("snan"), np.float32("nan")]
NUMBERS = [3, -7, 2.5, 1e9, float("inf"), True, 2**53 + 1, 10**400, Decimal(3)]
SCALARS = [np.int8(1), np.uint64(2**64 - 1), np.float32(0.1), np.float64(2.5)]
SCALARS += [np.longdouble(1), np.bool_(True), np.str_("red"), np.bytes_(b"red")]
OTHERS = ["grey", b"red", dt.date(2020, 2, 3), dt.datetime(2020, 2, 3), dt.time(1)]
OTHERS += [dt.timedelta(1), pd.Timestamp("2020-02-03"), np.datetime64("2020-02-03")]
OTHERS += [np.timedelta64(1, "D"), pd.Period("2020-01"), pd.Interval(0, 1)]
OTHERS += [Fraction(1, 2), 1j, np.complex64(1), (1, 2), [1], {"a": 1}, {1}]

ORDINARY = st.sampled_from([*WORDS, *FEW, *MANY, None])
ANY = st.one_of(ORDINARY, *map(st.sampled_from, ([*MISSING], NUMBERS, SCALARS, OTHERS)))
NAMES = ["word", "few", "many", "mixed"]


def training_table(named, has_missing):
    """Return words, few numbers, many numbers and both, as records or as rows."""
    n = len(MANY)
    columns = [WORDS * n, FEW * n, MANY, ["red", 1, True, 7] * n]
    rows = [list(row) for row in zip(*columns, strict=False)]
    rows += [[None] * len(NAMES)] * has_missing
    return [dict(zip(NAMES, row, strict=True)) for row in rows] if named else rows


def fitted(named, has_missing, **policies):
    book = Codebook(**policies)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book.fit_encode(training_table(named, has_missing))
    return book


@st.composite
def codebooks(draw):
    policies = {name: draw(st.sampled_from(kinds)) for name, kinds in POLICIES.items()}
    refuses = policies["missing"] == "error"
    has_missing = not refuses and draw(st.booleans())
    return fitted(draw(st.booleans()), has_missing, **policies)


@st.composite
def rows_of_cells(draw):
    """Return up to five rows, most of them as wide as the training table."""
    width = draw(st.sampled_from([4, 4, 4, 4, 4, 3, 5]))
    cells = draw(st.sampled_from([ORDINARY, ANY]))
    row = st.lists(cells, min_size=width, max_size=width)
    return draw(st.lists(row, min_size=1, max_size=5))


@st.composite
def names(draw, width):
    """Return column names: those of fit in some order, or others."""
    known = draw(st.permutations([*NAMES, "extra"][:width]))
    if draw(st.integers(0, 5)) == 0:
        known[0] = draw(st.sampled_from([np.str_("word"), 1, "Word", "many"]))
    return known


def object_array(rows):
    array = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        for d, value in enumerate(row):
            array[i, d] = value
    return array


def pandas_frame(rows, columns):
    return pd.DataFrame(object_array(rows), columns=columns)


def declared(frame):
    return frame.astype("category")


def inferred(frame):
    return frame.infer_objects().convert_dtypes()


def polars_frame(rows, columns):
    rows = [[None if is_missing(value) else value for value in row] for row in rows]
    cells = dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))
    return pl.DataFrame(cells, strict=False)


KINDS = {
    "lists": lambda rows, columns: rows,
    "tuples": lambda rows, columns: tuple(map(tuple, rows)),
    "arrays": lambda rows, columns: list(map(np.array, rows)),
    "dicts": lambda rows, columns: [
        dict(zip(columns, row, strict=True)) for row in rows
    ],
    "one key less": lambda rows, columns: [
        dict(zip(columns[i:], row[i:], strict=True)) for i, row in enumerate(rows[:3])
    ],
    "object array": lambda rows, columns: object_array(rows),
    "array": lambda rows, columns: np.array(rows),
    "pandas": pandas_frame,
    "pandas categories": lambda *table: declared(pandas_frame(*table)),
    "pandas inferred": lambda *table: inferred(pandas_frame(*table)),
    "polars": polars_frame,
    "polars categories": lambda *table: polars_frame(*table).with_columns(
        pl.col(pl.String).cast(pl.Categorical)
    ),
}


@st.composite
def queries(draw):
    """Return a table of some library, if that takes the values."""
    rows = draw(rows_of_cells())
    kind = draw(st.sampled_from(list(KINDS)))
    columns = draw(names(len(rows[0])))
    return table_of(kind, rows, columns)


def table_of(kind, rows, columns):
    """Return a table of a kind, or of objects if its library does not take them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return KINDS[kind](rows, columns)
        except Exception:
            return object_array(rows)


def outcome(book, X):
    """Return codes or an error, and the warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            codes = book.encode(X, owner="Owner")
            result = codes.tolist(), codes.dtype, codes.flags.f_contiguous
        except Exception as error:  # whatever it is, both must raise it
            result = type(error), str(error)
    return result, [(w.category, str(w.message), w.lineno) for w in told]


def by_columns(book, X):
    with patch.object(codebook, "FEW_ROWS", 0):
        return outcome(book, X)


@given(codebooks(), st.lists(queries(), min_size=1, max_size=3))
def test_few_rows_have_the_codes_errors_and_warnings_of_columns(book, tables):
    other = copy.deepcopy(book)
    for X in [*tables, *tables]:  # what has been reported is silent the second time
        assert outcome(book, X) == by_columns(other, X)


@pytest.mark.covering(1)
@pytest.mark.parametrize("kind", ["lists", "dicts", "object array", "pandas", "polars"])
@pytest.mark.parametrize("numeric", POLICIES["numeric"])
def test_every_kind_of_value_in_every_kind_of_column(kind, numeric):
    book = fitted(True, has_missing=False, numeric=numeric)
    for value in [*MISSING, *NUMBERS, *SCALARS, *OTHERS]:
        for d in range(len(NAMES)):
            row = ["red", 1, 5, 7]
            row[d] = value
            X = table_of(kind, [row], NAMES)
            same = outcome(copy.deepcopy(book), X) == by_columns(copy.deepcopy(book), X)
            assert same, (NAMES[d], value)


ARRAYS = [
    np.array([[1, 2, 5, 7]], dtype)
    for dtype in ("i1", "u8", "f2", "f4", "g", "?", "U3", "S3", "M8[ns]", "m8[s]", "c8")
]
ARRAYS += [
    np.ma.array([[1, 2, 5, 7]], mask=[[0, 1, 1, 0]]),
    np.ma.array([[1, 2, 5, 7]], "M8[ns]", mask=[[0, 1, 1, 0]]),
    np.array([[np.nan, np.inf, -np.inf, -0.0]]),
]


@pytest.mark.parametrize("X", ARRAYS, ids=lambda X: f"{type(X).__name__} {X.dtype}")
@pytest.mark.parametrize("numeric", POLICIES["numeric"])
def test_arrays_of_one_type(X, numeric):
    book = fitted(False, has_missing=True, numeric=numeric)
    assert outcome(copy.deepcopy(book), X) == by_columns(book, X)


def test_large_integers_among_categories_stay_exact_beside_a_missing_one():
    large = 2**53 + 1
    book = Codebook(numeric="category")
    book.fit_encode({"n": [large, large - 1, None]})
    X = pd.DataFrame({"n": pd.Categorical([large, None])})
    assert book.encode(X).tolist() == [[1], [2]]


@pytest.mark.parametrize(
    "make", [list, lambda rows: pd.DataFrame(rows)], ids=["list", "frame"]
)
def test_an_ordinary_row_reads_no_column(make):
    rows = training_table(True, has_missing=True)
    book = Codebook()
    book.fit_encode(rows)
    table = read_table(make(rows[:2]))
    with patch.object(type(table), "column", side_effect=AssertionError):
        assert book.encode(table).shape == (2, 4)


def test_an_unseen_value_is_reported_once_and_then_looked_up():
    book = Codebook()
    book.fit_encode(training_table(True, has_missing=False))
    row = [{"word": "grey", "few": 1, "many": 5, "mixed": None}]
    with pytest.warns(UnseenValueWarning, match="'grey'.*None"):
        first = book.encode(row)
    with patch.object(codebook, "FEW_ROWS", 1):
        table = read_table(row)
        with patch.object(type(table), "column", side_effect=AssertionError):
            assert book.encode(table).tolist() == first.tolist()
