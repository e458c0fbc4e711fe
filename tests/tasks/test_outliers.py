"""Outliers are judged by others, a row of weight m being m rows."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.neighbors import LocalOutlierFactor
from sklearn.utils.estimator_checks import estimator_checks_generator

import nearkind as nk
from helpers.estimator_tables import labelled_table
from helpers.strategies import tables

METHODS = ["distance", "lof"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "check"),
    [
        pytest.param(model, check, id=f"{model}-{check.func.__name__}")
        for metric, method in [("gower", "distance"), ("dilca", "lof")]
        for model, check in estimator_checks_generator(
            nk.NearestOutliers(metric, method=method, contamination=0.1)
        )
        if check.func.__name__ != "check_array_api_input"
    ],
)
def test_scikit_learns_own_check(model, check):
    check(model)


def scattered(seed=0, n=40):
    """Return a table and a distance under which no two distances are equal."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 5)).astype(str)
    metric = nk.CPML(max_iter=3, tol=0.0, projection="onehot", structure="full")
    y = rng.integers(0, 2, n)
    with pytest.warns(match="max_iter"):
        return X, metric.fit(X, y)


def distances(metric, X, Y):
    """Return all distances, each from its own difference."""
    U, V = metric.transform(X), metric.transform(Y)
    return np.linalg.norm(U[:, None] - V[None], axis=2)


@pytest.mark.filterwarnings("ignore:Duplicate values")  # of scikit-learn
@pytest.mark.parametrize("k", [1, 3, 8])
def test_training_rows_score_as_scikit_learns_factor(k):
    X, metric = scattered()
    X = np.vstack([X, X[:7], X[:2]])  # some rows twice or three times
    peer = LocalOutlierFactor(k, metric="precomputed").fit(distances(metric, X, X))
    model = nk.NearestOutliers(metric, k, "lof").fit(X)
    expected = peer.negative_outlier_factor_
    np.testing.assert_allclose(model.score_samples(), expected, rtol=1e-6)
    np.testing.assert_allclose(model.score_samples(X), expected, rtol=1e-6)
    assert model.offset_ == peer.offset_


def test_new_rows_score_as_scikit_learns_factor():
    X, metric = scattered()
    new = [row for row in scattered(1)[0] if not (row == X).all(axis=1).any()]
    peer = LocalOutlierFactor(5, metric="precomputed", novelty=True)
    peer.fit(distances(metric, X, X))
    model = nk.NearestOutliers(metric, 5, "lof").fit(X)
    expected = peer.score_samples(distances(metric, np.array(new), X))
    np.testing.assert_allclose(model.score_samples(np.array(new)), expected, rtol=1e-6)


def mean_distance(d, weights, itself, k):
    """Return the mean of the k least distances, one row of ``itself`` left out."""
    counts = weights.astype(int)
    if itself is not None:
        counts[itself] -= 1
    return np.sort(np.repeat(d, counts))[:k].mean()


@given(table=tables(min_rows=5), k=st.integers(1, 4))
def test_scores_by_distance_are_those_of_sorting_every_row(table, k):
    codes, first = np.unique(table.codes, axis=0, return_inverse=True)
    weights = np.bincount(first.ravel(), table.weights)
    model = nk.NearestOutliers("hamming", k)
    model.fit(table.codes.astype(str), sample_weight=table.weights)
    d = model.distance_.pairwise_distances(codes.astype(str))
    expected = [-mean_distance(d[u], weights, u, k) for u in range(len(codes))]
    found = model.score_samples(table.codes.astype(str))
    np.testing.assert_allclose(found, np.array(expected)[first.ravel()], atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("metric", ["hamming", "lin", "goodall1", "dilca"])
@given(table=tables(min_rows=5))
def test_a_weight_is_a_repetition(metric, method, table):
    repeated = table.repeated()
    one = nk.NearestOutliers(metric, 3, method, 0.3)
    other = clone(one).fit(repeated.codes.astype(str))
    one.fit(table.codes.astype(str), sample_weight=table.weights)
    X = table.codes.astype(str)
    np.testing.assert_allclose(one.score_samples(X), other.score_samples(X), rtol=1e-7)
    np.testing.assert_allclose(one.offset_, other.offset_, rtol=1e-7)


@pytest.mark.parametrize("method", METHODS)
@given(table=tables(min_rows=5), data=st.data())
def test_no_score_depends_on_the_order_of_rows(method, table, data):
    order = data.draw(st.permutations(range(len(table.codes))))
    X = table.codes.astype(str)
    model = nk.NearestOutliers("hamming", 3, method)
    scores = clone(model).fit(X).score_samples()
    np.testing.assert_allclose(model.fit(X[order]).score_samples(), scores[order])


@pytest.mark.parametrize("method", METHODS)
def test_training_rows_have_the_same_scores_within_fit_and_after(method):
    X, y = labelled_table()
    model = nk.NearestOutliers(nk.CPML(max_iter=5), 5, method, contamination=0.1)
    with pytest.warns(match="max_iter"):
        answers = model.fit_predict(X, y)
    np.testing.assert_array_equal(model.score_samples(X), model.score_samples())
    np.testing.assert_array_equal(model.predict(X), answers)
    assert (answers == -1).sum() == 6
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function())


