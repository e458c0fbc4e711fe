"""Values as labels."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot

from helpers.pictures import ODD
from nearkind.plot.wording import enumerated, percent, shortened, written


@given(st.text(), st.integers(3, 40))
def test_short_texts_stay_and_long_ones_keep_both_ends(text, most):
    short = shortened(text, most)
    assert len(short) <= most
    if len(text) <= most:
        assert short == text
    else:
        assert short[0] == text[0]
        assert short[-1] == text[-1]


@given(st.text(max_size=30))
def test_any_text_can_be_drawn_as_it_is_and_without_a_warning(value):
    label = written(value, 99)
    text = pyplot.figure().text(0.5, 0.5, label)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text.figure.draw_without_rendering()
    assert label
    assert "\n" not in label
    pyplot.close("all")


@pytest.mark.parametrize("value", ODD)
def test_no_value_is_a_formula(value):
    text = pyplot.figure().text(0.5, 0.5, written(value))
    shown, is_formula = text._preprocess_math(text.get_text())
    assert not is_formula
    assert shown.count("$") == value[:20].count("$")


def test_missing_and_empty_values_have_a_name():
    assert (written(None), written(""), written(" \t")) == ("missing", "''", r"' \t'")
    assert written("two\nlines") == "two lines"
    assert written(1.5) == "1.5"


def test_letters_without_a_glyph_are_replaced():
    assert written("a\N{BROCCOLI}b") == "a\N{REPLACEMENT CHARACTER}b"
    assert written("é") == "é"


def test_many_values_at_one_place_are_one_label():
    assert enumerated(["a", "b"]) == "a, b"
    assert enumerated([f"value {k}" for k in range(30)]).endswith("+ 24")
    assert max(map(len, enumerated(["word"] * 30).splitlines())) <= 26


def test_percentages_have_the_digits_they_deserve():
    shares = (1.0, 0.0994, 0.0999, 0.00095, 0.0, -0.5)
    said = "100 %", "9.9 %", "10 %", "0.1 %", "0 %", "\N{MINUS SIGN}50 %"
    assert tuple(map(percent, shares)) == said
