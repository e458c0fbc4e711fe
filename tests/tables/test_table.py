"""Factorized columns and tables agree with a slow oracle, for every kind of column."""

from decimal import Decimal
from numbers import Number

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkind.tables import is_missing, plain, read_table

GAPS = st.sampled_from([None, float("nan")])
BIG = 2**53
WHOLE = (
    st.integers(-3, 3) | st.integers(BIG - 2, BIG + 2) | st.integers(2**62, 2**63 - 1)
)
FLOATS = st.sampled_from([0.0, -0.0, 0.1, 1.0, -2.5, 2.0**53, 1e300, np.inf, -np.inf])
DECIMALS = st.sampled_from(["0.10", "0.1", "1.00", "-2.50", "90071992547409.93"])
LEVELS = ["z", "b", "", "a", "never"]
NUMBERS = st.sampled_from(
    [
        1,
        1.0,
        0.1,
        Decimal("0.1"),
        Decimal(1),
        2**70,
        2.0**70,
        10**400,
        np.inf,
        np.int8(1),
    ]
)
MIXED = st.sampled_from(
    [1, 2.5, "1", "x", b"x", (1, 2), Decimal("7"), np.float32(2.5), np.str_("x")]
)
CELLS = {
    "words": st.none() | st.sampled_from(["red", "blue", "", "nan", "Zoë"]),
    "whole": st.none() | WHOLE,
    "floats": GAPS | FLOATS,
    "decimals": st.none() | DECIMALS.map(Decimal),
    "booleans": st.none() | st.booleans(),
    "numbers": GAPS | NUMBERS,
    "mixed": GAPS | MIXED,
    "declared": st.none() | st.sampled_from(LEVELS[:-1]),
    "gone": GAPS,
}
ARROW = {
    "words": pa.string(),
    "whole": pa.int64(),
    "floats": pa.float64(),
    "decimals": pa.decimal128(20, 2),
    "booleans": pa.bool_(),
    "gone": pa.null(),
}
POLARS = {
    "words": pl.String,
    "whole": pl.Int64,
    "floats": pl.Float64,
    "decimals": pl.Decimal(20, 2),
    "booleans": pl.Boolean,
    "declared": pl.Enum(LEVELS),
}
PANDAS = {"words": "str", "whole": "Int64", "floats": "float64", "booleans": "boolean"}


def as_pandas(kind, cells):
    if kind == "declared":
        return pd.DataFrame({"a": pd.Categorical(cells, LEVELS)})
    return pd.DataFrame({"a": pd.Series(cells, dtype=PANDAS.get(kind, object))})


def as_polars(kind, cells):
    kind = "floats" if kind == "gone" else kind  # polars has both null and NaN
    return pl.DataFrame({"a": pl.Series(cells, dtype=POLARS[kind])})


def as_arrow(kind, cells):
    if kind == "declared":
        levels = pa.array(LEVELS)
        places = pa.array([None if c is None else LEVELS.index(c) for c in cells])
        array = pa.DictionaryArray.from_arrays(places.cast("int8"), levels)
    else:
        cells = [None if is_missing(cell) else cell for cell in cells]
        array = pa.array(cells, type=ARROW[kind])
    half = len(cells) // 2
    return pa.table({"a": pa.chunked_array([array[:half], array[half:]])})


def as_array(kind, cells):
    dtypes = {"floats": float, "gone": float, "whole": np.int64, "booleans": bool}
    whole = kind in ("whole", "booleans") and None in cells
    dtype = object if whole else dtypes.get(kind, object)
    array = np.empty((len(cells), 1), dtype)
    for i, cell in enumerate(cells):
        array[i, 0] = np.nan if cell is None and dtype is float else cell
    return array


def as_list(kind, cells):
    return [[cell] for cell in cells]


MAKERS = {
    as_pandas: set(CELLS),
    as_polars: {*POLARS, "gone"},
    as_arrow: {*ARROW, "declared"},
    as_array: set(CELLS) - {"declared"},
    as_list: set(CELLS) - {"declared"},
}
CASES = [(make, kind) for make, kinds in MAKERS.items() for kind in sorted(kinds)]
EVERY_CASE = pytest.mark.parametrize(
    ("make", "kind"), CASES, ids=[f"{make.__name__}-{kind}" for make, kind in CASES]
)


