"""What oracles of baselines share: counts of values in plain loops, drawn pairs."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np

from helpers.six_persons import PERSONS


def occupation_distances(model):
    """Return the distances of the three occupations of the six persons."""
    table = model.fit(PERSONS).value_distances("Occupation")
    return [table.loc["Acc", "Doc"], table.loc["Acc", "Plu"], table.loc["Doc", "Plu"]]


def distance_of_persons(model, i, j):
    """Return the distance of two of the six persons, numbered from 1."""
    return model.fit(PERSONS).pairwise_distances(PERSONS)[i - 1, j - 1]


def values_of(rows, d):
    """Return the sorted values of a feature."""
    return sorted({row[d] for row in rows})


def value_shares(rows, d, given=None, value=None):
    """Return P(A_d) among rows, or among those where another feature has a value."""
    chosen = [row for row in rows if given is None or row[given] == value]
    counts = Counter(row[d] for row in chosen)
    return {v: Fraction(counts[v], len(chosen)) for v in values_of(rows, d)}


def entropy(counts):
    """Return the entropy of a Counter, in bits."""
    total = sum(counts.values())
    return -sum(c / total * math.log2(c / total) for c in counts.values())


def normal_pairs(n_pairs, width, seed=0):
    """Return differences, and which are of alike rows: the smaller ones."""
    rng = np.random.default_rng(seed)
    alike = rng.random(n_pairs) < 0.5
    V = rng.normal(size=(n_pairs, width))
    V[alike, : width // 2] *= 0.2
    return V, alike


def targets_with_shares(near, alike, n_targets):
    """Return (target, how much of it counts): the nearest of some rows of one class.

    Rows equally near at the last place share it.
    """
    near = np.round(near, 7)
    last = max(sorted(near[alike])[:n_targets], default=0.0)
    n_nearer, n_tied = (near[alike] < last).sum(), (near[alike] == last).sum()
    share = min(1.0, (n_targets - n_nearer) / max(n_tied, 1))
    return [(j, 1.0 if near[j] < last else share) for j in alike if near[j] <= last]
