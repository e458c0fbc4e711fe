"""Votes of neighbours: weights, and shares of the classes."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nearkind.neighbors.k_nearest import Near, RankedNear
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
"""Weights of the votes of the k nearest rows."""
SOFT = "soft"
"""Weights by which all rows vote: see ``SoftVotes``."""
WEIGHTS = (*VOTE_WEIGHTS, SOFT)


def is_soft(weights: Any) -> bool:
    """Return whether all rows vote, whatever the number of neighbours."""
    return isinstance(weights, str) and weights == SOFT


def weigher(weights: Any) -> Weigh:
    """Return the function from distances to weights of that name, or the one given."""
    weigh: Weigh = weights if callable(weights) else VOTE_WEIGHTS[weights]
    return weigh


def near_votes(near: Near, weigh: Weigh, n_queries: int) -> Array:
    """Return the weighted vote of each row that is near, as ``near`` lists them.

    Parameters
    ----------
    near, weigh, n_queries : as in ``vote_shares``
    """
    votes = near.votes * weigh(near.distance)
    votes = _only_infinite_where_any(near, votes) if np.isinf(votes).any() else votes
    return _equal_where_none(near, votes, n_queries)


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
    votes = near_votes(near, weigh, n_queries)
    if n_queries == 1:  # the same sum, in the same order, in fewer calls
        total = (votes[:, None] * class_shares[near.unique_row]).sum(axis=0)[None]
    else:
        ends = np.searchsorted(near.query, np.arange(n_queries + 1))
        shape = n_queries, len(class_shares)
        total = csr_array((votes, near.unique_row, ends), shape) @ class_shares
    return total / total.sum(axis=1, keepdims=True)


def vote_shares_by_k(
    ranked: RankedNear, weigh: Weigh, class_shares: Array, ks: Sequence[float]
) -> Array:
    """Return ``vote_shares`` for several numbers of neighbours (len(ks), n_queries, C).

    Rows equally near vote with one share of their weight, so their votes for each class
    are added up before any k is looked at.

    Parameters
    ----------
    ranked : RankedNear
        The unique rows within reach of the largest k.
    weigh, class_shares : as in ``vote_shares``
    ks : sequence of length K
    """
    first = ranked.first_of_groups
    starts = np.searchsorted(ranked.query[first], np.arange(len(ranked.tie)))
    left = np.asarray(ks, dtype=float) - ranked.before[first][:, None]
    parts = np.clip(left / ranked.level[first][:, None], 0.0, 1.0)  # (n_groups, K)
    ends = np.append(first, len(ranked.query))
    shape = len(first), len(class_shares)

    def totals(weights: Array) -> Array:
        of_rows = csr_array((ranked.weights * weights, ranked.unique_row, ends), shape)
        votes = (of_rows @ class_shares)[:, None] * parts[:, :, None]
        return np.add.reduceat(votes, starts, axis=0)  # (n_queries, K, C)

    weights = weigh(ranked.distance)
    infinite = np.isinf(weights)
    total = totals(np.where(infinite, 0.0, weights))
    if not (have := _have_votes(total)).all():
        total = np.where(have, total, totals(np.ones_like(weights)))
    if infinite.any():
        alone = totals(infinite.astype(float))
        total = np.where(_have_votes(alone), alone, total)
    return (total / total.sum(axis=2, keepdims=True)).swapaxes(0, 1)


def most_votes(shares: Array) -> np.ndarray:
    """Return the class of the largest share, the first of those tied (n,)."""
    best = shares >= shares.max(axis=1, keepdims=True) - SHARE_TIE
    return best.argmax(axis=1)


def _have_votes(total: Array) -> np.ndarray:
    return total.sum(axis=2, keepdims=True) > 0.0


def _only_infinite_where_any(near: Near, votes: Array) -> Array:
    infinite = np.isinf(votes)
    outvoted = np.isin(near.query, near.query[infinite])
    return np.where(infinite, near.votes, np.where(outvoted, 0.0, votes))


def _equal_where_none(near: Near, votes: Array, n_queries: int) -> Array:
    has_votes = np.bincount(near.query, votes, n_queries) > 0.0
    return np.where(has_votes[near.query], votes, near.votes)
