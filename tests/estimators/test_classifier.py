"""CPMLClassifier: votes, ties, neighbours."""

import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from helpers.committees import shares_by
from helpers.estimator_tables import labelled_table
from nearkind.errors import SmallWeightWarning

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
METRICS = [nk.CPML(max_iter=5), nk.baselines.Hamming(), nk.baselines.Euclidean()]


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_votes_equal_a_plain_loop_over_sorted_rows(metric, weights):
    X, y = labelled_table(80, seed=3)
    train, test = slice(0, 60), slice(60, 80)
    model = nk.CPMLClassifier(metric, n_neighbors=4, weights=weights)
    model.fit(X[train], y[train])
    D = model.distance_.pairwise_distances(X[test], X[train])
    for d, shares in zip(D, model.predict_proba(X[test]), strict=True):
        np.testing.assert_allclose(shares, _votes(d, y[train], model, 4, weights))


def _votes(d, y, model, k, weights):
    """All rows nearer than the k-th vote; those level with it share the rest."""
    last, tie = np.sort(d)[k - 1], 1e-7 * d.max()
    vote = (d < last - tie).astype(float)
    level = np.abs(d - last) <= tie
    vote[level] = (k - vote.sum()) / level.sum()
    if weights == "distance":
        zero = (d <= 0.0) & (vote > 0)
        vote = np.where(zero, vote, 0.0) if zero.any() else vote / np.maximum(d, 1e-300)
    return np.array([vote[y == c].sum() for c in model.classes_]) / vote.sum()


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_kneighbors_are_the_nearest_rows_ties_by_row_number(metric):
    X, y = labelled_table(40, seed=4)
    model = nk.CPMLClassifier(metric, n_neighbors=3).fit(X, y)
    distances, rows = model.kneighbors(X[:10])
    D = model.distance_.pairwise_distances(X[:10], X)
    for d, near, number in zip(D, distances, rows, strict=True):
        order = np.lexsort((np.arange(40), np.round(d / max(d.max(), 1e-9), 6)))[:3]
        np.testing.assert_array_equal(number, order)
        np.testing.assert_allclose(near, d[order], atol=1e-9)
    np.testing.assert_array_equal(model.kneighbors(X[:10], return_distance=False), rows)


def test_kneighbors_of_the_training_rows_leave_each_row_out():
    X, y = labelled_table(30, seed=4)
    X = pd.concat([X, X[:5]], ignore_index=True)
    y = np.concatenate([y, y[:5]])
    model = nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=1).fit(X, y)
    distances, rows = model.kneighbors()
    assert (rows[:, 0] != np.arange(35)).all()
    assert (distances[:5] == 0.0).all()
    assert (distances[30:] == 0.0).all()
    with pytest.raises(ValueError, match="n_neighbors = 35 and only 34"):
        model.kneighbors(n_neighbors=35)


def test_more_neighbours_than_rows_is_a_vote_of_all():
    X, y = labelled_table(6, seed=1, n_classes=2)
    model = nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=100).fit(X, y)
    shares = [(y == c).mean() for c in model.classes_]
    np.testing.assert_allclose(model.predict_proba(X), [shares] * 6)


def test_weights_that_add_up_to_too_few_rows_are_warned_of():
    X, y = labelled_table(30)
    model = nk.CPMLClassifier(nk.baselines.Hamming())
    with pytest.warns(SmallWeightWarning, match="add up to less than n_neighbors=5"):
        model.fit(X, y, sample_weight=np.full(30, 1 / 30))


def test_a_function_of_distances_may_weigh_votes():
    X, y = labelled_table(40, seed=1)
    plain = nk.CPMLClassifier(nk.baselines.Hamming()).fit(X, y)
    own = nk.CPMLClassifier(nk.baselines.Hamming(), weights=np.ones_like).fit(X, y)
    np.testing.assert_array_equal(plain.predict_proba(X), own.predict_proba(X))


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_shares_by_rule_are_those_of_each_setting(metric, weighted):
    X, y = labelled_table(80, seed=3)
    weights = np.random.default_rng(0).integers(1, 4, 60) if weighted else None
    model = nk.CPMLClassifier(metric).fit(X[:60], y[:60], sample_weight=weights)
    votes = ("uniform", "distance", np.exp)
    ways = [(k, vote) for vote in votes for k in (1, 3, 4, 200)]
    ways.insert(4, (3, "soft"))
    shares = shares_by(model, X[60:], ways)
    assert shares.shape == (13, 20, 3)
    for found, (k, vote) in zip(shares, ways, strict=True):
        model.set_params(n_neighbors=k, weights=vote)
        np.testing.assert_allclose(found, model.predict_proba(X[60:]), atol=1e-12)
    (soft,) = shares_by(model, X[60:], [(1, "soft")])
    np.testing.assert_array_equal(soft, shares[4])