class TestAtTheEdge:
    @pytest.mark.parametrize("method", METHODS)
    def test_equal_rows_are_all_normal(self, method):
        model = nk.NearestOutliers("hamming", 2, method)
        assert (model.fit_predict([["a", "b"]] * 5) == 1).all()

    def test_one_row_is_refused(self):
        with pytest.raises(ValueError, match=r"at least two rows; got n_samples=1"):
            nk.NearestOutliers("hamming").fit([["a", "b"]])

    def test_one_row_of_weight_two_is_two_rows(self):
        model = nk.NearestOutliers("hamming", 1).fit([["a"]], sample_weight=[2])
        assert model.score_samples([["a"]]).tolist() == [0.0]

    def test_more_neighbours_than_rows_are_all_rows(self):
        X = [["a", "x"], ["a", "y"], ["b", "y"]]
        with pytest.warns(match=r"n_neighbors=20 exceeds the number of other rows, 2"):
            model = nk.NearestOutliers("hamming").fit(X)
        assert model.n_neighbors_ == 2
        np.testing.assert_allclose(model.score_samples(), [-0.75, -0.5, -0.75])

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("contamination", ["auto", 0.1, 0.4])
    def test_rows_infinitely_far_are_outliers(self, method, contamination):
        X = [["a", "x"]] * 3 + [["a", "y"]] * 3 + [["b", "z"], ["c", "w"]]
        model = nk.NearestOutliers("lin1", 2, method, contamination).fit(X)
        assert model.predict().tolist() == [1] * 6 + [-1] * 2

    def test_rows_of_weight_zero_do_not_judge_and_are_judged(self):
        X = [["a", "x"]] * 3 + [["b", "y"]]
        model = nk.NearestOutliers("hamming", 2)
        with pytest.warns(match="not seen in fit"):
            answers = model.fit_predict(X, sample_weight=[1, 1, 1, 0])
        assert answers.tolist() == [1, 1, 1, -1]

    def test_labels_that_a_distance_lacks_are_asked_for(self):
        with pytest.raises(ValueError, match="learns from labels"):
            nk.NearestOutliers(nk.CPML()).fit([["a"], ["b"]])

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"method": "knn"}, "'method' parameter of NearestOutliers"),
            ({"contamination": 0.6}, "'contamination' parameter"),
            ({"contamination": "some"}, "'contamination' parameter"),
            ({"contamination": np.array([])}, "'contamination' parameter"),
            ({"n_neighbors": 0}, "'n_neighbors' parameter"),
            ({"index": "none"}, "'index' parameter"),
        ],
    )
    def test_wrong_settings_are_refused(self, settings, message):
        with pytest.raises(ValueError, match=message):
            nk.NearestOutliers("hamming", **settings).fit([["a"], ["b"]])


class TestExplain:
    X = pd.DataFrame({"colour": ["red"] * 6 + ["blue"], "size": list("smsmsms")})

    def test_contributions_add_up_to_the_mean_distance(self):
        model = nk.NearestOutliers("hamming", 3).fit(self.X)
        told = model.explain(self.X.iloc[[6]])
        assert told["contribution"].sum() == pytest.approx(-model.score_samples()[6])
        assert told.iloc[0].tolist() == ["colour", "blue", "red", 0.5]

    def test_a_training_row_may_be_named_by_its_number(self):
        model = nk.NearestOutliers("hamming", 3).fit(self.X)
        pd.testing.assert_frame_equal(model.explain(6), model.explain(self.X.iloc[6]))
        with pytest.raises(ValueError, match="Row 7 is none of the 7 rows"):
            model.explain(7)

    def test_the_frame_is_of_the_users_library(self):
        frame = pl.from_pandas(self.X)
        model = nk.NearestOutliers("hamming", 3).fit(frame)
        assert isinstance(model.explain(frame[6]), pl.DataFrame)

    def test_of_vectors_it_is_the_mean_squared_distance(self):
        X, metric = scattered()
        model = nk.NearestOutliers(FrozenEstimator(metric), 3).fit(X)
        d = np.sort(distances(metric, X[:1], X[1:]))[0, :3]
        parts = np.asarray(model.explain(X[0])["contribution"], dtype=float)
        assert parts.sum() == pytest.approx((d**2).mean())
