"""How hard an index must look: until the neighbours it finds are nearly all."""

import numpy as np

from nearkind.neighbors.candidates import candidates, first_try
from nearkind.neighbors.searchers import Flat
from nearkind.neighbors.sites import Sites
from nearkind.typing import Array

RECALL = 0.99
"""Share of the true neighbours that must be found, two standard errors aside."""
N_HELD = 1_000
"""Sites that it is measured on, each without itself."""
AT_LEAST = 5
"""Neighbours of each that must be found, or as many as will be asked for."""


def tuned(sites: Sites, searcher: Flat, k: int) -> float:
    """Raise a searcher's effort until it finds enough, and return what it finds.

    Parameters
    ----------
    sites : all vectors
    searcher : over them
    k : how many neighbours will be asked for
    """
    k = min(max(k, AT_LEAST), len(sites.vectors) - 1)
    if k < 1:
        return 1.0
    held = np.random.default_rng(0).permutation(len(sites.vectors))[:N_HELD]
    V = sites.vectors[held]
    truth = candidates(sites, Flat(sites.vectors), V, first_try(k)).distance[:, k]
    for _ in searcher.efforts():
        found = shares_found(sites, searcher, V, truth, k)
        recall = float(found.mean())
        if recall - 2.0 * found.std() / len(found) ** 0.5 >= RECALL:
            break
    return recall


def shares_found(sites: Sites, searcher: Flat, V: Array, truth: Array, k: int) -> Array:
    """Return which share of k neighbours of each site V is found, itself aside (b,).

    Parameters
    ----------
    truth : (b,), distance to the last of them; whatever is as near will do
    """
    found = candidates(sites, searcher, V, first_try(k))
    hits = (found.distance <= (truth + found.tie)[:, None]).sum(axis=1) - 1
    return np.clip(hits, 0, k) / k
