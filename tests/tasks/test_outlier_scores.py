"""Scores are equal where they should be, and quantiles count weights."""

import numpy as np
import pytest

from nearkind.tasks.outlier_scores import quantile, rounded


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.5, 1.0])
def test_quantiles_are_those_of_repeated_values(share):
    values, weights = np.array([3.0, -1.0, 2.0, 2.0]), np.array([2.0, 3.0, 1.0, 1.0])
    expected = np.quantile(np.repeat(values, weights.astype(int)), share)
    assert quantile(values, weights, share) == pytest.approx(expected)


def test_scores_equal_but_for_rounding_become_equal():
    thirds = np.array([0.1 + 0.2, 0.3, 1.0 - 1e-16, 1.0, -0.0, np.inf])
    assert rounded(thirds).tolist() == [0.3, 0.3, 1.0, 1.0, 0.0, np.inf]
