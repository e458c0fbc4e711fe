"""Votes of near rows: how much each weighs, and each class's share of them."""

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array

from nearkind.neighbors.reach import Near
from nearkind.protocols import Array

Weigh = Callable[[Array], Array]
"""From distances to the weights of votes."""


def by_distance(distances: Array) -> Array:
    """Return 1 / distance."""
    with np.errstate(divide="ignore"):
        return 1.0 / distances


SHARE_TIE = 1e-9
"""Shares of votes closer than this are equal; the first class of those wins."""
VOTE_WEIGHTS: dict[str, Weigh] = {"uniform": np.ones_like, "distance": by_distance}


def vote_shares(near: Near, weigh: Weigh, class_shares: Array, n_queries: int) -> Array:
    """Return each class's share of the weighted votes (n_queries, C).

    Parameters
    ----------
    near : Near
        The unique rows within reach of each query, with their votes.
    weigh : callable
        From distances to weights. Rows of infinite weight vote alone; if no row has a
        weight, all being infinitely far, they vote equally.
    class_shares : ndarray (m, C)
        Share of each class in a unique row.
    n_queries : int
    """
    votes = near.votes * weigh(near.distance)
    votes = _only_infinite_where_any(near, votes) if np.isinf(votes).any() else votes
    votes = _equal_where_none(near, votes, n_queries)
    shape = n_queries, len(class_shares)
    total = csr_array((votes, (near.query, near.unique_row)), shape) @ class_shares
    return total / total.sum(axis=1, keepdims=True)


def most_votes(shares: Array) -> np.ndarray:
    """Return the class of the largest share, the first of those tied (n,)."""
    best = shares >= shares.max(axis=1, keepdims=True) - SHARE_TIE
    return best.argmax(axis=1)


def _only_infinite_where_any(near: Near, votes: Array) -> Array:
    infinite = np.isinf(votes)
    outvoted = np.isin(near.query, near.query[infinite])
    return np.where(infinite, near.votes, np.where(outvoted, 0.0, votes))


def _equal_where_none(near: Near, votes: Array, n_queries: int) -> Array:
    has_votes = np.bincount(near.query, votes, n_queries) > 0.0
    return np.where(has_votes[near.query], votes, near.votes)
