"""What does not fit is named, counted and followed by advice."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

from nearkind.encoding.codebook import Codebook
from nearkind.errors import (
    ColumnError,
    MissingValueError,
    MixedValuesWarning,
    NearlyUniqueWarning,
    UnseenValueError,
    UnseenValueWarning,
)

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


@pytest.mark.parametrize("cells", [["a", "b"], list(range(30))])
def test_missing_that_fit_did_not_see_is_unseen(cells):
    book = fitted(one_column(cells))
    with pytest.warns(UnseenValueWarning, match="1 value not seen in fit: None"):
        assert book.encode([[cells[0]], [None]]).ravel().tolist() == [0, -1]
    book = fitted(one_column(cells), unseen="error")
    with pytest.raises(UnseenValueError, match="not seen in fit: None"):
        book.encode([[None]])


def test_missing_refused():
    book = Codebook(missing="error")
    with pytest.raises(MissingValueError) as caught:
        book.fit_encode([{"a": "u", "b": 1}, {"a": None, "b": 2}, {"b": None}])
    text = str(caught.value)
    assert "Column 'a' has 2 missing values, the first in row 1" in text
    assert "column 'b' has 1 missing value, the first in row 2" in text
    assert "missing='level'" in text
    assert not hasattr(book, "features_")


@pytest.mark.parametrize("cells", [["a", "b"], list(range(30))])
def test_missing_refused_later(cells):
    book = fitted(one_column(cells), missing="error")
    with pytest.raises(
        MissingValueError, match="'x0' has 1 missing value, the first in"
    ):
        book.encode([[cells[0]], [None]])


def test_only_unseen_values_that_occur_are_named():
    book = fitted(pd.DataFrame({"a": ["b", "c"]}), unseen="error")
    X = pd.DataFrame({"a": pd.Categorical(["c", "z"] * 2, list("abcz"))})
    with pytest.raises(UnseenValueError, match="has 1 value not seen in fit: 'z'"):
        book.encode(X)


def test_unseen_warns_once():
    book = fitted(PEOPLE)
    X = [
        {"Marital": "Widowed", "Children": 7},
        {"Marital": "Divorced", "Children": 0},
    ]
    with pytest.warns(UnseenValueWarning) as caught:
        assert book.encode(X).tolist() == [[-1, -1], [-1, 0]]
    assert [str(warning.message) for warning in caught] == [
        "Column 'Marital' has 2 values not seen in fit: 'Widowed', 'Divorced'; column "
        "'Children' has 1 value not seen in fit: 7; they get the class prior. Pass "
        "unseen='error' to refuse them, or fit again with these rows."
    ]
    assert book.encode(X).tolist() == [[-1, -1], [-1, 0]]
    with pytest.warns(UnseenValueWarning, match="1 value not seen in fit: 'new';"):
        book.encode([{"Marital": "new", "Children": 7}])


def test_unseen_refused_every_time():
    book = fitted(PEOPLE, unseen="error")
    X = [{"Marital": m, "Children": 0} for m in ("Widowed", "single", "Divorced")]
    for _ in range(2):
        with pytest.raises(UnseenValueError) as caught:
            book.encode(X)
        assert str(caught.value) == (
            "Column 'Marital' has 2 values not seen in fit: 'Widowed', 'Divorced'. "
            "Pass unseen='prior' to give them the class prior, or fit again with these "
            "rows."
        )


def test_many_unseen_values_are_counted():
    book = fitted([["a"]])
    with pytest.warns(
        UnseenValueWarning, match=r"has 8 values .*: 0, 1, 2, 3, 4 and 3 more"
    ):
        book.encode(one_column(range(8)))


def test_reports_do_not_pile_up():
    book = fitted([["a"]])
    quiet(book, one_column(range(5000)))
    assert book._reported.has(0, "any other")  # as many as are kept: none is new
    assert book.encode([[99_999]]).tolist() == [[-1]]


def test_wrong_columns():
    book = fitted(pd.DataFrame({"Occupation": ["a"], "Sex": ["m"]}))
    with pytest.raises(ColumnError) as caught:
        book.encode(pd.DataFrame({"Ocupation": ["a"], "Sex": ["m"]}))
    assert (
        "Column 'Ocupation' was not seen in fit (did you mean 'Occupation'?); column "
        "'Occupation' is missing." in str(caught.value)
    )
    with pytest.raises(ColumnError, match=r"'zz' was not seen in fit\. Pass"):
        book.encode([{"Occupation": "a", "Sex": "m", "zz": 1}])
    with pytest.raises(ColumnError, match="Column 'Sex' is missing"):
        book.encode([{"Occupation": "a"}])


def test_wrong_number_of_columns():
    book = fitted(np.zeros((2, 3)))
    words = "X has 2 features, but CPML is expecting 3 features as input"
    with pytest.raises(ValueError, match=words):
        book.encode(np.zeros((2, 2)), owner="CPML")
    with pytest.raises(ValueError, match="X has 4 features, but nearkind is"):
        book.encode([{"a": 0, "b": 0, "c": 0, "d": 0}])


def test_encode_before_fit():
    with pytest.raises(ValueError, match="call fit_encode first"):
        Codebook().encode([[1]])


@pytest.mark.parametrize("parameter", ["missing", "unseen", "numeric"])
@pytest.mark.parametrize("value", ["lebel", None, 3, ["level"], True])
def test_settings_are_checked(parameter, value):
    with pytest.raises(
        ValueError, match=f"{parameter} must be one of '.*got "
    ) as caught:
        Codebook(**{parameter: value})
    assert repr(value) in str(caught.value)


def test_nearly_unique_column():
    X = [{"id": f"p{i}", "sex": "mf"[i % 2]} for i in range(150)]
    with pytest.warns(NearlyUniqueWarning) as caught:
        Codebook().fit_encode(X)
    assert len(caught) == 1
    text = str(caught[0].message)
    assert "Column 'id' has 150 distinct values in 150 rows" in text
    assert "Drop it" in text


@pytest.mark.parametrize(("n_levels", "n_rows"), [(99, 99), (100, 200)])
def test_not_nearly_unique(n_levels, n_rows):
    book = fitted([[f"p{i % n_levels}"] for i in range(n_rows)])
    assert book.n_values == [n_levels]


SENTENCE = "the parcel number {} came late and one of two cups was broken"


def test_free_text_is_refused():
    X = [{"note": SENTENCE.format(i), "sex": "mf"[i % 2]} for i in range(40)]
    X += [{"note": None, "sex": "m"}] * 60
    with pytest.raises(ValueError, match="Column 'note' holds free text") as caught:
        Codebook().fit_encode(X)
    text = str(caught.value)
    assert "40 different texts in 40 cells, half of them of 13 words or more" in text
    assert "such as 'the parcel number 0 came late" in text
    assert "declare it categorical" in text


@pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning")
@pytest.mark.parametrize(
    "cells",
    [
        [SENTENCE.format(i) for i in range(19)],
        [SENTENCE.format(i % 30) for i in range(40)],
        [f"a rather long answer, of which there are {n} in all" for n in "abcd"] * 50,
        [f"person-{i:08d}-" + "x" * 200 for i in range(300)],
        [f"{i} Long Lane, Little Town, OX{i} 1AA" for i in range(300)],
        ["acgt" * 15 + f"{i:b}" for i in range(300)],
        [SENTENCE.format(i) if i % 5 else i for i in range(100)],
    ],
    ids=["few", "repeated", "answers", "ids", "addresses", "sequences", "mixed"],
)
def test_what_is_no_free_text(cells):
    book = fitted(one_column(cells), numeric="category")
    assert book.n_values == [len(set(cells))]


@pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning")
def test_free_text_that_is_declared_categorical_is_taken():
    notes = pd.Categorical([SENTENCE.format(i) for i in range(200)])
    assert fitted(pd.DataFrame({"note": notes})).n_values == [200]


def test_numbers_among_words_are_told_of():
    cells = [*range(30), "unknown", "n/a", None]
    words = (
        r"'x0' holds 30 different numbers and also 'n/a', 'unknown', so every .*None"
    )
    for numeric in ("auto", "bin", "scale"):
        with pytest.warns(MixedValuesWarning, match=words):
            book = fitted(one_column(cells), numeric=numeric)
        assert book.values(0) == [*range(30), "n/a", "unknown", None]


@pytest.mark.parametrize(
    "X",
    [
        one_column([*range(20), "unknown"]),
        one_column([str(i) for i in range(30)]),
        pd.DataFrame({"a": pd.Categorical([*range(30), "unknown"])}),
        one_column([*range(30), None]),
    ],
)
def test_what_is_not_mixed(X):
    assert fitted(X).n_values[0] > 10


def test_mixed_values_may_be_asked_for():
    cells = [*range(30), "unknown"]
    assert fitted(one_column(cells), numeric="category").n_values == [31]


def test_refitting_forgets():
    book = fitted([["a"]])
    quiet(book, [["b"]])
    book.fit_encode([["z", "y"]])
    assert book.n_values == [1, 1]
    with pytest.warns(UnseenValueWarning, match="'b'"):
        book.encode([["b", "y"]])


def test_the_nearest_name_is_suggested():
    book = fitted(PEOPLE)
    assert [book.place_of(name) for name in book.names_] == [0, 1]
    with pytest.raises(ValueError, match=r"'Maritel' in fit\. Did you mean 'Marital'"):
        book.place_of("Maritel")
    with pytest.raises(ValueError, match="Did you mean 'Children'"):
        book.place_of("Childs")
    with pytest.raises(ValueError, match=r"no column 'zz' in fit\. Choose from "):
        book.place_of("zz")
    with pytest.raises(ValueError, match="no column 3 in fit"):
        book.place_of(3)


@pytest.mark.parametrize(
    ("seen", "passed", "clause"),
    [
        ([7, 8], "007", "the text '007' is passed, and fit saw the number 7"),
        (
            ["True", "False"],
            True,
            "the bool True is passed, and fit saw the text 'True'",
        ),
        (
            ["red", "blue"],
            "Red ",
            "the text 'Red ' is passed, and fit saw the text 'red'",
        ),
    ],
)
def test_a_value_that_reads_like_a_seen_one_is_named(seen, passed, clause):
    book = Codebook()
    book.fit_encode([[value] for value in seen])
    with pytest.warns(UnseenValueWarning, match=re.escape(clause)):
        assert book.encode([[passed]]).tolist() == [[-1]]
