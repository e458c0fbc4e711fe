"""Unique rows lead back to the rows that they stand for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.strategies import integers
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.neighbors import RowGroups, TrainingRows
from nearkind.tables import read_table


@st.composite
def grouped(draw):
    """Return (distances (m,), the unique row of each row, row numbers with gaps)."""
    n = draw(st.integers(1, 9))
    unique = np.unique(draw(hnp.arrays(np.intp, n, elements=st.integers(0, 4))),
                      return_inverse=True)[1]  # fmt: skip
    gaps = draw(hnp.arrays(np.intp, n, elements=st.integers(1, 3)))
    return draw(integers(int(unique.max()) + 1, 0, 2)) / 4.0, unique, np.cumsum(gaps)


@given(case=grouped(), data=st.data())
def test_nearest_rows_are_those_of_sorting_by_distance_and_number(case, data):
    distances, unique, numbers = case
    groups = RowGroups.of(unique, numbers)
    itself = data.draw(st.sampled_from([-1, *numbers.tolist()]))
    k = data.draw(st.integers(1, len(unique) + 1))
    if itself >= 0:
        distances = distances.copy()
        distances[unique[numbers == itself]] = 0.0  # a row is nearest to itself
    rows = sorted(
        (d, number)
        for d, number in zip(distances[unique], numbers.tolist(), strict=True)
        if number != itself
    )[:k]
    near = groups.reach.near(distances[None], k + (itself >= 0))
    found, found_rows = groups.nearest(near, k, np.array([itself]))
    np.testing.assert_array_equal(found, [[d for d, _ in rows]])
    np.testing.assert_array_equal(found_rows, [[number for _, number in rows]])


@given(case=grouped())
def test_groups_hold_the_rows_of_their_unique_row(case):
    _, unique, numbers = case
    groups = RowGroups.of(unique, numbers)
    for u in range(unique.max() + 1):
        held = groups.rows[groups.starts[u] : groups.starts[u + 1]]
        np.testing.assert_array_equal(held, numbers[unique == u])
        assert groups.sizes[u] == len(held)


@given(case=grouped())
def test_by_row_gives_each_row_the_entry_of_its_unique_row(case):
    distances, unique, numbers = case
    rows, entries = RowGroups.of(unique, numbers).by_row(distances)
    np.testing.assert_array_equal(rows, numbers)
    np.testing.assert_array_equal(entries, distances[unique])


def test_rows_without_labels_are_merged_too():
    rows = CodedRows.of(read_table([["red"], ["blue"], ["red"]]), Codebook())
    merged = TrainingRows.of(rows)
    assert merged.weights.tolist() == [1.0, 2.0]
    assert merged.shares.shape == (2, 0)
