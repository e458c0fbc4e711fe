"""Nearest rows are those of sorting all distances, whatever the kind of the table."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN, HDBSCAN
from sklearn.utils.estimator_checks import estimator_checks_generator

import nearkind as nk
from helpers.strategies import tables

SHIRTS = pd.DataFrame(
    {"colour": ["red", "red", "blue", "blue"], "size": ["S", "M", "M", "L"]}
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "check"),
    [
        pytest.param(model, check, id=check.func.__name__)
        for model, check in estimator_checks_generator(nk.NearestRows())
        if check.func.__name__ != "check_array_api_input"
    ],
)
def test_scikit_learns_own_check(model, check):
    check(model)


@pytest.mark.parametrize("metric", ["gower", "dilca", "goodall1"])
@given(table=tables(min_rows=4), k=st.integers(1, 3), radius=st.floats(0.0, 1.0))
def test_the_nearest_rows_are_those_of_sorting_all(metric, table, k, radius):
    X = table.codes.astype(str)
    model = nk.NearestRows(metric, n_neighbors=k, radius=radius).fit(X)
    d = model.distance_.pairwise_distances(X)
    d = np.round(d, 9)
    np.fill_diagonal(d, np.inf)
    expected = np.argsort(d, axis=1, kind="stable")[:, :k]
    distances, rows = model.kneighbors()
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_allclose(distances, np.take_along_axis(d, expected, 1), atol=1e-8)
    close = np.abs(d - radius) > 1e-6  # of those at the radius rounding decides
    graph = model.radius_neighbors_graph().toarray() > 0
    np.testing.assert_array_equal(graph[close], (d <= radius)[close])
    for row, (apart, near) in enumerate(zip(*model.radius_neighbors(), strict=True)):
        np.testing.assert_array_equal(np.sort(near), np.flatnonzero(graph[row]))
        np.testing.assert_allclose(apart, d[row, near], atol=1e-8)
        assert (np.diff(apart) >= 0.0).all()


def test_graphs_go_to_scikit_learn():
    X = np.random.default_rng(0).integers(0, 3, (80, 4)).astype(str)
    model = nk.NearestRows("hamming").fit(X)
    graph = model.radius_neighbors_graph(radius=0.5, mode="distance")
    assert graph.shape == (80, 80)
    assert (graph.data > 0.0).all()
    assert abs(graph - graph.T).max() == 0.0
    d = model.distance_.pairwise_distances(X)
    cluster = DBSCAN(eps=0.3, metric="precomputed").fit
    np.testing.assert_array_equal(cluster(graph).labels_, cluster(d).labels_)
    assert len(HDBSCAN(metric="precomputed", copy=True).fit_predict(graph)) == 80
    near = model.kneighbors_graph(X[:7], 3)
    assert near.shape == (7, 80)
    assert near.sum() == 21


def test_rows_of_weight_zero_are_no_neighbours():
    model = nk.NearestRows("hamming", n_neighbors=1, radius=0.5)
    model.fit(SHIRTS, sample_weight=[1, 0, 1, 1])
    assert model.kneighbors(SHIRTS[1:2], 3)[1].tolist() == [[0, 2, 3]]
    assert model.kneighbors(return_distance=False).tolist() == [[2], [3], [2]]
    assert [each.tolist() for each in model.radius_neighbors()[1]] == [[], [3], [2]]
    graph = model.kneighbors_graph()
    assert graph.shape == (4, 4)
    assert graph.toarray()[1].sum() == 0


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.from_pandas])
def test_neighbours_come_in_the_users_kind_of_table(kind):
    model = nk.NearestRows("hamming", n_neighbors=1).fit(kind(SHIRTS))
    new = kind(pd.DataFrame({"size": ["L", "S"], "colour": ["green", "red"]}))
    with pytest.warns(match="green"):
        found = model.neighbors(new)
    assert type(found).__module__.split(".")[0] == type(new).__module__.split(".")[0]
    assert list(found["neighbor"]) == [3, 0]
    assert list(found["differs"]) == ["colour: 'green', 'blue'", "equal"]
    parts = model.explain(0, {"colour": "red", "size": "L"})
    assert list(parts["feature"]) == ["size", "colour"]
    assert list(parts["contribution"]) == [0.5, 0.0]
    within = model.neighbors()
    assert list(within["row"]) == [0, 1, 2, 3]
    assert list(within["neighbor"]) == [1, 0, 1, 2]


def test_bad_input_is_one_sentence():
    model = nk.NearestRows("hamming").fit(SHIRTS)
    for call, words in [
        (lambda: model.kneighbors(), "n_neighbors = 5 and only 3"),
        (lambda: model.radius_neighbors(radius=-1.0), "'radius'.*number >= 0"),
        (lambda: model.radius_neighbors(radius=float("nan")), "'radius'"),
        (lambda: model.kneighbors_graph(n_neighbors=1, mode="near"), "'mode'"),
        (lambda: model.explain(0, 9), "Row 9 is none of the 4 rows"),
        (lambda: nk.NearestRows("hamming", radius="x").fit(SHIRTS), "'radius'"),
        (lambda: nk.NearestRows("goower").fit(SHIRTS), "no distance 'goower'"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
