"""Shapley values of games whose values are known."""

import numpy as np
import pytest

from nearkind.voting.shapley import MOST_SUBSETS, coalitions

SIZES = [1, 2, 5, 8, 9, 20, 300]


@pytest.mark.parametrize("n", SIZES)
def test_values_add_up_and_additive_games_are_exact(n):
    kept, weights = coalitions(n)
    rng = np.random.default_rng(n)
    worth, own = rng.random(len(kept)), rng.random(n)
    assert (weights @ worth).sum() == pytest.approx(worth[-1] - worth[0], abs=1e-12)
    np.testing.assert_allclose(weights @ (kept @ own), own, atol=1e-12)
    assert not kept[0].any()
    assert kept[-1].all()
    assert len(kept) <= max(MOST_SUBSETS, 2 * n)


@pytest.mark.parametrize("n", [3, 8])
def test_the_glove_game(n):
    """One left glove and n - 1 right ones: a pair is worth 1."""
    kept, weights = coalitions(n)
    worth = (kept[:, 0] & kept[:, 1:].any(axis=1)).astype(float)
    values = weights @ worth
    assert values[0] == pytest.approx((n - 1) / n)
    np.testing.assert_allclose(values[1:], 1 / (n * (n - 1)))


def test_drawn_orders_are_near_to_all_orders():
    """A pair of features that only count together: each gets one half."""
    kept, weights = coalitions(12)
    values = weights @ (kept[:, 0] & kept[:, 1])
    np.testing.assert_allclose(values[:2], 0.5, atol=0.01)
    np.testing.assert_allclose(values[2:], 0.0, atol=1e-12)
