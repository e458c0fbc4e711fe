"""Codes are the same from every library, and follow names, weights and policies."""

import math
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkind.encoding import Levels
from nearkind.encoding.codebook import Codebook
from nearkind.errors import NearlyUniqueWarning, UnseenValueWarning

PEOPLE = [
    {"Marital": "single", "Children": 0},
    {"Marital": "married", "Children": 2},
    {"Marital": None, "Children": None},
    {"Marital": "single", "Children": 1},
]


def one_column(cells):
    return [[cell] for cell in cells]


def fitted(X, **policy):
    book = Codebook(**policy)
    book.fit_encode(X)
    return book


def quiet(book, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenValueWarning)
        return book.encode(X)


def all_values(book):
    return [book.values(d) for d in range(len(book.names_))]


def test_codes_and_values():
    book = Codebook()
    codes = book.fit_encode(PEOPLE)
    assert codes.tolist() == [[1, 0], [0, 2], [2, 3], [1, 1]]
    assert codes.dtype == np.int32
    assert codes.flags.f_contiguous
    assert book.names_ == ["Marital", "Children"]
    assert book.named_ is True
    assert book.n_values == [3, 4]
    assert book.values(0) == ["married", "single", None]
    assert book.values(1) == [0, 1, 2, None]


def test_encode_repeats_fit():
    book = Codebook()
    codes = book.fit_encode(PEOPLE)
    again = book.encode(PEOPLE[::-1])
    assert again.dtype == np.int32
    assert again.flags.f_contiguous
    np.testing.assert_array_equal(again, codes[::-1])


CELLS = {
    "text": st.none() | st.sampled_from(["", "a", "b", "1", "nan", "ä"]),
    "number": st.none() | st.integers(-2, 2),
}


@st.composite
def small_tables(draw):
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=3))
    rows = st.tuples(*(CELLS[kind] for kind in kinds))
    return kinds, draw(st.lists(rows, min_size=1, max_size=8))


def as_every_kind(kinds, rows):
    names = [f"x{d}" for d in range(len(kinds))]
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    types = {"text": (pl.String, pa.string()), "number": (pl.Int64, pa.int64())}
    schema = {n: types[kind] for n, kind in zip(names, kinds, strict=True)}
    strings = pl.DataFrame(columns, schema={n: t[0] for n, t in schema.items()})
    arrow = pa.table(columns, schema=pa.schema([(n, t[1]) for n, t in schema.items()]))
    objects = pd.DataFrame(columns, dtype=object)
    return {
        "list of lists": rows,
        "list of dicts": [dict(zip(names, row, strict=True)) for row in rows],
        "dict of columns": columns,
        "pandas object": objects,
        "pandas inferred": objects.infer_objects(),
        "pandas category": objects.astype("category"),
        "polars": strings,
        "polars Categorical": strings.with_columns(
            pl.col(pl.String).cast(pl.Categorical)
        ),
        "pyarrow": arrow,
        "pyarrow chunks": pa.concat_tables([arrow.slice(0, 1), arrow.slice(1)]),
        "numpy object": np.array(rows, dtype=object),
    }


@given(small_tables())
def test_every_kind_of_table_gives_the_same_codes(kinds_and_rows):
    tables = as_every_kind(*kinds_and_rows)
    book = Codebook()
    expected = book.fit_encode(tables["list of lists"])
    for kind, X in tables.items():
        other = Codebook()
        np.testing.assert_array_equal(other.fit_encode(X), expected, err_msg=kind)
        np.testing.assert_array_equal(book.encode(X), expected, err_msg=kind)
        for d in range(len(book.names_)):
            assert other.values(d) == book.values(d), kind


@given(small_tables(), st.randoms())
def test_row_order_does_not_matter(kinds_and_rows, random):
    rows = kinds_and_rows[1]
    shuffled = random.sample(rows, len(rows))
    book, other = fitted(rows), fitted(shuffled)
    assert all_values(book) == all_values(other)


