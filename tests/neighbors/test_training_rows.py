"""Unique rows lead back to the rows that they stand for."""

from dataclasses import replace

import numpy as np
import pytest
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
    near = groups.k_nearest.near(distances[None], k + (itself >= 0))
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
        assert groups.first_rows[u] == held[0]
    assert len(groups.starts) == len(groups.sizes) + 1 == unique.max() + 2


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


@st.composite
def coded(draw):
    """Return labelled rows of weights 0.5 to 1.5, some of them equal."""
    n = draw(st.integers(2, 9))
    values = draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    y = draw(hnp.arrays(np.intp, n, elements=st.integers(0, 1)))
    table = read_table([[value] for value in values])
    weights = draw(integers(n, 0, 3)) / 2.0
    weights[0] = 1.0
    return CodedRows.of(table, Codebook(), np.array(["no", "yes"]), y, weights)


def part(rows, at):
    """Return some rows of the same classes and codebook."""
    names = ("codes", "y", "weights", "row_numbers")
    return replace(rows, **{name: getattr(rows, name)[at] for name in names})


def assert_equal(found, expected):
    for name in ("codes", "weights", "counts", "shares"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_array_equal(found.groups.rows, expected.groups.rows)
    np.testing.assert_array_equal(found.groups.starts, expected.groups.starts)


@given(rows=coded())
def test_unique_rows_count_their_rows_by_class(rows):
    voters = TrainingRows.of(rows)
    expected = np.zeros((len(voters), 2))
    for code, label, weight, number in zip(
        rows.codes, rows.y, rows.weights, rows.row_numbers, strict=True
    ):
        unique = int(np.flatnonzero((voters.codes == code).all(axis=1))[0])
        expected[unique, label] += weight
        assert voters.unique_of(number) == unique
        assert number in voters.row_numbers(unique)
    np.testing.assert_array_equal(voters.counts, expected)
    np.testing.assert_array_equal(voters.weights, expected.sum(axis=1))
    np.testing.assert_allclose(voters.shares * voters.weights[:, None], expected)
    numbers = [n for u in range(len(voters)) for n in voters.row_numbers(u)]
    assert sorted(numbers) == rows.row_numbers.tolist()
    assert voters.n_rows == len(rows)


@given(rows=coded(), data=st.data())
def test_rows_that_are_added_are_counted_as_if_they_had_been_there(rows, data):
    is_first = data.draw(hnp.arrays(bool, len(rows)))
    is_first[0] = True
    first, rest = (part(rows, np.flatnonzero(at)) for at in (is_first, ~is_first))
    assert_equal(TrainingRows.of(first).merged_with(rest), TrainingRows.of(rows))


@given(rows=coded(), data=st.data())
def test_some_unique_rows_lead_back_to_their_rows(rows, data):
    voters = TrainingRows.of(rows)
    is_kept = data.draw(hnp.arrays(bool, len(voters)))
    is_kept[-1] = True
    kept = np.flatnonzero(is_kept)
    at = voters.groups.by_row(is_kept)[1]
    assert_equal(
        voters.take(kept, voters.counts[kept]), TrainingRows.of(part(rows, at))
    )
    twice = voters.take(kept, 2.0 * voters.counts[kept])
    np.testing.assert_array_equal(twice.weights, 2.0 * voters.weights[kept])
    np.testing.assert_array_equal(twice.shares, voters.shares[kept])


@pytest.mark.parametrize(
    ("weights", "one"), [([1, 1], 1.0), ([3, 2], 1.0), ([0.5, 0.25], 0.375)]
)
def test_one_row_weighs_the_mean_and_one_at_most(weights, one):
    table, y = read_table([["a"], ["a"]]), np.array([0, 1])
    classes, weights = np.array(["no", "yes"]), np.array(weights, dtype=float)
    voters = TrainingRows.of(CodedRows.of(table, Codebook(), classes, y, weights))
    assert voters.weight_of_one == one


def test_rows_tied_within_rounding_go_by_number_and_their_distances_rise():
    groups = RowGroups.of(np.array([1, 0, 2]), np.array([3, 5, 8]))
    distances = np.array([[0.5, 0.5 + 1e-12, 0.9]])
    near = groups.k_nearest.near(distances, 3)
    found, rows = groups.nearest(near, 3, np.array([-1]))
    assert rows.tolist() == [[3, 5, 8]]
    assert found.tolist() == distances.tolist()
