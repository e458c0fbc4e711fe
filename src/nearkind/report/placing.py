"""Rows in two dimensions, so that near ones stand together, whatever the distance.

The principal components of some rows, the landmarks, come from the distances between
them alone (classical scaling), and every other row is placed by its distances to them.
Where a row is a sum of vectors this is the projection on the components of landmarks.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from nearkind.metrics.spectrum import decompose
from nearkind.protocols import Array, Codes

LANDMARKS = 400
AT_ONCE = 1 << 20
"""Distances held at a time."""
FLAT = 1e-9
"""Share of the largest spread below which there is none."""


def placed(metric: Any, codes: Codes, seed: int = 0) -> Array:
    """Return coordinates (n, 2) of rows under a fitted distance.

    Parameters
    ----------
    metric : fitted distance
    codes : (n, D), at least one row
    seed : of the choice of landmarks

    Examples
    --------
    >>> from nearkind.baselines import Hamming
    >>> rows = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]
    >>> model = Hamming().fit(rows)
    >>> places = placed(model, model.codebook_.encode(rows))
    >>> float(np.linalg.norm(places[0] - places[3]).round(4))
    1.0
    """
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.permutation(len(codes))[:LANDMARKS])
    landmarks = metric.represent(codes[chosen])
    d2 = _squared(metric, landmarks, landmarks)
    means = d2.mean(axis=0)
    axes = _axes(-0.5 * (d2 - means - means[:, None] + means.mean()))  # (L, 2)
    blocks = [d2] if len(codes) == len(chosen) else _blocks(metric, codes, landmarks)
    places = np.concatenate([-0.5 * (block - means) @ axes for block in blocks])
    return places - places.mean(axis=0)


def _blocks(metric: Any, codes: Codes, landmarks: Any) -> Iterator[Array]:
    """Yield squared distances of some rows after others to the landmarks (b, L)."""
    size = max(1, AT_ONCE // LANDMARKS)
    for at in range(0, len(codes), size):
        yield _squared(metric, metric.represent(codes[at : at + size]), landmarks)


def _axes(gram: Array) -> Array:
    """Return what turns centred products with landmarks into coordinates (L, 2)."""
    spectrum = decompose(gram[None])
    values, vectors = spectrum.values[0][::-1][:2], spectrum.vectors[0][:, ::-1][:, :2]
    spread = values > FLAT * max(float(values[0]), FLAT)
    sizes = np.sqrt(np.where(spread, values, 1.0))
    axes = np.zeros((len(gram), 2))
    axes[:, : len(values)] = np.where(spread, vectors / sizes, 0.0)
    largest = np.abs(axes).argmax(axis=0)
    return axes * np.where(axes[largest, [0, 1]] < 0.0, -1.0, 1.0)


def _squared(metric: Any, a: Any, b: Any) -> Array:
    """Return squared distances; a sum over features is taken for a square already."""
    d = metric.compare(a, b)
    finite = np.isfinite(d)
    if not finite.all():
        d = np.where(finite, d, 2.0 * d.max(where=finite, initial=0.0))
    return d * d if hasattr(metric, "value_tables_") else d


def value_places(metric: Any, typical: Codes, d: int) -> Array:
    """Return coordinates (s, 2) of the values of a feature, all else being equal.

    Parameters
    ----------
    metric : fitted distance
    typical : codes (D,) of a row; for most distances it does not matter which
    d : number of the feature
    """
    n_values = metric.codebook_.n_values[d]
    if not n_values:
        return np.zeros((0, 2))
    rows = np.tile(typical, (n_values, 1))
    rows[:, d] = np.arange(n_values)
    return placed(metric, rows)
