"""Schatten norms and powers by worked figures: what the laws leave open."""

import numpy as np
import pytest

from nearkind.regularizers.schatten import Schatten, SchattenPower, conjugate_exponent

EXPONENTS = [1.0, 1.5, 2.0, 3.0, np.inf]
SPECTRUM = np.array([[3.0, 1.0], [2.0, -4.0]])


@pytest.mark.parametrize(
    ("p", "q"), [(1.0, np.inf), (np.inf, 1.0), (2.0, 2.0), (4.0, 4 / 3), (1.25, 5.0)]
)
def test_exponents_are_conjugate_both_ways(p, q):
    assert conjugate_exponent(p) == pytest.approx(q)
    assert conjugate_exponent(q) == pytest.approx(p)


@pytest.mark.parametrize("p", EXPONENTS)
def test_what_each_is(p):
    assert Schatten(p).is_trace == (p == 1.0)
    assert SchattenPower(p).is_trace == (p == 1.0)
    assert Schatten(p).is_smooth == (p < np.inf)
    assert SchattenPower(p).is_smooth


@pytest.mark.parametrize("r", [Schatten(p) for p in EXPONENTS[:4]], ids=repr)
@pytest.mark.parametrize("power", [False, True])
def test_the_subgradient_is_the_slope_where_there_is_one(r, power):
    r, x = SchattenPower(r.p) if power else r, np.array([0.5, 2.0, 1.0])
    slopes = [(r.value(x + 1e-6 * e) - r.value(x - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(r.subgradient(x), slopes, rtol=1e-7)


def test_subgradients_at_the_edges_of_the_cone():
    for p in EXPONENTS:
        np.testing.assert_array_equal(Schatten(p).subgradient(np.zeros(3)), 0.0)
    x = np.array([3.0, 0.0, 4.0])
    np.testing.assert_allclose(Schatten(2.0).subgradient(x), [0.6, 0.0, 0.8])
    np.testing.assert_allclose(SchattenPower(3.0).subgradient(x), [27.0, 0.0, 48.0])
    # what rounding leaves below 0 is 0
    x[1] = -1e-17
    np.testing.assert_allclose(Schatten(2.0).subgradient(x), [0.6, 0.0, 0.8])
    np.testing.assert_allclose(SchattenPower(1.5).subgradient(x)[1], 0.0)


def test_the_subgradient_of_the_largest_is_shared_by_equals_up_to_rounding():
    shares = Schatten(np.inf).subgradient(np.array([2.0, 1.0, 2.0 - 1e-13, 2.0 - 1e-9]))
    np.testing.assert_array_equal(shares, [0.5, 0.0, 0.5, 0.0])


@pytest.mark.parametrize(
    ("p", "dual"), [(1.0, 3.0), (2.0, 14.0**0.5), (np.inf, 6.0), (1.5, 36.0 ** (1 / 3))]
)
def test_the_dual_norm_is_of_the_positive_part(p, dual):
    for r in (Schatten(p), SchattenPower(p)):
        assert r.dual_norm(SPECTRUM) == pytest.approx(dual)
    assert Schatten(p).strength_max(SPECTRUM) == pytest.approx(dual)
    assert SchattenPower(p).strength_max(SPECTRUM) == (3.0 if p == 1.0 else np.inf)


@pytest.mark.parametrize("r", [Schatten(1.0), SchattenPower(1.0)])
def test_multipliers_are_scaled_down_until_they_are_feasible(r):
    """The dual norm is 3: at strength 3 and beyond they are as they are."""
    for strength, expected in ((6.0, 0.5), (3.0, 0.5), (1.5, 0.25), (0.0, 0.0)):
        assert r.dual_value(SPECTRUM, 0.5, strength) == pytest.approx(expected)
        assert r.dual_value(SPECTRUM, -0.5, strength) == 0.0


@pytest.mark.parametrize(
    ("intercept", "strength", "expected"),
    [
        (2.0, 1.0, 4.0 / 14.0),  # 2 s - 3.5 s^2 is best at s = 2 / 7
        (7.0, 1.0, 3.5),  # at s = 1, where it may not go further
        (14.0, 1.0, 10.5),
        (14.0, 0.5, 7.0),  # K = 7
        (2.0, 0.0, 0.0),
        (0.0, 1.0, 0.0),
        (-2.0, 1.0, 0.0),
    ],
)
def test_the_dual_value_of_a_square_is_the_top_of_a_parabola(
    intercept, strength, expected
):
    """The conjugate of strength Tr M^2 is |S_+|^2 / (4 strength); |S_+|^2 is 14."""
    found = SchattenPower(2.0).dual_value(SPECTRUM, intercept, strength)
    assert found == pytest.approx(expected, rel=1e-12)


def test_where_no_direction_descends_the_dual_value_is_the_intercept():
    downhill = -np.ones((2, 2))
    for r in (Schatten(2.0), SchattenPower(1.0), SchattenPower(2.0)):
        assert r.dual_value(downhill, 0.75, 0.1) == 0.75


def test_the_dual_value_of_a_cube():
    """K = 2 strength (|S_+|_q / (3 strength))^q with q = 3/2: a worked figure."""
    S = np.array([1.0, 4.0])  # |S|_q^q is 1 + 8
    K = 2.0 / 3.0**1.5 * 9.0  # at strength 1
    s = (0.5 / (1.5 * K)) ** 2.0
    expected = 0.5 * s - K * s**1.5
    assert s < 1.0
    assert SchattenPower(3.0).dual_value(S, 0.5, 1.0) == pytest.approx(expected)