def test_unused_categories_get_no_level():
    X = pd.DataFrame({"a": pd.Categorical(["b", "c", "b"], list("abc"))})
    book = Codebook()
    assert book.fit_encode(X).ravel().tolist() == [0, 1, 0]
    assert book.values(0) == ["b", "c"]


def test_unused_categories_are_not_unseen():
    book = fitted(pd.DataFrame({"a": ["b", "c"]}), unseen="error")
    X = pd.DataFrame({"a": pd.Categorical(["c", "b", "b"], list("abc"))})
    assert book.encode(X).ravel().tolist() == [1, 0, 0]


@pytest.mark.parametrize("order", ["abc", "cab"])
def test_missing_among_categories(order):
    X = pd.DataFrame({"a": pd.Categorical(["c", None, "a", "b"], list(order))})
    for policy, code in (("level", 3), ("prior", -1)):
        book = Codebook(missing=policy)
        assert book.fit_encode(X).ravel().tolist() == [2, code, 0, 1]
        assert book.encode(X).ravel().tolist() == [2, code, 0, 1]


def test_missing_as_prior_is_silent():
    book = Codebook(missing="prior")
    assert book.fit_encode(PEOPLE)[2].tolist() == [-1, -1]
    assert book.encode(PEOPLE)[2].tolist() == [-1, -1]
    assert book.n_values == [2, 3]


def test_all_missing_column():
    X = [[None], [None]]
    for numeric in ("auto", "bin", "category"):
        book = Codebook(numeric=numeric)
        assert book.fit_encode(X).ravel().tolist() == [0, 0]
        assert book.values(0) == [None]
        assert book.encode([[math.nan]]).tolist() == [[0]]
    assert fitted(X, missing="prior").n_values == [0]


def test_constant_column():
    book = Codebook()
    assert book.fit_encode([["a"], ["a"]]).tolist() == [[0], [0]]
    assert book.n_values == [1]


def test_text_and_numbers_differ_where_both_are_levels():
    book = fitted([["1"], [1], ["2"]])
    assert quiet(book, [[1], ["1"], [2]]).ravel().tolist() == [0, 1, 2]


def test_equal_numbers_are_one_level():
    book = fitted([[1, "u"], [0, "u"]])
    for X in ([[True, "u"]], [[1.0, "u"]], np.array([[1, "u"]], dtype=object)):
        assert book.encode(X).tolist() == [[1, 0]]


def test_columns_by_name_in_any_order():
    book = Codebook()
    codes = book.fit_encode(PEOPLE)
    X = pd.DataFrame(PEOPLE)[["Children", "Marital"]]
    np.testing.assert_array_equal(book.encode(X), codes)


def test_integer_names_match_by_name():
    X = pd.DataFrame([["a", "u"], ["b", "v"]])
    book = Codebook()
    codes = book.fit_encode(X)
    np.testing.assert_array_equal(book.encode(X[[1, 0]]), codes)


def test_columns_by_position_without_names():
    book = Codebook()
    codes = book.fit_encode(PEOPLE)
    array = pd.DataFrame(PEOPLE).to_numpy(dtype=object)
    np.testing.assert_array_equal(book.encode(array), codes)
    book.fit_encode(array)
    np.testing.assert_array_equal(book.encode(PEOPLE), codes)


def test_settings_are_shown():
    book = Codebook(missing="prior", unseen="error", numeric="bin")
    assert (book.missing, book.unseen, book.numeric) == ("prior", "error", "bin")
    assert repr(book) == "Codebook(missing='prior', unseen='error', numeric='bin')"


def test_many_levels():
    n = 30_000
    ids = [f"p{i:05}" for i in range(n)]
    with pytest.warns(NearlyUniqueWarning):
        codes = (book := Codebook()).fit_encode(one_column(ids[::-1]))
    np.testing.assert_array_equal(codes.ravel(), np.arange(n)[::-1])
    assert book.values(0) == ids


def test_pickle():
    X = [[i, "ab"[i % 2], None] for i in range(30)]
    book = fitted(X)
    copy = pickle.loads(pickle.dumps(book))
    np.testing.assert_array_equal(copy.encode(X), book.encode(X))
    assert [copy.values(d) for d in range(3)] == [book.values(d) for d in range(3)]
    assert repr(copy) == repr(book)


