"""Points of many dimensions in the plane that shows most of their spread."""

from dataclasses import dataclass

import numpy as np

from nearkind.metrics.spectrum import decompose
from nearkind.plot.wording import percent
from nearkind.protocols import Array

ROUNDING = 1e-12
"""Spreads below this share of the mean square are zero."""

WORTH = 0.005
"""Share of the spread below which an axis shows nothing but a line."""


@dataclass(frozen=True)
class Plane:
    """Points and what the plane holds of them.

    Attributes
    ----------
    points : (n, 2), about their mean
    shares : (2,), of the spread (the mean squared distance from the mean) on each axis;
        zeros if all points are at one place
    """

    points: Array
    shares: Array

    @property
    def n_axes(self) -> int:
        """How many of the two axes are worth drawing."""
        return int((self.shares >= WORTH).sum())

    def label(self, axis: int) -> str:
        """Return the label of an axis."""
        held = percent(float(self.shares[axis]))
        return f"distance along axis {axis + 1} ({held} of the spread)"


def principal_plane(U: Array, weights: Array | None = None) -> Plane:
    """Return the two principal axes of rows; for distances that is classical MDS.

    Parameters
    ----------
    U : (n, q)
    weights : (n,), how many rows each stands for; None: one

    Returns
    -------
    Plane; on each axis the point farthest from the mean is on the positive side

    Examples
    --------
    >>> plane = principal_plane(np.array([[0.0, 0.0], [0.0, 3.0], [0.0, 6.0]]))
    >>> plane.points[[0, 2], 0].round(6).tolist(), plane.shares.round(6).tolist()
    ([3.0, -3.0], [1.0, 0.0])
    """
    share = (
        np.full(len(U), 1.0 / len(U)) if weights is None else weights / weights.sum()
    )
    centred = U - share @ U
    scaled = np.sqrt(share)[:, None] * centred
    is_tall = len(U) > U.shape[1]
    spread = decompose((scaled.T @ scaled if is_tall else scaled @ scaled.T)[None])
    values = np.maximum(spread.values[0, ::-1], 0.0)
    total = values.sum()
    if total <= ROUNDING * float(share @ (U * U).sum(axis=1)):
        return Plane(np.zeros((len(U), 2)), np.zeros(2))
    kept = values[:2] * (values[:2] > ROUNDING * total)
    V = spread.vectors[0, :, ::-1][:, :2]
    if not is_tall:
        V = scaled.T @ V / np.sqrt(np.where(kept > 0.0, kept, 1.0))
    points = np.where(kept > 0.0, centred @ V, 0.0)
    missing = 2 - points.shape[1]  # one row or one column has one axis
    points = np.pad(points, ((0, 0), (0, missing)))
    return Plane(_outward(points), np.pad(kept / total, (0, missing)))


def _outward(points: Array) -> Array:
    """Turn axes so that the farthest point of each is on its positive side."""
    farthest = np.abs(points).round(9).argmax(axis=0)
    return points * np.where(points[farthest, [0, 1]] < 0.0, -1.0, 1.0)
