"""Laws of every loss of a violation, one by one and summed over all pairs."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers import oracles
from helpers.strategies import integers
from nearkind.losses import pair_sums as sums
from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.losses.pair_sums import NearFar

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
    """Return (d2, columns): rows of distances with many equal ones, near before far."""
    a, p, m = draw(st.integers(1, 3)), draw(st.integers(1, 6)), draw(st.integers(1, 6))
    d2, margin = (
        draw(integers((a, p + m), -8, 12)) / 4.0,
        draw(st.integers(-2, 4)) / 4.0,
    )
    weights, own_weights = draw(integers(p + m, 0, 3)), draw(integers(a, 0, 3))
    return d2, columns_of(d2, p, margin, weights, own_weights)


def columns_of(d2, n_near, margin, weights, own_weights):
    """Return columns; row i has the near column i, if there is one, as its own."""
    a, n = d2.shape
    numbers, shares = np.arange(n), np.arange(1.0, a + 1.0)
    own = np.where(np.arange(a) < n_near, np.arange(a), -1)
    near, far = numbers[:n_near], numbers[n_near:]
    return NearFar(near, far, margin, weights, shares, own, own_weights)


@every_loss
@given(z=violations)
def test_value_and_derivative_are_those_of_the_formula(loss, z):
    value, derivative = oracles.hinge(z, LOSSES[loss])
    at = np.array([z])
    np.testing.assert_allclose(
        [loss.value(at)[0], loss.derivative(at)[0]], [value, derivative]
    )


@every_loss
@given(z=violations)
def test_derivative_is_that_of_the_value(loss, z):
    assume(abs(z) > 1e-4 or loss != Hinge())  # the corner has no derivative
    rise = loss.value(np.array([z + 1e-5])) - loss.value(np.array([z - 1e-5]))
    np.testing.assert_allclose(rise / 2e-5, loss.derivative(np.array([z])), atol=1e-4)


@every_loss
@given(z=violations)
def test_derivative_is_between_zero_and_one(loss, z):
    assert 0.0 <= loss.derivative(np.array([z]))[0] <= 1.0


@every_loss
@given(z=violations, other=violations)
def test_convex_above_every_tangent(loss, z, other):
    at = np.array([z, other])
    value, derivative = loss.value(at), loss.derivative(at)
    assert value[1] >= value[0] + derivative[0] * (other - z) - 1e-12


@every_loss
@given(z=violations)
def test_satisfied_costs_nothing_and_rounding_at_most_half_its_width(loss, z):
    (value,) = loss.value(np.array([z]))
    assert max(z, 0.0) - LOSSES[loss] / 2.0 - 1e-12 <= value <= max(z, 0.0)


@every_loss
@given(case=two_lists())
def test_sums_over_all_pairs_equal_the_double_loop(loss, case):
    expected = oracles.all_pairs(*case, LOSSES[loss])
    found = loss.gradient(*case)
    for ours, slow in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, slow, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(loss.total(*case), expected[0], rtol=1e-6, atol=1e-9)


@every_loss
def test_sums_are_accurate_far_from_zero(loss):
    d2 = 1000.0 + np.random.default_rng(5).normal(size=(2, 70))
    case = d2, columns_of(d2, 30, 0.5, np.ones(70), np.ones(2))
    expected, weights, _ = oracles.all_pairs(*case, LOSSES[loss])
    found = loss.gradient(*case)
    np.testing.assert_allclose(loss.total(*case), expected, rtol=1e-8)
    np.testing.assert_allclose(found.loss, expected, rtol=1e-8)
    np.testing.assert_allclose(found.weights, weights, rtol=1e-6, atol=1e-6)


@every_loss
@given(case=two_lists())
def test_near_and_far_distances_pull_equally(loss, case):
    d2, columns = case
    weights = loss.gradient(d2, columns).weights
    pulls, pushes = weights[:, columns.near], weights[:, columns.far]
    assert (pulls >= 0.0).all()
    assert (pushes <= 0.0).all()
    np.testing.assert_allclose(pulls.sum(axis=1), -pushes.sum(axis=1), atol=1e-9)


@every_loss
def test_sums_are_the_same_whichever_engine_makes_them(loss, monkeypatch):
    d2 = np.random.default_rng(6).normal(size=(4, 50))
    case = d2, columns_of(d2, 20, 0.5, np.arange(50.0), np.ones(4))
    monkeypatch.setattr(sums, "WORTH_COMPILING", d2.size + 1)
    few, few_total = loss.gradient(*case), loss.total(*case)
    monkeypatch.setattr(sums, "WORTH_COMPILING", d2.size)
    many, many_total = loss.gradient(*case), loss.total(*case)
    np.testing.assert_allclose(many_total, few_total, rtol=1e-6)
    for ours, other in zip(many, few, strict=True):
        np.testing.assert_allclose(ours, other, rtol=1e-6, atol=1e-6)
