"""Mismatches are counted or weighed, whatever numbers codes and counts need."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkind.distances import MismatchWeights
from nearkind.encoding.codebook import Codebook


@pytest.mark.parametrize("n_values", [2, 200, 70_000])
@given(seed=st.integers(0, 99), n_features=st.sampled_from([1, 3, 255, 300]))
def test_distances_are_the_shares_of_features_that_differ(n_values, seed, n_features):
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(-1, n_values, (n, n_features), np.int32) for n in (3, 5))
    b[0] = a[0]
    expected = (a[:, None] != b).sum(axis=2) / n_features
    even = MismatchWeights(Codebook(), np.full(n_features, 1.0 / n_features))
    np.testing.assert_array_equal(even.compare(a, b), expected)
    weights = rng.random(n_features)
    found = MismatchWeights(Codebook(), weights).compare(a, b)
    expected = ((a[:, None] != b) * weights).sum(axis=2)
    np.testing.assert_allclose(found, expected, atol=1e-12)
