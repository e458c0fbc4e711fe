"""Values of all features on one axis, and rows as indicators of their values there."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nearkind.protocols import Array, Codes

Places = NDArray[np.intp]


def starts(n_values: Sequence[int]) -> Places:
    """Return where each feature begins, and where the last one ends (D + 1,).

    Examples
    --------
    >>> starts([2, 3])
    array([0, 3, 7])
    """
    return np.cumsum([0, *(size + 1 for size in n_values)])


def places(codes: Codes, n_values: Sequence[int]) -> Places:
    """Return the place of each value (n, D); the unseen have a feature's last.

    Examples
    --------
    >>> places(np.array([[0, 2], [-1, -1]], dtype=np.int32), [2, 3])
    array([[0, 5],
           [2, 6]])
    """
    own = np.where(codes < 0, np.asarray(n_values, dtype=np.intp), codes)
    return own + starts(n_values)[:-1]


def indicators(at: Places, n_places: int, values: Array | None = None) -> csr_array:
    """Return rows (n, n_places) that are 1, or ``values`` (n, D), at their places."""
    ends = np.arange(0, at.size + 1, at.shape[1])
    data = np.ones(at.size) if values is None else values.ravel()
    return csr_array((data, at.ravel(), ends), shape=(len(at), n_places))
