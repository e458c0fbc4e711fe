"""Which rows a picture shows, and where: sample, principal plane, beeswarm."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkind.metrics.spectrum import decompose
from nearkind.plot.text import percent
from nearkind.protocols import Array

ROUNDING = 1e-12
"""Spreads below this share of the mean square are zero."""
LEAST_SHARE = 0.005
"""Share of the spread below which an axis is not drawn."""
N_BINS = 60
"""Bins along the axis of a beeswarm."""
HALF_WIDTH = 0.42
"""Of a beeswarm; neighbouring swarms are one apart."""


@dataclass(frozen=True)
class Plane:
    """Points in a plane.

    Attributes
    ----------
    points : ndarray of shape (n, 2)
        Their mean is zero.
    shares : ndarray of shape (2,)
        Share of the spread (the mean squared distance from the mean) on each axis;
        zeros if all points are at one place.
    """

    points: Array
    shares: Array

    @property
    def n_axes(self) -> int:
        """How many of the two axes are worth drawing."""
        return int((self.shares >= LEAST_SHARE).sum())

    def label(self, axis: int) -> str:
        """Return the label of an axis."""
        held = percent(float(self.shares[axis]))
        return f"distance along axis {axis + 1} ({held} of the variance)"


def principal_plane(U: Array, weights: Array | None = None) -> Plane:
    """Return rows on their two principal axes; for distances that is classical MDS.

    Parameters
    ----------
    U : ndarray of shape (n, q)
    weights : ndarray of shape (n,), default=None
        Number of rows that each represents; None: one.

    Returns
    -------
    Plane
        On each axis the point farthest from the mean is on the positive side.

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
    return Plane(_flip_axes(points), np.pad(kept / total, (0, missing)))


def _flip_axes(points: Array) -> Array:
    """Flip axes so that the farthest point of each is on its positive side."""
    farthest = np.abs(points).round(9).argmax(axis=0)
    return points * np.where(points[farthest, [0, 1]] < 0.0, -1.0, 1.0)


def beeswarm(x: Array, groups: NDArray[np.intp], weights: Array) -> Array:
    """Return heights (n,) that spread points so that they do not hide each other.

    Parameters
    ----------
    x : ndarray of shape (n,)
        Places along the axis.
    groups : ndarray of int of shape (n,)
        Swarm of each point, which is the height of its middle.
    weights : ndarray of shape (n,)
        How many points each stands for: a swarm is wide where there are many.

    Examples
    --------
    >>> beeswarm(np.array([0.0, 0.0, 9.0]), np.array([0, 0, 1]), np.ones(3)).round(2)
    array([-0.21,  0.21,  1.  ])
    """
    span = float(np.ptp(x)) or 1.0
    at = np.minimum((x - x.min()) / span * N_BINS, N_BINS - 1).astype(np.intp)
    bins = groups * N_BINS + at
    n_bins = (groups.max() + 1) * N_BINS
    totals: Array = np.bincount(bins, weights, n_bins).astype(float)
    smooth = _smooth(totals.reshape(-1, N_BINS))
    most = smooth.max(axis=1, keepdims=True)
    widths = smooth / np.where(most > 0.0, most, 1.0)  # (n_groups, N_BINS)
    return groups + HALF_WIDTH * widths.ravel()[bins] * _even_places(bins)


def _smooth(totals: Array) -> Array:
    """Return weighted means over three bins, so that outlines have no teeth."""
    padded = np.pad(totals, ((0, 0), (1, 1)))
    return 0.25 * padded[:, :-2] + 0.5 * totals + 0.25 * padded[:, 2:]


def _even_places(bins: NDArray[np.intp]) -> Array:
    """Return places in (-1, 1), even within each bin; a point alone is at zero."""
    order = np.argsort(bins, kind="stable")
    _, first, of_bin, count = np.unique(
        bins[order], return_index=True, return_inverse=True, return_counts=True
    )
    place = np.arange(len(bins)) - first[of_bin]
    result = np.empty(len(bins))
    result[order] = (2.0 * place + 1.0) / count[of_bin] - 1.0
    return result


def stratified_sample(groups: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Return indices of at most ``most`` rows; each group keeps its share.

    Parameters
    ----------
    groups : ndarray of int of shape (n,)
        Group of each row, its class for example.
    most : int
        How many rows to keep; all, if there are no more. Every group keeps at least
        one row, even if there are more groups than this.

    Returns
    -------
    ndarray of int
        In rising order.

    Examples
    --------
    >>> groups = np.array([0] * 90 + [1] * 10)
    >>> kept = stratified_sample(groups, most=20)
    >>> len(kept), int((groups[kept] == 1).sum())
    (20, 2)
    """
    n_rows = len(groups)
    if n_rows <= most:
        return np.arange(n_rows)
    order = np.random.default_rng(0).permutation(n_rows)
    order = order[np.argsort(groups[order], kind="stable")]  # shuffled within a group
    _, starts, sizes = np.unique(groups[order], return_index=True, return_counts=True)
    kept = _allot(sizes, most)
    within = np.arange(n_rows) - np.repeat(starts, sizes)
    return np.sort(order[within < np.repeat(kept, sizes)])


def _allot(sizes: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Return how many rows of each group to keep, by the largest remainder method.

    Groups too small for a row get one; the largest groups give these rows up.
    """
    wanted = sizes * (most / sizes.sum())
    kept = np.maximum(np.floor(wanted), 1.0).astype(np.intp)
    left = most - int(kept.sum())
    if left >= 0:
        kept[np.argsort(kept - wanted, kind="stable")[:left]] += 1
        return np.minimum(kept, sizes)
    for _ in range(min(-left, int(kept.sum()) - len(kept))):
        kept[kept.argmax()] -= 1
    return kept
