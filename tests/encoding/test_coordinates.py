"""Coordinates: numbers as places on one standardised axis."""

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkind.encoding import Coordinate
from nearkind.encoding.coordinates import MAX_PLACES, standardised
from nearkind.tables import read_table

FINITE = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.integers(-3, 3).map(float) | st.sampled_from([0.1, 0.1 + 0.2, 1e-9])
SPECIAL = st.sampled_from([math.inf, -math.inf, math.nan])


def column(cells):
    return read_table([[cell] for cell in cells]).column(0)


def learned(numbers, weights=None, has_missing=False):
    x = np.array(numbers, dtype=float)
    weights = np.ones(len(x)) if weights is None else np.array(weights, dtype=float)
    return Coordinate.learned("x", x, weights, has_missing)


def position_of(feature, number):
    return feature.positions[feature.encode(column([number]))[0]]


@given(st.lists(NUMBERS, min_size=1, max_size=30))
def test_positions_are_deviations_from_the_mean(numbers):
    feature = learned(numbers)
    exact = [Fraction(x) for x in numbers]
    mean, spread = statistics.mean(exact), statistics.pstdev(exact)
    for number in numbers:
        expected = float(Fraction(number) - mean) / spread if spread else 0.0
        assert position_of(feature, number) == pytest.approx(expected, abs=1e-7)


@given(st.lists(st.tuples(NUMBERS | SPECIAL, st.integers(0, 3)), max_size=30))
def test_weights_count_repetitions_to_the_last_bit(pairs):
    pairs = [(1.0, 1), (2.0, 3), *pairs]
    x, times = (np.array(part) for part in zip(*pairs, strict=True))
    weighted, repeated = learned(x, times), learned(np.repeat(x, times))
    np.testing.assert_array_equal(weighted.places, repeated.places)
    np.testing.assert_array_equal(weighted.positions, repeated.positions)


@given(st.lists(FINITE, min_size=1, max_size=20), st.lists(FINITE, min_size=1))
def test_a_number_takes_the_nearest_place(places, numbers):
    feature = learned(places)
    for number in numbers:
        code = feature.encode(column([number]))[0]
        apart = [abs(Fraction(number) - Fraction(p)) for p in feature.places.tolist()]
        rounding = Fraction(math.ulp(max(map(abs, feature.places.tolist()))))
        assert apart[code] <= min(apart) + rounding


@given(st.lists(FINITE, min_size=1, max_size=20))
def test_training_numbers_are_places_whatever_their_size(numbers):
    feature = learned(numbers)
    assert feature.values == sorted(set(numbers))
    codes = feature.encode(column(numbers))
    np.testing.assert_array_equal(feature.places[codes], numbers)
    assert np.isfinite(feature.positions).all()
    assert (np.diff(feature.positions) >= 0.0).all()


def test_a_constant_stands_at_zero():
    for constant in (0.1, 0.0, -1e308, 5e-324, 2.0**60):
        assert learned([constant] * 7).positions.tolist() == [0.0]


def test_two_neighbouring_floats_are_told_apart():
    low, high = 0.1, math.nextafter(0.1, 1.0)
    feature = learned([low, high])
    assert feature.positions.tolist() == [-1.0, 1.0]
    assert feature.encode(column([low, high])).tolist() == [0, 1]


def test_infinite_numbers_take_the_outermost_place_and_move_no_other():
    with_them, without = learned([-math.inf, 1, 2, 6, math.inf]), learned([1, 2, 6])
    np.testing.assert_array_equal(with_them.positions, without.positions)
    codes = with_them.encode(column([-math.inf, -1e300, 7.0, math.inf]))
    assert codes.tolist() == [0, 0, 2, 2]


def test_missing_stands_at_the_mean():
    feature = learned([1, 5, math.nan], has_missing=True)
    assert feature.values == [1, 5, None]
    assert feature.positions.tolist() == [-1.0, 1.0, 0.0]
    assert feature.encode(column([5, None, 2])).tolist() == [1, 2, 0]
    assert learned([1, 5]).encode(column([None])).tolist() == [-1]


def test_many_numbers_are_thinned_evenly():
    x = np.random.default_rng(0).lognormal(sigma=2.0, size=20_000)
    feature = learned(x)
    assert len(feature.places) <= MAX_PLACES
    assert set(feature.places.tolist()) <= set(x.tolist())
    assert feature.places[[0, -1]].tolist() == [x.min(), x.max()]
    ranks = np.searchsorted(np.sort(x), feature.places)
    assert np.diff(ranks).max() <= 2 * len(x) / MAX_PLACES
    exact = (feature.places - x.mean()) / x.std()
    np.testing.assert_allclose(feature.positions, exact, rtol=1e-9, atol=1e-9)


def test_a_frequent_number_leaves_places_for_the_others():
    x = np.r_[np.zeros(50_000), np.arange(1.0, 2_001.0)]
    feature = learned(x)
    assert 0.9 * MAX_PLACES <= len(feature.places) <= MAX_PLACES
    assert feature.places[[0, -1]].tolist() == [0.0, 2_000.0]


def test_whole_numbers_are_shown_as_such():
    shown = learned([3.0, 2.5, 1e300]).values
    assert shown == [2.5, 3, 1e300]
    assert [type(value) for value in shown] == [float, int, float]


def test_every_number_has_a_place():
    assert learned([1, 2]).unseen_values(column([7, -math.inf])) == []


def test_words_are_refused_later():
    with pytest.raises(ValueError, match=r"'x' held numbers in fit, but .* 'old'"):
        learned([1, 2]).encode(column([1, "old"]))


def test_no_square_overflows():
    x = np.array([-1.5e308, 0.0, 1.5e308])
    np.testing.assert_allclose(
        standardised(x, np.ones(3)), np.array([-1.0, 0.0, 1.0]) * 1.5**0.5
    )
