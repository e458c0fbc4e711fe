"""Equal vectors are merged, and lie in the unit ball; searches are as good as said."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.strategies import integers
from nearkind.neighbors import faiss_search
from nearkind.neighbors.faiss_search import (
    DistinctVectors,
    FlatSearch,
    build_searcher,
    n_candidates,
    nearest_vectors,
    raise_effort,
    rising_numbers,
    shares_found,
)


@st.composite
def vectors(draw):
    m, q = draw(st.integers(1, 9)), draw(st.integers(1, 3))
    return draw(integers((m, q), -2, 2)) * draw(st.sampled_from([1e-20, 0.5, 1e90]))


@given(U=vectors())
def test_rows_share_a_vector_where_theirs_are_equal(U):
    distinct = DistinctVectors.of(U)
    equal = (U[:, None] == U).all(axis=2)
    np.testing.assert_array_equal(distinct.of_row[:, None] == distinct.of_row, equal)


@given(U=vectors())
def test_distinct_vectors_list_their_rows_and_equal_theirs(U):
    distinct = DistinctVectors.of(U)
    rows, owner = distinct.rows.members_of(np.arange(len(distinct)))
    np.testing.assert_array_equal(distinct.of_row[rows], owner)
    assert sorted(rows) == list(range(len(U)))
    np.testing.assert_allclose(
        distinct.transform(U), distinct.vectors[distinct.of_row], atol=1e-9
    )


@given(U=vectors())
def test_no_vector_is_longer_than_one_and_the_longest_is_one(U):
    radius = np.sqrt((DistinctVectors.of(U).vectors ** 2).sum(axis=1)).max()
    assert radius <= 1.0 + 1e-12
    assert radius >= 1.0 - 1e-12 or len(np.unique(U, axis=0)) == 1


def test_vectors_equal_up_to_rounding_are_merged():
    noise = np.random.default_rng(0).uniform(-1e-14, 1e-14, (50, 3))
    U = np.repeat([[0.1, 0.2, 0.3], [-1.0, 2.0, 0.5]], 25, axis=0) + noise
    assert len(DistinctVectors.of(U).vectors) == 2


def test_vectors_within_a_step_of_the_grid_are_merged_and_others_are_not():
    step = 2.0**-30
    for apart, n in [(0.4 * step, 3), (2.0 * step, 4)]:
        U = np.array([[-1.0], [1.0], [0.0], [apart]])
        assert len(DistinctVectors.of(U - U.mean())) == n


@given(seed=st.integers(0, 99), n_last=st.integers(0, 5))
def test_vectors_drawn_to_be_the_last_keep_their_rows(seed, n_last):
    U = np.random.default_rng(seed).integers(-3, 4, (20, 2)) / 2.0
    before = DistinctVectors.of(U)
    after = before.with_last(n_last)
    np.testing.assert_array_equal(
        after.vectors[after.of_row], before.vectors[before.of_row]
    )
    rows, owner = after.rows.members_of(np.arange(len(after)))
    np.testing.assert_array_equal(after.of_row[rows], owner)
    kept, last = np.split(after.vectors, [len(after) - n_last])
    np.testing.assert_array_equal(kept, kept[np.lexsort(kept.T[::-1])])
    assert len(last) == n_last
    if not n_last:
        np.testing.assert_array_equal(after.vectors, before.vectors)


pytest.importorskip("faiss")


def searched(n=200, q=3, seed=0):
    distinct = DistinctVectors.of(np.random.default_rng(seed).normal(size=(n, q)))
    return distinct, FlatSearch(distinct.vectors)


def all_distances(distinct, V):
    return np.sqrt(((V[:, None] - distinct.vectors) ** 2).sum(axis=2))


@pytest.mark.parametrize("n", [1, 10, 199, 200, 500])
def test_vectors_that_were_not_found_are_farther_than_is_said(n):
    distinct, searcher = searched()
    V = 2.0 * np.random.default_rng(1).normal(size=(30, 3))
    found, D = nearest_vectors(distinct, searcher, V, n), all_distances(distinct, V)
    n = min(n, 200)
    np.testing.assert_allclose(found.distance, np.sort(D, axis=1)[:, :n], rtol=1e-6)
    at = np.take_along_axis(D, found.number, axis=1)
    np.testing.assert_allclose(found.distance, at, rtol=1e-12)
    np.testing.assert_allclose(found.tie, 1e-7 * (np.sqrt((V**2).sum(axis=1)) + 1.0))
    if n == 200:
        assert np.isinf(found.beyond).all()
        return
    np.put_along_axis(D, found.number, np.inf, axis=1)
    assert (found.beyond <= D.min(axis=1)).all()
    assert (found.beyond >= found.distance[:, -1] * 0.99 - 0.01).all()


@given(seed=st.integers(0, 9), q=st.sampled_from([1, 3, 40]))
def test_single_precision_hides_no_vector_nearer_than_is_said(seed, q):
    rng = np.random.default_rng(seed)
    U = np.concatenate([np.eye(q)[:1], 1e-4 * rng.normal(size=(60, q))])
    distinct = DistinctVectors.of(U)
    V = distinct.vectors[1:] + 1e-4 * rng.normal(size=(len(distinct) - 1, q))
    found = nearest_vectors(distinct, FlatSearch(distinct.vectors), V, 8)
    D = all_distances(distinct, V)
    np.put_along_axis(D, found.number, np.inf, axis=1)
    assert (found.beyond <= D.min(axis=1)).all()


class Missing(FlatSearch):
    """Finds only the first few vectors of what is asked for."""

    def search(self, V, n):
        d2, number = super().search(V, n)
        number[:, 2:] = -1
        return d2, number


def test_where_no_vector_was_found_the_distance_is_infinite(monkeypatch):
    distinct, _ = searched()
    V = distinct.vectors[:5]
    found = nearest_vectors(distinct, Missing(distinct.vectors), V, 4)
    assert np.isinf(found.distance[:, 2:]).all()
    assert (found.number[:, 2:] == -1).all()
    assert np.isfinite(found.distance[:, :2]).all()
    monkeypatch.setattr(faiss_search, "DISTANCES_AT_ONCE", 1)
    again = nearest_vectors(distinct, Missing(distinct.vectors), V, 4)
    np.testing.assert_array_equal(again.distance, found.distance)


def test_shares_count_what_is_as_near_as_the_kth():
    distinct, searcher = searched()
    V = np.random.default_rng(1).normal(size=(9, 3))
    kth = np.sort(all_distances(distinct, V), axis=1)[:, 3]
    np.testing.assert_array_equal(shares_found(distinct, searcher, V, kth, 4), 1.0)
    some = shares_found(distinct, Missing(distinct.vectors), V, kth, 4)
    np.testing.assert_array_equal(some, 0.5)
    wide = shares_found(distinct, searcher, V, kth + 1.0, 4)
    np.testing.assert_array_equal(wide, 1.0)
    none = shares_found(distinct, searcher, V, np.zeros(9), 4)
    np.testing.assert_array_equal(none, 0.0)


class Recorded(FlatSearch):
    """Keeps how many vectors it held when its effort was raised."""

    def efforts(self):
        self.held = len(self)
        yield from super().efforts()


@pytest.mark.parametrize(("n", "most", "n_held_out"), [(50, 1_000, 10), (99, 7, 7)])
def test_a_fifth_is_held_out_or_fewer(n, most, n_held_out, monkeypatch):
    monkeypatch.setattr(faiss_search, "N_HELD_OUT", most)
    distinct, searcher, recall = build_searcher(searched(n)[0], Recorded, 3)
    assert searcher.held == n - n_held_out
    assert len(searcher) == len(distinct) == n
    assert recall == 1.0


def test_of_fewer_than_five_vectors_none_is_held_out():
    distinct, searcher, recall = build_searcher(searched(4)[0], Recorded, 3)
    assert not hasattr(searcher, "held")
    assert (len(distinct), len(searcher), recall) == (4, 4, 1.0)


class Efforts(FlatSearch):
    """Has three efforts, and keeps the last one that was set."""

    def efforts(self):
        for self.last in (1, 2, 3):
            yield self.last


SHARES = {  # 0.99 must be left of the mean less two standard errors
    "at once": ([1.0], 1),
    "too few": ([0.98, 0.995, 1.0], 2),
    "too uncertain": ([np.array([1.0] * 199 + [0.0]), 0.991, 1.0], 2),
    "never": ([0.5, 0.6, 0.7], 3),
}


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize(("k", "n_counted"), [(2, 5), (7, 7), (900, 160)])
def test_effort_is_raised_until_recall_is_sure(name, k, n_counted, monkeypatch):
    found, last = SHARES[name]
    distinct, counted = searched()[0], []
    searcher = Efforts(distinct.vectors[:160])

    def shares(distinct, searcher, V, kth, k):
        counted.append(k)
        expected = np.sort(all_distances(distinct, V)[:, :160], axis=1)[:, k - 1]
        np.testing.assert_allclose(kth, expected)
        return np.broadcast_to(found[searcher.last - 1], 200)

    monkeypatch.setattr(faiss_search, "shares_found", shares)
    held, new = np.split(distinct.vectors, [160])
    recall = raise_effort(distinct, searcher, held, new, k)
    assert searcher.last == last
    assert recall == pytest.approx(np.mean(found[last - 1]))
    assert counted == [n_counted] * last


def test_numbers_rise_by_a_third_to_the_last():
    for first, last in [(1, 1), (1, 2), (16, 10), (16, 100), (5, 1_000)]:
        numbers = list(rising_numbers(first, last))
        assert numbers[-1] == last
        assert numbers[0] == min(first, last)
        for a, b in pairwise(numbers):
            assert a < b <= max(a + 1, 4 * a / 3)


def test_more_candidates_than_rows_are_asked_for():
    assert all(n_candidates(k) > k for k in (0.1, 1, 7.5, 1_000))
