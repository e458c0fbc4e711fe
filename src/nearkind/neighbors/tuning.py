"""How hard an index must look: until new rows find nearly all their neighbours."""

from dataclasses import replace

import numpy as np

from nearkind.neighbors.candidates import candidates, first_try
from nearkind.neighbors.groups import RowGroups
from nearkind.neighbors.searchers import Flat
from nearkind.neighbors.sites import Sites
from nearkind.protocols import Array

RECALL = 0.99
"""Share of the true neighbours that must be found, two standard errors aside."""
N_HELD = 1_000
"""Sites that it is measured on before the searcher holds them, a fifth at most."""
AT_LEAST = 5
"""Neighbours of each that must be found, or as many as will be asked for."""


def tuned(sites: Sites, kind: type[Flat], k: int) -> tuple[Sites, Flat, float]:
    """Build a searcher that looks hard enough.

    What it holds it finds more easily than what is new to it. So some sites are held
    back until its effort is raised for them.

    Parameters
    ----------
    sites : all vectors
    kind : of the searcher
    k : how many neighbours will be asked for

    Returns
    -------
    sites : those held back are now the last
    searcher : over them, by their numbers
    recall : share of their true neighbours that those held back found among the others
    """
    n_held = min(N_HELD, len(sites.vectors) // 5)
    sites = some_last(sites, n_held)
    first, new = np.split(sites.vectors, [len(sites.vectors) - n_held])
    searcher = kind(first)
    recall = raised(sites, searcher, first, new, k) if n_held else 1.0
    searcher.add(new)
    return sites, searcher, recall


def some_last(sites: Sites, n: int) -> Sites:
    """Return the sites renumbered, so that n drawn ones are the last."""
    numbers = np.arange(len(sites.vectors))
    drawn = np.random.default_rng(0).permutation(numbers)[:n]
    order = np.concatenate([np.delete(numbers, drawn), drawn])
    of_cell = np.argsort(order)[sites.of_cell]
    cells = RowGroups.of(of_cell, np.arange(len(of_cell)))
    return replace(sites, vectors=sites.vectors[order], of_cell=of_cell, cells=cells)


def raised(sites: Sites, searcher: Flat, held: Array, new: Array, k: int) -> float:
    """Raise a searcher's effort until it finds enough, and return what it finds.

    Parameters
    ----------
    held : (m, q), vectors of the first sites, those that the searcher holds
    new : (b, q), queries
    """
    k = min(max(k, AT_LEAST), len(held))
    truth = candidates(sites, Flat(held), new, first_try(k)).distance[:, k - 1]
    for _ in searcher.efforts():
        found = shares_found(sites, searcher, new, truth, k)
        recall = float(found.mean())
        if recall - 2.0 * found.std() / len(found) ** 0.5 >= RECALL:
            break
    return recall


def shares_found(sites: Sites, searcher: Flat, V: Array, truth: Array, k: int) -> Array:
    """Return which share of its k neighbours each query V finds (b,).

    Parameters
    ----------
    truth : (b,), distance to the last of them; whatever is as near will do
    """
    found = candidates(sites, searcher, V, first_try(k))
    hits = (found.distance <= (truth + found.tie)[:, None]).sum(axis=1)
    return np.minimum(hits, k) / k
