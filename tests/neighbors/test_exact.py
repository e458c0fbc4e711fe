"""Fast exact searches find what comparing with every row finds, to the last bit."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearkind as nk
from helpers.committees import shares_by
from helpers.estimator_tables import labelled_table
from nearkind.neighbors import (
    ExactIndex,
    KNearest,
    PlainIndex,
    exact,
    vector_rows,
    vector_search,
)
from nearkind.neighbors.vector_rows import VectorRows, lengths
from nearkind.neighbors.vector_search import ProductSearch, TreeSearch

METRIC = nk.baselines.Euclidean().fit([["a"], ["b"]], [0, 1]).distance_
SEARCHES = {"product": (0, np.inf), "tree": (0, 0), "chosen": (64, 1 << 8)}
LIMITS = "PLAIN_UP_TO", "TREE_FROM"


@pytest.fixture(params=["product", "tree"])
def search(request, monkeypatch):
    """Let tables of a few rows be searched as many are."""
    for name, limit in zip(LIMITS, SEARCHES[request.param], strict=True):
        monkeypatch.setattr(exact, name, limit)
    return request.param


@st.composite
def searches(draw):
    """Return (vectors (m, q), queries (b, q), weights (m,), k), with many ties."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    m, q = draw(st.integers(1, 150)), draw(st.integers(0, 5))
    n_places = draw(st.sampled_from([1, 2, 4, 1000]))
    U = rng.integers(0, n_places, (m, q)) / 4.0
    queries = np.concatenate([
        U[rng.integers(m, size=3)],
        rng.integers(-1, n_places + 1, (3, q)) / 4.0,
        rng.normal(size=(3, q)),
    ])  # fmt: skip
    if draw(st.booleans()):  # distances equal up to rounding
        U = U + rng.uniform(-1e-13, 1e-13, U.shape)
    shift = draw(st.sampled_from([0.0, 1.0, 1e6, -1e12]))
    scale = draw(st.sampled_from([1e-12, 1.0, 1e12]))
    sizes = draw(st.sampled_from([[1.0], [1.0, 2.0], [0.01, 0.3, 5.0], [1e-9, 1e6]]))
    k = draw(st.sampled_from([1, 2, 5, 26, 400]))
    weights = rng.choice(sizes, m)
    return scale * (U + shift), scale * (queries + shift), weights, k


def assert_same_bits(found, expected):
    for name, a, b in zip(found._fields, found, expected, strict=True):
        np.testing.assert_array_equal(a, b, err_msg=name)


def both(U, queries, weights, k):
    return (
        kind(METRIC, U, k).near(queries, KNearest(weights), k)
        for kind in (ExactIndex, PlainIndex)
    )


@pytest.mark.parametrize("search", SEARCHES)
@given(case=searches())
def test_near_has_the_bits_of_comparing_with_all(search, case):
    limits = dict(zip(LIMITS, SEARCHES[search], strict=True))
    with patch.multiple(exact, **limits), np.errstate(over="raise", invalid="raise"):
        assert_same_bits(*both(*case))


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("one_by_product", [0, 1 << 18])
@given(case=searches())
def test_a_query_alone_has_the_bits_of_comparing_with_all(search, one_by_product, case):
    U, queries, weights, k = case
    limits = dict(zip(LIMITS, SEARCHES[search], strict=True))
    alone = patch.object(vector_search, "ONE_BY_PRODUCT", one_by_product)
    errors = np.errstate(over="raise", invalid="raise")
    with patch.multiple(exact, **limits), alone, errors:
        for query in queries[::3]:
            assert_same_bits(*both(U, query[None], weights, k))


