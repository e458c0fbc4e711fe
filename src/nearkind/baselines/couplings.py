"""Values described by how they couple, and kernels between such descriptions."""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.spatial.distance import pdist, squareform

from nearkind.baselines.contingency import contingency
from nearkind.projections.base import value_counts
from nearkind.projections.vdm import shares
from nearkind.protocols import Array, Codes

WIDTHS = 0.5, 1.0, 2.0
"""Of Gaussian kernels, in units of the median distance between values."""


def couplings(
    codes: Codes, n_values: Sequence[int], y: np.ndarray, weights: Array
) -> list[list[Array]]:
    """Return for each feature how its values couple, each (s_d, any).

    To their own feature, by frequency; to the values u of the others, as p(v | u); to
    the classes, as p(c | v).
    """
    pairs = contingency(codes, n_values, weights)
    prior = np.bincount(y, weights) / weights.sum()
    classes = value_counts(codes, n_values, y, weights)
    return [
        [
            frequency(N.sum(axis=1)),
            np.hstack([np.zeros((len(N), 0))]
                      + [pairs.given(e, d).T for e in pairs.others(d)]),
            shares(N, 0.0, prior),
        ]
        for d, N in enumerate(classes)
    ]  # fmt: skip


def frequency(counts: Array) -> Array:
    """Return relative frequencies as a column (s, 1)."""
    return (counts / max(counts.sum(), 1e-300))[:, None]


def kernels(described: Array) -> Iterator[Array]:
    """Yield kernels (s, s) between descriptions (s, any): three Gaussian, one linear.

    Each is centred, which no distance sees; those without any difference are left out.

    Examples
    --------
    >>> [kernel.shape for kernel in kernels(np.array([[0.0], [1.0]]))]
    [(2, 2), (2, 2), (2, 2), (2, 2)]
    >>> list(kernels(np.array([[1.0], [1.0]])))
    []
    """
    apart = pdist(described) if described.shape[1] else np.zeros(0)
    if not (apart > 1e-12).any():
        return
    middle = float(np.median(apart[apart > 1e-12]))
    for width in WIDTHS:
        d2 = squareform(apart) ** 2
        yield centred(np.exp(-d2 / (2.0 * (width * middle) ** 2)))
    yield centred(described @ described.T)


def centred(kernel: Array) -> Array:
    """Return the kernel about the mean of its values."""
    kernel = kernel - kernel.mean(axis=0)
    return kernel - kernel.mean(axis=1, keepdims=True)
