"""The index by FAISS: what it finds is exact, what it misses is measured."""

import pickle
import re
import sys
from io import BytesIO
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearkind as nk
from nearkind.estimators.base import traits_of
from nearkind.neighbors import (
    ExactIndex,
    FaissIndex,
    KNearest,
    faiss_index,
    faiss_search,
)

faiss = pytest.importorskip("faiss")
METRIC = nk.baselines.Euclidean().fit([["a"], ["b"]], [0, 1]).distance_


def vectors(n, q=6, seed=0):
    return np.random.default_rng(seed).normal(size=(n, q))


def both(U, queries, k, weights=None):
    """Return what both indexes find."""
    k_nearest = KNearest(np.ones(len(U)) if weights is None else weights)
    return (
        kind(METRIC, U, k).near(queries, k_nearest, k)
        for kind in (FaissIndex, ExactIndex)
    )


def assert_same_near(found, expected):
    for name in ("query", "unique_row", "votes"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    scale = expected.distance.max(initial=0.0)
    np.testing.assert_allclose(found.distance, expected.distance, atol=1e-9 * scale)


def clustered(n, seed=0):
    """Return vectors around 30 places, half of them on a grid."""
    rng = np.random.default_rng(seed)
    centres = 3.0 * np.random.default_rng(9).normal(size=(30, 8))
    V = centres[rng.integers(30, size=n)] + rng.normal(size=(n, 8))
    return np.where(np.arange(n)[:, None] % 2, np.round(V, 1), V)


def share_found(found, expected):
    """Return which share of the pairs of a query and a unique row was found."""
    found, expected = (
        set(zip(near.query.tolist(), near.unique_row.tolist(), strict=True))
        for near in (found, expected)
    )
    return len(found & expected) / len(expected)


@pytest.fixture(params=["ivf", "hnsw"])
def kind(request, monkeypatch):
    """Let tables of a few rows be searched by a kind for many."""
    monkeypatch.setattr(faiss_search, "FLAT_UP_TO", 50)
    if request.param == "hnsw":
        monkeypatch.setattr(faiss_search, "GRAPH_FROM", 51)
    return request.param


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e60])
@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_a_flat_index_is_exact_at_any_scale_and_place(scale, shift):
    U, queries = scale * (vectors(400) + shift), scale * (vectors(50, seed=1) + shift)
    assert_same_near(*both(U, queries, 5))


def test_queries_far_outside_are_compared_with_all():
    U = vectors(200)
    assert_same_near(*both(U, 1e30 * vectors(3, seed=1), 4))


def test_weights_decide_how_far_it_reaches():
    weights = np.random.default_rng(2).choice([0.01, 0.5, 3.0], 400)
    assert_same_near(*both(vectors(400), vectors(40, seed=1), 7, weights))


@pytest.mark.parametrize("n_places", [1, 3, 40])
def test_more_ties_than_candidates_are_all_found(n_places):
    grid = np.random.default_rng(3).integers(0, n_places, (900, 1)).astype(float)
    assert_same_near(*both(grid, np.array([[0.0], [1.5]]), 3))


def test_ties_of_distinct_vectors_beyond_any_try_are_all_found():
    angles = np.linspace(0.0, 2.0 * np.pi, 1500, endpoint=False)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    found, expected = both(circle, np.zeros((1, 2)), 3)
    assert len(found.unique_row) == 1500
    assert_same_near(found, expected)


def test_vectors_that_single_precision_cannot_tell_apart():
    U = np.concatenate([1e-6 * vectors(300, 2), np.array([[1.0, 0.0], [-1.0, 0.0]])])
    assert_same_near(*both(U, 1e-6 * vectors(20, 2, seed=1), 5))


def test_kinds_are_chosen_by_size():
    limits = [1, 20_000, 20_001, 1_999_999, 2_000_000]
    kinds = [faiss_search.searcher_for(n).kind for n in limits]
    assert kinds == ["flat", "flat", "ivf", "ivf", "hnsw"]


