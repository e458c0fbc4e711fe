"""Quasi-Newton steps on a factor of the metric.

With M = F'F the cone needs no projection, and a smooth penalty makes the whole
objective smooth in F: limited-memory BFGS then takes far fewer evaluations than
gradient steps. It is not convex in F, and directions that F has lost stay lost, so
proximal steps must come between.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from nearkind.metrics.spectrum import Spectrum, of_factor
from nearkind.protocols import Array
from nearkind.solvers.objective import Objective, Slope


class Look(NamedTuple):
    """What is seen of an objective at a factor of a metric."""

    value: float
    gradient: Array  # in F, (B, r, W)
    point: Spectrum  # of F'F
    slope: Slope | None = None


def in_full(smooth: Objective, F: Array) -> Look:
    """Look through the gradient in M: the slope is known then, at O(n^2 W)."""
    at = of_factor(F)
    slope = smooth.slope(at)
    G = 2.0 * F @ slope.gradient + _penalty_slope(smooth, F, at)
    return Look(slope.value, G, at, slope)


def in_factor(smooth: Objective, F: Array) -> Look:
    """Look along F alone: for few directions of many, at O(n^2 r)."""
    at = of_factor(F)
    loss, G = smooth.slope_in_factor(F)
    G += _penalty_slope(smooth, F, at)
    return Look(loss + smooth.penalty(at), G, at)


def leap(
    smooth: Objective,
    point: Spectrum,
    max_steps: int,
    tol: float = 1e-12,
    watch: Callable[[Spectrum, float], None] | None = None,
    look: Callable[[Objective, Array], Look] = in_full,
) -> tuple[Spectrum, int, Slope | None]:
    """Descend from a metric within its range, until a step gains less than ``tol``.

    Parameters
    ----------
    smooth : objective whose loss and penalty have a gradient
    point : where from
    max_steps : steps at most
    tol : share of the objective
    watch : is told, after each step, of the best metric so far and its value
    look : how value and gradient are found

    Returns
    -------
    point, n_steps, slope : where to, the steps made, and the slope there if it is known
    """
    start = factor_of(point)  # (B, r, W)
    if not start.size:
        return point, 0, None
    best: Look | None = None

    def value_and_slope(x: Array) -> tuple[float, Array]:
        seen = look(smooth, x.reshape(start.shape))
        nonlocal best
        if best is None or seen.value < best.value:
            best = seen
        return seen.value, seen.gradient.ravel()

    def after_step(x: Array) -> None:
        if watch is not None and best is not None:
            watch(best.point, best.value)

    found = minimize(
        value_and_slope,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        callback=after_step,
        options={"maxiter": max_steps, "maxcor": 20, "ftol": tol, "gtol": 0.0},
    )
    n_steps = int(found.nit)
    if best is None or not np.isfinite(best.value):
        return point, n_steps, None
    return best.point, n_steps, best.slope


def factor_of(point: Spectrum) -> Array:
    """Return F (B, r, W) with M = F'F, r the largest rank of a block."""
    factors = [F for F, _ in point.factors()]
    rank = max(len(F) for F in factors)
    padded = np.zeros((len(factors), rank, factors[0].shape[1]))
    for at, F in zip(padded, factors, strict=True):
        at[: len(F)] = F
    return padded


def _penalty_slope(smooth: Objective, F: Array, at: Spectrum) -> Array:
    slopes = smooth.regularizer.subgradient(at.values.ravel()).reshape(at.values.shape)
    along = F @ at.vectors * slopes[:, None]  # (B, r, r)
    return 2.0 * smooth.strength * along @ at.vectors.swapaxes(1, 2)
