"""Shapley values: contributions of features to a prediction.

The Shapley value of a feature is the mean, over all orders of the features, of what the
worth of those before it gains when it joins them (Shapley 1953). The values add up to
the worth of all features less that of none.
"""

from math import comb

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array

MOST_SUBSETS = 256
"""Up to so many subsets all are looked at; else the first so many of drawn orders."""


def coalitions(n_features: int) -> tuple[NDArray[np.bool_], Array]:
    """Return subsets of features, and how Shapley values follow from their worths.

    Of up to eight features all subsets are taken, and the values are exact. Of more,
    the mean is over drawn orders, each with its reverse: two at least, and so many that
    there are about ``MOST_SUBSETS`` subsets. The values add up exactly either way.

    Parameters
    ----------
    n_features : int

    Returns
    -------
    kept : ndarray of bool (E, D)
        The features of each subset; the first has none, the last has all.
    weights : ndarray (D, E)
        ``weights @ worth`` are the Shapley values.

    Examples
    --------
    >>> kept, weights = coalitions(2)
    >>> kept.astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    >>> worth = np.array([0.0, 1.0, 0.0, 1.0])  # the first feature does it alone
    >>> weights @ worth
    array([1., 0.])
    """
    if 2**n_features <= MOST_SUBSETS:
        kept = (np.arange(2**n_features)[:, None] >> np.arange(n_features)) % 2 == 1
        sizes = kept.sum(axis=1)
        before = np.where(kept, sizes[:, None] - 1, sizes[:, None])  # (E, D)
        times = np.array([comb(n_features - 1, k) for k in range(n_features)])
        return kept, (np.where(kept, 1.0, -1.0) / (n_features * times[before])).T
    rng = np.random.default_rng(0)
    n_pairs = max(1, MOST_SUBSETS // (2 * n_features))
    drawn = [rng.permutation(n_features) for _ in range(n_pairs)]
    orders = [order for each in drawn for order in (each, each[::-1])]
    kept = np.zeros((len(orders) * (n_features - 1) + 2, n_features), dtype=bool)
    weights = np.zeros((n_features, len(kept)))
    kept[-1] = True
    for n, order in enumerate(orders):
        start = 1 + n * (n_features - 1)
        steps = [0, *range(start, start + n_features - 1), len(kept) - 1]
        for i, d in enumerate(order):
            kept[steps[i + 1], order[: i + 1]] = True
            weights[d, steps[i]] -= 1.0 / len(orders)
            weights[d, steps[i + 1]] += 1.0 / len(orders)
    return kept, weights
