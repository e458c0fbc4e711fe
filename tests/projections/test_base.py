"""Counts of values by class, worked by hand, and what projections show."""

import numpy as np
import pytest

from nearkind.projections.base import TableProjection, gather, value_counts

CODES = np.array([[0, 1], [1, -1], [0, 0], [2, 1]], dtype=np.int32)
WEIGHTS = np.array([1.0, 2.0, 0.5, 4.0])


def test_counts_are_weights_of_each_class_at_each_value():
    first, second = value_counts(CODES, [3, 2], np.array([0, 1, 1, 0]), WEIGHTS)
    np.testing.assert_array_equal(first, [[1.0, 0.5], [0.0, 2.0], [4.0, 0.0]])
    np.testing.assert_array_equal(second, [[0.0, 0.5], [5.0, 0.0]])  # -1 counts nowhere


def test_a_value_or_class_without_rows_has_zeros():
    y = np.array([0, 1, 1, 0])
    (counts,) = value_counts(CODES[:, :1], [4], y, WEIGHTS, n_classes=3)
    expected = [[1.0, 0.5, 0.0], [0.0, 2.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    np.testing.assert_array_equal(counts, expected)


def test_there_are_as_many_classes_as_the_largest_number_says():
    for y, n_classes in [([0, 0], 1), ([2, 0], 3), ([], 0)]:
        codes, weights = np.zeros((len(y), 1), np.int32), np.ones(len(y))
        (counts,) = value_counts(codes, [2], np.array(y, dtype=np.intp), weights)
        assert counts.shape == (2, n_classes)
        assert counts.dtype == float


def test_rows_of_phi_stand_feature_by_feature():
    tables = [np.arange(6.0).reshape(3, 1, 2), np.arange(8.0).reshape(2, 2, 2)]
    phi = gather(tables, np.array([[2, 0], [-1, -1], [0, 1]]))
    last = [[4.0, 5.0], [4.0, 5.0], [6.0, 7.0]]
    expected = [[[4, 5], [0, 1], [2, 3]], last, [[0, 1], [4, 5], [6, 7]]]
    np.testing.assert_array_equal(phi, expected)
    with pytest.raises(ValueError, match="zip"):
        gather(tables, np.zeros((1, 3), np.int32))


def test_counts_are_too_few_unless_a_projection_says_otherwise():
    words = "TableProjection counts which values of two columns meet"
    with pytest.raises(ValueError, match=words):
        TableProjection().fit_counts([], np.ones(2))
