"""NCA is scikit-learn's, on indicators of values; it says what it will cost."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis
from sklearn.preprocessing import OneHotEncoder, TargetEncoder

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.baselines import NCA, nca

X, Y = labelled_table(45, seed=5)
NEW = labelled_table(20, seed=6)[0]
SETTINGS = {"max_iter": 50, "tol": 1e-5}


def filled(table):
    """Return the table with a missing cell as the value it is to a codebook."""
    return table.fillna("nothing")


def peer(coded, y, **settings):
    learner = NeighborhoodComponentsAnalysis(init="identity", **SETTINGS, **settings)
    return learner.fit(coded, y)


def test_distances_and_votes_are_those_of_scikit_learn_on_indicators():
    encoder = OneHotEncoder(sparse_output=False).fit(filled(X))
    rows, new = encoder.transform(filled(X)), encoder.transform(filled(NEW))
    steps = []
    theirs = peer(rows, Y, callback=lambda L, _: steps.append(L))
    ours = NCA(**SETTINGS).fit(filled(X), Y)
    np.testing.assert_allclose(ours.components_, theirs.components_, atol=1e-6)
    assert ours.n_iter_ == len(steps)
    votes = KNeighborsClassifier(3).fit(theirs.transform(rows), Y)
    distances, _ = votes.kneighbors(theirs.transform(new))
    model = nk.CPMLClassifier(NCA(**SETTINGS), n_neighbors=3).fit(filled(X), Y)
    np.testing.assert_allclose(
        model.kneighbors(filled(NEW))[0], distances, atol=1e-5 * distances.max()
    )


def test_histograms_are_those_of_the_target_encoder():
    encoder = TargetEncoder(target_type="multiclass", smooth=0.0)
    rows = encoder.fit(filled(X), Y).transform(filled(X))
    U = peer(rows, Y).transform(rows)
    expected = np.linalg.norm(U[:, None] - U[None], axis=2)
    ours = NCA(coding="vdm", **SETTINGS).fit(filled(X), Y).pairwise_distances(filled(X))
    np.testing.assert_allclose(ours, expected, atol=1e-4 * expected.max())


@pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
def test_an_unseen_value_has_no_indicator():
    model = NCA(**SETTINGS).fit(X, Y)
    unseen = pd.DataFrame([["never"] * 4], columns=X.columns)
    np.testing.assert_array_equal(model.transform(unseen), np.zeros((1, 13)))


def pairs_in_gigabytes(n_rows):
    return nca.GIGABYTES_A_PAIR * n_rows**2


def test_the_size_is_said_before_the_learner_starts(monkeypatch):
    said = []
    monkeypatch.setattr(nca, "WORTH_A_WARNING", 0.9 * pairs_in_gigabytes(45))
    monkeypatch.setattr(
        NeighborhoodComponentsAnalysis, "fit", lambda *_: said.append("started")
    )
    words = r"NCA holds every pair of 45 rows, about 0\.0 GB\."
    with pytest.raises(UserWarning, match=words):  # warnings are errors here
        NCA().fit(X, Y)
    assert said == []


def test_the_size_is_said_and_the_fit_goes_on(monkeypatch):
    monkeypatch.setattr(nca, "WORTH_A_WARNING", 0.9 * pairs_in_gigabytes(45))
    with pytest.warns(UserWarning, match="every pair of 45 rows"):
        model = NCA(**SETTINGS).fit(X, Y)
    monkeypatch.setattr(nca, "WORTH_A_WARNING", 1.1 * pairs_in_gigabytes(45))
    silent = NCA(**SETTINGS).fit(X, Y)
    np.testing.assert_array_equal(model.components_, silent.components_)


def test_more_pairs_than_fit_are_refused(monkeypatch):
    monkeypatch.setattr(nca, "LARGEST", 0.9 * pairs_in_gigabytes(45))
    words = "every pair of 45 rows, .* are allowed. Fit it on fewer rows, or take LMNN"
    with pytest.raises(ValueError, match=words):
        NCA().fit(X, Y)
    assert NCA(**SETTINGS).fit(X[:40], Y[:40]).n_iter_ > 0


def test_three_numbers_a_pair_are_counted():
    with pytest.raises(ValueError, match=r"20,000 rows, about 8\.9 GB; 8 GB are"):
        nca._check_memory(20_000)
    with pytest.warns(UserWarning, match=r"10,000 rows, about 2\.2 GB\."):
        nca._check_memory(10_000)


def test_running_out_of_iterations_is_said():
    with pytest.warns(ConvergenceWarning, match="ran out after 2, .* Raise max_iter"):
        model = NCA(max_iter=2).fit(X, Y)
    assert model.n_iter_ == 2


def test_iterations_that_just_suffice_are_no_cause_to_warn():
    needed = NCA(max_iter=200).fit(X, Y).n_iter_
    assert NCA(max_iter=needed + 1).fit(X, Y).n_iter_ == needed


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (NCA(max_iter=0), "'max_iter' parameter of NCA .* whole number >= 1; got 0"),
        (NCA(tol=-1), "'tol' parameter of NCA must be a number >= 0; got -1"),
        (NCA(coding="pca"), "'coding' .* one of 'onehot', 'vdm'.* got 'pca'"),
        (NCA(missing="drop"), "'missing' .* one of 'level'"),
    ],
)
def test_wrong_settings_are_refused(learner, words):
    with pytest.raises(ValueError, match=re.compile(words)):
        learner.fit(X, Y)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="only one class"):
        NCA().fit(X, ["ham"] * 45)
