"""Points on one axis, spread across lanes so that they do not hide each other."""

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array

STEPS = 60
WIDTH = 0.42
"""Half the width of a lane, lanes being one apart."""


def across(x: Array, lanes: NDArray[np.intp], weights: Array) -> Array:
    """Return heights (n,): about the number of the lane, wide where points are many.

    Examples
    --------
    >>> across(np.array([0.0, 0.0, 9.0]), np.array([0, 0, 1]), np.ones(3)).round(2)
    array([-0.21,  0.21,  1.  ])
    """
    span = float(np.ptp(x)) or 1.0
    step = np.minimum((x - x.min()) / span * STEPS, STEPS - 1).astype(np.intp)
    bins = lanes * STEPS + step
    totals: Array = np.bincount(bins, weights, (lanes.max() + 1) * STEPS).astype(float)
    smooth = _smoothed(totals.reshape(-1, STEPS))
    most = smooth.max(axis=1, keepdims=True)
    widths = smooth / np.where(most > 0.0, most, 1.0)  # (n_lanes, STEPS)
    return lanes + WIDTH * widths.ravel()[bins] * _evenly(bins)


def _smoothed(totals: Array) -> Array:
    """Return means over three steps, so that lanes have no teeth."""
    padded = np.pad(totals, ((0, 0), (1, 1)))
    return 0.25 * padded[:, :-2] + 0.5 * totals + 0.25 * padded[:, 2:]


def _evenly(bins: NDArray[np.intp]) -> Array:
    """Return places in (-1, 1) that share each bin evenly; a lone one is at zero."""
    order = np.argsort(bins, kind="stable")
    _, first, of_bin, count = np.unique(
        bins[order], return_index=True, return_inverse=True, return_counts=True
    )
    place = np.arange(len(bins)) - first[of_bin]
    result = np.empty(len(bins))
    result[order] = (2.0 * place + 1.0) / count[of_bin] - 1.0
    return result
