"""Forest neighbours: what ends the growth, odd tables, and a search that has them."""

import numpy as np
import pytest

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.baselines import ForestNeighbors
from nearkind.solvers.solution import Deadline

X, Y = labelled_table(60, seed=3)


def test_a_deadline_ends_the_growth_with_the_trees_so_far():
    with Deadline(-np.inf).limit():
        model = ForestNeighbors(50).fit(X, Y)
    assert (model.n_iter_, model.distance_.n_trees) == (1, 1)
    assert model.stop_reason_ == "OUT_OF_TIME"
    assert ForestNeighbors(3).fit(X, Y).stop_reason_ == "SETTLED"


def test_a_missing_number_is_below_all_others():
    x = np.array([np.nan, 1.0, 2.0, 3.0] * 10)[:, None]
    model = nk.CPMLClassifier("forest", weights="soft").fit(x, np.isnan(x[:, 0]))
    assert model.predict(x[:4]).tolist() == [True, False, False, False]


def test_a_search_judges_a_forest_by_one_fit_to_all_rows():
    model = nk.CPMLClassifierCV(["forest", "hamming"], cv=4).fit(X, Y)
    table = model.cv_results_
    assert set(table["n_held"]) == {60}
    again = ForestNeighbors().fit(X, Y).distance_
    forests = [
        voter.distance
        for voter in model.committee_.voters
        if voter.report.method == "ForestNeighbors"
    ]
    for form in forests:
        np.testing.assert_array_equal(form.thresholds, again.thresholds)
    alone = nk.CPMLClassifierCV(["forest"], cv=4).fit(X, Y)
    voter = alone.committee_.voters[0]
    shares = voter.leaf_votes.out_of_bag(voter.encode(X))
    accuracy = (alone.classes_[shares.argmax(axis=1)] == Y).mean()
    assert abs(alone.cv_results_["accuracy"][0] - accuracy) < 1e-12


@pytest.mark.parametrize("n_classes", [3, 25])
def test_classes_of_one_row_and_many_classes_are_searched(n_classes):
    labels = np.where(np.arange(60) < n_classes, np.arange(60), 0).astype(str)
    model = nk.CPMLClassifierCV(["forest", "hamming"], cv=5).fit(X, labels)
    p = model.predict_proba(X)
    assert p.shape == (60, n_classes)
    assert (p > 0.0).all()


def test_columns_of_distinct_values_tell_nothing_and_are_fitted():
    table = [[f"a{i}", f"b{i}"] for i in range(40)]
    labels = [i % 2 for i in range(40)]
    model = nk.CPMLClassifierCV(["forest"], cv=3).fit(table, labels)
    assert 0.0 < model.best_score_ < 0.8