def test_shares_by_rule_where_some_are_infinitely_far():
    rows = [["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]]
    model = nk.CPMLClassifier(nk.baselines.Lin()).fit(rows, ["up", "left", "no", "no"])
    query = rows[1:3]
    assert np.isinf(model.distance_.pairwise_distances(query, rows)).any()
    ways = [(k, vote) for vote in ("uniform", "distance", "soft") for k in (1, 3)]
    for shares, (k, vote) in zip(shares_by(model, query, ways), ways, strict=True):
        model.set_params(n_neighbors=k, weights=vote)
        np.testing.assert_allclose(shares, model.predict_proba(query))


def test_shares_by_rule_block_by_block(monkeypatch):
    X, y = labelled_table(50, seed=3)
    model = nk.CPMLClassifier(nk.baselines.Hamming()).fit(X, y)
    ways = [(1, "distance"), (5, "distance")]
    whole = shares_by(model, X, ways)
    monkeypatch.setattr("nearkind.voting.voter.distances_at_once", lambda: 90)
    np.testing.assert_array_equal(shares_by(model, X, ways), whole)


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_fit_over_a_fitted_distance_is_fit(metric):
    X, y = labelled_table(60, seed=2)
    weights = np.arange(60) % 3
    fitted = nk.CPMLClassifier(metric, n_neighbors=3).fit(X, y, sample_weight=weights)
    over = nk.CPMLClassifier(n_neighbors=3)
    assert over.fit_over(fitted.metric_, X, y, sample_weight=weights) is over
    assert over.distance_ is fitted.distance_
    np.testing.assert_array_equal(over.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_array_equal(over.kneighbors()[1], fitted.kneighbors()[1])
    assert list(over.feature_names_in_) == list(X.columns)


def test_other_rows_may_vote_than_the_distance_was_learned_from():
    X, y = labelled_table(60, seed=2)
    X = X.drop(columns="size")  # whose gaps not every part has
    metric = nk.baselines.Euclidean().fit(X[:30], y[:30])
    over = nk.CPMLClassifier(n_neighbors=1).fit_over(metric, X[30:], y[30:])
    D = metric.pairwise_distances(X[:30], X[30:])
    np.testing.assert_allclose(over.kneighbors(X[:30])[0][:, 0], D.min(axis=1))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_neighbors": 0}, "'n_neighbors' .* whole number >= 1; got 0"),
        ({"n_neighbors": 2.5}, "whole number"),
        ({"weights": "near"}, "'weights' .* 'uniform', 'distance', 'soft'; got"),
        ({"temperature": 0.0}, "'temperature' .* 'auto' or a number > 0; got 0.0"),
        ({"temperature": -1}, "'temperature' .* got -1"),
        ({"temperature": np.nan}, "'temperature' .* got nan"),
        ({"temperature": np.inf}, "'temperature' .* got inf"),
        ({"temperature": "warm"}, "'temperature' .* got 'warm'"),
        ({"index": "magic"}, "'index' .* 'exact', 'faiss'; got 'magic'"),
    ],
)
def test_wrong_settings_are_named(settings, words):
    X, y = labelled_table(20)
    with pytest.raises(ValueError, match=words):
        nk.CPMLClassifier(nk.baselines.Hamming(), **settings).fit(X, y)


@pytest.mark.parametrize("cut", [False, True])
def test_labels_may_be_an_array_of_pyarrow(cut):
    pa = pytest.importorskip("pyarrow")
    table, labels = labelled_table(40)
    words = labels.astype(str).tolist()
    given = pa.chunked_array([words[:7], words[7:]]) if cut else pa.array(words)
    found = nk.CPMLClassifier(nk.baselines.Hamming()).fit(table, given)
    wanted = nk.CPMLClassifier(nk.baselines.Hamming()).fit(table, words)
    np.testing.assert_array_equal(found.predict(table), wanted.predict(table))
