"""Crosses: a code for each pair of values that fit saw, by whatever path."""

import warnings
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import strategies
from nearkind.encoding import codebook, crosses
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.crosses import Cross
from nearkind.encoding.rows import CodedRows
from nearkind.errors import NearlyUniqueWarning, UnseenValueWarning
from nearkind.tables import read_table

ROWS = [
    {"colour": "red", "size": "s", "age": 1},
    {"colour": "blue", "size": "m", "age": 2},
    {"colour": "red", "size": None, "age": 3},
]
PAIRS = [("colour", "size"), ("size", "age")]


def book(**settings):
    """Return a codebook fitted to the rows above."""
    made = Codebook(**{"crosses": PAIRS, **settings})
    made.fit_encode(ROWS)
    return made


@given(strategies.tables(unseen=True), st.integers(0, 99))
def test_codes_are_places_among_the_pairs_seen(table, seed):
    a, b = 0, len(table.n_values) - 1
    seen = sorted({(r[a], r[b]) for r in table.codes.tolist() if min(r[a], r[b]) >= 0})
    cross = Cross.learned("a x b", (a, b), table.codes)
    assert cross.levels.tolist() == [list(pair) for pair in seen]
    shape = (20, len(table.n_values))
    new = np.random.default_rng(seed).integers(-1, 4, shape)
    place = {pair: code for code, pair in enumerate(seen)}
    wanted = [place.get((row[a], row[b]), -1) for row in new.tolist()]
    assert cross.encode(new).tolist() == wanted


def test_a_cross_comes_after_the_columns_and_its_values_are_pairs():
    made = book()
    assert made.feature_names == [
        "colour",
        "size",
        "age",
        "colour x size",
        "size x age",
    ]
    assert made.names_ == ["colour", "size", "age"]
    assert made.values(3) == [("blue", "m"), ("red", "s"), ("red", None)]
    assert made.n_values == [2, 3, 3, 3, 3]
    assert made.positions == [None] * 5
    assert made.place_of("size x age") == 4
    assert made.encode(ROWS)[:, 3].tolist() == [1, 0, 2]
    assert made.cells_of([ROWS[2]])[3:] == [("red", None), (None, 3)]


def test_a_missing_part_without_a_level_leaves_no_pair():
    made = book(missing="prior")
    assert made.values(3) == [("blue", "m"), ("red", "s")]
    assert made.encode(ROWS)[:, 3].tolist() == [1, 0, -1]


def test_nothing_is_said_of_a_pair_not_seen():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for settings in ({}, {"unseen": "error"}):
            codes = book(**settings).encode([{"colour": "blue", "size": "s", "age": 1}])
            assert codes.tolist() == [[0, 1, 0, -1, 1]]
    with pytest.warns(UnseenValueWarning, match="'size' has 1 value not seen"):
        codes = book().encode([{"colour": "blue", "size": "xl", "age": 1}])
    assert codes.tolist() == [[0, -1, 0, -1, -1]]


@pytest.mark.parametrize("missing", ["level", "prior"])
@pytest.mark.parametrize("numeric", ["auto", "category", "bin"])
def test_few_rows_get_the_codes_of_many(missing, numeric):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "word": rng.choice(["a", "b", None], 60),
            "number": rng.normal(size=60).round(1),
            "few": rng.integers(0, 3, 60),
        }
    )
    made = Codebook(
        missing, numeric=numeric, crosses=[("word", "number"), ("few", "word")]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NearlyUniqueWarning)
        codes = made.fit_encode(table)
    rows = table.to_numpy(dtype=object).tolist()
    few = np.vstack([made.encode([row]) for row in rows])
    with patch.object(codebook, "FEW_ROWS", 0):
        many = made.encode(rows)
    assert few.tolist() == many.tolist() == codes.tolist()
    assert made.encode(rows[:3]).flags.f_contiguous


def test_a_column_of_bins_is_crossed_by_its_bins():
    table = pd.DataFrame({"x": np.arange(40.0), "word": ["a", "b"] * 20})
    made = Codebook(crosses=[("word", "x")])
    made.fit_encode(table)
    assert made.n_values[2] == 2 * made.n_values[0]
    assert made.values(2)[0] == ("a", made.values(0)[0])