def test_a_thread_answers_256_queries_at_a_time_or_as_many_as_hold_so_many_numbers():
    index = FaissIndex(METRIC, vectors(30), 5)
    numbers = faiss_search.n_candidates(5) * 6
    for at_once, n in [(1, 1), (10 * numbers + 5, 10), (10**9, 256)]:
        chunks = index.chunks(1_000, at_once)
        assert {len(range(1_000)[at]) for at in chunks[:-1]} == {n}


def test_distances_that_are_not_between_vectors_are_refused():
    message = (
        "The 'index' parameter of Some must be 'exact' over Hamming, which has "
        "no value vectors that FAISS could search; got 'faiss'. Take index='exact', "
        "or a metric with value_vectors_, such as CPML, Euclidean or NCA."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        FaissIndex.check(traits_of(nk.baselines.Hamming()), "Hamming", "Some")
    FaissIndex.check(METRIC, "Euclidean", "Some")


def test_without_faiss_it_is_said_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    message = (
        "index='faiss' needs the package faiss-cpu; run "
        '`pip install "nearkind[faiss]"`, or take index="exact".'
    )
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        FaissIndex.check(METRIC, "Euclidean", "Some")
    assert error.value.__suppress_context__


def test_all_effort_is_exact(kind):
    U, queries = vectors(600), vectors(60, seed=1)
    index = FaissIndex(METRIC, U, 5).build()
    assert index.kind == kind
    *_, last = index.built.searcher.efforts()
    assert last == index.built.searcher.effort
    k_nearest = KNearest(np.ones(600))
    expected = ExactIndex(METRIC, U, 5).near(queries, k_nearest, 5)
    assert_same_near(index.near(queries, k_nearest, 5), expected)


@given(seed=st.integers(0, 99), k=st.integers(1, 9), weighted=st.booleans())
def test_queries_that_find_their_neighbours_are_answered_exactly(seed, k, weighted):
    rng = np.random.default_rng(seed)
    U, queries = (rng.integers(0, 5, (n, 3)) / 4.0 for n in (200, 20))
    k_nearest = KNearest(rng.choice([0.5, 1.0, 3.0], 200) if weighted else np.ones(200))
    expected = ExactIndex(METRIC, U, k).near(queries, k_nearest, k)
    for kind in (faiss_search.ListSearch, faiss_search.GraphSearch):
        with patch.object(faiss_index, "searcher_for", lambda n, kind=kind: kind):
            index = FaissIndex(METRIC, U, k).build()
        found = index.near(queries, k_nearest, k)
        n_found = 0
        for query in range(20):
            mine, true = found.query == query, expected.query == query
            if set(expected.unique_row[true]) <= set(found.unique_row[mine]):
                np.testing.assert_array_equal(
                    found.unique_row[mine], expected.unique_row[true]
                )
                np.testing.assert_allclose(found.votes[mine], expected.votes[true])
                n_found += 1
        assert n_found >= 10


def test_recall_is_what_a_loop_over_rows_not_yet_held_counts(kind, monkeypatch):
    monkeypatch.setattr(faiss_search, "MIN_RECALL", 0.6)
    monkeypatch.setattr(faiss_search, "n_candidates", lambda k: k)
    U = vectors(500, 12)
    distinct, searcher, recall, _ = FaissIndex(METRIC, U, 5).build().built
    held, new = distinct.vectors[:400], distinct.vectors[400:]
    before = type(searcher)(held)
    _ = next(effort for effort in before.efforts() if effort == searcher.effort)
    shares = []
    for v in new:
        nearest = np.argsort(((held - v) ** 2).sum(axis=1))[:5]
        shares.append(np.isin(nearest, before.search(v[None], 5)[1][0]).mean())
    assert 0.6 < recall < 1.0
    np.testing.assert_allclose(recall, np.mean(shares))


def test_vectors_keep_their_numbers_and_their_rows(kind):
    U = np.repeat(vectors(400, 4), 2, axis=0)[np.random.default_rng(5).permutation(800)]
    distinct, searcher, *_ = FaissIndex(METRIC, U, 3).build().built
    _, number = searcher.search(distinct.vectors, 1)
    np.testing.assert_array_equal(number[:, 0], np.arange(400))
    np.testing.assert_allclose(
        distinct.vectors[distinct.of_row], distinct.transform(U), atol=1e-9
    )
    rows, owner = distinct.rows.members_of(np.arange(400))
    np.testing.assert_array_equal(distinct.of_row[rows], owner)
    assert sorted(rows) == list(range(800))


def test_effort_is_raised_until_recall_suffices(kind):
    index = FaissIndex(METRIC, vectors(2000, 8), 3).build()
    assert index.recall_ >= faiss_search.MIN_RECALL
    effort = index.built.searcher.effort
    assert effort < max(index.built.searcher.efforts())


def test_new_rows_find_their_neighbours_too(kind):
    U, queries = clustered(5000), clustered(1000, seed=1)
    assert share_found(*both(U, queries, 5)) > faiss_search.MIN_RECALL - 0.005


def test_rows_added_later_are_found(kind):
    X, y = np.random.default_rng(0).integers(0, 6, (400, 6)).astype(str), np.arange(400)
    model = nk.CPMLClassifier(nk.baselines.Euclidean(), n_neighbors=1, index="faiss")
    model.fit(X[:300], y[:300] % 2).add(X[300:], y[300:] % 2)
    assert model.committee_.voters[0].index.kind == kind
    again = nk.CPMLClassifier(index="faiss", n_neighbors=1)
    again.fit_over(model.metric_, X, y % 2)
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    assert (model.kneighbors(X[300:], 1)[0] == 0.0).all()


def test_two_builds_and_any_number_of_threads_give_the_same(kind):
    U, queries, k_nearest = vectors(1000), vectors(80, seed=1), KNearest(np.ones(1000))
    one = FaissIndex(METRIC, U, 5).near(queries, k_nearest, 5)
    before = faiss.omp_get_max_threads()
    try:
        for n_threads in (1, 3):
            faiss.omp_set_num_threads(n_threads)
            again = FaissIndex(METRIC, U, 5).near(queries, k_nearest, 5)
            assert faiss.omp_get_max_threads() == n_threads
            for a, b in zip(one, again, strict=True):
                np.testing.assert_array_equal(a, b)
    finally:
        faiss.omp_set_num_threads(before)


def test_a_built_index_survives_pickle(kind):
    U, queries, k_nearest = vectors(300), vectors(30, seed=1), KNearest(np.ones(300))
    index = FaissIndex(METRIC, U, 5).build()
    again = pickle.loads(pickle.dumps(index))
    assert (again.kind, again.recall_) == (kind, index.recall_)
    assert again.seconds == index.seconds
    for a, b in zip(
        index.near(queries, k_nearest, 5),
        again.near(queries, k_nearest, 5),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)


def test_a_saved_model_builds_the_same_index_anew(kind):
    X, y = np.random.default_rng(0).integers(0, 6, (400, 6)).astype(str), np.arange(400)
    model = nk.CPMLClassifier(nk.baselines.Euclidean(), index="faiss").fit(X, y % 2)
    file = BytesIO()
    nk.save(model, file)
    file.seek(0)
    again = nk.load(file)
    assert "built" not in vars(again.committee_.voters[0].index)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    indexes = [each.committee_.voters[0].index for each in (again, model)]
    assert (indexes[0].kind, indexes[0].recall_) == (kind, indexes[1].recall_)


class Missing(faiss_search.FlatSearch):
    """Finds two vectors, however many are asked for."""

    def search(self, V, n):
        d2, number = super().search(V, n)
        number[:, 2:] = -1
        return d2, number


@pytest.mark.parametrize("k", [1, 2, 3, 7])
def test_queries_that_find_too_few_are_compared_with_all(k):
    U, queries = vectors(60), vectors(9, seed=1)
    with patch.object(faiss_index, "searcher_for", lambda n: Missing):
        assert_same_near(*both(U, queries, k))


def test_counting_rows_and_weights_in_turn():
    U, queries = vectors(60), vectors(8, seed=1)
    index = FaissIndex(METRIC, U, 3)
    reaches = [KNearest(np.ones(60)), KNearest(np.full(60, 0.5))]
    first = [index.near(queries, k_nearest, 3).unique_row for k_nearest in reaches]
    again = [index.near(queries, k_nearest, 3).unique_row for k_nearest in reaches]
    assert [len(rows) for rows in first] == [24, 48]
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
