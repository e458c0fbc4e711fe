"""Bins: numbers share codes about evenly, and none is without one."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nearkind.encoding.bins import Bins, quantile_edges
from nearkind.tables import read_table


def column(cells):
    return read_table([[cell] for cell in cells]).column(0)


@given(
    st.lists(st.floats(allow_nan=False) | st.integers(-3, 3), min_size=1, max_size=60)
)
def test_bins_are_ordered_and_never_empty(numbers):
    x = np.array(numbers, dtype=float)
    edges = quantile_edges(x)
    assert len(edges) < 10
    assert np.isfinite(edges).all()
    assert (np.diff(edges) > 0).all()
    codes = Bins("x", edges, has_missing=False).encode(column(numbers))
    assert (np.diff(codes[np.argsort(x, kind="stable")]) >= 0).all()
    assert set(codes.tolist()) == set(range(len(edges) + 1))


def test_ties_merge():
    assert quantile_edges(np.array([5.0] * 99 + [7.0])).tolist() == [7.0]
    assert quantile_edges(np.array([5.0] + [7.0] * 99)).tolist() == [7.0]
    assert quantile_edges(np.array([5.0] * 9)).tolist() == []
    assert quantile_edges(np.array([np.nan])).tolist() == []


def test_infinity_is_no_edge():
    assert quantile_edges(np.array([1.0, 2.0] * 5 + [math.inf] * 90)).tolist() == []
    assert quantile_edges(np.array([1.0, 2.0] * 50 + [math.inf])).tolist() == [2.0]
    assert quantile_edges(np.array([-math.inf] * 50 + [1.0])).tolist() == [1.0]


SPECIAL = [math.inf, -math.inf, math.nan]
NUMBERS = st.integers(-3, 3).map(float) | st.sampled_from(SPECIAL)


@given(
    st.lists(st.tuples(NUMBERS, st.integers(0, 4)), max_size=40),
    st.integers(1, 12),
)
def test_weighted_edges_are_those_of_repeated_numbers(pairs, max_bins):
    x = np.array([number for number, _ in pairs])
    times = np.array([count for _, count in pairs], dtype=int)
    weighted = quantile_edges(x, max_bins, weights=times.astype(float))
    repeated = quantile_edges(np.repeat(x, times), max_bins)
    np.testing.assert_array_equal(weighted, repeated)


def test_numbers_of_weight_zero_are_no_edge():
    x = np.array([1.0, 2.0, 3.0, 4.0])
    assert quantile_edges(x, weights=np.array([1.0, 0.0, 0.0, 1.0])).tolist() == [4.0]
    assert quantile_edges(x, weights=np.zeros(4)).tolist() == []


def test_bins_have_no_unseen_values():
    bins = Bins("age", [3.5, 7.0], has_missing=False)
    assert bins.unseen_values(column([1, 1e300, -math.inf])) == []
    assert (bins.n_values, bins.missing_code) == (3, -1)
