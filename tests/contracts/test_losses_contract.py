"""Laws of every loss of a violation, one by one and summed over all pairs."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nearkind.losses import Hinge, SmoothedHinge
from oracles import hinge
from strategies import integers

LOSSES = {
    Hinge(): 0.0,
    SmoothedHinge(0.25): 0.25,
    SmoothedHinge(1.0): 1.0,
    SmoothedHinge(3.0): 3.0,
}
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
violations = st.floats(-5.0, 5.0)


@st.composite
def two_lists(draw):
    """Return t, t_weights, c, c_weights: rows of two lists with many equal numbers."""
    a, p, m = draw(st.integers(1, 3)), draw(st.integers(1, 6)), draw(st.integers(1, 6))
    t, c = draw(integers((a, p), -8, 12)) / 4.0, draw(integers((a, m), -8, 12)) / 4.0
    return t, draw(integers((a, p), 0, 3)), c, draw(integers((a, m), 0, 3))


def double_loop(t, t_weights, c, c_weights, value_and_slope):
    """Return loss, t_slope and c_slope, summed pair by pair."""
    loss, t_slope, c_slope = np.zeros_like(t), np.zeros_like(t), np.zeros_like(c)
    for row, j in np.ndindex(t.shape):
        for k in range(c.shape[1]):
            value, slope = value_and_slope(t[row, j] - c[row, k])
            loss[row, j] += c_weights[row, k] * value
            t_slope[row, j] += c_weights[row, k] * slope
            c_slope[row, k] += t_weights[row, j] * slope
    return loss, t_slope, c_slope


@every_loss
@given(z=violations)
def test_value_and_slope_are_those_of_the_formula(loss, z):
    value, slope = hinge(z, LOSSES[loss])
    at = np.array([z])
    np.testing.assert_allclose([loss.value(at)[0], loss.slope(at)[0]], [value, slope])


@every_loss
@given(z=violations)
def test_slope_is_the_derivative(loss, z):
    assume(abs(z) > 1e-4 or loss != Hinge())  # the corner has no derivative
    rise = loss.value(np.array([z + 1e-5])) - loss.value(np.array([z - 1e-5]))
    np.testing.assert_allclose(rise / 2e-5, loss.slope(np.array([z])), atol=1e-4)


@every_loss
@given(z=violations)
def test_slope_is_between_zero_and_one(loss, z):
    assert 0.0 <= loss.slope(np.array([z]))[0] <= 1.0


@every_loss
@given(z=violations, other=violations)
def test_convex_above_every_tangent(loss, z, other):
    at = np.array([z, other])
    value, slope = loss.value(at), loss.slope(at)
    assert value[1] >= value[0] + slope[0] * (other - z) - 1e-12


@every_loss
@given(z=violations)
def test_satisfied_costs_nothing_and_rounding_at_most_half_its_width(loss, z):
    (value,) = loss.value(np.array([z]))
    assert max(z, 0.0) - LOSSES[loss] / 2.0 - 1e-12 <= value <= max(z, 0.0)


@every_loss
@given(lists=two_lists())
def test_sums_over_all_pairs_equal_the_double_loop(loss, lists):
    sums = loss.all_pairs(*lists)
    expected = double_loop(*lists, lambda z: hinge(z, LOSSES[loss]))
    np.testing.assert_allclose(sums.loss, expected[0], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(sums.t_slope, expected[1], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(sums.c_slope, expected[2], rtol=1e-6, atol=1e-9)


@every_loss
def test_sums_are_accurate_far_from_zero(loss):
    rng = np.random.default_rng(5)
    t = 1000.0 + rng.normal(size=(2, 30))
    c = 1000.0 + rng.normal(size=(2, 40))
    ones = np.ones_like(t), np.ones_like(c)
    loops = double_loop(t, ones[0], c, ones[1], lambda z: hinge(z, LOSSES[loss]))
    sums = loss.all_pairs(t, ones[0], c, ones[1])
    np.testing.assert_allclose(sums.loss, loops[0], rtol=1e-4, atol=1e-3)


@every_loss
@given(lists=two_lists())
def test_both_slopes_pull_equally(loss, lists):
    _, t_weights, _, c_weights = lists
    sums = loss.all_pairs(*lists)
    pulls = (t_weights * sums.t_slope).sum(axis=1)
    pushes = (c_weights * sums.c_slope).sum(axis=1)
    np.testing.assert_allclose(pulls, pushes, rtol=1e-6, atol=1e-9)
