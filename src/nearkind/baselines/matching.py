"""Sums over the places that two rows share."""

import numpy as np

from nearkind.baselines.indicators import Places, indicators
from nearkind.baselines.pair_tables import portions
from nearkind.protocols import Array


def matching(
    a: Places,
    b: Places,
    n_places: int,
    of_a: Array | None = None,
    of_b: Array | None = None,
) -> Array:
    """Return sum over r with a_r = b_r of of_a_r of_b_r (n, m).

    A place belongs to one column only. Exchanging both pairs of arguments transposes
    the sums, to the last bit.

    Parameters
    ----------
    a, b : (n, R) and (m, R)
    of_a, of_b : (n, R) and (m, R); None: ones

    Examples
    --------
    >>> matching(np.array([[0, 2]]), np.array([[0, 2], [1, 2]]), 3)
    array([[2., 1.]])
    """
    at_b = indicators(b, n_places, of_b)
    total = np.empty((len(a), len(b)))
    for rows in portions(len(a), n_places):
        at = a[rows]
        spread = np.zeros((n_places, len(at)))
        columns = np.arange(len(at))
        spread[at.T, columns] = 1.0 if of_a is None else of_a[rows].T
        total[rows] = (at_b @ spread).T  # O(n m R)
    return total
