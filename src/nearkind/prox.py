"""Proximal operators on the non-negative spectrum: plain functions, one a formula.

Each returns argmin over x >= 0 of |x - v|^2 / 2 + step r(x); negative v give 0.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from nearkind.typing import Array


def of_norm(v: Array, step: float, p: float) -> Array:
    """Return the prox of step ||x||_p, 1 <= p <= inf.

    By Moreau, v_+ less its projection on the l_q ball of radius ``step``.

    Examples
    --------
    >>> of_norm(np.array([3.0, 1.0, -2.0]), 1.0, np.inf)
    array([2., 1., 0.])
    """
    return _CLOSED.get(p, _general)(np.maximum(v, 0.0), step, p)


def of_power(v: Array, step: float, p: float) -> Array:
    """Return the prox of step sum x^p, 1 <= p < inf: a root for each entry.

    Examples
    --------
    >>> of_power(np.array([3.0, 1.0, -2.0]), 1.0, 2)
    array([1.        , 0.33333333, 0.        ])
    """
    v = np.maximum(v, 0.0)
    return np.maximum(v - step, 0.0) if p == 1.0 else roots(v, step * p, p)


def roots(v: Array, c: float, p: float) -> Array:
    """Solve x + c x^(p - 1) = v for each v >= 0, p > 1, c >= 0.

    For p < 2 the unknown is s = x^(p - 1), which makes the function convex as well;
    then Newton from a point at or right of the root falls to it without overshooting.
    """
    outer, inner = (1.0, p - 1.0) if p >= 2.0 else (1.0 / (p - 1.0), 1.0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        s = np.minimum(v ** (1.0 / outer), (v / c) ** (1.0 / inner) if c else np.inf)
        for _ in range(100):
            f = s**outer + c * s**inner - v
            slope = outer * s ** (outer - 1.0) + c * inner * s ** (inner - 1.0)
            step = np.where(slope > 0.0, f / slope, 0.0)
            s = np.maximum(s - step, 0.0)
            if (np.abs(step) <= 1e-15 * s).all():
                break
    return np.where(v > 0.0, s**outer, 0.0)


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
    return np.minimum(v, heights[falling > heights][-1])


def _general(v: Array, step: float, p: float) -> Array:
    """Solve x + c x^(p-1) = v, c = step ||x||_p^(1-p): one scalar unknown, log c."""
    largest = v.max(initial=0.0)
    if largest == 0.0:
        return v
    v, step = v / largest, step / largest
    q = p / (p - 1.0)
    if step == 0.0 or (v**q).sum() ** (1.0 / q) <= step:
        return v * largest * (step == 0.0)

    def excess(log_c: float) -> float:
        x = roots(v, np.exp(log_c), p)
        return log_c + (p - 1.0) / p * np.log((x**p).sum()) - np.log(step)

    low = np.log(step) - (p - 1.0) / p * np.log((v**p).sum())
    width = 1.0
    while excess(low + width) < 0.0:
        width *= 2.0
    log_c = brentq(excess, low - 1e-9, low + width, xtol=1e-14, rtol=1e-15)
    return largest * roots(v, np.exp(log_c), p)


_CLOSED: dict[float, Callable[[Array, float, float], Array]] = {
    1.0: _soft,
    2.0: _shrink,
    np.inf: _cap,
}
