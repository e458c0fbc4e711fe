"""CPMLClassifier by soft votes: added rows, batches, indexes, dask; score_samples."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import nearkind as nk
from helpers.batch_tables import cut, rows
from helpers.estimator_tables import labelled_table
from helpers.model_files import loaded, saved
from nearkind.baselines import Euclidean, Hamming, Lin
from nearkind.neighbors import SoftVotes

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
METRICS = [Hamming(), Euclidean(), nk.CPML(max_iter=5)]
X, Y = labelled_table(90, seed=1)
QUERY, _ = labelled_table(25, seed=2)


def soft(metric=None, **settings):
    return nk.CPMLClassifier(metric or Euclidean(), weights="soft", **settings)


def test_a_temperature_is_there_after_fit_only():
    model = soft()
    with pytest.raises(NotFittedError):
        _ = model.temperature_
    assert model.fit(X, Y).temperature_ > 0.0
    assert clone(model).temperature == "auto"


def test_a_temperature_chosen_stays_when_rows_are_added():
    model = soft().fit(X[:60], Y[:60])
    chosen = model.temperature_
    model.predict(QUERY)
    model.add(X[60:], Y[60:])
    assert model.temperature_ == chosen
    wanted = soft(temperature=chosen).fit_over(model.metric_, X, Y)
    np.testing.assert_array_equal(
        model.predict_proba(QUERY), wanted.predict_proba(QUERY)
    )


def test_a_temperature_chosen_before_rows_were_added_is_kept_in_a_file():
    model = soft().fit(X[:60], Y[:60])
    chosen = model.temperature_
    model.add(X[60:], Y[60:])
    again = loaded(saved(model))
    assert again.temperature == "auto"
    assert again.temperature_ == chosen
    np.testing.assert_array_equal(
        again.predict_proba(QUERY), model.predict_proba(QUERY)
    )


def test_a_temperature_is_chosen_anew_by_fit():
    model = soft().fit(X, Y)
    other = labelled_table(50, seed=8)
    model.fit(*other)
    assert model.temperature_ == soft().fit(*other).temperature_


@pytest.mark.parametrize("temperature", ["auto", 0.5])
def test_votes_may_be_made_soft_after_fit(temperature):
    model = nk.CPMLClassifier(Euclidean()).fit(X, Y)
    model.set_params(weights="soft", temperature=temperature)
    wanted = soft(temperature=temperature).fit(X, Y)
    for asked in (model, wanted.set_params(temperature=temperature)):
        asked.predict_proba(QUERY)
    np.testing.assert_array_equal(
        model.predict_proba(QUERY), wanted.predict_proba(QUERY)
    )
    assert model.set_params(temperature=3.0).temperature_ == 3.0


def test_the_number_of_neighbours_is_for_kneighbors_alone():
    few, many = soft(n_neighbors=1).fit(X, Y), soft(n_neighbors=9).fit(X, Y)
    np.testing.assert_array_equal(few.predict_proba(QUERY), many.predict_proba(QUERY))
    assert many.kneighbors(QUERY)[0].shape == (25, 9)


def test_faiss_has_the_votes_of_all_rows():
    pytest.importorskip("faiss")
    exact, fast = soft().fit(X, Y), soft(index="faiss").fit(X, Y)
    np.testing.assert_array_equal(exact.predict_proba(QUERY), fast.predict_proba(QUERY))


def test_batches():
    table, labels = rows(90)
    metric = nk.CPML(max_iter=4)
    found = soft(metric).fit_batches(cut(table, labels, 30))
    wanted = soft().fit_over(found.metric_, table, labels)
    assert found.temperature_ == wanted.temperature_
    np.testing.assert_allclose(
        found.predict_proba(table), wanted.predict_proba(table), atol=1e-6
    )
    first = soft(metric)
    for part, answers in cut(table, labels, 30):
        first.partial_fit(part, answers, classes=["0", "1", "2"])
    assert first.temperature_ > 0.0


def test_equal_rows_are_asked_for_once(monkeypatch):
    model = soft().fit(X, Y)
    wanted = model.predict_proba(QUERY)
    n_asked = []
    shares = SoftVotes.shares

    def counted(votes, queries, class_shares):
        n_asked.append(len(queries))
        return shares(votes, queries, class_shares)

    monkeypatch.setattr(SoftVotes, "shares", counted)
    at = np.array([3, 0, 3, 3, 7, 0])
    found = model.predict_proba(QUERY.iloc[at])
    assert sum(n_asked) == 3
    np.testing.assert_allclose(found, wanted[at], rtol=0.0, atol=1e-9)
    np.testing.assert_array_equal(found[0], found[2])


def test_a_pickled_model_votes_as_before():
    model = soft().fit(X, Y)
    wanted = model.predict_proba(QUERY)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(QUERY), wanted)


def test_partitions_get_the_answers_of_the_table():
    dd = pytest.importorskip("dask.dataframe")
    model = soft().fit(X, Y)
    table = dd.from_pandas(QUERY, npartitions=3)
    for method in ("predict_proba", "score_samples"):
        wanted = getattr(model, method)(QUERY)
        found = getattr(model, method)(table).compute(scheduler="synchronous")
        np.testing.assert_allclose(found, wanted, atol=1e-6)


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_scores_are_minus_mean_distances_to_the_nearest(metric):
    model = nk.CPMLClassifier(metric, n_neighbors=4).fit(X, Y)
    D = model.distance_.pairwise_distances(QUERY, X)
    nearest = np.sort(D, axis=1)[:, :4].mean(axis=1)
    np.testing.assert_allclose(model.score_samples(QUERY), -nearest, atol=1e-9)


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_a_training_row_is_not_its_own_neighbour(metric):
    model = nk.CPMLClassifier(metric, n_neighbors=4).fit(X, Y)
    D = model.distance_.pairwise_distances(X, X)
    np.fill_diagonal(D, np.inf)
    nearest = np.sort(D, axis=1)[:, :4].mean(axis=1)
    np.testing.assert_allclose(model.score_samples(), -nearest, atol=1e-9)
    assert (model.score_samples(X) >= model.score_samples() - 1e-9).all()


def test_scores_count_weights_as_repeated_rows():
    weights = np.random.default_rng(0).integers(0, 4, len(Y))
    repeated = np.repeat(np.arange(len(Y)), weights)
    weighted = nk.CPMLClassifier(Hamming()).fit(X, Y, weights)
    plain = nk.CPMLClassifier(Hamming()).fit(X.iloc[repeated], Y[repeated])
    np.testing.assert_allclose(
        weighted.score_samples(QUERY), plain.score_samples(QUERY)
    )
    once = np.repeat(weighted.score_samples(), weights[weights > 0])
    np.testing.assert_allclose(once, plain.score_samples())


def test_more_neighbours_than_rows_is_the_mean_over_all():
    model = nk.CPMLClassifier(Hamming(), n_neighbors=1_000).fit(X, Y)
    D = model.distance_.pairwise_distances(X, X)
    np.testing.assert_allclose(model.score_samples(X), -D.mean(axis=1))
    np.testing.assert_allclose(model.score_samples(), -D.sum(axis=1) / 89)


def test_scores_where_some_are_infinitely_far():
    table = [["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]]
    model = nk.CPMLClassifier(Lin(), n_neighbors=1).fit(
        table, ["up", "left", "no", "no"]
    )
    assert model.score_samples(table).tolist() == [0.0] * 4
    assert model.score_samples().tolist() == [0.0] * 4
    model.set_params(n_neighbors=3)
    assert model.score_samples(table).tolist() == [-np.inf] * 4


def test_a_search_scores_by_its_first_member():
    model = nk.CPMLClassifierCV([Hamming()], n_neighbors=(1, 3), cv=2).fit(X, Y)
    wanted = model.members_[0].score_samples(QUERY)
    np.testing.assert_array_equal(model.score_samples(QUERY), wanted)
    assert model.score_samples().shape == (90,)


def test_a_search_tries_soft_votes_once():
    every = ("uniform", "distance", "soft")
    distances = [Hamming(), Euclidean()]
    model = nk.CPMLClassifierCV(
        distances, n_neighbors=(1, 3, 9), weights=every, cv=2
    ).fit(X, Y)
    table = model.cv_results_
    is_soft = table["weights"] == "soft"
    assert is_soft.sum() == 2
    assert set(table["n_neighbors"][is_soft]) == {3}
    assert len(is_soft) == 2 * (3 + 3 + 1)
    only = nk.CPMLClassifierCV([Hamming()], weights="soft", cv=2, calibrate=False)
    only.fit(X, Y)
    assert only.best_params_["weights"] == "soft"
    (member,) = only.members_
    assert (member.weights, member.temperature) == ("soft", "auto")
    wanted = soft(Hamming()).fit_over(only.metric_, X, Y)
    np.testing.assert_array_equal(
        only.predict_proba(QUERY), wanted.predict_proba(QUERY)
    )
