"""CPMLClassifier gives the same answers by every index."""

import pickle
import sys
from io import BytesIO

import numpy as np
import pytest
from sklearn.base import clone

import nearkind as nk
from helpers.committees import shares_by
from helpers.estimator_tables import labelled_table
from nearkind.neighbors import faiss_search

pytest.importorskip("faiss")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
METRICS = [nk.CPML(max_iter=5), nk.baselines.Euclidean(), nk.CPML(structure="diagonal")]
WEIGHTED = {"weights": "distance", "n_neighbors": 4}


def fitted_twice(metric, X, y, sample_weight=None, **settings):
    """Return one model by each index, over one and the same distance."""
    exact = nk.CPMLClassifier(metric, **settings).fit(X, y, sample_weight)
    fast = nk.CPMLClassifier(metric, index="faiss", **settings)
    return exact, fast.fit_over(exact.metric_, X, y, sample_weight)


def through_a_file(model):
    file = BytesIO()
    nk.save(model, file)
    file.seek(0)
    return nk.load(file)


def index_of(model):
    """Return what finds the neighbours of the one voter."""
    (voter,) = model.committee_.voters
    return voter.index


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.parametrize("settings", [{}, WEIGHTED], ids=str)
def test_answers_are_those_of_the_exact_index(metric, settings):
    X, y = labelled_table(120, seed=3)
    query, _ = labelled_table(40, seed=4)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], len(y))
    exact, fast = fitted_twice(metric, X, y, weights, **settings)
    np.testing.assert_array_equal(fast.predict(query), exact.predict(query))
    np.testing.assert_allclose(fast.predict_proba(query), exact.predict_proba(query))
    for table in (query, None):
        wanted, found = (model.kneighbors(table, 6) for model in (exact, fast))
        np.testing.assert_allclose(found[0], wanted[0], atol=1e-12)
        np.testing.assert_array_equal(found[1], wanted[1])
    ways = [(k, vote) for vote in ("uniform", "distance", "soft") for k in (1, 3, 7)]
    np.testing.assert_allclose(
        shares_by(fast, query, ways), shares_by(exact, query, ways)
    )


def test_uniform_votes_are_the_same_to_the_last_bit():
    X, y = labelled_table(200, seed=5)
    exact, fast = fitted_twice(nk.baselines.Euclidean(), X, y)
    np.testing.assert_array_equal(fast.predict_proba(X), exact.predict_proba(X))


def test_a_fitted_model_says_how_well_its_index_finds_neighbours():
    X, y = labelled_table(60)
    model = nk.CPMLClassifier(nk.CPML(max_iter=3), index="faiss").fit(X, y)
    index = index_of(model)
    assert (index.kind, index.recall_) == ("flat", 1.0)
    assert index.n_rows == len(X.drop_duplicates())
    assert index.seconds > 0.0
    plain = nk.CPMLClassifier(nk.CPML(max_iter=3)).fit(X, y)
    assert index_of(plain).kind == "exact"


@pytest.mark.parametrize("metric", [nk.baselines.Hamming(), nk.baselines.Lin()])
def test_a_distance_without_vectors_is_refused_before_it_is_learned(metric):
    X, y = labelled_table(20)
    words = f"'index' .* 'exact' over {type(metric).__name__}.* Take index='exact'"
    model = nk.CPMLClassifier(metric, index="faiss")
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)
    with pytest.raises(ValueError, match=words):
        nk.CPMLClassifier(index="faiss").fit_over(clone(metric).fit(X, y), X, y)


def test_without_faiss_one_sentence_says_what_to_install(monkeypatch):
    X, y = labelled_table(20)
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(ValueError, match=r'pip install "nearkind\[faiss\]"'):
        nk.CPMLClassifier(index="faiss").fit(X, y)


def test_a_loaded_model_builds_its_index_when_it_is_asked(monkeypatch):
    X, y = labelled_table(80)
    monkeypatch.setattr(faiss_search, "FLAT_UP_TO", 10)
    _, model = fitted_twice(nk.baselines.Euclidean(), X, y)
    again = through_a_file(model)
    assert "built" not in vars(index_of(again))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert index_of(again).kind == "ivf"
    assert index_of(again).recall_ == index_of(model).recall_


def test_a_file_whose_distance_the_index_cannot_search_is_refused():
    X, y = labelled_table(30)
    model = nk.CPMLClassifier(nk.baselines.Hamming()).fit(X, y)
    model.index = "faiss"
    with pytest.raises(nk.errors.ModelFileError, match="index 'faiss' needs vectors"):
        through_a_file(model)


def test_copies_answer_alike(monkeypatch):
    X, y = labelled_table(80)
    monkeypatch.setattr(faiss_search, "FLAT_UP_TO", 10)
    _, model = fitted_twice(nk.baselines.Euclidean(), X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert clone(model).get_params()["index"] == "faiss"
    assert not hasattr(clone(model), "classes_")
