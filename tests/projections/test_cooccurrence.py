"""Histograms of the other features, worked by hand."""

import numpy as np

from nearkind.projections.cooccurrence import Cooccurrence

CODES = np.array([[0, 1], [0, 0], [1, 1], [-1, 0], [1, -1]], dtype=np.int32)
WEIGHTS = np.array([1.0, 3.0, 2.0, 4.0, 5.0])


def fitted(codes, n_values, weights=WEIGHTS):
    return Cooccurrence().fit(codes, n_values, None, weights)


def test_a_value_has_the_shares_of_the_values_it_meets():
    first, second = fitted(CODES, [2, 2]).tables
    np.testing.assert_allclose(
        first[:, 0], [[0, 0, 0.75, 0.25], [0, 0, 0, 1], [0, 0, 0.7, 0.3]]
    )
    np.testing.assert_allclose(
        second[:, 0], [[1, 0, 0, 0], [1 / 3, 2 / 3, 0, 0], [4 / 11, 7 / 11, 0, 0]]
    )
    assert Cooccurrence().shape([2, 3], 9) == (2, 5)


def test_a_value_that_meets_none_has_the_shares_of_all():
    (table, _) = fitted(CODES, [3, 2]).tables  # no row has the third value
    np.testing.assert_allclose(table[2, 0], table[3, 0])
    np.testing.assert_allclose(table[2, 0], [0, 0, 0, 0.7, 0.3])


def test_a_feature_that_is_never_seen_tells_nothing():
    codes = np.array([[0, -1], [1, -1]], dtype=np.int32)
    table, other = fitted(codes, [2, 1], np.ones(2)).tables
    np.testing.assert_array_equal(table[:, 0], np.zeros((3, 3)))
    np.testing.assert_allclose(other[:, 0], [[0.5, 0.5, 0.0]] * 2)


def test_a_feature_alone_has_its_own_indicators():
    (table,) = fitted(CODES[:, :1], [2]).tables
    np.testing.assert_allclose(table[:2, 0], np.eye(2))
    np.testing.assert_allclose(table[2, 0], [4 / 11, 7 / 11])
