"""Sites near some queries: found in single precision, ranked in double."""

from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.constraints.weighted_labels import AT_ONCE
from nearkind.neighbors.reach import TIE, query_blocks
from nearkind.neighbors.searchers import Flat
from nearkind.neighbors.sites import Sites, lengths
from nearkind.protocols import Array

ROUNDING = float(np.finfo(np.float32).eps)


class Candidates(NamedTuple):
    """Sites found for each query, the nearest first, in units of ``Sites.scale``."""

    site: NDArray[np.int64]  # (b, n), -1 where there are no more
    distance: Array  # (b, n)
    beyond: Array  # (b,), sites looked at and not found are farther
    tie: Array  # (b,)

    def of(self, queries: NDArray[np.intp]) -> "Candidates":
        """Return those of some queries."""
        return Candidates._make(part[queries] for part in self)


def candidates(sites: Sites, searcher: Flat, V: Array, n: int) -> Candidates:
    """Return the n nearest sites of queries V (b, q), placed as the sites are.

    Single precision mistakes a squared distance by (q + 8) roundings of the square of
    the largest at most; ``beyond`` leaves room for that.
    """
    n = min(n, len(sites.vectors))
    d2, site = searcher.search(V, n)
    largest = lengths(V) + 1.0  # no site is farther, and some is at a third of it
    room = (V.shape[1] + 8) * ROUNDING * largest**2
    beyond = np.sqrt(np.maximum(d2[:, -1] - room, 0.0))
    if n == len(sites.vectors):
        beyond = np.full(len(V), np.inf)
    distance = _distances(sites, V, site)
    order = np.argsort(distance, axis=1, kind="stable")
    site = np.take_along_axis(site, order, axis=1)
    distance = np.take_along_axis(distance, order, axis=1)
    return Candidates(site, distance, beyond, TIE * largest)


def first_try(k: float) -> int:
    """Return how many candidates to ask for if k rows are wanted."""
    return 2 * ceil(k) + 16


def _distances(sites: Sites, V: Array, site: NDArray[np.int64]) -> Array:
    """Return exact distances (b, n), infinite where there is no site."""
    distance = np.empty(site.shape)
    for at in query_blocks(len(V), site.shape[1] * V.shape[1], AT_ONCE):
        distance[at] = lengths(V[at, None] - sites.vectors[site[at]])
    distance[site < 0] = np.inf
    return distance
