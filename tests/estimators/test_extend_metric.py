"""A metric over values, when there are more of them."""

import numpy as np
import pytest
from hypothesis import given

from helpers.strategies import stacks
from nearkind.encoding.codebook import Codebook
from nearkind.estimators.batches import extend_metric


def books(before, now):
    found = Codebook(), Codebook()
    for book, columns in zip(found, (before, now), strict=True):
        book.fit_encode(columns)
    return found


BEFORE = {"a": ["q", "s"], "b": ["u", "u"]}
NOW = {"a": ["p", "q", "s"], "b": ["t", "u", None]}


@given(M=stacks(1, 3))
def test_old_values_keep_their_distances_and_new_ones_stand_alone(M):
    larger = extend_metric(M, *books(BEFORE, NOW), [(2, 3), (1, 3)])
    old = [1, 2, 4]
    np.testing.assert_array_equal(larger[0][np.ix_(old, old)], M[0])
    new = [0, 3, 5]
    assert np.count_nonzero(larger[0][np.ix_(new, old)]) == 0
    np.testing.assert_allclose(larger[0][new, new], np.trace(M[0]) / 3)
    assert np.linalg.eigvalsh(larger[0]).min() >= -1e-9


def test_one_weight_a_value():
    M = np.array([1.0, 2.0, 6.0])[:, None, None]
    larger = extend_metric(M, *books(BEFORE, NOW), [(2, 3), (1, 3)])
    assert larger.ravel().tolist() == [3.0, 1.0, 2.0, 3.0, 6.0, 3.0]


def test_rows_that_stand_for_no_value_stay():
    M = np.diag([5.0, 1.0, 2.0, 6.0, 3.0])[None]  # a histogram, then indicators
    larger = extend_metric(M, *books(BEFORE, NOW), [(3, 4), (2, 4)])
    assert np.diag(larger[0]).tolist() == pytest.approx(
        [5.0, 3.4, 1.0, 2.0, 6.0, 3.4, 3.0, 3.4]
    )


def test_a_metric_over_features_is_left_alone():
    M = np.eye(2)[None]
    np.testing.assert_array_equal(
        extend_metric(M, *books(BEFORE, NOW), [(1, 1), (1, 1)]), M
    )
