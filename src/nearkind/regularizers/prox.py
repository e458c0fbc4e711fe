"""Proximal operators on the non-negative spectrum, one function per formula.

Each returns argmin over x >= 0 of |x - v|^2 / 2 + step r(x); negative v give 0.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from nearkind.protocols import Array


def prox_norm(v: Array, step: float, p: float) -> Array:
    """Return the prox of step ||x||_p, 1 <= p <= inf.

    By Moreau, v_+ less its projection on the l_q ball of radius ``step``. It is
    homogeneous: a power of two takes v to the size of one, and back, without rounding.

    Examples
    --------
    >>> prox_norm(np.array([3.0, 1.0, -2.0]), 1.0, np.inf)
    array([2., 1., 0.])
    """
    v = np.maximum(v, 0.0)
    size = int(np.frexp(v.max(initial=0.0))[1])
    scaled_step = float(np.ldexp(step, -size))
    if scaled_step <= 0.0:
        return v
    if scaled_step == np.inf:
        return np.zeros_like(v)
    x = _CLOSED.get(p, _general)(np.ldexp(v, -size), scaled_step, p)
    return np.ldexp(x, size)


def prox_power(v: Array, step: float, p: float) -> Array:
    """Return the prox of step sum x^p, 1 <= p < inf: a root for each entry.

    Examples
    --------
    >>> prox_power(np.array([3.0, 1.0, -2.0]), 1.0, 2)
    array([1.        , 0.33333333, 0.        ])
    """
    v = np.maximum(v, 0.0)
    return np.maximum(v - step, 0.0) if p == 1.0 else roots(v, step * p, p)


def roots(v: Array, c: float, p: float, a: float = 1.0) -> Array:
    """Solve a x + c x^(p - 1) = v for each v >= 0; p > 1, c >= 0, a > 0.

    For p < 2 the unknown is s = x^(p - 1), which makes the function convex as well;
    then Newton from a point at or right of the root falls to it without overshooting.
    """
    outer, inner = (1.0, p - 1.0) if p >= 2.0 else (1.0 / (p - 1.0), 1.0)
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        first = (v / a) ** (1.0 / outer)
        s = np.minimum(first, (v / c) ** (1.0 / inner)) if c > 0.0 else first
        for _ in range(100):
            f = a * s**outer + c * s**inner - v
            derivative = a * outer * s ** (outer - 1.0) + c * inner * s ** (inner - 1.0)
            step = np.where(derivative > 0.0, f / derivative, 0.0)
            s = np.maximum(s - step, 0.0)
            if (np.abs(step) <= 1e-15 * s).all():
                break
        return s**outer


def norm(spectrum: Array, p: float) -> float:
    """Return the l_p norm, 1 <= p <= inf, without overflow.

    Examples
    --------
    >>> norm(np.array([3.0, 4.0]), 2)
    5.0
    """
    size = np.abs(spectrum)
    largest = size.max(initial=0.0)
    if largest == 0.0 or p == np.inf:
        return float(largest)
    with np.errstate(under="ignore"):
        return float(largest * ((size / largest) ** p).sum() ** (1.0 / p))


def _soft(v: Array, step: float, p: float) -> Array:
    return np.maximum(v - step, 0.0)


def _shrink(v: Array, step: float, p: float) -> Array:
    size = float(np.linalg.norm(v))
    return v * max(0.0, 1.0 - step / size) if size > 0.0 else v


def _cap(v: Array, step: float, p: float) -> Array:
    """Cut the largest entries to one height so that ``step`` is cut in all."""
    if v.sum() <= step:
        return np.zeros_like(v)
    falling = np.sort(v, axis=None)[::-1]
    heights = (np.cumsum(falling) - step) / np.arange(1, v.size + 1)
    above = heights[falling > heights]
    return np.minimum(v, above[-1]) if len(above) else v  # a step below rounding


def _general(v: Array, step: float, p: float) -> Array:
    """Solve x + step (x / N)^(p - 1) = v with N = ||x||_p.

    In u = x / N it reads N u + step u^(p - 1) = v, ||u||_p = 1: one scalar unknown, N,
    in which ||u||_p falls.
    """
    if norm(v, p / (p - 1.0)) <= step:
        return np.zeros_like(v)

    def excess(log_n: float) -> float:
        return float(np.log(norm(roots(v, step, p, float(np.exp(log_n))), p)))

    high = float(np.log(norm(v, p))) + 1e-9
    low = high - 30.0  # an N smaller than this share is zero to all digits
    if excess(low) <= 0.0:
        return np.zeros_like(v)
    if excess(high) >= 0.0:  # a step below rounding
        return v
    # Near p = 1 rounding makes steps of it, and the search may end within them.
    root = brentq(excess, low, high, xtol=1e-14, rtol=1e-15, disp=False)
    size = float(np.exp(root))
    return size * roots(v, step, p, size)


_CLOSED: dict[float, Callable[[Array, float, float], Array]] = {
    1.0: _soft,
    2.0: _shrink,
    np.inf: _cap,
}
