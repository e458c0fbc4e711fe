"""Some rows of many, every kind of them in its share."""

import numpy as np
from numpy.typing import NDArray

MOST_ROWS = 20_000
"""Rows of the table that a page holds, and rows that vote on it."""


def stratified(
    kinds: NDArray[np.intp], most: int = MOST_ROWS, seed: int = 0
) -> NDArray[np.intp]:
    """Return at most so many places, rising; each kind keeps its share, at least one.

    Parameters
    ----------
    kinds : (n,), a number a row, such as that of its class
    most : how many to keep, all if there are no more
    seed : of the draw

    Examples
    --------
    >>> kinds = np.array([0] * 90 + [1] * 10)
    >>> kept = stratified(kinds, most=20)
    >>> len(kept), int((kinds[kept] == 1).sum())
    (20, 2)
    """
    n_rows = len(kinds)
    if n_rows <= most:
        return np.arange(n_rows)
    order = np.random.default_rng(seed).permutation(n_rows)
    order = order[np.argsort(kinds[order], kind="stable")]  # by kind, shuffled within
    _, starts, sizes = np.unique(kinds[order], return_index=True, return_counts=True)
    kept = _shared_out(sizes, most)
    within = np.arange(n_rows) - np.repeat(starts, sizes)
    return np.sort(order[within < np.repeat(kept, sizes)])


def _shared_out(sizes: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Return how many of each kind to keep, by largest remainders."""
    wanted = sizes * (most / sizes.sum())
    kept = np.maximum(np.floor(wanted), 1.0).astype(np.intp)
    left = most - int(kept.sum())
    first = np.argsort(kept - wanted, kind="stable")[: max(left, 0)]
    kept[first] += 1
    return np.minimum(kept, sizes)
