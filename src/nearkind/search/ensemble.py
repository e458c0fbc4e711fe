"""Ensemble selection: the best setting, and others as far as they help it.

Forward selection from a library of fitted models, after Caruana et al., *Ensemble
selection from libraries of models*, ICML 2004.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array

BLUNT = 0.02
"""Share that every class gets before logarithms: a vote of none is not certainty."""
CONFIDENCE = 0.1
"""Weight of the mean log-likelihood beside the accuracy."""


class Member(NamedTuple):
    """A way to vote: number of the contender, and of the way among its own."""

    contender: int
    way: int


def quality(shares: Array, truth: NDArray[np.intp], weights: Array) -> Array:
    """Return accuracy plus a little of the log-likelihood of each table (..., n, C).

    Examples
    --------
    >>> sure = np.array([[[1.0, 0.0]], [[0.6, 0.4]]])
    >>> first, second = quality(sure, np.array([0]), np.ones(1))
    >>> bool(first > second)
    True
    """
    right = shares.argmax(axis=-1) == truth
    chance = np.take_along_axis(
        shares, np.broadcast_to(truth, shares.shape[:-1])[..., None], axis=-1
    )[..., 0]
    sure = np.log((1.0 - BLUNT) * chance + BLUNT / shares.shape[-1])
    return np.average(right + CONFIDENCE * sure, axis=-1, weights=weights)


def best_quality(n_classes: int) -> float:
    """Return the quality of votes that are right and sure on every row."""
    return 1.0 + CONFIDENCE * float(np.log(1.0 - BLUNT + BLUNT / n_classes))


def needed_gain(weights: Array) -> float:
    """Return by how much votes must be better for one more to join in."""
    return 0.01 / float(np.sqrt(weights.sum()))


def select_members(
    tables: Sequence[Array],
    alive: Sequence[NDArray[np.bool_]],
    truth: NDArray[np.intp],
    weights: Array,
    most: int,
) -> list[Member]:
    """Return the ways to vote whose mean does best, one after the other.

    Parameters
    ----------
    tables : of each contender, simplest first, its votes (V, n, C)
    alive : which of its ways may be taken (V,)
    truth, weights : of the n rows
    most : how many at most

    Returns
    -------
    members, one metric at most once each; one is added only if the mean of all is
    better for it by more than chance would have it
    """
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
