"""The index by FAISS: what is found is exact, what is missed is measured."""

import pickle

import numpy as np
import pytest

import nearkind as nk
from nearkind.neighbors import Approximate, Exact, Reach, candidates, searchers, tuning

faiss = pytest.importorskip("faiss")
METRIC = nk.baselines.Euclidean().fit([["a"], ["b"]], [0, 1])


def vectors(n, q=6, seed=0):
    return np.random.default_rng(seed).normal(size=(n, q))


def both(U, queries, k, weights=None):
    """Return what the approximate and the exact index find."""
    reach = Reach(np.ones(len(U)) if weights is None else weights)
    return (kind(METRIC, U, k).near(queries, reach, k) for kind in (Approximate, Exact))


def assert_same_near(found, expected):
    for name in ("query", "cell", "votes"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    scale = expected.distance.max(initial=0.0)
    np.testing.assert_allclose(found.distance, expected.distance, atol=1e-9 * scale)


@pytest.fixture
def lists(monkeypatch):
    """Let tables of a few rows be cut into lists."""
    monkeypatch.setattr(searchers, "FLAT_UP_TO", 50)


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
    assert len(found.cell) == 1500
    assert_same_near(found, expected)


def test_vectors_that_single_precision_cannot_tell_apart():
    U = np.concatenate([1e-6 * vectors(300, 2), np.array([[1.0, 0.0], [-1.0, 0.0]])])
    assert_same_near(*both(U, 1e-6 * vectors(20, 2, seed=1), 5))


def test_lists_that_are_all_looked_into_are_exact(lists):
    U, queries = vectors(600), vectors(60, seed=1)
    index = Approximate(METRIC, U, 5).build()
    assert index.kind == "ivf"
    *_, last = index._built.searcher.efforts()
    assert last == index._built.searcher._index.nlist
    reach = Reach(np.ones(600))
    expected = Exact(METRIC, U, 5).near(queries, reach, 5)
    assert_same_near(index.near(queries, reach, 5), expected)


def test_recall_is_what_a_loop_over_held_rows_counts(lists, monkeypatch):
    monkeypatch.setattr(tuning, "RECALL", 0.6)
    U = vectors(500, 4)
    index = Approximate(METRIC, U, 5).build()
    sites, searcher, recall, _ = index._built
    held = np.random.default_rng(0).permutation(500)[: tuning.N_HELD]
    shares = []
    for v in sites.vectors[held]:
        nearest = np.argsort(((sites.vectors - v) ** 2).sum(axis=1))[1:6]
        found = candidates.candidates(sites, searcher, v[None], 26).site[0]
        shares.append(np.isin(nearest, found).mean())
    assert 0.6 < recall < 1.0
    np.testing.assert_allclose(recall, np.mean(shares))


def test_effort_is_raised_until_recall_suffices(lists):
    index = Approximate(METRIC, vectors(2000, 8), 3).build()
    assert index.recall_ >= tuning.RECALL
    assert index._built.searcher._index.nprobe < index._built.searcher._index.nlist


def test_new_rows_find_their_neighbours_too(lists):
    U, queries = vectors(3000, 4), vectors(300, 4, seed=1)
    found, expected = both(U, queries, 5)
    pairs = set(zip(expected.query.tolist(), expected.cell.tolist(), strict=True))
    hits = pairs & set(zip(found.query.tolist(), found.cell.tolist(), strict=True))
    assert len(hits) / len(pairs) > 0.97


def test_two_builds_and_any_number_of_threads_give_the_same(lists):
    U, queries, reach = vectors(1000), vectors(80, seed=1), Reach(np.ones(1000))
    one = Approximate(METRIC, U, 5).near(queries, reach, 5)
    before = faiss.omp_get_max_threads()
    try:
        for n_threads in (1, 3):
            faiss.omp_set_num_threads(n_threads)
            again = Approximate(METRIC, U, 5).near(queries, reach, 5)
            assert faiss.omp_get_max_threads() == n_threads
            for a, b in zip(one, again, strict=True):
                np.testing.assert_array_equal(a, b)
    finally:
        faiss.omp_set_num_threads(before)


def test_a_built_index_survives_pickle(lists):
    U, queries, reach = vectors(300), vectors(30, seed=1), Reach(np.ones(300))
    index = Approximate(METRIC, U, 5).build()
    again = pickle.loads(pickle.dumps(index))
    assert (again.kind, again.recall_, again.seconds) == (
        "ivf",
        index.recall_,
        index.seconds,
    )
    for a, b in zip(
        index.near(queries, reach, 5), again.near(queries, reach, 5), strict=True
    ):
        np.testing.assert_array_equal(a, b)


def test_counting_rows_and_weights_in_turn():
    U, queries = vectors(60), vectors(8, seed=1)
    index = Approximate(METRIC, U, 3)
    reaches = [Reach(np.ones(60)), Reach(np.full(60, 0.5))]
    first = [index.near(queries, reach, 3).cell for reach in reaches]
    again = [index.near(queries, reach, 3).cell for reach in reaches]
    assert [len(cells) for cells in first] == [24, 48]
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
