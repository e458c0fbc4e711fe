"""Neighbours among weighted cells equal sorting every row, ties shared."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers import oracles
from helpers.strategies import integers, weights
from nearkind.neighbors import Ranked, Reach, RowGroups, query_blocks, ranks


@st.composite
def queries(draw):
    """Return (distances (b, m), weights (m,), k) with many ties."""
    b, m = draw(st.integers(1, 3)), draw(st.integers(1, 8))
    w = draw(weights(m))
    k = draw(st.integers(1, int(w.sum()) + 2))
    return draw(integers((b, m), 0, 3)) / 4.0, w, k


@st.composite
def grouped(draw):
    """Return (distances (m,), the cell of each row, row numbers with gaps)."""
    n = draw(st.integers(1, 9))
    cells = np.unique(draw(hnp.arrays(np.intp, n, elements=st.integers(0, 4))),
                      return_inverse=True)[1]  # fmt: skip
    gaps = draw(hnp.arrays(np.intp, n, elements=st.integers(1, 3)))
    return draw(integers(int(cells.max()) + 1, 0, 2)) / 4.0, cells, np.cumsum(gaps)


def votes_of(near, n_queries, n_cells):
    votes = np.zeros((n_queries, n_cells))
    np.add.at(votes, (near.query, near.cell), near.votes)
    return votes


def ranking(w, distances, largest):
    return Ranked.of(Reach(w).near(distances, largest), w)


@given(case=queries())
def test_votes_are_those_of_sorting_every_row(case):
    distances, w, k = case
    votes = votes_of(Reach(w).near(distances, k), *distances.shape)
    expected = [oracles.neighbor_votes(d, w, k) for d in distances]
    np.testing.assert_allclose(votes, expected, atol=1e-12)


@given(case=queries())
def test_votes_add_up_to_k_or_to_all_rows(case):
    distances, w, k = case
    near = Reach(w).near(distances, k)
    sums = np.bincount(near.query, near.votes, len(distances))
    np.testing.assert_allclose(sums, min(k, w.sum()))


@given(case=queries())
def test_cells_come_with_their_distance_and_once_a_query(case):
    distances, w, k = case
    near = Reach(w).near(distances, k)
    np.testing.assert_array_equal(near.distance, distances[near.query, near.cell])
    pairs = np.column_stack([near.query, near.cell])
    assert len(np.unique(pairs, axis=0)) == len(pairs)


@given(case=queries(), data=st.data())
def test_votes_do_not_depend_on_the_order_of_cells(case, data):
    distances, w, k = case
    order = data.draw(st.permutations(range(len(w))))
    votes = votes_of(Reach(w).near(distances, k), *distances.shape)
    other = votes_of(Reach(w[order]).near(distances[:, order], k), *distances.shape)
    np.testing.assert_allclose(other, votes[:, order], atol=1e-12)


@given(case=queries(), seed=st.integers(0, 9))
def test_distances_equal_up_to_rounding_are_tied(case, seed):
    distances, w, k = case
    noise = np.random.default_rng(seed).uniform(-1e-12, 1e-12, size=distances.shape)
    votes = votes_of(Reach(w).near(distances, k), *distances.shape)
    noisy = votes_of(Reach(w).near(distances * (1.0 + noise), k), *distances.shape)
    np.testing.assert_allclose(noisy, votes, atol=1e-9)


def test_fractional_weights_reach_as_far_as_they_must():
    reach = Reach(np.array([0.25, 0.5, 0.5, 4.0]))
    near = reach.near(np.array([[0.0, 1.0, 1.0, 2.0]]), 1)
    np.testing.assert_array_equal(near.cell, [0, 1, 2])
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
        expected = votes_of(Reach(w).near(distances, k), *distances.shape)
        np.testing.assert_allclose(
            votes_of(near, *distances.shape), expected, atol=1e-12
        )
        np.testing.assert_array_equal(near.distance, distances[near.query, near.cell])


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


@given(case=grouped(), data=st.data())
def test_nearest_rows_are_those_of_sorting_by_distance_and_number(case, data):
    distances, cells, numbers = case
    groups = RowGroups.of(cells, numbers)
    itself = data.draw(st.sampled_from([-1, *numbers.tolist()]))
    k = data.draw(st.integers(1, len(cells) + 1))
    if itself >= 0:
        distances = distances.copy()
        distances[cells[numbers == itself]] = 0.0  # a row is nearest to itself
    rows = sorted(
        (d, number)
        for d, number in zip(distances[cells], numbers.tolist(), strict=True)
        if number != itself
    )[:k]
    near = groups.reach.near(distances[None], k + (itself >= 0))
    found, found_rows = groups.nearest(near, k, np.array([itself]))
    np.testing.assert_array_equal(found, [[d for d, _ in rows]])
    np.testing.assert_array_equal(found_rows, [[number for _, number in rows]])


@given(case=grouped())
def test_groups_hold_the_rows_of_their_cell(case):
    _, cells, numbers = case
    groups = RowGroups.of(cells, numbers)
    for cell in range(cells.max() + 1):
        held = groups.rows[groups.starts[cell] : groups.starts[cell + 1]]
        np.testing.assert_array_equal(held, numbers[cells == cell])
        assert groups.sizes[cell] == len(held)


@given(case=grouped())
def test_by_row_gives_each_row_the_entry_of_its_cell(case):
    distances, cells, numbers = case
    rows, entries = RowGroups.of(cells, numbers).by_row(distances)
    np.testing.assert_array_equal(rows, numbers)
    np.testing.assert_array_equal(entries, distances[cells])


@given(distances=st.integers(1, 8).flatmap(lambda n: integers(n, 0, 4)))
def test_ranks_are_dense_and_tied_distances_share_one(distances):
    noisy = distances + np.random.default_rng(1).uniform(0, 1e-12, len(distances))
    expected = np.unique(distances, return_inverse=True)[1]
    np.testing.assert_array_equal(ranks(noisy, 1e-9), expected)


@pytest.mark.parametrize(("n_queries", "n_cells"), [(0, 5), (7, 0), (10, 1 << 21)])
def test_blocks_cover_every_query_once(n_queries, n_cells):
    covered = [
        q
        for block in query_blocks(n_queries, n_cells, 1 << 20)
        for q in range(n_queries)[block]
    ]
    assert covered == list(range(n_queries))
