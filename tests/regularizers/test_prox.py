"""The prox of a norm is optimal at every exponent and every range of a spectrum."""

import numpy as np
import pytest

from nearkind.regularizers.prox import norm, prox_norm
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
