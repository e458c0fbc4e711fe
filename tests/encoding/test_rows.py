"""Rows read once equal rows read anew; equal rows of one label become one."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.batch_tables import assert_same_features
from helpers.batch_tables import tables as plain_tables
from helpers.strategies import tables
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows, row_keys, unique_rows, unique_sampled_rows
from nearkind.tables import read_table


def rows_of(codes, y):
    return [(int(label), *row) for label, row in zip(y, codes.tolist(), strict=True)]


@given(table=tables(unseen=True))
def test_unique_rows_are_the_distinct_labelled_rows_in_order(table):
    unique = unique_rows(table.codes, table.y, table.weights)
    assert rows_of(unique.codes, unique.y) == sorted(set(rows_of(table.codes, table.y)))


@given(table=tables(unseen=True))
def test_each_row_belongs_to_the_unique_row_that_equals_it(table):
    unique = unique_rows(table.codes, table.y, table.weights)
    np.testing.assert_array_equal(unique.codes[unique.of_row], table.codes)
    np.testing.assert_array_equal(unique.y[unique.of_row], table.y)


@given(table=tables(unseen=True))
def test_a_unique_row_weighs_as_much_as_its_rows(table):
    expected = Counter()
    for row, weight in zip(rows_of(table.codes, table.y), table.weights, strict=True):
        expected[row] += weight
    unique = unique_rows(table.codes, table.y, table.weights)
    found = dict(zip(rows_of(unique.codes, unique.y), unique.weights, strict=True))
    assert found == expected


@given(table=tables(unseen=True))
def test_merging_again_changes_nothing(table):
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
def test_labelled_unique_rows_are_those_of_the_labelled_rows(table):
    y = table.y - 1  # class 0 is unknown
    known = y >= 0
    some = unique_rows(table.codes, y, table.weights).labelled
    alone = unique_rows(table.codes[known], y[known], table.weights[known])
    for name in ("codes", "y", "weights", "of_row"):
        np.testing.assert_array_equal(getattr(some, name), getattr(alone, name))


@given(tables())
def test_rows_that_were_all_drawn_are_the_unique_rows_of_all(table):
    codes, _, y, _ = table
    drawn = unique_sampled_rows(codes, y, np.bincount(y).astype(float))
    unique = unique_rows(codes, y, np.ones(len(y)))
    np.testing.assert_array_equal(drawn.weights, unique.weights)
    np.testing.assert_array_equal(
        drawn.self_weights, np.maximum(unique.weights - 1.0, 0.0)
    )


@given(tables())
def test_drawn_rows_stand_for_their_class(table):
    codes, _, y, _ = table
    totals = 3.0 * np.bincount(y)
    drawn = unique_sampled_rows(codes, y, totals)
    np.testing.assert_allclose(np.bincount(drawn.y, drawn.weights), totals)
    np.testing.assert_allclose(drawn.weights - drawn.self_weights, 3.0)


POLICIES = ["auto", "category", "bin", "scale"]
QUIET = pytest.mark.filterwarnings(
    "ignore::nearkind.errors.MixedValuesWarning",
    "ignore::nearkind.errors.UnseenValueWarning",
)


class Case:
    """A random table with labels and weights, coded, and some of its rows."""

    def __init__(self, data, numeric):
        self.columns, labels = data.draw(plain_tables(max_rows=30), label="table")
        n = len(labels)
        self.numeric = numeric
        self.classes, y = np.unique(labels, return_inverse=True)
        gaps = data.draw(hnp.arrays(bool, n), label="unlabelled")
        self.y = np.where(gaps, -1, y)
        some = st.sampled_from([0.0, 0.5, 1.0, 1.0, 3.0])
        self.weights = data.draw(hnp.arrays(float, n, elements=some), label="weights")
        if not self.weights.any():
            self.weights[0] = 1.0
        table = read_table(self.columns)
        self.rows = CodedRows.of(table, self.book(), self.classes, self.y, self.weights)
        kept = data.draw(hnp.arrays(bool, len(self.rows)), label="taken")
        kept[0] = True
        self.at = np.flatnonzero(kept)

    def book(self):
        return Codebook(numeric=self.numeric)

    def numbers(self):
        """Return the numbers of the rows that have a weight."""
        return [i for i, weight in enumerate(self.weights) if weight > 0.0]

    def table_of(self, numbers):
        """Return rows of the table, read anew.

        Whether a column of mixed values is of numbers is said by the whole column.
        """
        if "mixed" in self.columns:
            return read_table(self.columns).take(np.array(numbers))
        return {name: [c[i] for i in numbers] for name, c in self.columns.items()}


def assert_equal(found, wanted):
    """Hold that codes and codebooks are the same, bit for bit."""
    np.testing.assert_array_equal(found.codes, wanted[1])
    assert found.codes.dtype == wanted[1].dtype
    assert found.codebook.n_values == wanted[0].n_values
    assert_same_features(found.codebook, wanted[0])


@QUIET
@pytest.mark.parametrize("numeric", POLICIES)
@given(data=st.data())
def test_rows_taken_and_recoded_equal_the_rows_read_anew(numeric, data):
    case = Case(data, numeric)
    numbers = np.array(case.numbers())[case.at]
    weights = case.weights[numbers]
    book = case.book()
    codes = book.fit_encode(case.table_of(numbers), weights)
    taken = case.rows.take(case.at)
    assert not taken.codebook_is_own
    found = taken.recode(case.book())
    assert_equal(found, (book, codes))
    assert found.codebook_is_own
    assert found.recode(case.book()) is found
    np.testing.assert_array_equal(found.weights, weights)
    np.testing.assert_array_equal(found.row_numbers, numbers)
    assert found.n_given == len(case.weights)


@QUIET
@pytest.mark.parametrize("numeric", POLICIES)
@given(data=st.data())
def test_rows_coded_by_another_codebook_equal_encoding_them(numeric, data):
    case = Case(data, numeric)
    numbers = np.array(case.numbers())
    book = case.rows.take(case.at).recode(case.book()).codebook
    everything = case.rows.coded_by(book)
    np.testing.assert_array_equal(everything.codes, book.encode(case.table_of(numbers)))
    assert everything.coded_by(book) is everything
    rest = np.setdiff1d(np.arange(len(case.rows)), case.at)
    if len(rest):
        found = case.rows.take(rest).coded_by(book)
        wanted = book.encode(case.table_of(numbers[rest]))
        np.testing.assert_array_equal(found.codes, wanted)
        assert found.codebook is book


@QUIET
@given(data=st.data())
def test_rows_of_weight_zero_are_left_out_and_classes_renumbered(data):
    case = Case(data, "auto")
    rows, numbers = case.rows, case.numbers()
    assert rows.row_numbers.tolist() == numbers
    assert rows.y.tolist() == [case.y[i] for i in numbers]
    assert rows.weights.tolist() == [case.weights[i] for i in numbers]
    book = case.book()
    codes = book.fit_encode(case.table_of(numbers), rows.weights)
    assert_equal(rows, (book, codes))
    taken = rows.take(case.at)
    labels = [None if rows.y[i] < 0 else rows.classes[rows.y[i]] for i in case.at]
    assert taken.classes.tolist() == sorted(set(labels) - {None})
    found = [None if c < 0 else taken.classes[c] for c in taken.y]
    assert found == labels
    again = taken.take(np.arange(len(taken)))
    assert again.y.tolist() == taken.y.tolist()
