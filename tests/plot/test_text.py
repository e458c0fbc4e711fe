"""Values as labels."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot

from helpers.pictures import ODD
from nearkind.plot.text import list_text, percent, shorten, value_text


@given(st.text(), st.integers(3, 40))
def test_short_texts_stay_and_long_ones_keep_both_ends(text, most):
    short = shorten(text, most)
    assert len(short) <= most
    if len(text) <= most:
        assert short == text
    else:
        assert short[0] == text[0]
        assert short[-1] == text[-1]


@given(st.text(max_size=30))
def test_any_text_can_be_drawn_as_it_is_and_without_a_warning(value):
    label = value_text(value, 99)
    text = pyplot.figure().text(0.5, 0.5, label)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text.figure.draw_without_rendering()
    assert label
    assert "\n" not in label
    pyplot.close("all")


@pytest.mark.parametrize("value", ODD)
def test_no_value_is_a_formula(value):
    text = pyplot.figure().text(0.5, 0.5, value_text(value))
    shown, is_formula = text._preprocess_math(text.get_text())
    assert not is_formula
    assert shown.count("$") == value[:20].count("$")


def test_missing_and_empty_values_have_a_name():
    assert (value_text(None), value_text(""), value_text(" \t")) == (
        "missing",
        "''",
        r"' \t'",
    )
    assert value_text("two\nlines") == "two lines"
    assert value_text(1.5) == "1.5"


def test_letters_without_a_glyph_are_replaced():
    assert value_text("a\N{BROCCOLI}b") == "a\N{REPLACEMENT CHARACTER}b"
    assert value_text("é") == "é"


def test_many_values_at_one_place_are_one_label():
    assert list_text(["a", "b"]) == "a, b"
    assert list_text([f"value {k}" for k in range(30)]).endswith("+ 24")
    assert max(map(len, list_text(["word"] * 30).splitlines())) <= 26


def test_percentages_have_the_digits_they_deserve():
    shares = (1.0, 0.0994, 0.0999, 0.00095, 0.0, -0.5)
    said = "100 %", "9.9 %", "10 %", "0.1 %", "0 %", "\N{MINUS SIGN}50 %"
    assert tuple(map(percent, shares)) == said
