"""Triplet accuracy equals the triple loop, with ties, copies and any label names."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers import oracles
from helpers.strategies import integers, labels, weights
from nearkind.constraints import triplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.scoring import accuracy_of_unique_rows, triplet_accuracy


@st.composite
def labelled_points(draw, max_rows=9):
    """Return (Z, y): points of a coarse grid, so distances tie and rows repeat."""
    n, width = draw(st.integers(4, max_rows)), draw(st.integers(1, 3))
    Z = draw(integers((n, width), -3, 3))
    assume(np.ptp(Z, axis=0).any())  # all at one place: see the test of its own
    return Z, draw(labels(n))


def squared(Z):
    return ((Z[:, None] - Z[None]) ** 2).sum(axis=2)


@given(case=labelled_points())
def test_accuracy_is_the_triple_loop_with_ties_one_half(case):
    Z, y = case
    expected = oracles.triplet_accuracy(squared(Z), y)
    np.testing.assert_allclose(triplet_accuracy(Z, y), expected, rtol=1e-12)


@given(case=labelled_points(max_rows=6), data=st.data())
def test_accuracy_of_weighted_cells_is_that_of_their_rows(case, data):
    Z, y = case
    w = data.draw(weights(len(y)))
    expected = oracles.triplet_accuracy(squared(Z), y, w)
    found = accuracy_of_unique_rows(Z, WeightedLabels(y, w))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@given(case=labelled_points())
def test_accuracy_does_not_depend_on_label_names(case):
    Z, y = case
    names = np.array(["zebra", "ant", "mole"])[y]
    np.testing.assert_allclose(triplet_accuracy(Z, names), triplet_accuracy(Z, y))


@given(case=labelled_points(), data=st.data())
def test_accuracy_does_not_depend_on_the_order_of_rows(case, data):
    Z, y = case
    order = data.draw(st.permutations(range(len(y))))
    np.testing.assert_allclose(
        triplet_accuracy(Z[order], y[order]), triplet_accuracy(Z, y)
    )


@pytest.mark.parametrize("scale", [1e-25, 1e-6, 1e6, 1e25])
def test_accuracy_does_not_depend_on_the_unit_of_length(scale):
    rng = np.random.default_rng(9)
    Z, y = rng.normal(size=(20, 3)), rng.integers(0, 3, size=20)
    np.testing.assert_allclose(triplet_accuracy(scale * Z, y), triplet_accuracy(Z, y))


@given(case=labelled_points())
def test_accuracy_does_not_depend_on_the_origin(case):
    Z, y = case
    np.testing.assert_allclose(triplet_accuracy(Z + 64.0, y), triplet_accuracy(Z, y))


def test_distances_equal_up_to_rounding_are_tied():
    Z = np.array([[0.0], [0.1 + 0.2], [-0.3]])
    assert squared(Z)[0, 1] != squared(Z)[0, 2]
    assert triplet_accuracy(Z, [0, 0, 1]) == (0.5 + 1.0) / 2.0


@pytest.mark.parametrize("place", [0.0, 0.1])
def test_rows_all_at_one_place_are_all_tied(place):
    assert triplet_accuracy(np.full((4, 2), place), [0, 0, 1, 1]) == 0.5


def test_accuracy_is_the_same_however_anchors_are_split(monkeypatch):
    rng = np.random.default_rng(9)
    Z, y = rng.integers(0, 3, size=(30, 3)), rng.integers(0, 3, size=30)
    whole = triplet_accuracy(Z, y)
    calls = []

    def one_by_one(rows, *_):
        calls.append(len(rows))
        return np.split(rows, len(rows))

    monkeypatch.setattr(triplets, "chunk_rows", one_by_one)
    np.testing.assert_allclose(triplet_accuracy(Z, y), whole)
    assert len(calls) == 6  # three classes, two margins


@pytest.mark.parametrize(
    ("Z", "y", "complaint"),
    [
        (np.zeros(3), [0, 0, 1], "must be"),
        (np.zeros((3, 1)), [0, 0], "must be"),
        (np.full((3, 1), np.nan), [0, 0, 1], "NaN"),
        (np.zeros((3, 1)), [0, 1, 2], "imply no triplets"),
        (np.zeros((3, 1)), [0, 0, 0], "imply no triplets"),
    ],
)
def test_what_has_no_triplets_is_refused(Z, y, complaint):
    with pytest.raises(ValueError, match=complaint):
        triplet_accuracy(Z, y)
