"""Every index finds the neighbours that sorting all rows finds, ties shared."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import nearkind as nk
from helpers import oracles
from helpers.strategies import integers, weights
from nearkind.neighbors import INDEXES, KNearest, RowGroups

pytest.importorskip("faiss")


@st.composite
def searches(draw):
    """Return (vectors (m, q), queries (b, q), weights (m,), k), with many ties."""
    m, q = draw(st.integers(1, 9)), draw(st.integers(1, 3))
    U = draw(integers((m, q), -2, 2)) / 4.0
    queries = draw(integers((draw(st.integers(1, 3)), q), -3, 3)) / 4.0
    w = draw(weights(m)) * draw(st.sampled_from([0.25, 1.0]))
    return U, queries, w, draw(st.integers(1, 12))


@pytest.fixture(scope="module")
def metric():
    return nk.baselines.Euclidean().fit([["a"], ["b"]], [0, 1]).distance_


def distances(queries, U):
    return np.sqrt(((queries[:, None] - U) ** 2).sum(axis=2))


@pytest.mark.parametrize("name", INDEXES)
@given(case=searches())
def test_votes_are_those_of_sorting_every_row(metric, name, case):
    U, queries, w, k = case
    near = INDEXES[name](metric, U, k).near(queries, KNearest(w), k)
    votes = np.zeros((len(queries), len(U)))
    np.add.at(votes, (near.query, near.unique_row), near.votes)
    expected = [
        oracles.neighbor_votes(d, 4.0 * w, 4 * k) / 4.0 for d in distances(queries, U)
    ]
    np.testing.assert_allclose(votes, expected, atol=1e-9)


@pytest.mark.parametrize("name", INDEXES)
@given(case=searches())
def test_the_list_goes_by_query_and_row_with_true_distances(metric, name, case):
    U, queries, w, k = case
    near = INDEXES[name](metric, U, k).near(queries, KNearest(w), k)
    order = np.lexsort((near.unique_row, near.query))
    np.testing.assert_array_equal(order, np.arange(len(order)))
    expected = distances(queries, U)[near.query, near.unique_row]
    np.testing.assert_allclose(near.distance, expected, atol=1e-12)
    assert near.tie.shape == (len(queries),)


@pytest.mark.parametrize("name", INDEXES)
@given(case=searches(), gaps=hnp.arrays(np.intp, 9, elements=st.integers(1, 3)))
def test_rows_are_those_of_sorting_by_distance_and_number(metric, name, case, gaps):
    U, queries, _, _ = case
    numbers = np.cumsum(gaps[: len(U)])
    groups = RowGroups.of(np.arange(len(U)), numbers)
    k = (len(U) + 1) // 2
    near = INDEXES[name](metric, U, k).near(queries, groups.k_nearest, k)
    _, found = groups.nearest(near, k, np.full(len(queries), -1))
    for d, rows in zip(distances(queries, U), found, strict=True):
        assert (
            rows.tolist() == numbers[np.lexsort((numbers, np.round(d, 9)))[:k]].tolist()
        )


@pytest.mark.parametrize("name", INDEXES)
@pytest.mark.parametrize("n_queries", [0, 1, 700])
def test_chunks_cover_every_query_once(metric, name, n_queries):
    index = INDEXES[name](metric, np.eye(3), 2)
    chunks = index.chunks(n_queries, 100)
    covered = [query for at in chunks for query in range(n_queries)[at]]
    assert covered == list(range(n_queries))


@pytest.mark.parametrize("name", INDEXES)
def test_an_index_says_what_it_is(metric, name):
    index = INDEXES[name](metric, np.eye(4), 2).build()
    assert (index.n_rows, index.recall_) == (4, 1.0)
    assert index.kind in ("exact", "flat")
    assert index.seconds >= 0.0
    assert index.takes(metric)
