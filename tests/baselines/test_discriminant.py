"""Discriminant: rows lie as the logits of scikit-learn's logistic regression do."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from sklearn.compose import make_column_transformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.baselines import Discriminant, discriminant
from nearkind.estimators.base import code_rows
from nearkind.search.candidates import Candidate

CLOSELY = {"tol": 1e-9, "max_iter": 5_000}
TABLES = [labelled_table(60, seed=5), labelled_table(60, seed=5, n_classes=2)]
NEW = labelled_table(20, seed=6)[0].replace({"noise": {"c": "never seen"}})
every_table = pytest.mark.parametrize(("X", "y"), TABLES, ids=["three", "two"])
pytestmark = pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")


def filled(table):
    """Return the table with a missing cell as the value it is to a codebook."""
    return table.fillna("nothing")


def peer(X, y, strength=1.0, encoder=None):
    encoder = encoder or OneHotEncoder(handle_unknown="ignore")
    learner = LogisticRegression(C=1.0 / strength, **CLOSELY)
    return make_pipeline(encoder, learner).fit(X, y)


def centred_logits(model, X):
    logits = model.decision_function(X)
    if logits.ndim == 1:
        logits = np.column_stack([np.zeros(len(X)), logits])
    return logits - logits.mean(axis=1, keepdims=True)


@every_table
@pytest.mark.parametrize("strength", [0.1, 1.0, 20.0])
def test_embedded_rows_are_the_logits_of_scikit_learn(X, y, strength):
    X, new = filled(X), filled(NEW)
    theirs = peer(X, y, strength)
    ours = Discriminant(strength, **CLOSELY).fit(X, y)
    found = ours.transform(new) + ours.intercept_
    np.testing.assert_allclose(found, centred_logits(theirs, new), atol=1e-5)
    np.testing.assert_allclose(found.sum(axis=1), 0.0, atol=1e-9)
    chances = softmax(found, axis=1)
    np.testing.assert_allclose(chances, theirs.predict_proba(new), atol=1e-5)


@every_table
def test_a_vector_is_the_sum_of_what_the_chances_miss(X, y):
    strength = 0.7
    model = Discriminant(strength, **CLOSELY).fit(X, y)
    chances = softmax(model.transform(X) + model.intercept_, axis=1)
    codes = model.codebook_.encode(X)
    expected = [np.zeros((len(table), 3)) for table in model.distance_.tables.vectors]
    for i, row in enumerate(codes):
        for d, value in enumerate(row):
            for c, label in enumerate(model.classes_):
                expected[d][value, c] += (y[i] == label) - chances[i, c]
    n_classes = len(model.classes_)
    strength *= 2.0 if n_classes == 2 else 1.0  # the difference alone is penalised
    for table, sums in zip(model.distance_.tables.vectors, expected, strict=True):
        np.testing.assert_allclose(table, sums[:, :n_classes] / strength, atol=1e-5)
        np.testing.assert_allclose(table.sum(axis=0), 0.0, atol=1e-5)


def test_an_unseen_value_speaks_for_no_class():
    model = Discriminant().fit(*TABLES[0])
    unseen = pd.DataFrame([["never"] * 4], columns=NEW.columns)
    np.testing.assert_array_equal(model.transform(unseen), np.zeros((1, 3)))


@every_table
def test_a_path_goes_through_the_fits(X, y):
    strengths = [10.0, 1.0, 0.1]
    for strength, at in zip(
        strengths, Discriminant(**CLOSELY).fit_path(X, y, strengths), strict=True
    ):
        alone = Discriminant(strength, **CLOSELY).fit(X, y)
        assert at.strength == strength
        np.testing.assert_allclose(at.transform(X), alone.transform(X), atol=1e-5)


def test_a_path_goes_on_from_where_it_is():
    first, again = (at.n_iter_ for at in Discriminant().fit_path(*TABLES[0], [1.0] * 2))
    assert first > 5
    assert again <= 1


def test_a_search_takes_a_path():
    candidate = Candidate("logits", Discriminant(), [10.0, 1.0, 0.1])
    model = nk.CPMLClassifierCV([candidate], cv=2).fit(*TABLES[0])
    assert model.best_params_["candidate"] == "logits"
    assert model.score(*TABLES[0]) > 0.6


def test_a_number_is_one_coordinate():
    X, y = labelled_table(60, seed=5)
    rng = np.random.default_rng(0)
    X = X[["shape", "tone"]].assign(length=rng.normal(5.0, 3.0, 60))
    encoder = make_column_transformer(
        (OneHotEncoder(), ["shape", "tone"]), (StandardScaler(), ["length"])
    )
    theirs = centred_logits(peer(X, y, encoder=encoder), X)
    ours = Discriminant(numeric="scale", **CLOSELY).fit(X, y)
    np.testing.assert_allclose(ours.transform(X) + ours.intercept_, theirs, atol=1e-5)


def test_a_constant_column_says_nothing():
    X, y = TABLES[0]
    plain = Discriminant(**CLOSELY).fit(X, y).pairwise_distances(X)
    X = X.assign(always="the same")
    model = Discriminant(**CLOSELY).fit(X, y)
    np.testing.assert_allclose(model.pairwise_distances(X), plain, atol=1e-5)
    only = Discriminant(**CLOSELY).fit(X[["always"]], y).transform(X[["always"]])
    np.testing.assert_allclose(only, 0.0, atol=1e-6)


@pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning")
def test_many_classes_one_of_a_single_row():
    names = [f"class {i}" for i in range(120)]
    rows = [[name, "odd" if i % 2 else "even"] for i, name in enumerate(names)]
    model = Discriminant(strength=0.1).fit(rows + rows[1:], names + names[1:])
    assert model.transform(rows).shape == (120, 120)
    right = model.classes_[(model.transform(rows) + model.intercept_).argmax(axis=1)]
    assert right.tolist() == names


def test_too_many_coefficients_are_refused(monkeypatch):
    X, y = TABLES[0]
    monkeypatch.setattr(discriminant, "LARGEST", 38)
    words = "need 39 numbers, .* 38 are allowed. Column 'size' has the most .* 5:"
    with pytest.raises(ValueError, match=words):
        Discriminant().fit(X, y)
    assert Discriminant().fit(X[["shape"]], y).n_iter_ > 0


def test_one_class_is_refused():
    X, y = TABLES[0]
    with pytest.raises(ValueError, match="only one class"):
        Discriminant().fit(X, ["ham"] * len(X))
    rows = code_rows(Discriminant(), X, y)
    with pytest.raises(ValueError, match="all rows have the same class"):
        Discriminant().fit(rows.take(np.flatnonzero(rows.y == 1)))


def test_running_out_of_iterations_is_said():
    with pytest.warns(ConvergenceWarning, match="not converge in 2 it.* Raise max_it"):
        model = Discriminant(max_iter=2).fit(*TABLES[0])
    assert model.n_iter_ == 2


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (Discriminant(strength=0), "'strength' .* must be a number > 0; got 0"),
        (Discriminant(strength="auto"), "'strength' .* a number > 0; got 'auto'"),
        (Discriminant(max_iter=0), "'max_iter' .* whole number >= 1; got 0"),
        (Discriminant(tol=0.0), "'tol' .* must be a number > 0; got 0.0"),
        (Discriminant(missing="drop"), "'missing' .* one of 'level'"),
    ],
)
def test_wrong_settings_are_refused(learner, words):
    with pytest.raises(ValueError, match=re.compile(words)):
        learner.fit(*TABLES[0])


def test_a_column_without_a_known_value_tells_nothing():
    rows = [[None, "a"], [None, "a"], [None, "b"], [None, "b"]]
    model = Discriminant(missing="prior").fit(rows, [0, 0, 1, 1])
    alone = Discriminant().fit([row[1:] for row in rows], [0, 0, 1, 1])
    D = model.pairwise_distances(rows)
    np.testing.assert_allclose(D, alone.pairwise_distances([r[1:] for r in rows]))
    turned = [row[::-1] for row in rows]  # the empty column comes last
    found = Discriminant(missing="prior").fit(turned, [0, 0, 1, 1])
    np.testing.assert_allclose(D, found.pairwise_distances(turned))
