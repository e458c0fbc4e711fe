"""Quasi-Newton steps on a factor of the metric.

With M = F'F the cone needs no projection, and a smooth penalty makes the whole
objective smooth in F: limited-memory BFGS then takes far fewer evaluations than
gradient steps. It is not convex in F, and directions that F has lost stay lost, so
proximal steps must come between.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from nearkind.objective import Objective, Slope
from nearkind.spectral import Spectrum, of_factor
from nearkind.typing import Array


def leap(
    smooth: Objective,
    point: Spectrum,
    max_steps: int,
    tol: float = 1e-12,
    watch: Callable[[Spectrum, float], None] | None = None,
) -> tuple[Spectrum, int, Slope | None]:
    """Descend from a metric within its range, until a step gains less than ``tol``.

    Parameters
    ----------
    smooth : objective whose loss and penalty have a gradient
    point : where from
    max_steps : steps at most
    tol : share of the objective
    watch : is told, after each step, of the best metric so far and its value

    Returns
    -------
    point, n_steps, slope : where to, the steps made, and the slope there if it is known
    """
    start = _factor(point)  # (B, r, W)
    if not start.size:
        return point, 0, None
    best: tuple[Spectrum, Slope] | None = None

    def value_and_slope(x: Array) -> tuple[float, Array]:
        F = x.reshape(start.shape)
        at = of_factor(F)
        slope = smooth.slope(at)
        nonlocal best
        if best is None or slope.value < best[1].value:
            best = at, slope
        G = slope.gradient + smooth.strength * _penalty_slope(smooth, at)
        return slope.value, 2.0 * (F @ G).ravel()

    def after_step(x: Array) -> None:
        if watch is not None and best is not None:
            watch(best[0], best[1].value)

    found = minimize(
        value_and_slope,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        callback=after_step,
        options={"maxiter": max_steps, "maxcor": 20, "ftol": tol, "gtol": 0.0},
    )
    n_steps = int(found.nit)
    if best is None or not np.isfinite(best[1].value):
        return point, n_steps, None
    return best[0], n_steps, best[1]


def _factor(point: Spectrum) -> Array:
    """Return F (B, r, W) with M = F'F, r the largest rank of a block."""
    factors = [F for F, _ in point.factors()]
    rank = max(len(F) for F in factors)
    padded = np.zeros((len(factors), rank, factors[0].shape[1]))
    for at, F in zip(padded, factors, strict=True):
        at[: len(F)] = F
    return padded


def _penalty_slope(smooth: Objective, at: Spectrum) -> Array:
    slopes = smooth.regularizer.subgradient(at.values.ravel())
    return at.with_values(slopes).matrix
