"""Ensemble selection: the best setting, and others that improve the mean vote.

Forward selection from a library of fitted models, after Caruana et al., *Ensemble
selection from libraries of models*, ICML 2004.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array
from nearkind.search.scoring import Accuracy, Scoring


class Member(NamedTuple):
    """A way to vote: number of the contender, and of the way among its own."""

    contender: int
    way: int


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
