"""Groups around medoids: real rows, a row of weight m being m rows."""

import pickle
import subprocess
import sys
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.utils.estimator_checks import estimator_checks_generator

import nearkind as nk
from helpers.estimator_tables import labelled_table
from helpers.strategies import tables
from nearkind.tasks.medoids import draw


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "check"),
    [
        pytest.param(model, check, id=check.func.__name__)
        for model, check in estimator_checks_generator(nk.KMedoids("gower"))
        if check.func.__name__ != "check_array_api_input"
    ],
)
def test_scikit_learns_own_check(model, check):
    check(model)


def scattered(n=300, n_values=4, n_columns=6, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, n_values, (n, n_columns)).astype(str)


@pytest.mark.parametrize("metric", ["hamming", "lin", "goodall1", "dilca"])
def test_every_row_is_with_its_nearest_medoid(metric):
    X = scattered()
    model = nk.KMedoids(metric, 5, random_state=0).fit(X)
    d = model.distance_.pairwise_distances(X, X[model.medoid_indices_])
    np.testing.assert_allclose(d[range(300), model.labels_], d.min(axis=1), atol=1e-7)
    assert model.inertia_ == pytest.approx(d.min(axis=1).sum())
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_allclose(model.transform(X), d, atol=1e-9)
    np.testing.assert_array_equal(np.bincount(model.labels_), model.cluster_sizes_)
    assert list(model.get_feature_names_out()) == [f"kmedoids{i}" for i in range(5)]


def test_no_single_swap_helps():
    X = np.unique(scattered(60, 3, 4), axis=0)
    model = nk.KMedoids("hamming", 3, n_init=1).fit(X)
    d = model.distance_.pairwise_distances(X)
    for place, row in np.ndindex(3, len(X)):
        medoids = model.medoid_indices_.copy()
        medoids[place] = row
        assert d[:, medoids].min(axis=1).sum() >= model.inertia_ - 1e-9


@pytest.mark.parametrize("metric", ["hamming", "goodall1", "dilca"])
@given(table=tables(min_rows=6))
def test_a_weight_is_a_repetition(metric, table):
    repeated, X = table.repeated(), table.codes.astype(str)
    k = min(2, len(np.unique(X, axis=0)))
    model = nk.KMedoids(metric, k, random_state=0)
    one = clone(model).fit(X, sample_weight=table.weights)
    other = model.fit(repeated.codes.astype(str))
    assert one.inertia_ == pytest.approx(other.inertia_)
    assert one.medoids_.equals(other.medoids_)
    np.testing.assert_allclose(one.cluster_sizes_, other.cluster_sizes_)


@pytest.mark.parametrize("max_rows", [20, 4000])
@given(table=tables(min_rows=6), data=st.data())
def test_what_is_found_does_not_depend_on_the_order_of_rows(max_rows, table, data):
    order = data.draw(st.permutations(range(len(table.codes))))
    X = table.codes.astype(str)
    k = min(2, len(np.unique(X, axis=0)))
    model = nk.KMedoids("hamming", k, random_state=0, max_rows=max_rows)
    labels = clone(model).fit(X).labels_
    np.testing.assert_array_equal(model.fit(X[order]).labels_, labels[order])


def test_a_sample_finds_nearly_what_all_rows_find():
    X = scattered(3000, 5, 8)
    whole = nk.KMedoids("hamming", 4, random_state=0).fit(X)
    sampled = nk.KMedoids("hamming", 4, random_state=0, max_rows=400).fit(X)
    again = nk.KMedoids("hamming", 4, random_state=0, max_rows=400).fit(X)
    np.testing.assert_array_equal(sampled.labels_, again.labels_)
    assert whole.inertia_ <= sampled.inertia_ <= 1.05 * whole.inertia_
    d = sampled.distance_.pairwise_distances(X, X[sampled.medoid_indices_])
    assert sampled.inertia_ == pytest.approx(d.min(axis=1).sum())


def test_draws_follow_weights_and_differ_enough():
    rng = np.random.default_rng(0)
    weights = np.array([1.0, 0.0, 3.0, 4.0])
    places, counts = draw(weights, 80_000, 1, rng)
    assert places.tolist() == [0, 2, 3]
    np.testing.assert_allclose(counts / 10_000, [1.0, 3.0, 4.0], rtol=0.05)
    places, counts = draw(np.array([1e9, 1.0, 1.0]), 5, 3, rng)
    assert places.tolist() == [0, 1, 2]
    assert counts.tolist() == [5.0, 0.0, 0.0]


@pytest.mark.parametrize("max_rows", [100, 4000])
def test_the_number_of_groups_is_found_where_it_is_plain(max_rows):
    rng = np.random.default_rng(0)
    centres = np.array([["a"] * 9, ["b"] * 9, ["c"] * 9, ["d"] * 9])
    X = centres[rng.integers(0, 4, 400)]
    X[rng.random(X.shape) < 0.2] = "e"
    model = nk.KMedoids("hamming", "auto", random_state=0, max_rows=max_rows).fit(X)
    assert model.n_clusters_ == 4
    assert set(model.silhouettes_) == set(range(2, 16))
    assert nk.KMedoids("hamming", range(2, 4)).fit(X).n_clusters_ in (2, 3)


