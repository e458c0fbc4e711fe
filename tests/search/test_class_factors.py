"""Factors of the classes: chosen by scores of classes, and honoured everywhere."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score

import nearkind as nk
from helpers.forms import read_again
from nearkind import export
from nearkind.model_view import ModelView
from nearkind.neighbors import most_votes

RNG = np.random.default_rng(5)
Y = (RNG.random(400) < 0.12).astype(int)
X = np.where(RNG.random((400, 4)) < 0.35, RNG.integers(0, 3, (400, 4)), Y[:, None])
X = X.astype(str)


@pytest.fixture(scope="module")
def model():
    candidates = ["euclidean", "discriminant"]
    return nk.CPMLClassifierCV(candidates, scoring="balanced_accuracy").fit(X, Y)


def test_the_threshold_is_below_a_half_where_a_class_is_rare(model):
    threshold = model.committee_.threshold
    assert 0.0 < threshold < 0.5
    p = model.predict_proba(X)
    np.testing.assert_array_equal(model.predict(X), (p[:, 1] >= threshold - 1e-9) * 1)
    plain = nk.CPMLClassifierCV(["euclidean", "discriminant"]).fit(X, Y)
    assert plain.committee_.class_factors is None
    assert plain.committee_.threshold == 0.5
    score = balanced_accuracy_score
    assert score(Y, model.predict(X)) > score(Y, plain.predict(X))


def test_scores_are_those_of_what_is_predicted(model):
    confusion = model.confusion_
    recall = np.diag(confusion) / confusion.sum(axis=1)
    assert abs(model.best_score_ - recall.mean()) < 1e-12


def test_several_classes_have_factors_too():
    labels = np.where(RNG.random(400) < 0.05, 2, Y)
    model = nk.CPMLClassifierCV(["euclidean"], scoring="f1_macro").fit(X, labels)
    factors = model.committee_.class_factors
    predicted = model.predict_proba(X) * (1.0 if factors is None else factors)
    np.testing.assert_array_equal(model.predict(X), most_votes(predicted))
    assert model.committee_.threshold is None


def test_scorers_of_classes_by_name_choose_a_threshold():
    model = nk.CPMLClassifierCV(["euclidean", "discriminant"], scoring="f1").fit(X, Y)
    plain = nk.CPMLClassifierCV(["euclidean", "discriminant"]).fit(X, Y)
    assert model.committee_.threshold < 0.5
    assert f1_score(Y, model.predict(X)) >= f1_score(Y, plain.predict(X))


@pytest.mark.parametrize("scoring", ["roc_auc", "average_precision", "log_loss"])
def test_scores_of_probabilities_leave_them_as_they_are(scoring):
    model = nk.CPMLClassifierCV(["euclidean", "hamming"], scoring=scoring).fit(X, Y)
    assert model.committee_.class_factors is None
    assert np.isfinite(model.best_score_)


def test_a_file_and_explanations_keep_what_is_predicted(model):
    again = read_again(model.committee_)
    np.testing.assert_array_equal(again.class_factors, model.committee_.class_factors)
    said = model.explain_rows(X)["predicted"]
    np.testing.assert_array_equal(said, model.predict(X))
    one = np.flatnonzero(model.predict(X))[0]
    assert model.explain(X[[one]]).predicted == 1
    change = nk.nearest_change(model, X[[one]])
    assert model.predict(np.reshape(change.row, (1, -1)))[0] == 0


def test_it_is_shown_and_no_export_forgets_it(model, tmp_path):
    assert "from a probability of 0." in ModelView(model).factors_text
    with pytest.raises(ValueError, match="exports do not hold that"):
        export.write(model, tmp_path / "model.json")