def test_no_reference_to_the_table_is_kept():
    rows = pd.DataFrame({"a": ["u", "v"] * 50_000, "n": np.arange(100_000.0)})
    assert len(pickle.dumps(fitted(rows))) < 5_000


def test_input_is_not_changed():
    X = pd.DataFrame({"a": pd.Categorical(["b", None, "a"]), "n": [1.0, np.nan, 3.0]})
    copy = X.copy(deep=True)
    book = Codebook(numeric="bin")
    codes = book.fit_encode(X)
    codes[:] = 9
    book.encode(X)[:] = 9
    pd.testing.assert_frame_equal(X, copy)


@given(small_tables(), st.data(), st.sampled_from(["auto", "bin", "category"]))
def test_weights_stand_for_repeated_rows(kinds_and_rows, data, numeric):
    rows = kinds_and_rows[1]
    counts = st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))
    times = np.array(data.draw(counts.filter(any)))
    book = Codebook(numeric=numeric)
    codes = book.fit_encode(rows, weights=times.astype(float))
    repeated = [row for row, n in zip(rows, times, strict=True) for _ in range(n)]
    other = Codebook(numeric=numeric)
    expected = other.fit_encode(repeated)
    assert all_values(book) == all_values(other)
    np.testing.assert_array_equal(np.repeat(codes, times, axis=0), expected)
    np.testing.assert_array_equal(codes, quiet(other, rows))


def test_rows_of_weight_zero_teach_no_level():
    X = [["a", 1], ["b", 2], ["c", 3], ["a", 1]]
    for table in (X, pd.DataFrame(X), np.array(X, dtype=object)):
        book = Codebook()
        codes = book.fit_encode(table, weights=np.array([1.0, 0.0, 0.5, 0.0]))
        assert all_values(book) == [["a", "c"], [1, 3]]
        assert codes.tolist() == [[0, 0], [-1, -1], [1, 1], [0, 0]]


def test_rows_of_weight_zero_teach_no_missing_level():
    X = [["a", 1.0], [None, None], ["b", 2.0]]
    for numeric in ("category", "bin"):
        book = Codebook(numeric=numeric)
        codes = book.fit_encode(X, weights=np.array([1.0, 0.0, 1.0]))
        assert codes[1].tolist() == [-1, -1]
        assert book.n_values == [2, 2]
        codes = book.fit_encode(X, weights=np.array([1.0, 0.1, 1.0]))
        assert codes[1].tolist() == [2, 2]


def test_rows_of_weight_zero_teach_no_edge():
    numbers = np.arange(60.0)
    weights = (numbers < 30.0).astype(float)
    book = Codebook()
    codes = book.fit_encode(numbers[:, None], weights=weights)
    assert book.values(0) == fitted(numbers[:30, None]).values(0)
    assert (codes[30:] == codes[29]).all()
    few = Codebook()
    few.fit_encode(numbers[:, None], weights=(numbers < 20.0).astype(float))
    assert type(few.features_[0]) is Levels


def test_cells_of_a_row_follow_the_features():
    book = fitted(PEOPLE)
    frame = pd.DataFrame(PEOPLE, dtype=object)
    assert book.cells_of([{"Children": 2, "Marital": "new"}]) == ["new", 2]
    assert book.cells_of([["new", 2]]) == ["new", 2]
    assert book.cells_of(frame[["Children", "Marital"]].iloc[[1]]) == ["married", 2]
    assert book.cells_of(pl.DataFrame(PEOPLE)[3]) == ["single", 1]


def test_missing_cells_of_a_row_are_none():
    book = fitted(PEOPLE)
    assert book.cells_of([{"Children": math.nan, "Marital": "a"}]) == ["a", None]
    assert book.cells_of(pd.DataFrame(PEOPLE).iloc[[2]]) == [None, None]
    assert book.cells_of(np.array([[None, 1]], dtype=object)) == [None, 1]
