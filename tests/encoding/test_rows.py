"""Equal rows of one label are one cell; nothing else is merged, nothing is lost."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.strategies import tables
from nearkind.encoding.rows import row_keys, unique_rows, unique_sampled_rows


def rows_of(codes, y):
    return [(int(label), *row) for label, row in zip(y, codes.tolist(), strict=True)]


@given(table=tables(unseen=True))
def test_cells_are_the_distinct_labelled_rows_in_order(table):
    cells = unique_rows(table.codes, table.y, table.weights)
    assert rows_of(cells.codes, cells.y) == sorted(set(rows_of(table.codes, table.y)))


@given(table=tables(unseen=True))
def test_each_row_is_in_the_cell_that_equals_it(table):
    cells = unique_rows(table.codes, table.y, table.weights)
    np.testing.assert_array_equal(cells.codes[cells.of_row], table.codes)
    np.testing.assert_array_equal(cells.y[cells.of_row], table.y)


@given(table=tables(unseen=True))
def test_a_cell_weighs_as_much_as_its_rows(table):
    expected = Counter()
    for row, weight in zip(rows_of(table.codes, table.y), table.weights, strict=True):
        expected[row] += weight
    cells = unique_rows(table.codes, table.y, table.weights)
    found = dict(zip(rows_of(cells.codes, cells.y), cells.weights, strict=True))
    assert found == expected


@given(table=tables(unseen=True))
def test_collapsing_cells_again_changes_nothing(table):
    once = unique_rows(table.codes, table.y, table.weights)
    twice = unique_rows(once.codes, once.y, once.weights)
    np.testing.assert_array_equal(twice.codes, once.codes)
    np.testing.assert_array_equal(twice.weights, once.weights)
    np.testing.assert_array_equal(twice.of_row, np.arange(len(once.y)))


@given(
    table=hnp.arrays(
        np.int64,
        st.tuples(st.integers(1, 8), st.integers(1, 7)),
        elements=st.sampled_from([-1, 0, 1, 2, 2**20, 2**29]),
    )
)
def test_keys_compare_as_rows_do_even_when_they_do_not_fit_one_integer(table):
    keys, rows = row_keys(table), [tuple(row) for row in table.tolist()]
    for a in range(len(rows)):
        for b in range(len(rows)):
            assert (keys[a] < keys[b]) == (rows[a] < rows[b])
            assert (keys[a] == keys[b]) == (rows[a] == rows[b])


def test_keys_of_many_wide_columns_do_not_overflow():
    table = np.random.default_rng(6).integers(0, 15 << 27, size=(300, 6))
    keys = row_keys(np.vstack([table, table]))
    order = np.lexsort(table.T[::-1])
    np.testing.assert_array_equal(np.argsort(keys[:300]), order)
    np.testing.assert_array_equal(keys[:300], keys[300:])


@given(table=tables(unseen=True))
def test_labelled_cells_are_those_of_the_labelled_rows(table):
    y = table.y - 1  # class 0 is unknown
    known = y >= 0
    some = unique_rows(table.codes, y, table.weights).labelled
    alone = unique_rows(table.codes[known], y[known], table.weights[known])
    for name in ("codes", "y", "weights", "of_row"):
        np.testing.assert_array_equal(getattr(some, name), getattr(alone, name))


@given(tables())
def test_rows_that_were_all_drawn_are_the_cells_of_all(table):
    codes, _, y, _ = table
    drawn = unique_sampled_rows(codes, y, np.bincount(y).astype(float))
    cells = unique_rows(codes, y, np.ones(len(y)))
    np.testing.assert_array_equal(drawn.weights, cells.weights)
    np.testing.assert_array_equal(drawn.own, np.maximum(cells.weights - 1.0, 0.0))


@given(tables())
def test_drawn_rows_stand_for_their_class(table):
    codes, _, y, _ = table
    totals = 3.0 * np.bincount(y)
    drawn = unique_sampled_rows(codes, y, totals)
    np.testing.assert_allclose(np.bincount(drawn.y, drawn.weights), totals)
    np.testing.assert_allclose(drawn.weights - drawn.own, 3.0)
