"""Neighbours among weighted unique rows are those of sorting every row, ties shared."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers import oracles
from helpers.strategies import integers, weights
from nearkind.distances.form import query_chunks
from nearkind.neighbors import (
    KNearest,
    RankedNear,
    join_near,
    ranks,
    tie_widths,
)
from nearkind.neighbors.k_nearest import Candidates, nth_smallest


@st.composite
def queries(draw):
    """Return (distances (b, m), weights (m,), k) with many ties."""
    b, m = draw(st.integers(1, 3)), draw(st.integers(1, 8))
    w = draw(weights(m))
    k = draw(st.integers(1, int(w.sum()) + 2))
    return draw(integers((b, m), 0, 3)) / 4.0, w, k


def votes_of(near, n_queries, n_rows):
    votes = np.zeros((n_queries, n_rows))
    np.add.at(votes, (near.query, near.unique_row), near.votes)
    return votes


def ranking(w, distances, largest):
    near = KNearest(w).near(distances, largest)
    return RankedNear.of(near, w[near.unique_row])


@given(case=queries())
def test_votes_are_those_of_sorting_every_row(case):
    distances, w, k = case
    votes = votes_of(KNearest(w).near(distances, k), *distances.shape)
    expected = [oracles.neighbor_votes(d, w, k) for d in distances]
    np.testing.assert_allclose(votes, expected, atol=1e-12)


@given(case=queries())
def test_votes_add_up_to_k_or_to_all_rows(case):
    distances, w, k = case
    near = KNearest(w).near(distances, k)
    sums = np.bincount(near.query, near.votes, len(distances))
    np.testing.assert_allclose(sums, min(k, w.sum()))


@given(case=queries())
def test_rows_come_with_their_distance_and_once_a_query(case):
    distances, w, k = case
    near = KNearest(w).near(distances, k)
    np.testing.assert_array_equal(near.distance, distances[near.query, near.unique_row])
    pairs = np.column_stack([near.query, near.unique_row])
    assert len(np.unique(pairs, axis=0)) == len(pairs)


@given(case=queries(), data=st.data())
def test_rows_beyond_reach_change_no_bit(case, data):
    distances, w, k = case
    k_nearest, tie = KNearest(w), np.full(len(distances), 1e-9)
    near = k_nearest.near(distances, k, tie)
    kept = data.draw(hnp.arrays(bool, distances.shape))
    kept[near.query, near.unique_row] = True
    query, row = np.nonzero(kept)
    again = k_nearest.among(Candidates(query, row, distances[query, row]), tie, k)
    for a, b in zip(near, again, strict=True):
        np.testing.assert_array_equal(a, b)


@given(seed=st.integers(0, 99), m=st.integers(1, 3000), n=st.integers(1, 40))
def test_n_numbers_do_not_exceed_the_nth_smallest(seed, m, n):
    numbers = np.random.default_rng(seed).integers(0, 99, (3, m)).astype(float)
    for given_as in (numbers, np.asfortranarray(numbers)):
        bound = nth_smallest(given_as, n)
        assert ((numbers <= bound[:, None]).sum(axis=1) >= min(n, m)).all()
        assert np.isinf(bound).all() == (n > m)


@given(case=queries(), data=st.data())
def test_votes_do_not_depend_on_the_order_of_rows(case, data):
    distances, w, k = case
    order = data.draw(st.permutations(range(len(w))))
    votes = votes_of(KNearest(w).near(distances, k), *distances.shape)
    other = votes_of(KNearest(w[order]).near(distances[:, order], k), *distances.shape)
    np.testing.assert_allclose(other, votes[:, order], atol=1e-12)


@given(case=queries(), seed=st.integers(0, 9))
def test_distances_equal_up_to_rounding_are_tied(case, seed):
    distances, w, k = case
    noise = np.random.default_rng(seed).uniform(-1e-12, 1e-12, size=distances.shape)
    votes = votes_of(KNearest(w).near(distances, k), *distances.shape)
    noisy = votes_of(KNearest(w).near(distances * (1.0 + noise), k), *distances.shape)
    np.testing.assert_allclose(noisy, votes, atol=1e-9)


def test_fractional_weights_reach_as_far_as_they_must():
    k_nearest = KNearest(np.array([0.25, 0.5, 0.5, 4.0]))
    near = k_nearest.near(np.array([[0.0, 1.0, 1.0, 2.0]]), 1)
    np.testing.assert_array_equal(near.unique_row, [0, 1, 2])
    np.testing.assert_allclose(near.votes, [0.25, 0.375, 0.375])


@st.composite
def rankings(draw):
    """Return (distances, weights, largest k); some infinite, weights of any size."""
    distances, w, largest = draw(queries())
    far = draw(hnp.arrays(bool, distances.shape)) & draw(st.booleans())
    scale = draw(st.sampled_from([0.25, 1.0, 1.5]))
    return np.where(far, np.inf, distances), scale * w, largest


@given(case=rankings())
def test_one_ranking_has_the_votes_of_every_k(case):
    distances, w, largest = case
    ranked = ranking(w, distances, largest)
    for k in (0.5, *range(1, largest + 1)):
        near = ranked.near(k)
        expected = votes_of(KNearest(w).near(distances, k), *distances.shape)
        np.testing.assert_allclose(
            votes_of(near, *distances.shape), expected, atol=1e-12
        )
        np.testing.assert_array_equal(
            near.distance, distances[near.query, near.unique_row]
        )


@given(case=rankings(), seed=st.integers(0, 9))
def test_a_ranking_ties_what_is_equal_up_to_rounding(case, seed):
    distances, w, largest = case
    noise = np.random.default_rng(seed).uniform(-1e-12, 1e-12, size=distances.shape)
    noisy = ranking(w, distances * (1.0 + noise), largest)
    plain = ranking(w, distances, largest)
    for k in range(1, largest + 1):
        np.testing.assert_allclose(
            votes_of(noisy.near(k), *distances.shape),
            votes_of(plain.near(k), *distances.shape),
            atol=1e-9,
        )


@given(case=rankings())
def test_a_ranking_goes_from_near_to_far_query_by_query(case):
    distances, w, largest = case
    ranked = ranking(w, distances, largest)
    assert (np.diff(ranked.query) >= 0).all()
    for query in range(len(distances)):
        mine = ranked.distance[ranked.query == query]
        assert mine.tolist() == sorted(mine)
        assert ranked.before[ranked.query == query][0] == 0.0


@given(distances=st.integers(1, 8).flatmap(lambda n: integers(n, 0, 4)))
def test_ranks_are_dense_and_tied_distances_share_one(distances):
    noisy = distances + np.random.default_rng(1).uniform(0, 1e-12, len(distances))
    expected = np.unique(distances, return_inverse=True)[1]
    np.testing.assert_array_equal(ranks(noisy, 1e-9), expected)


@pytest.mark.parametrize(("n_queries", "n_rows"), [(0, 5), (7, 0), (10, 1 << 21)])
def test_chunks_cover_every_query_once(n_queries, n_rows):
    covered = [
        q
        for chunk in query_chunks(n_queries, n_rows, 1 << 20)
        for q in range(n_queries)[chunk]
    ]
    assert covered == list(range(n_queries))


@pytest.mark.parametrize("n_queries", [1, 2])
def test_tenths_that_add_up_to_k_reach_no_further(n_queries):
    distances = np.tile(np.arange(20.0), (n_queries, 1))
    votes = votes_of(KNearest(np.full(20, 0.1)).near(distances, 1), n_queries, 20)
    np.testing.assert_allclose(
        votes, np.tile(np.repeat([0.1, 0.0], 10), (n_queries, 1))
    )


@pytest.mark.parametrize("n_queries", [1, 2])
@pytest.mark.parametrize("weight", [1e-5, 0.3])
def test_all_of_many_rows_of_small_weights_vote(n_queries, weight):
    distances = np.tile(np.arange(100_000.0), (n_queries, 1))
    near = KNearest(np.full(100_000, weight)).near(distances, 10**6, np.ones(n_queries))
    assert len(near.query) == n_queries * 100_000
    np.testing.assert_allclose(near.votes, weight, rtol=1e-6)


@given(w=st.integers(1, 8).flatmap(weights), k=st.integers(1, 26))
def test_as_few_rows_as_surely_hold_k(w, k):
    n, k = KNearest(w).n_nearest(k), min(k, w.sum())
    lightest = np.sort(w)
    assert lightest[:n].sum() >= k > lightest[: n - 1].sum()


def test_rows_closer_than_a_tie_are_tied_and_farther_ones_are_not():
    tie, k_nearest = 1e-7 * 4.0, KNearest(np.ones(4))
    for step, votes in [(0.99 * tie, [0.5, 0.5, 0, 0]), (1.01 * tie, [1, 0, 0, 0])]:
        distances = np.array([[1.0, 1.0 + step, 2.0, 4.0]])
        expected = np.array([votes])
        np.testing.assert_array_equal(
            votes_of(k_nearest.near(distances, 1), 1, 4), expected
        )
        ranked = ranking(k_nearest.weights, distances, 3)
        np.testing.assert_array_equal(votes_of(ranked.near(1), 1, 4), expected)
        both = np.repeat(distances, 2, axis=0)
        np.testing.assert_array_equal(
            votes_of(k_nearest.near(both, 1), 2, 4), np.repeat(expected, 2, axis=0)
        )


@pytest.mark.parametrize("far", [0.0, np.inf])
@pytest.mark.parametrize("n_queries", [1, 3])
def test_rows_that_are_all_equally_far_share_k(far, n_queries):
    distances = np.full((n_queries, 4), far)
    near, ranked = (
        KNearest(np.ones(4)).near(distances, 2),
        ranking(np.ones(4), distances, 3),
    )
    np.testing.assert_array_equal(near.tie, np.zeros(n_queries))
    for found in (near, ranked.near(2)):
        np.testing.assert_array_equal(votes_of(found, n_queries, 4), 0.5)
    assert ranks(distances[0], 0.0).tolist() == [0] * 4


def test_ties_are_as_wide_as_a_share_of_the_largest_finite_distance():
    distances = [[1.0, 2.0], [0.5, np.inf], [np.inf, np.inf], [0.0, 0.0]]
    found = tie_widths(np.array(distances))
    np.testing.assert_allclose(found, [2e-7, 0.5e-7, 0.0, 0.0])
    np.testing.assert_allclose(tie_widths(np.array(distances[:1])), [2e-7])


@given(seed=st.integers(0, 99), m=st.integers(1, 600))
def test_of_few_numbers_the_nth_smallest_is_exact(seed, m):
    numbers = np.random.default_rng(seed).integers(0, 99, (2, m))
    for n in {1, 2, m, (m + 1) // 2} & set(range(1, m + 1)):
        expected = np.sort(numbers, axis=1)[:, n - 1]
        np.testing.assert_array_equal(nth_smallest(numbers, n), expected)
    assert np.isinf(nth_smallest(numbers, m + 1)).all()


@pytest.mark.parametrize(
    ("case", "sizes"),
    [
        ((10, 3, 12), [4, 4, 2]),
        ((10, 3, 11), [3, 3, 3, 1]),
        ((2, 3, 2), [1, 1]),
        ((3, 1, 3), [3]),
        ((3, 0, 2), [2, 1]),
        ((0, 3, 9), []),
    ],
)
def test_chunks_hold_as_many_distances_as_they_may(case, sizes):
    chunks = query_chunks(*case)
    assert [len(range(case[0])[chunk]) for chunk in chunks] == sizes


def test_some_places_of_a_list_and_lists_joined_are_the_list():
    distances = np.random.default_rng(0).integers(0, 4, (6, 9)).astype(float)
    k_nearest, tie = KNearest(np.ones(9)), np.linspace(0.1, 0.2, 6)
    near = k_nearest.near(distances, 3, tie)
    numbers = [np.array([1, 3, 4]), np.array([0, 2, 5])]
    parts = [k_nearest.near(distances[at], 3, tie[at]) for at in numbers]
    for a, b in zip(join_near(parts, numbers), near, strict=True):
        np.testing.assert_array_equal(a, b)
    some = near.take(np.flatnonzero(near.query == 2))
    alone = k_nearest.near(distances[[2]], 3, tie[[2]])
    np.testing.assert_array_equal(some.query, 2)
    for name in ("unique_row", "distance", "votes"):
        np.testing.assert_array_equal(getattr(some, name), getattr(alone, name))
    np.testing.assert_array_equal(some.tie, tie)
