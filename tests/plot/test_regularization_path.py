"""Paths of strengths, and what a search tried."""

import numpy as np
import pytest

import nearkind as nk
from helpers.pictures import small, wide
from nearkind.plot.regularization_path import best_by_strength


def test_a_path_has_a_point_for_each_share_in_rising_order():
    case = small()
    ax = nk.plot.path(*case, strengths=[0.5, 0.01, 0.1])
    for line in ax.lines[:4]:
        assert line.get_xdata().tolist() == [0.01, 0.1, 0.5]
    total = sum(line.get_ydata() for line in ax.lines[:4])
    np.testing.assert_allclose(total, 100.0)
    assert len(ax.texts) == 3 + 1  # a rank each, and the note


def test_a_point_of_the_path_is_the_fit_at_that_strength():
    case = small()
    ax = nk.plot.path(*case, strengths=[0.2])
    alone = nk.CPML(tol=0.1, max_iter=20, strength="20%").fit(case.X, case.y)
    found = {line.get_ydata()[0] for line in ax.lines[:4]}
    np.testing.assert_allclose(
        sorted(found), sorted(100.0 * alone.feature_relevance_), rtol=0.2, atol=2.0
    )


def test_of_many_features_seven_have_a_colour_on_the_path():
    ax = nk.plot.path(*wide(), strengths=[0.3])
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(names) == 8
    assert names[-1] == "493 others"


def test_a_search_is_drawn_from_what_it_tried():
    case = small()
    candidates = [nk.baselines.Hamming(), nk.CPML(tol=0.1, max_iter=5)]
    search = nk.CPMLClassifierCV(candidates, n_neighbors=3, cv=2).fit(case.X, case.y)
    ax = nk.plot.path(search)
    assert ax.get_title() == "Accuracy of the candidates"
    assert len(ax.lines) == len(set(search.cv_results_["candidate"])) == 2
    highest = max(line.get_ydata().max() for line in ax.lines)
    assert highest == pytest.approx(100.0 * search.cv_results_["accuracy"].max())


def test_the_best_vote_at_each_strength():
    results = {
        "candidate": ["a", "a", "a", "b"],
        "strength": ["1%", "1%", "10%", None],
        "accuracy": [0.5, 0.75, 0.25, 1.0],
    }
    found = best_by_strength(results)
    assert found == {"b": {None: 100.0}, "a": {0.01: 75.0, 0.1: 25.0}}
    assert list(found) == ["b", "a"]