@pytest.mark.parametrize(("m", "q"), [(4000, 1), (9000, 3), (3000, 6), (2500, 40)])
@pytest.mark.parametrize("k", [1, 5, 25])
def test_many_rows(m, q, k):
    rng = np.random.default_rng(m)
    U = np.concatenate([rng.normal(size=(m // 2, q)), rng.integers(0, 3, (m // 2, q))])
    queries = np.concatenate([U[::200], rng.normal(size=(30, q))])
    assert_same_bits(*both(U, queries, rng.choice([1.0, 1.0, 2.5], len(U)), k))


@pytest.mark.parametrize("factor", [1e3, 1e9, 1e30])
def test_queries_far_outside(search, factor):
    rng = np.random.default_rng(0)
    U, queries = rng.normal(size=(500, 4)), factor * rng.normal(size=(5, 4))
    assert_same_bits(*both(U, queries, np.ones(500), 5))


def test_clusters_that_single_precision_cannot_tell_apart(search):
    rng = np.random.default_rng(0)
    U = 1e-6 * rng.normal(size=(300, 2)) + np.repeat(
        [[1.0], [-1.0], [0.0]], 100, axis=0
    )
    queries = 1e-6 * rng.normal(size=(20, 2)) + 1.0
    assert_same_bits(*both(U, queries, np.ones(300), 5))


def test_more_ties_than_a_tree_is_asked_for(search):
    angles = np.linspace(0.0, 2.0 * np.pi, 900, endpoint=False)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    queries = np.array([[0.0, 0.0], [1.0, 0.5], [1e-9, 0.0]])
    found, expected = both(circle, queries, np.ones(900), 3)
    assert (found.query == 0).sum() == 900
    assert_same_bits(found, expected)
    with patch.object(vector_search, "DISTANCES_AT_ONCE", 1):  # one at a time
        assert_same_bits(*both(circle, queries, np.ones(900), 3))


def test_chunks_of_queries_and_of_candidates_make_no_difference(search, monkeypatch):
    rng = np.random.default_rng(1)
    U, queries = rng.integers(0, 5, (400, 3)), rng.integers(0, 5, (50, 3))
    index, k_nearest = ExactIndex(METRIC, U / 2.0, 5), KNearest(np.ones(400))
    whole = index.near(queries / 2.0, k_nearest, 5)
    monkeypatch.setattr(vector_search, "EXACT_NUMBERS", 1)
    monkeypatch.setattr(vector_search, "TILE_NUMBERS", 1)
    for query in range(50):
        near = index.near(queries[query : query + 1] / 2.0, k_nearest, 5)
        mine = whole.query == query
        np.testing.assert_array_equal(near.unique_row, whole.unique_row[mine])
        np.testing.assert_array_equal(near.distance, whole.distance[mine])
        np.testing.assert_array_equal(near.votes, whole.votes[mine])


def test_no_query_has_no_neighbours(search):
    found, expected = both(np.eye(70), np.empty((0, 70)), np.ones(70), 3)
    assert_same_bits(found, expected)


@pytest.mark.usefixtures("optimized")
def test_searches_are_chosen_by_size_and_spread():
    rng = np.random.default_rng(0)
    kinds = {
        (64, 1): type(None),
        (65, 1): ProductSearch,
        (511, 1): ProductSearch,  # from 256, doubled by one direction
        (512, 1): TreeSearch,
        (1 << 10, 0): ProductSearch,
        (1 << 10, 3): ProductSearch,
        (1 << 15, 6): TreeSearch,
        (1 << 15, 8): ProductSearch,
    }
    for (m, q), kind in kinds.items():
        assert type(ExactIndex(METRIC, rng.random((m, q)), 5).search) is kind
    narrow = rng.random((1 << 10, 3)) * [1.0, 0.1, 0.1]
    assert type(ExactIndex(METRIC, narrow, 5).search) is TreeSearch
    wide = rng.random((1 << 10, 64)) * np.eye(64)[0]
    assert type(ExactIndex(METRIC, wide, 5).search) is ProductSearch
    assert type(ExactIndex(METRIC, wide[:, :63], 5).search) is TreeSearch
    hamming = nk.baselines.Hamming().fit([["a"], ["b"]], [0, 1]).distance_
    assert ExactIndex(hamming, np.zeros((1 << 12, 1)), 5).search is None


@given(seed=st.integers(0, 99), scale=st.sampled_from([1e-12, 1.0, 1e12]))
def test_no_distance_is_larger_than_the_largest_and_one_is_a_third(seed, scale):
    rng = np.random.default_rng(seed)
    U = scale * rng.normal(size=(rng.integers(1, 9), 2))
    queries = scale * rng.choice([0.0, 1.0, 100.0]) * rng.normal(size=(5, 2))
    rows = VectorRows(U)
    distances, largest = rows.all_distances(queries), rows.largest(queries)
    assert (distances <= largest[:, None] * (1.0 + 1e-12)).all()
    assert (distances.max(axis=1) >= largest / 3.0 * (1.0 - 1e-12)).all()


def test_wide_directions_count_whole_and_narrow_ones_in_part():
    rng = np.random.default_rng(0)
    V = rng.normal(size=(2000, 4))
    assert VectorRows(V).n_wide == pytest.approx(4.0, abs=0.1)
    assert VectorRows(1e9 * V).n_wide == pytest.approx(VectorRows(V).n_wide)
    assert VectorRows(V * [1.0, 1.0, 0.0, 0.0]).n_wide == pytest.approx(2.0, abs=0.1)
    assert 1.0 < VectorRows(V * [1.0, 0.1, 0.1, 0.1]).n_wide < 2.0
    assert VectorRows(np.ones((5, 3))).n_wide == 3.0


@pytest.mark.parametrize("widths", [[1, 1, 1], [4, 2, 1], [3, 0, 0], [5, 1, 0]])
def test_directions_count_by_their_share_of_the_width(widths):
    s = np.array(widths, dtype=float)
    V = np.concatenate([np.diag(s), -np.diag(s)])
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    expected = pytest.approx(s.sum() ** 2 / (s**2).sum(), abs=1e-6)
    assert VectorRows(V).n_wide == expected
    assert VectorRows(7.0 + 1e-9 * V @ turn).n_wide == expected


def test_ties_are_as_wide_as_a_share_of_the_bound_on_distances():
    rows, queries = VectorRows(np.array([[0.0], [3.0], [6.0]])), np.array([[5.0], [3]])
    np.testing.assert_allclose(rows.largest(queries), [5.0, 3.0])
    np.testing.assert_allclose(rows.tie_widths(queries), [5e-7, 3e-7])
    np.testing.assert_allclose(rows.tie_widths_at(np.array([2.0, 0.0])), [5e-7, 3e-7])


@given(seed=st.integers(0, 99), q=st.integers(0, 40))
def test_a_length_has_the_same_bits_beside_any_other(seed, q):
    V = np.random.default_rng(seed).normal(size=(7, 5, q))
    whole = lengths(V)
    np.testing.assert_array_equal([[lengths(v) for v in part] for part in V], whole)
    np.testing.assert_array_equal(lengths(V.swapaxes(0, 1)).T, whole)
    np.testing.assert_allclose(whole, np.linalg.norm(V, axis=2), rtol=1e-14)


@pytest.mark.usefixtures("optimized")
@pytest.mark.filterwarnings("ignore::UserWarning")  # stopped early, metric zero
@pytest.mark.parametrize(
    "metric", [nk.CPML(max_iter=5), nk.CPML(strength=1e6)], ids=str
)
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_a_classifier_answers_with_the_bits_of_comparing_with_all(
    search, metric, weights
):
    X, y = labelled_table(300, seed=3)
    query, _ = labelled_table(90, seed=4)
    sample_weight = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], len(y))
    fast = nk.CPMLClassifier(metric, weights=weights).fit(X, y, sample_weight)
    plain = nk.CPMLClassifier(weights=weights)
    plain.fit_over(fast.metric_, X, y, sample_weight)
    (voter,) = plain.committee_.voters
    vars(voter)["index"] = PlainIndex(voter.distance, voter.represented, 5)
    for model in (fast, plain):
        index = model.committee_.voters[0].index
        assert (getattr(index, "search", None) is None) == (model is plain)
    np.testing.assert_array_equal(fast.predict_proba(query), plain.predict_proba(query))
    for table in (query, None):
        for found, expected in zip(
            fast.kneighbors(table), plain.kneighbors(table), strict=True
        ):
            np.testing.assert_array_equal(found, expected)
    ways = [(k, vote) for vote in ("uniform", "distance") for k in (1, 3, 7)]
    np.testing.assert_array_equal(
        shares_by(fast, query, ways), shares_by(plain, query, ways)
    )


def test_vectors_of_thousands_of_dimensions():
    rng = np.random.default_rng(0)
    U, queries = rng.normal(size=(100, 1_500)), rng.normal(size=(5, 1_500))
    found, expected = both(U, queries, np.ones(100), 3)
    assert_same_bits(found, expected)


@pytest.mark.parametrize("shape", [(1, 13), (40, 100), (0, 5), (3, 0), (2, 3, 7)])
def test_few_lengths_have_the_bits_of_many(shape, monkeypatch):
    V = np.random.default_rng(0).normal(size=shape)
    few = lengths(V)
    monkeypatch.setattr(vector_rows, "FEW_NUMBERS", -1)
    np.testing.assert_array_equal(few, lengths(V))


def test_a_row_alone_has_the_votes_that_it_has_among_others():
    X, y = labelled_table(300)
    query, _ = labelled_table(40, seed=9)
    model = nk.CPMLClassifier(
        nk.baselines.Euclidean(), n_neighbors=9, weights="distance"
    ).fit(X, y)
    alone = [model.predict_proba(query[i : i + 1])[0] for i in range(40)]
    np.testing.assert_array_equal(alone, model.predict_proba(query))


@pytest.mark.parametrize("numbers", [1, 300, 5_000])
@pytest.mark.parametrize("m", [1_000, 1_023])
def test_any_size_of_tiles_and_chunks_finds_the_same(search, numbers, m, monkeypatch):
    for name, size in [("TILE", 32), ("TILE_NUMBERS", numbers)]:
        monkeypatch.setattr(vector_search, name, size)
    monkeypatch.setattr(vector_search, "EXACT_NUMBERS", numbers)
    rng = np.random.default_rng(m)
    U, queries = rng.integers(0, 30, (m, 2)) / 4.0, rng.integers(0, 60, (7, 2)) / 8.0
    assert ProductSearch(VectorRows(U)).run > 1
    weights = rng.choice([0.5, 1.0], m)
    assert_same_bits(*both(U, queries, weights, 5))
    assert_same_bits(*both(U, queries[:1], weights, 5))
    assert_same_bits(*both(U, queries, weights, m))


@pytest.mark.parametrize("shape", [(1, 0), (65, 1), (3_000, 2), (100_000, 1), (99, 70)])
def test_rows_are_looked_at_in_runs_that_fill_a_tile(shape):
    run = ProductSearch(VectorRows(np.zeros(shape))).run
    assert 1 <= run <= vector_search.LONGEST_RUN
    assert vector_search.TILE % run == 0


def sizes(index, n_queries, at_once):
    chunks = index.chunks(n_queries, at_once)
    return {len(range(n_queries)[at]) for at in chunks[:-1]}


@pytest.mark.usefixtures("optimized")
def test_a_thread_answers_as_many_queries_as_hold_so_many_numbers():
    few = ExactIndex(METRIC, np.zeros((50, 1)), 5)
    assert (
        sizes(few, 1_000, 300)
        == sizes(PlainIndex(METRIC, few.rows, 5), 1_000, 300)
        == {6}
    )
    product = ExactIndex(METRIC, np.zeros((100, 64)), 5)
    assert type(product.search) is ProductSearch
    for at_once, n in [(50, 50), (1_000, 64), (10_000, 100), (10**6, 256)]:
        assert sizes(product, 1_000, at_once) == {n}


@pytest.mark.usefixtures("optimized")
@pytest.mark.parametrize(
    ("n_queries", "at_once", "n_cores", "n"),
    [
        (1_000, 10**7, 2, 256),  # 256 at least, and 4096 at most
        (4_000, 10**7, 2, 1_000),  # each of two threads twice
        (4_000, 10**7, None, 2_000),
        (40_000, 10**7, 2, 4_096),
        (40_000, 128 * 300, 2, 300),  # of 128 numbers each
        (4_000, 100, 2, 100),
    ],
)
def test_a_tree_is_asked_for_more_queries_at_once(
    n_queries, at_once, n_cores, n, monkeypatch
):
    monkeypatch.setattr(vector_search, "cpu_count", lambda: n_cores)
    tree = ExactIndex(METRIC, np.arange(600.0)[:, None], 5)
    assert type(tree.search) is TreeSearch
    assert sizes(tree, n_queries, at_once) == {n}
