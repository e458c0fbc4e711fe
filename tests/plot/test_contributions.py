"""Contributions of features to a distance."""

import pytest

import nearkind as nk
from helpers.pictures import one_feature, small


def test_contributions_add_up_to_the_title():
    case = small()
    a, b = case.X.iloc[[0]], case.X.iloc[[1]]
    ax = nk.plot.explanation(case.model, a, b)
    total = case.model.pairwise_distances(a, b, squared=True)[0, 0]
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(total)
    assert ax.get_title() == f"Squared distance {total:.3g}"


def test_values_of_both_rows_are_written():
    X = one_feature().X
    first, second = X.iloc[[0]], X[X["shape"] != X["shape"].iloc[0]].iloc[[0]]
    ax = nk.plot.explanation(one_feature().model, first, second)
    both = f"{first['shape'].iloc[0]} \N{RIGHTWARDS ARROW} {second['shape'].iloc[0]}"
    assert both in [text.get_text() for text in ax.texts]
