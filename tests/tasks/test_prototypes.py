"""Prototypes are the rows of the condensed classifier, as the user has them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.estimator_checks import estimator_checks_generator

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.voting.condensation import Condensation

X, Y = labelled_table(80)


def checks():
    for estimator, check in estimator_checks_generator(nk.Prototypes("hamming")):
        name = check.func.__name__
        if name != "check_array_api_input":
            yield pytest.param(estimator, check, id=name)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_scikit_learns_own_check(estimator, check):
    check(estimator)


def test_they_are_the_rows_that_the_condensed_classifier_keeps():
    whole = nk.CPMLClassifier("euclidean").fit(X, Y)
    small = whole.condensed(7)
    model = nk.Prototypes(whole, n_rows=7).fit(X, Y)
    kept = small.committee_.voters[0].rows
    assert model.indices_.tolist() == sorted(kept.groups.first_rows.tolist())
    assert model.weights_.sum() == pytest.approx(80.0)
    found = model.classifier_.predict_proba(X)
    np.testing.assert_array_equal(found, small.predict_proba(X))
    condensation = Condensation(whole.committee_.voters[0])
    assert model.score_ == condensation.score(7)
    assert model.full_score_ == condensation.full_score


def test_rows_come_back_as_they_were():
    model = nk.Prototypes("hamming", n_rows=5).fit(X, Y)
    pd.testing.assert_frame_equal(model.prototypes_, X.iloc[model.indices_])
    listed = nk.Prototypes("hamming", n_rows=5).fit(X.to_numpy().tolist(), list(Y))
    assert listed.prototypes_ == X.iloc[model.indices_].to_numpy().tolist()
    assert set(model.labels_) <= set(Y)


def test_the_tolerance_decides_how_many():
    few, more = (
        nk.Prototypes("euclidean", tolerance=tolerance).fit(X, Y)
        for tolerance in (0.2, 0.0)
    )
    assert 3 <= len(few.indices_) <= len(more.indices_)
    assert few.score_ >= few.full_score_ - 0.2
    assert more.score_ >= more.full_score_


def test_rows_of_weight_zero_are_not_chosen():
    weights = (np.arange(80) < 40).astype(float)
    model = nk.Prototypes("hamming", n_rows=6).fit(X, Y, weights)
    half = nk.Prototypes("hamming", n_rows=6).fit(X[:40], Y[:40])
    assert model.indices_.tolist() == half.indices_.tolist()


def test_a_fitted_distance_survives_a_clone_when_frozen():
    metric = FrozenEstimator(nk.baselines.Euclidean().fit(X, Y))
    model = clone(nk.Prototypes(metric, n_rows=5)).fit(X, Y)
    assert model.metric_ is metric.estimator
    assert model.distance_ is model.classifier_.distance_ is metric.estimator.distance_


def test_a_form_survives_a_clone():
    metric = nk.baselines.Euclidean().fit(X, Y)
    model = clone(nk.Prototypes(metric.distance_, n_rows=5)).fit(X, Y)
    whole = nk.Prototypes(metric, n_rows=5).fit(X, Y)
    assert model.metric_ is None
    np.testing.assert_array_equal(model.indices_, whole.indices_)
    found = model.classifier_.predict_proba(X)
    np.testing.assert_array_equal(found, whole.classifier_.predict_proba(X))


def test_wrong_settings_are_refused():
    with pytest.raises(ValueError, match="n_rows must be at least 3"):
        nk.Prototypes("hamming", n_rows=1).fit(X, Y)
    with pytest.raises(ValueError, match="only one class"):
        nk.Prototypes("hamming").fit(X, ["a"] * 80)
    with pytest.raises(ValueError, match="'n_neighbors' parameter"):
        nk.Prototypes("hamming", n_neighbors=0).fit(X, Y)
