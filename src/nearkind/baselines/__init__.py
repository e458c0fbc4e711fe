"""Distances to compare with, each ``fit(X, y=None)`` and ``pairwise_distances(X, Y)``.

``all()`` is the one list of them: a new member adds one line there.
"""

from typing import Any

from nearkind.baselines.euclidean import Euclidean
from nearkind.baselines.hamming import Hamming

__all__ = ["Euclidean", "Hamming", "all"]


def all() -> dict[str, Any]:
    """Return the baselines by name.

    Examples
    --------
    >>> sorted(all())
    ['euclidean', 'hamming']
    """
    return {"euclidean": Euclidean, "hamming": Hamming}
