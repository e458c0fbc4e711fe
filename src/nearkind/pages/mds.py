"""Classical multidimensional scaling of rows, whatever the distance.

The principal axes of some rows, the landmarks, come from the distances between them
alone, and every other row is placed by its distances to them (landmark MDS, de Silva
and Tenenbaum 2004). Where a row is a sum of vectors, this is the projection on the
principal axes of the landmarks.
"""

import numpy as np

from nearkind.distances.form import FittedDistance, query_chunks
from nearkind.metrics.spectrum import decompose
from nearkind.protocols import Array, Codes

LANDMARKS = 400
MOST_DISTANCES = 1 << 20
"""Distances held at a time."""
ROUNDING = 1e-9
"""Share of the largest spread below which there is none."""


def place_rows(distance: FittedDistance, codes: Codes) -> Array:
    """Return coordinates (n, 2) of rows under a fitted distance.

    Parameters
    ----------
    distance : FittedDistance
    codes : ndarray of int of shape (n, D)
        At least one row.

    Examples
    --------
    >>> from nearkind.baselines import Hamming
    >>> rows = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]
    >>> distance = Hamming().fit(rows).distance_
    >>> places = place_rows(distance, distance.encode(rows))
    >>> float(np.linalg.norm(places[0] - places[3]).round(4))
    1.0
    """
    rng = np.random.default_rng(0)
    chosen = np.sort(rng.permutation(len(codes))[:LANDMARKS])
    landmarks = distance.represent(codes[chosen])
    d2 = _squared_distances(distance, landmarks, landmarks)
    means = d2.mean(axis=0)
    axes = _axes(-0.5 * (d2 - means - means[:, None] + means.mean()))  # (L, 2)
    if len(codes) == len(chosen):
        places = -0.5 * (d2 - means) @ axes
    else:
        places = np.empty((len(codes), 2))
        for at in query_chunks(len(codes), LANDMARKS, MOST_DISTANCES):
            rows = distance.represent(codes[at])
            d2 = _squared_distances(distance, rows, landmarks)
            places[at] = -0.5 * (d2 - means) @ axes
    return places - places.mean(axis=0)


def place_values(distance: FittedDistance, typical: Codes, d: int) -> Array:
    """Return coordinates (s, 2) of the values of a feature, all else being equal.

    Parameters
    ----------
    distance : FittedDistance
    typical : ndarray of int of shape (D,)
        Codes of a row; for most distances it does not matter which.
    d : int
        Number of the feature.
    """
    n_values = distance.codebook.n_values[d]
    if not n_values:
        return np.zeros((0, 2))
    rows = np.tile(typical, (n_values, 1))
    rows[:, d] = np.arange(n_values)
    return place_rows(distance, rows)


def _axes(gram: Array) -> Array:
    """Return the matrix (L, 2) that maps centred products to coordinates."""
    spectrum = decompose(gram[None])
    values, vectors = spectrum.values[0][::-1][:2], spectrum.vectors[0][:, ::-1][:, :2]
    is_spread = values > ROUNDING * max(float(values[0]), ROUNDING)
    sizes = np.sqrt(np.where(is_spread, values, 1.0))
    axes = np.zeros((len(gram), 2))
    axes[:, : len(values)] = np.where(is_spread, vectors / sizes, 0.0)
    largest = np.abs(axes).argmax(axis=0)
    return axes * np.where(axes[largest, [0, 1]] < 0.0, -1.0, 1.0)


def _squared_distances(distance: FittedDistance, a: object, b: object) -> Array:
    """Return squared distances; a sum over features is taken for a square already."""
    d = distance.compare(a, b)
    finite = np.isfinite(d)
    if not finite.all():
        d = np.where(finite, d, 2.0 * d.max(where=finite, initial=0.0))
    return d * d if distance.is_euclidean else d
