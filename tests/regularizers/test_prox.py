"""The prox of a norm is optimal at every exponent and every range of a spectrum."""

import numpy as np
import pytest

from nearkind.regularizers.prox import norm, prox_norm, prox_power, roots
from nearkind.regularizers.schatten import conjugate_exponent

SPECTRA = {
    "ordinary": lambda rng: rng.exponential(size=12),
    "of both signs": lambda rng: rng.normal(size=12),
    "wide": lambda rng: 10.0 ** rng.uniform(-12.0, 6.0, 12),
    "huge": lambda rng: 10.0 ** rng.uniform(200.0, 300.0, 12),
    "tiny": lambda rng: 10.0 ** rng.uniform(-300.0, -200.0, 12),
    "equal": lambda rng: np.full(12, rng.exponential()),
    "one": lambda rng: rng.exponential(size=1),
}


@pytest.mark.parametrize("p", [1.0, 1.0001, 1.001, 1.01, 1.5, 2.0, 3.0, 50.0, np.inf])
@pytest.mark.parametrize("kind", SPECTRA)
def test_prox_of_a_norm_is_optimal_at_any_range(p, kind):
    """v - x lies in the dual ball of radius ``step`` and supports it at x."""
    rng, q = np.random.default_rng(0), conjugate_exponent(p)
    for _ in range(15):
        v = SPECTRA[kind](rng)
        step = 10.0 ** rng.uniform(-9.0, 0.5) * norm(np.maximum(v, 0.0), q)
        x = prox_norm(v, step, p)
        assert (x >= 0.0).all()
        top = np.abs(v).max()
        v, x, step = v / top, x / top, step / top
        rest = np.maximum(v, 0.0) - x
        assert norm(rest, q) <= step * (1.0 + 1e-7) + 1e-11
        assert rest @ x >= step * norm(x, p) * (1.0 - 1e-7) - 1e-11


@pytest.mark.parametrize("p", [1.0, 1.0001, 1.5, 2.0, 3.0, np.inf])
@pytest.mark.parametrize("step", [5e-324, 1e-300, 1e300])
def test_prox_at_a_step_out_of_all_range(p, step):
    v = np.array([3.0, 1.0, 0.0])
    np.testing.assert_allclose(prox_norm(v, step, p), v if step < 1.0 else 0.0 * v)


@pytest.mark.parametrize("p", [1.1, 1.3, 2.0, 2.5, 7.0])
@pytest.mark.parametrize("a", [1e-9, 1.0, 30.0])
@pytest.mark.parametrize("c", [0.0, 1e-9, 1.0, 1e6])
def test_roots_solve_their_equation(p, a, c):
    v = np.array([0.0, 1e-9, 0.3, 1.0, 50.0])
    x = roots(v, c, p, a)
    assert x[0] == 0.0
    assert (x[1:] >= 0.0).all()
    with np.errstate(under="ignore"):
        np.testing.assert_allclose(a * x + c * x ** (p - 1.0), v, rtol=1e-9)


def test_norms_by_worked_figures():
    spectrum = np.array([[3.0, -4.0], [0.0, 12.0]])
    assert norm(spectrum, 1.0) == 19.0
    assert norm(spectrum, 2.0) == 13.0
    assert norm(spectrum, 3.0) == pytest.approx((27.0 + 64.0 + 1728.0) ** (1 / 3))
    assert norm(spectrum, np.inf) == 12.0
    assert norm(np.zeros(3), 2.0) == norm(np.zeros(0), 1.5) == 0.0
    assert norm(np.array([3e200, 4e200]), 2.0) == pytest.approx(5e200)
    assert norm(np.array([3e-200, 4e-200]), 2.0) == pytest.approx(5e-200)


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (1.0, [2.0, 3.0, 0.0, 0.0]),
        (2.0, [3.0 * 0.8, 4.0 * 0.8, 0.0, 0.0]),  # a fifth of the length 5
        (np.inf, [3.0, 3.0, 0.0, 0.0]),
    ],
)
def test_prox_of_a_step_of_one(p, expected):
    v = np.array([3.0, 4.0, 0.0, -7.0])
    np.testing.assert_allclose(prox_norm(v, 1.0, p), expected, rtol=1e-12)
    np.testing.assert_allclose(
        prox_norm(v.reshape(2, 2), 1.0, p), np.reshape(expected, (2, 2)), rtol=1e-12
    )


def test_the_largest_entries_are_cut_to_one_height():
    v = np.array([5.0, 1.0, 4.0, 4.0])
    for step, expected in (
        (0.0, v),
        (1.0, [4.0, 1.0, 4.0, 4.0]),
        (4.0, [3.0, 1.0, 3.0, 3.0]),
        (10.0, [1.0, 1.0, 1.0, 1.0]),
        (12.0, [0.5, 0.5, 0.5, 0.5]),
        (14.0, [0.0, 0.0, 0.0, 0.0]),
        (15.0, [0.0, 0.0, 0.0, 0.0]),
    ):
        np.testing.assert_allclose(prox_norm(v, step, np.inf), expected, atol=1e-12)


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0, np.inf])
@pytest.mark.parametrize("step", [0.0, 0.5])
def test_nothing_comes_of_nothing(p, step):
    for v in (np.zeros(3), np.array([-1.0, 0.0])):
        np.testing.assert_array_equal(prox_norm(v, step, p), 0.0)
        if p < np.inf:
            np.testing.assert_array_equal(prox_power(v, step, p), 0.0)


@pytest.mark.parametrize(
    ("p", "expected"), [(1.0, [2.5, 0.0, 0.0]), (2.0, [1.5, 0.125, 0.0])]
)
def test_prox_of_a_power(p, expected):
    v = np.array([3.0, 0.25, -2.0])
    np.testing.assert_allclose(prox_power(v, 0.5, p), expected, rtol=1e-12)


def test_prox_of_a_cube_is_the_root_of_a_parabola():
    """x + 3 step x^2 = v, here x = 1 / 2 and 1 at step 2 / 3."""
    found = prox_power(np.array([1.0, 3.0, 0.0]), 2.0 / 3.0, 3.0)
    np.testing.assert_allclose(found, [0.5, 1.0, 0.0], rtol=1e-12)
