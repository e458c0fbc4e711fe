"""Tables of every kind, sound and odd: columns, gaps, names, labels, weights."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

from nearkind.tables import is_missing

HOSTILE = [
    "", " ", "\0", "a\0", "\ud800", "x\udfff", "\u202eabc", "\u05d0\u05d1", "\x1b[31m",
    "\x1b]0;title\x07", "\r\n", "\u2028", "e\u0301", "\u00e9", "\U0001f600", "\ufeff",
    "nan", "None", "NA", "inf", "1", "1.0", "1e5", "True", "a x b", "' OR 1=1 --", '"',
    "<script>", "{}", "%s", "../..", "__class__", "a" * 300,
]  # fmt: skip
TEXT = st.sampled_from(HOSTILE) | st.text(
    st.characters(exclude_categories=()), max_size=4
)
WORDS = st.sampled_from(["red", "blue", "green", "grey"])
GAPS = st.sampled_from(
    [None, float("nan"), pd.NA, pd.NaT, np.ma.masked, Decimal("NaN")]
)
WHOLE = (
    st.integers(-3, 3)
    | st.sampled_from([2**53, 2**53 + 1, 2**63 - 1, 2**64, 10**400, -(2**63)])
)  # fmt: skip
FLOATS = st.floats() | st.sampled_from([0.0, -0.0, 5e-324, 1e308, np.inf, -np.inf])
ODD = st.sampled_from(
    [
        b"x", (1, 2), frozenset({1}), Fraction(1, 3), Decimal("0.10"), True, np.int8(1),
        np.float32(0.1), np.str_("s"), np.bool_(False), 1.0, 1, "1", np.float16(2.5),
        range(3), Ellipsis, int, complex(1, 0),
    ]
)  # fmt: skip
REFUSED = st.sampled_from(
    [
        ["list"], {"a": 1}, {1}, 1j, dt.date(2020, 1, 2), dt.time(1), dt.timedelta(1),
        np.datetime64("2020-01-01"), np.timedelta64(1, "D"), pd.Timestamp(0),
        pd.Interval(0, 1), pd.Period("2020"), np.zeros(2), bytearray(b"x"),
    ]
)  # fmt: skip
CELLS = {
    "words": WORDS,
    "text": TEXT,
    "whole": WHOLE,
    "small": st.integers(0, 2),
    "floats": FLOATS,
    "tenths": st.integers(-9, 9).map(lambda k: k / 10),
    "booleans": st.booleans(),
    "odd": ODD | WORDS,
    "refused": REFUSED | WORDS,
    "gone": GAPS,
}
KINDS = (
    ["words"] * 5 + ["text", "text", "small", "small", "booleans", "tenths"] + [*CELLS]
)


SELDOM = st.sampled_from([False] * 4 + [True])


class Case(NamedTuple):
    """A table as columns, its labels and weights, and in what it is to be given."""

    names: list[Any]
    columns: list[list[Any]]
    labels: Any
    weights: Any
    container: str

    @property
    def n_rows(self):
        return len(self.columns[0])

    def table(self, rows=None, columns=None):
        """Return the table, or some of its rows and columns, in its container."""
        order = range(len(self.names)) if columns is None else columns
        rows = range(self.n_rows) if rows is None else rows
        names = [self.names[d] for d in order]
        cells = [[self.columns[d][i] for i in rows] for d in order]
        return CONTAINERS[self.container](names, cells)

    def renamed(self):
        """Return the case with other words in it, which sort in another order."""
        new = {"red": "Blau", "blue": "rot", "green": "\u7dd1", "grey": ""}
        return self._replace(
            columns=[
                [
                    new.get(cell, cell) if isinstance(cell, str) else cell
                    for cell in cells
                ]
                for cells in self.columns
            ]
        )

    @property
    def can_be_renamed(self):
        """Whether no column has a word already that another would get."""
        return not any(
            isinstance(c, str) and c == "" for cells in self.columns for c in cells
        )


@st.composite
def columns(draw, n):
    """Cells of one column: often few values, with gaps; now and then all different."""
    kind = draw(st.sampled_from(KINDS))
    cells = CELLS[kind]
    shape = draw(st.sampled_from(["few", "few", "few", "any", "one", "all"]))
    if shape == "all":  # identifiers
        return [f"id {i}" if kind == "words" else i for i in range(n)]
    if shape in ("few", "one"):
        pool = draw(st.lists(cells, min_size=1, max_size=3 if shape == "few" else 1))
        cells = st.sampled_from(pool)
    if draw(SELDOM):
        cells = cells | GAPS
    return draw(st.lists(cells, min_size=n, max_size=n))


NAMES = st.one_of(
    st.sampled_from(["a", "b", "c", "d", "e", "f"]),
    st.sampled_from(HOSTILE),
    st.sampled_from([0, 1, 1.5, True, None, float("nan"), ("a", 1), b"a", np.int64(3)]),
)


@st.composite
def names(draw, n_columns):
    if not draw(SELDOM):
        return [*"abcdefgh"][:n_columns]
    return draw(st.lists(NAMES, min_size=n_columns, max_size=n_columns))


@st.composite
def labels(draw, n):
    """Labels, mostly two classes of words; or one, gaps, numbers, odd values."""
    two = st.sampled_from(["ham", "egg"])
    kinds = [two] * 6 + [
        st.integers(0, 2),
        st.booleans(),
        st.just("one"),
        st.sampled_from(HOSTILE[:8]),
        two | GAPS,
        FLOATS,
        ODD,
        WHOLE,
    ]
    cells = draw(st.sampled_from(kinds))
    size = draw(st.sampled_from([n] * 40 + [0, n - 1, n + 1]))
    y = draw(st.lists(cells, min_size=size, max_size=size))
    return draw(st.sampled_from([list, list, as_array, as_series, tuple]))(y)


def as_array(values):
    """Return values as NumPy makes an array of them, or as objects."""
    try:
        return np.array(values)
    except (ValueError, OverflowError, TypeError):
        return as_objects(values)


def as_objects(values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def as_series(values):
    return pd.Series(as_objects(values), dtype=object)


@st.composite
def weights(draw, n):
    """No weights, mostly; else ordinary, extreme or wrong ones."""
    kind = draw(st.sampled_from(["none"] * 5 + ["few", "few", "extreme", "wrong"]))
    if kind == "none":
        return None
    if kind == "few":
        return draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    if kind == "extreme":
        sizes = [0.0, 1e-300, 5e-324, 1e-100, 0.5, 1.0, 1e100, 1e300, 1.7e308]
        return draw(st.lists(st.sampled_from(sizes), min_size=n, max_size=n))
    wrong = [[-1.0] * n, [np.nan] * n, [np.inf] * n, [0.0] * n, ["x"] * n, [1.0], "x"]
    return draw(st.sampled_from([*wrong, 3, [[1.0]] * n, [None] * n, [10**400] * n]))


def pandas_frame(names, columns):
    frame = pd.concat(
        [as_series(cells) for cells in columns], axis=1, ignore_index=True
    )
    frame.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    return frame


def inferred_frame(names, columns):
    """Return a frame of the types that pandas finds best for each column."""
    return pandas_frame(names, columns).infer_objects().convert_dtypes()


def categorical_frame(names, columns):
    """Return a frame of declared categories."""
    frame = pandas_frame(names, columns)
    return pd.concat(
        [frame.iloc[:, d].astype("category") for d in range(len(names))], axis=1
    )


def polars_frame(names, columns):
    """Return a frame of polars, which panics where cells are of odd types."""
    cells = {
        name: polars_cells(cells) for name, cells in zip(names, columns, strict=True)
    }
    return pl.DataFrame({n: pl.Series(n, c) for n, c in cells.items()})


def polars_cells(cells):
    cells = [None if is_missing(cell) else cell for cell in cells]
    kinds = {type(cell) for cell in cells if cell is not None}
    if len(kinds) > 1 or not kinds <= {str, int, float, bool}:
        raise TypeError("polars wants cells of one plain type")
    return cells


def arrow_table(names, columns):
    return pa.table({n: pa.array(c) for n, c in zip(names, columns, strict=True)})


def object_array(names, columns):
    array = np.empty((len(columns[0]), len(columns)), dtype=object)
    for d, cells in enumerate(columns):
        array[:, d] = as_objects(cells)
    return array


CONTAINERS = {
    "pandas": pandas_frame,
    "pandas inferred": inferred_frame,
    "pandas categorical": categorical_frame,
    "polars": polars_frame,
    "arrow": arrow_table,
    "array": object_array,
    "typed array": lambda names, columns: as_array(
        [list(row) for row in zip(*columns, strict=True)]
    ),
    "rows": lambda names, columns: [list(row) for row in zip(*columns, strict=True)],
    "dicts": lambda names, columns: [
        dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)
    ],
    "columns": lambda names, columns: dict(zip(names, columns, strict=True)),
}


@st.composite
def cases(draw):
    """A table of any kind."""
    n = draw(st.sampled_from([1, 2, 3, 5, 6, 8, 8, 10, 12, 12, 24]))
    n_columns = draw(st.integers(1, 4))
    return Case(
        draw(names(n_columns)),
        [draw(columns(n)) for _ in range(n_columns)],
        draw(labels(n)),
        draw(weights(n)),
        draw(st.sampled_from([*CONTAINERS])),
    )
