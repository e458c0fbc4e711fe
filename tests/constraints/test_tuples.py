"""Constraints one by one: each distance once, whichever constraints use it."""

import numpy as np
import pytest

from nearkind.constraints.tuples import (
    join_lists,
    list_pairs,
    list_quadruplets,
    list_triplets,
)
from nearkind.losses.hinge import Hinge

D2 = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 9.0], [4.0, 9.0, 0.0]])
HALVES = np.array([0.5, 0.5])


def numbers(*rows):
    return [np.array(row) for row in rows]


def value(held, d2=D2):
    return held.value(d2[held.edges.left, held.edges.right], Hinge())


def test_a_distance_is_computed_once():
    held = list_triplets(*numbers([0, 1, 0], [1, 0, 2], [2, 2, 1]), 1.0, np.ones(3))
    assert held.n_distances == 3
    pairs = zip(held.edges.left.tolist(), held.edges.right.tolist(), strict=True)
    assert list(pairs) == [(0, 1), (0, 2), (1, 2)]
    assert held.signs.toarray().tolist() == [[1, -1, 0], [1, 0, -1], [-1, 1, 0]]
    assert list_pairs(*numbers([2, 0], [0, 2], [1, 1]), 1.0, HALVES).n_distances == 1


def test_mean_losses_worked_by_hand():
    triplets = list_triplets(*numbers([0, 0], [1, 2], [2, 1]), 2.0, HALVES)
    assert value(triplets) == pytest.approx(0.5 * (4.0 + 2.0 - 1.0))
    pairs = list_pairs(*numbers([0, 0], [1, 2], [1, -1]), 3.0, HALVES)
    assert value(pairs) == pytest.approx(0.0)  # 1 <= 3 - 1 and 4 >= 3 + 1
    pairs = list_pairs(*numbers([0, 0], [1, 2], [-1, 1]), 3.0, HALVES)
    assert value(pairs) == pytest.approx(0.5 * (3.0 + 1.0 - 1.0) + 0.5 * (4.0 - 2.0))
    (one,) = np.ones((1, 1))
    four = list_quadruplets(*numbers([1], [2], [0], [1]), 2.0, one)
    assert value(four) == pytest.approx(9.0 + 2.0 - 1.0)
    assert value(join_lists([triplets, four])) == pytest.approx(2.5 + 10.0)


def test_a_distance_against_itself_cancels():
    (one,) = np.ones((1, 1))
    held = list_quadruplets(*numbers([0], [1], [1], [0]), 2.0, one)
    assert value(held) == pytest.approx(2.0)


def test_a_sample_is_drawn_by_share_and_has_its_distances_alone():
    shares = np.array([0.0, 3.0, 1.0])
    held = list_triplets(*numbers([0, 1, 2], [1, 0, 0], [2, 2, 1]), 2.0, shares)
    rows, some = held.sample(1000, np.random.default_rng(0))
    assert rows == slice(None)
    np.testing.assert_allclose(some.shares, 4.0 / 1000)
    assert some.n_distances == 3
    of_second = (some.signs.toarray() == [1.0, 0.0, -1.0]).all(axis=1)
    assert of_second.mean() == pytest.approx(0.75, abs=0.06)
    rows, one = held.sample(1, np.random.default_rng(0))
    assert (one.n_distances, one.shares.tolist()) == (2, [4.0])
    np.testing.assert_array_equal(one.offsets, [2.0])


def test_what_is_just_met_at_zero_counts_in_full():
    Z = np.array([0.0, 1.0, 3.0]).reshape(1, 3, 1, 1)
    for margin, slope in [(1.0, 0.5 * (1.0 - 9.0)), (1.5, 0.5 * -9.0)]:
        held = list_pairs(*numbers([0, 0], [1, 2], [1, -1]), margin, HALVES)
        np.testing.assert_allclose(held.gradient_at_zero(Z), [[[slope]]])
    assert held.renewed(Z, None) is held
    assert list(held.chunks()) == [held]