def test_labels_may_teach_the_distance():
    X, y = labelled_table()
    metric = nk.CPML(max_iter=5)
    with pytest.warns(ConvergenceWarning):
        taught = nk.KMedoids(metric, 3, random_state=0).fit(X, y)
    with pytest.warns(ConvergenceWarning):
        fitted = FrozenEstimator(metric.fit(X, y))
    given = clone(nk.KMedoids(fitted, 3, random_state=0)).fit(X)
    np.testing.assert_array_equal(taught.labels_, given.labels_)
    again = pickle.loads(pickle.dumps(taught))
    np.testing.assert_array_equal(again.predict(X), taught.labels_)


class TestMedoids:
    X = pd.DataFrame({"colour": ["red", "red", None, "blue"], "size": [1, 1, 2, 2]})

    def test_are_rows_as_they_were_given(self):
        model = nk.KMedoids("hamming", 2).fit(self.X)
        assert isinstance(model.medoids_, pd.DataFrame)
        for number, (_, medoid) in zip(
            model.medoid_indices_, model.medoids_.iterrows(), strict=True
        ):
            row = self.X.iloc[number]
            assert medoid["size"] == row["size"]
            assert medoid["colour"] == row["colour"] or pd.isna(row["colour"])

    def test_are_of_the_users_library(self):
        frame = pl.from_pandas(self.X)
        model = nk.KMedoids("hamming", 2).fit(frame)
        assert model.medoids_.equals(frame[model.medoid_indices_.tolist()])

    def test_have_numbers_of_the_users_table(self):
        model = nk.KMedoids("hamming", 1).fit(self.X, sample_weight=[0, 5, 1, 1])
        assert model.medoid_indices_.tolist() == [1]
        assert model.labels_.tolist() == [0, 0, 0, 0]


class TestAtTheEdge:
    def test_there_are_no_more_groups_than_distinct_rows(self):
        with pytest.warns(ConvergenceWarning, match=r"2 groups instead of .*=3"):
            model = nk.KMedoids("hamming", 3).fit([["a"], ["b"], ["a"], ["b"]])
        assert model.labels_.tolist() == [0, 1, 0, 1]

    @pytest.mark.parametrize(("n_rows", "n_groups"), [(1, 1), (2, 2), (3, 2)])
    def test_auto_takes_what_there_is(self, n_rows, n_groups):
        X = [["a"], ["b"], ["c"]][:n_rows]
        assert nk.KMedoids("hamming", "auto").fit(X).n_clusters_ == n_groups

    @pytest.mark.parametrize("k", [1, 2, 3])
    def test_infinite_distances_are_avoided_first(self, k):
        X = [["a", "x"]] * 5 + [["a", "y"]] * 4 + [["b", "z"], ["b", "w"], ["c", "v"]]
        model = nk.KMedoids("lin1", k, random_state=0).fit(X)
        d = model.distance_.pairwise_distances(X)
        assert np.isinf(d).any()

        def n_infinite_and_sum(medoids):
            least = d[:, list(medoids)].min(axis=1)
            return np.isinf(least).sum(), least[np.isfinite(least)].sum()

        best = min(map(n_infinite_and_sum, combinations([0, 5, 9, 10, 11], k)))
        assert n_infinite_and_sum(model.medoid_indices_) == pytest.approx(best)
        assert np.isinf(model.inertia_) == (best[0] > 0)

    def test_too_few_rounds_are_told(self):
        with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
            nk.KMedoids("hamming", 30, n_init=1, max_iter=1).fit(scattered(2000, 9, 9))

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"n_clusters": 0}, "'n_clusters' parameter of KMedoids"),
            ({"n_clusters": "many"}, "'n_clusters' parameter"),
            ({"n_clusters": [1, 2]}, "'n_clusters' parameter"),
            ({"n_clusters": []}, "'n_clusters' parameter"),
            ({"n_init": 0}, "'n_init' parameter"),
            ({"max_iter": 1.5}, "'max_iter' parameter"),
            ({"n_clusters": 9, "max_rows": 8}, "'max_rows' parameter"),
            ({"random_state": "x"}, "'random_state' parameter"),
        ],
    )
    def test_wrong_settings_are_refused(self, settings, message):
        with pytest.raises(ValueError, match=message):
            nk.KMedoids("hamming", **settings).fit(scattered())


MANY_ROWS = """
import numpy as np
import nearkind as nk
from nearkind.experiments.sandbox import peak_megabytes

X = np.random.default_rng(0).integers(0, 6, (300_000, 12)).astype(str)
assert len(nk.KMedoids("hamming", 8, random_state=0).fit(X).labels_) == 300_000
print(peak_megabytes())
"""


@pytest.mark.slow
def test_many_rows_fit_into_two_gigabytes():
    command = [sys.executable, "-c", MANY_ROWS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert float(done.stdout) < 2 * 2**10
