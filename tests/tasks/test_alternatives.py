"""Values that columns may take, and the rows that take them."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nearkind.encoding import Bins
from nearkind.encoding.codebook import Codebook
from nearkind.tasks.alternatives import Alternatives, number_in


def alternatives_of(column):
    return Alternatives([], [], np.array(column), [], list(column), list(column))


@given(st.lists(st.integers(0, 4), max_size=7).map(sorted), st.integers(0, 4))
def test_rows_are_counted_as_they_are_listed(column, n):
    sets = combinations(column, n)
    assert alternatives_of(column).count(n) == sum(len(set(s)) == n for s in sets)


@given(st.lists(st.floats(-1e6, 1e6), max_size=6, unique=True).map(sorted))
def test_a_number_is_in_its_range(edges):
    bins = Bins("x", edges, has_missing=True)
    for code in range(len(edges) + 1):
        assert bins.code(number_in(bins, code)) == code


def test_crosses_follow_their_columns():
    rows = [["a", "x"], ["b", "y"], ["a", "y"]]
    book = Codebook(crosses=[("x0", "x1")])
    codes = book.fit_encode(rows)
    found = Alternatives.of([book], [codes[0]])
    assert found.values == ["b", "y"]
    changed = found.codes_of(np.array([[-1, 1], [0, 1], [0, -1]]))[0]
    assert changed[0].tolist() == codes[2].tolist()
    assert changed[1].tolist() == codes[1].tolist()
    assert changed[2].tolist() == [1, 0, -1]  # b and x were never seen together


def test_rows_become_like_others_where_they_may():
    book = Codebook()
    codes = book.fit_encode([["a", "x"], ["b", "y"], ["c", "x"]])
    found = Alternatives.of([book], [codes[0]], allowed={"x0": ["c"]})
    near = found.nearest_to(codes, 0)
    assert near.tolist() == [[-1, -1], [-1, 1], [0, -1]]
    assert found.codes_of(near)[0].tolist() == [[0, 0], [0, 1], [2, 0]]