def test_rows_of_weight_zero_teach_no_pair():
    made = Codebook(crosses=[(0, 1)])
    made.fit_encode([["a", "x"], ["b", "y"], ["a", "y"]], np.array([1.0, 1.0, 0.0]))
    assert made.values(2) == [("a", "x"), ("b", "y")]


def test_rows_are_coded_again_by_the_pairs_they_have():
    rows = CodedRows.of(read_table(ROWS), Codebook(crosses=PAIRS))
    assert rows.recode(Codebook(crosses=[list(pair) for pair in PAIRS])) is rows
    assert rows.recode(Codebook()).codes.shape == (3, 3)
    some = rows.take(np.array([0, 1])).recode(Codebook(crosses=PAIRS))
    assert some.codebook.values(3) == [("blue", "m"), ("red", "s")]
    with pytest.warns(UnseenValueWarning):
        again = rows.coded_by(some.codebook)
    assert again.codes[:, 3].tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    "pairs",
    [
        [("colour", "size"), ("colour", "size")],
        [("colour", "size"), ("size", "colour")],
        [["colour", "size"]],
    ],
)
def test_one_pair_is_one_cross(pairs):
    assert book(crosses=pairs).feature_names[3:] == ["colour x size"]


def test_a_cross_has_the_order_of_its_pair():
    made = book(crosses=[("size", "colour")])
    assert made.feature_names[3] == "size x colour"
    assert made.values(3)[0] == ("m", "blue")


def test_columns_without_names_have_numbers():
    made = Codebook(crosses=[(1, 0)])
    made.fit_encode([["a", "x"], ["b", "y"]])
    assert made.feature_names == ["x0", "x1", "x1 x x0"]
    with pytest.raises(ValueError, match="a column 2, which does not exist"):
        Codebook(crosses=[(2, 0)]).fit_encode([["a", "x"]])
    with pytest.raises(ValueError, match="a column 0, which does not exist"):
        book(crosses=[(0, 1)])


@pytest.mark.parametrize(
    "wrong", [True, -1, 1.5, "all", None, ("colour", "size"), [("a", "b", "c")], {1: 2}]
)
def test_other_settings_are_refused(wrong):
    with pytest.raises(ValueError, match="crosses must be a number of pairs >= 0"):
        Codebook(crosses=wrong)


def test_pairs_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="'colour' with itself"):
        book(crosses=[("colour", "colour")])
    with pytest.raises(ValueError, match=r"'color'.*Did you mean 'colour'"):
        book(crosses=[("color", "size")])
    with pytest.raises(ValueError, match="'age', whose numbers are places on an axis"):
        book(crosses=[("size", "age")], numeric="scale")
    with pytest.raises(ValueError, match=r"no row has one\. Name the pairs"):
        book(crosses="auto")


def test_a_name_that_is_taken_is_refused():
    table = pd.DataFrame({"a": ["1", "2"], "b": ["1", "2"], "a x b": ["1", "2"]})
    with pytest.raises(ValueError, match="has the name 'a x b' already"):
        Codebook(crosses=[("a", "b")]).fit_encode(table)


def test_too_many_pairs_are_refused_by_name():
    table = [[f"a{i}", f"b{i % 7}"] for i in range(50)]
    with (
        patch.object(crosses, "MAX_LEVELS", 40),
        pytest.raises(ValueError, match="'x0' and 'x1' have 50 different pairs"),
    ):
        Codebook(crosses=[(0, 1)]).fit_encode(table)
    with (
        patch.object(codebook, "MAX_CODES", 40),
        pytest.raises(ValueError, match="1 pairs of columns over 50 rows are too many"),
    ):
        Codebook(crosses=[(0, 1)]).fit_encode(table)


def test_a_pair_that_identifies_rows_is_told():
    table = [[f"a{i % 20}", f"b{i // 20}"] for i in range(200)]
    with pytest.warns(NearlyUniqueWarning, match="'x0 x x1' has 200 distinct values"):
        Codebook(crosses=[(0, 1)]).fit_encode(table)
