"""Columns of numbers: when they are cut into bins, and what the bins take."""

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nearkind.encoding import Bins, Coordinate, Levels
from nearkind.encoding.codebook import Codebook


def one_column(cells):
    return [[cell] for cell in cells]


def fitted(X, **policy):
    book = Codebook(**policy)
    book.fit_encode(X)
    return book


@pytest.mark.parametrize(
    ("numeric", "n_distinct", "kind"),
    [
        ("auto", 20, Levels),
        ("auto", 21, Bins),
        ("bin", 2, Bins),
        ("category", 50, Levels),
        ("scale", 2, Coordinate),
        ("scale", 50, Coordinate),
    ],
)
def test_numeric_policies(numeric, n_distinct, kind):
    numbers = [float(i % n_distinct) for i in range(150)] + [None]
    for X in (one_column(numbers), pd.DataFrame({"x0": numbers})):
        book = fitted(X, numeric=numeric)
        assert type(book.features_[0]) is kind


@pytest.mark.parametrize("numeric", ["bin", "scale"])
def test_only_numbers_are_numbers(numeric):
    assert type(fitted([["1"], ["2"]], numeric=numeric).features_[0]) is Levels
    assert type(fitted([[True], [False]], numeric=numeric).features_[0]) is Levels
    X = pd.DataFrame({"a": pd.Categorical(range(30))})
    assert type(fitted(X, numeric=numeric).features_[0]) is Levels


def test_bins_share_the_rows():
    numbers = np.random.default_rng(0).permutation(100).astype(float)
    book = Codebook(numeric="bin")
    codes = book.fit_encode(numbers[:, None])
    assert np.bincount(codes.ravel()).tolist() == [10] * 10
    assert book.values(0)[:2] == ["< 10", "10 to 20"]
    assert book.values(0)[-1] == ">= 90"
    np.testing.assert_array_equal(codes.ravel(), numbers // 10)


def test_a_single_bin():
    book = Codebook(numeric="bin")
    assert book.fit_encode([[5], [5], [None]]).ravel().tolist() == [0, 0, 1]
    assert book.values(0) == ["any number", None]
    assert book.n_values == [2]


def test_infinities_go_to_the_outer_bins():
    book = fitted(one_column([*range(30), math.inf, -math.inf, None]))
    n_bins = book.n_values[0] - 1
    codes = book.encode([[-math.inf], [-1e300], [1e300], [math.inf], [None]])
    assert codes.ravel().tolist() == [0, 0, n_bins - 1, n_bins - 1, n_bins]


@pytest.mark.parametrize("missing", ["level", "prior"])
def test_missing_numbers(missing):
    book = Codebook(missing=missing)
    codes = book.fit_encode(one_column([*range(30), None])).ravel()
    assert codes[-1] == (10 if missing == "level" else -1)
    assert book.values(0)[10:] == ([None] if missing == "level" else [])


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"x0": pd.Categorical([25, 3, None], [25, 3, "unused"])}),
        pd.DataFrame({"x0": [25, 3, None]}),
        [[Decimal(25)], [Decimal(3)], [None]],
        pl.DataFrame({"x0": [25.0, 3.0, math.nan]}),
    ],
)
def test_bins_take_numbers_of_any_kind(X):
    book = fitted(one_column([*range(30), None]))
    expected = book.encode([[25], [3], [None]])
    np.testing.assert_array_equal(book.encode(X), expected)
    assert len(set(expected.ravel().tolist())) == 3


def test_bins_take_booleans():
    book = fitted(one_column(range(-15, 15)))
    np.testing.assert_array_equal(book.encode([[True]]), book.encode([[1]]))


@pytest.mark.parametrize("cells", [[1, "old"], ["old"]])
def test_bins_refuse_text(cells):
    book = fitted([{"age": i} for i in range(30)])
    with pytest.raises(ValueError, match=r"'age' held numbers .* now holds 'old'"):
        book.encode([{"age": cell} for cell in cells])


DECIMALS = [Decimal(i) / 4 for i in range(30)]


@pytest.mark.parametrize(
    "X",
    [
        one_column([*DECIMALS, None]),
        pd.DataFrame({"x0": [*DECIMALS, None]}),
        pl.DataFrame({"x0": [*DECIMALS, None]}),
        pa.table({"x0": [*DECIMALS, None]}),
        one_column([*DECIMALS[:-1], 7.25, Decimal("NaN")]),
    ],
)
@pytest.mark.parametrize("numeric", ["auto", "category", "bin", "scale"])
def test_decimals_are_numbers(X, numeric):
    plain = one_column([i / 4 for i in range(30)] + [None])
    book, expected = Codebook(numeric=numeric), Codebook(numeric=numeric)
    np.testing.assert_array_equal(book.fit_encode(X), expected.fit_encode(plain))
    assert book.values(0) == expected.values(0)


@pytest.mark.parametrize("make", [list, np.array], ids=["cells", "array"])
def test_integers_beyond_floats(make):
    cells = make([[2**60 + i] for i in range(30)])
    book = fitted(cells)  # one float, so few numbers: every one a level
    assert book.values(0) == [2**60 + i for i in range(30)]
    assert fitted(cells, numeric="bin").values(0) == ["any number"]
    scaled = fitted(cells, numeric="scale")
    assert scaled.values(0) == [2.0**60]
    assert scaled.positions[0].tolist() == [0.0]


def test_integers_beyond_all_floats_are_infinite():
    book = fitted([[10**400], [1], [2], [-(10**400)]], numeric="scale")
    assert book.values(0) == [1, 2]
    assert book.encode([[10**400], [-(10**400)]]).ravel().tolist() == [1, 0]


@pytest.mark.parametrize("numeric", ["auto", "category", "bin", "scale"])
@pytest.mark.parametrize("missing", ["level", "prior"])
def test_columns_of_numbers_that_are_all_missing(numeric, missing):
    book = Codebook(numeric=numeric, missing=missing)
    codes = book.fit_encode(np.full((3, 1), np.nan))
    assert codes.ravel().tolist() == ([0] * 3 if missing == "level" else [-1] * 3)
    assert book.values(0) == ([None] if missing == "level" else [])
    assert book.positions == [None]


def test_infinite_numbers_alone_are_levels():
    book = fitted(one_column([math.inf, -math.inf, None]), numeric="scale")
    assert book.values(0) == [-math.inf, math.inf, None]
    assert book.positions == [None]


def test_rows_of_weight_zero_move_no_place():
    X, weights = one_column([1.0, 9.0, 3.0]), np.array([1.0, 0.0, 1.0])
    book = Codebook(numeric="scale")
    assert book.fit_encode(X, weights).ravel().tolist() == [0, 1, 1]
    assert book.values(0) == [1, 3]
    assert book.positions[0].tolist() == [-1.0, 1.0]


@pytest.mark.parametrize("missing", ["level", "prior"])
def test_missing_numbers_on_an_axis(missing):
    book = Codebook(missing=missing, numeric="scale")
    codes = book.fit_encode(one_column([4, None, 8])).ravel()
    assert codes.tolist() == ([0, 2, 1] if missing == "level" else [0, -1, 1])
    assert book.positions[0].tolist() == [-1.0, 1.0, 0.0][: book.n_values[0]]
