"""Compiled enumerations of all triplets, to compare sorting with.

``literal`` is the paper's Algorithm 1: for each violated triplet it adds A^ij - A^ik,
matrices that are computed before. ``plain`` uses that the gradient is a Laplacian and
only counts. ``by_hand`` also gathers the far distances of a row first, so that the
compiler can vectorise: the fastest enumeration that we know.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from nearkind.protocols import Array, Map

Enumeration = Callable[..., float]
"""Sums over the rows from ``first`` to before ``last``, writing into ``gradient``."""


def enumerate_triplets(
    way: Enumeration,
    d2: Array,
    y: NDArray[np.intp],
    run: Map,
    margin: float = 1.0,
) -> tuple[float, Array]:
    """Return the sum of [d2_ij + margin - d2_ik]_+ and its gradient in each distance.

    Over all j of i's class and all k of another; ``run`` maps over chunks of the i.
    """
    gradient = np.zeros_like(d2)
    ends = np.linspace(0, len(y), 9).astype(int)
    parts = run(lambda rows: way(d2, y, margin, *rows, gradient), pairwise(ends))
    return sum(parts), gradient


@njit(nogil=True)
def literal(d2: Any, y: Any, margin: Any, A: Any, G: Any) -> Any:
    """Sum losses and A^ij - A^ik (n, n, D D), as Algorithm 1 reads."""
    loss = 0.0
    for i in range(len(y)):
        for j in range(len(y)):
            if y[j] != y[i] or j == i:
                continue
            for k in range(len(y)):
                if y[k] == y[i]:
                    continue
                violation = d2[i, j] + margin - d2[i, k]
                if violation > 0.0:
                    loss += violation
                    for entry in range(len(G)):
                        G[entry] += A[i, j, entry] - A[i, k, entry]
    return loss


@njit(nogil=True)
def plain(d2: Any, y: Any, margin: Any, first: Any, last: Any, gradient: Any) -> Any:
    """Sum as the formula reads."""
    loss = 0.0
    for i in range(first, last):
        for j in range(len(y)):
            if y[j] != y[i] or j == i:
                continue
            for k in range(len(y)):
                if y[k] == y[i]:
                    continue
                violation = d2[i, j] + margin - d2[i, k]
                if violation > 0.0:
                    loss += violation
                    gradient[i, j] += 1.0
                    gradient[i, k] -= 1.0
    return loss


@njit(nogil=True, fastmath=True)
def by_hand(d2: Any, y: Any, margin: Any, first: Any, last: Any, gradient: Any) -> Any:
    """Sum over far distances that are contiguous in memory."""
    loss = 0.0
    for i in range(first, last):
        other = np.flatnonzero(y != y[i])
        far, pushed = d2[i][other], np.zeros(len(other))
        for j in range(len(y)):
            if y[j] != y[i] or j == i:
                continue
            limit, pulled = d2[i, j] + margin, 0.0
            for k in range(len(far)):
                violation = max(limit - far[k], 0.0)
                active = 1.0 if violation > 0.0 else 0.0
                loss += violation
                pulled += active
                pushed[k] += active
            gradient[i, j] = pulled
        gradient[i][other] = -pushed
    return loss


def n_triplets(y: NDArray[np.intp]) -> float:
    """Return the number of triplets (i, j, k) that labels imply."""
    sizes = np.bincount(y).astype(float)
    return float((sizes * (sizes - 1.0) * (len(y) - sizes)).sum())
