"""The settings that vote together, and the weights of their votes.

Weights are found by stacking (Wolpert, *Stacked generalization*, Neural Networks 5,
1992; van der Laan, Polley and Hubbard, *Super learner*, Statistical Applications in
Genetics and Molecular Biology 6, 2007), or, by a score that is no mean over rows, all
are equal and members are added one by one (Caruana et al., *Ensemble selection from
libraries of models*, ICML 2004).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array
from nearkind.search.scoring import Accuracy, Scoring, log_chances

LEAST_WEIGHT = 0.05
"""Weight below which a member is not worth its votes."""
SHRUNK = 0.5
"""Part of the weights that is the same for all members: stacked weights are noisy."""
NOISE = 0.5
"""Standard errors by which several must be better than one."""
N_STEPS = 60
"""Steps of the weights towards the likeliest; the last ones move little."""


class Member(NamedTuple):
    """A way to vote: number of the contender, and of the way among its own."""

    contender: int
    way: int


def stacked_members(
    tables: Sequence[Array],
    alive: Sequence[NDArray[np.bool_]],
    families: Sequence[int],
    truth: NDArray[np.intp],
    weights: Array,
    most: int,
    scoring: Scoring,
) -> tuple[list[Member], Array]:
    """Return the ways to vote whose weighted mean is likeliest, and the weights.

    Of each family the likeliest way takes part. The convex weights by which the votes
    are likeliest are found; the member of the least weight is left out until there are
    ``most`` and none is below ``LEAST_WEIGHT``; and the weights are shrunk to their
    mean. If that is not likelier than the best way alone by ``NOISE`` standard errors
    of the paired difference, the best way votes alone.

    Parameters
    ----------
    tables, alive, truth, weights, most : as in ``select_members``
    families : sequence of int
        Number of the candidate that each contender is a strength of.
    scoring : Scoring
        By which the best way alone is chosen; it also says how much each row counts.

    Returns
    -------
    members : list of Member
        By falling weight.
    weights : ndarray
        Sum 1.
    """
    counts = weights * scoring.row_factors(truth, weights)
    (alone,) = select_members(tables, alive, truth, weights, 1, scoring)
    best: dict[int, tuple[float, Member]] = {}
    for i, (family, table, ok) in enumerate(zip(families, tables, alive, strict=True)):
        means = np.average(log_chances(table, truth), axis=1, weights=counts)
        way = int(np.where(ok, means, -np.inf).argmax())
        if ok.any() and (family not in best or means[way] > best[family][0]):
            best[family] = float(means[way]), Member(i, way)
    members = [member for _, member in best.values()]
    votes = np.array([tables[i][way] for i, way in members])
    chances = np.exp(log_chances(votes, truth))
    shares = likeliest_weights(chances, counts)
    while len(members) > 1 and (len(members) > most or shares.min() < LEAST_WEIGHT):
        kept = np.arange(len(members)) != shares.argmin()
        members = [m for m, is_kept in zip(members, kept, strict=True) if is_kept]
        votes, chances = votes[kept], chances[kept]
        shares = likeliest_weights(chances, counts)
    shares = (1.0 - SHRUNK) * shares + SHRUNK / len(shares)
    together = log_chances(np.tensordot(shares, votes, 1), truth)
    gain = together - log_chances(tables[alone.contender][alone.way], truth)
    mean = np.average(gain, weights=counts)
    spread = np.sqrt(np.average((gain - mean) ** 2, weights=counts) / weights.sum())
    if len(members) < 2 or mean <= NOISE * spread:
        return [alone], np.ones(1)
    order = np.argsort(-shares, kind="stable")
    return [members[i] for i in order], shares[order]


def likeliest_weights(chances: Array, counts: Array) -> Array:
    """Return the convex weights (M,) by which the true classes are likeliest.

    By the EM algorithm for the parts of a mixture.

    Parameters
    ----------
    chances : ndarray (M, n)
        Probability that each member gives to the true class of each row.
    counts : ndarray (n,)
        How much each row counts.

    Examples
    --------
    >>> chances = np.array([[0.9, 0.9, 0.1], [0.1, 0.1, 0.9], [0.1, 0.1, 0.1]])
    >>> likeliest_weights(chances, np.ones(3)).round(2)
    array([0.71, 0.29, 0.  ])
    """
    weights = np.full(len(chances), 1.0 / len(chances))
    for _ in range(N_STEPS):
        parts = weights[:, None] * chances
        weights = np.average(parts / parts.sum(axis=0), axis=1, weights=counts)
    return weights


def least_gain(weights: Array) -> float:
    """Return by how much votes must be better for it to be no rounding."""
    return 0.01 / float(np.sqrt(weights.sum()))


def needed_gain(weights: Array) -> float:
    """Return by how much votes must be better for one more distance to join in.

    One distance is what people ask for, and explain by: another must earn its place.
    """
    return 3.0 * least_gain(weights)


def select_members(
    tables: Sequence[Array],
    alive: Sequence[NDArray[np.bool_]],
    truth: NDArray[np.intp],
    weights: Array,
    most: int,
    scoring: Scoring | None = None,
) -> list[Member]:
    """Return the ways to vote whose mean does best, one after the other.

    Parameters
    ----------
    tables : of each contender, simplest first, its votes (V, n, C)
    alive : which of its ways may be taken (V,)
    truth, weights : of the n rows
    most : how many at most
    scoring : what they are to be good at; None: Accuracy()

    Returns
    -------
    members, one metric at most once each; one is added only if the mean of all is
    better for it by more than chance would have it
    """
    quality = (scoring or Accuracy()).quality
    members: list[Member] = []
    total, best = 0.0, -np.inf
    for n_members in range(1, most + 1):
        found = [
            np.where(
                ok & (i not in [s.contender for s in members]),
                quality((total + table) / n_members, truth, weights),
                -np.inf,
            )
            for i, (table, ok) in enumerate(zip(tables, alive, strict=True))
        ]
        top = max(float(scores.max()) for scores in found)
        needed = best + needed_gain(weights) if members else -np.inf
        if top <= needed:
            break
        enough = max(top - 1e-3, np.nextafter(needed, np.inf))
        i = next(i for i, scores in enumerate(found) if scores.max() >= enough)
        members.append(Member(i, int(found[i].argmax())))
        total, best = total + tables[i][members[-1].way], float(found[i].max())
    return members
