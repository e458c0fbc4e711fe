"""Columns of numbers: when they are cut into bins, and what the bins take."""

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from nearkind.codebook import Codebook
from nearkind.features import Bins, Levels


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
    ],
)
def test_numeric_policies(numeric, n_distinct, kind):
    numbers = [float(i % n_distinct) for i in range(150)] + [None]
    for X in (one_column(numbers), pd.DataFrame({"x0": numbers})):
        book = fitted(X, numeric=numeric)
        assert type(book.features_[0]) is kind


def test_text_is_never_binned():
    assert type(fitted([["1"], ["2"]], numeric="bin").features_[0]) is Levels
    assert type(fitted([[True], [False]], numeric="bin").features_[0]) is Levels
    X = pd.DataFrame({"a": pd.Categorical(range(30))})
    assert type(fitted(X).features_[0]) is Levels


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