def in_order(values):
    """Return numbers, then text, then the rest by type and repr: insertion sort."""

    def comes_before(a, b):
        group_a, group_b = group(a), group(b)
        if group_a != group_b or group_a == 2:
            return (group_a, kind_of(a)) < (group_b, kind_of(b))
        return a < b

    found = []
    for value in values:
        place = sum(comes_before(other, value) for other in found)
        found.insert(place, value)
    return found


def group(value):
    return 0 if isinstance(value, Number) else 1 if isinstance(value, str) else 2


def kind_of(value):
    return (type(value).__name__, repr(value)) if group(value) == 2 else ("", "")


def oracle(cells):
    """Return (codes, distinct values) by comparing every cell with every other."""
    cells = [None if is_missing(cell) else plain(cell) for cell in cells]
    seen = []
    for cell in cells:
        if cell is not None and not any(cell == other for other in seen):
            seen.append(cell)
    distinct = in_order(seen)
    codes = [
        -1 if cell is None else next(i for i, v in enumerate(distinct) if v == cell)
        for cell in cells
    ]
    return codes, distinct


def floats_of(distinct):
    """Return the distinct values as floats, then NaN; None if one is no number."""
    if any(type(value) not in (int, float, Decimal) for value in distinct):
        return None
    large = 2 * 10**308
    found = [float("inf") if v > large else float(v) for v in distinct]
    return np.array([*found, np.nan])


def assert_agrees(codes, column, cells, whole, declared):
    """Hold that a factorization is the oracle's; ``whole`` says if it is of numbers."""
    wanted, distinct = oracle(cells)
    assert codes.tolist() == wanted
    assert codes.dtype == np.int32
    assert column.indices[-1] == -1
    assert [column.values[i] for i in column.indices[:-1]] == distinct
    assert column.missing.tolist() == [False] * len(distinct) + [True]
    assert column.declared == declared
    if declared or floats_of(oracle(whole)[1]) is None:
        assert column.numeric is None
    else:
        np.testing.assert_array_equal(column.numeric, floats_of(distinct))


def drawn_cells(data, kind):
    return data.draw(st.lists(CELLS[kind], min_size=1, max_size=12), label="cells")


@EVERY_CASE
@given(data=st.data())
def test_distinct_values_and_codes(make, kind, data):
    cells = drawn_cells(data, kind)
    column = read_table(make(kind, cells)).column(0)
    if data.draw(st.booleans(), label="read first"):
        assert len(column.indices) == len(cells)
    assert_agrees(*column.distinct(), cells, cells, declared=kind == "declared")


@EVERY_CASE
@given(data=st.data())
def test_some_rows_of_a_table(make, kind, data):
    cells = drawn_cells(data, kind)
    rows = np.array(
        data.draw(st.lists(st.integers(0, len(cells) - 1), min_size=1), label="rows")
    )
    some = [cells[i] for i in rows]
    table = read_table(make(kind, cells))
    taken = table.take(rows).column(0).distinct()
    assert_agrees(*taken, some, cells, declared=kind == "declared")
    factorized = table.factorize()
    assert factorized.factorize() is factorized
    assert factorized.codes[:, 0].tolist() == oracle(cells)[0]
    taken = factorized.take(rows)
    assert (taken.n_rows, taken.names) == (len(rows), table.names)
    assert taken.codes[:, 0].tolist() == [oracle(cells)[0][i] for i in rows]
    back = taken.column(0)
    wanted = [None if is_missing(cell) else plain(cell) for cell in some]
    assert [None if i < 0 else back.values[i] for i in back.indices] == wanted


@given(data=st.data())
def test_counts_add_the_weights_of_each_value(data):
    cells = drawn_cells(data, "words")
    weights = np.array([float(i % 4) for i in range(len(cells))])
    counts = read_table(as_list("words", cells)).factorize().counts(0, weights)
    codes, distinct = oracle(cells)
    wanted = [0.0] * (len(distinct) + 1)
    for code, weight in zip(codes, weights, strict=True):
        wanted[code] += weight
    assert counts.tolist() == wanted
