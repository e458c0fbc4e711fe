"""Smirnov: a value is compared with how the other values are distributed."""

import numpy as np

from nearkind.baselines.frequencies import Frequencies
from nearkind.baselines.frequency_measures import (
    MeanMeasure,
    matches,
    shifted_reciprocal,
)
from nearkind.protocols import Array


class Smirnov(MeanMeasure):
    """S = sum over features of S_d / sum of their numbers of values; 1 / (1 + S).

    On a match S_d = 2 + (N - f(x)) / f(x) + sum of f(q) / (N - f(q)) over values q
    other than x; on a mismatch only that sum, over q other than x and x'. Equal rows
    are not at distance 0. Smirnov, *On exact methods in systematics*, Systematic
    Zoology 1968, as given by Boriah, Chandola and Kumar 2008. Constant features are
    left out.

    Parameters
    ----------
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Examples
    --------
    >>> smirnov = Smirnov().fit([["a"], ["a"], ["b"], ["b"]])
    >>> smirnov.similarities([["a"]], [["a"], ["b"]])
    array([[2., 0.]])
    """

    drops_constant = True
    zero_on_equal_rows = False
    to_distance = staticmethod(shifted_reciprocal)

    def _table(self, feature: Frequencies) -> Array:
        N, f = feature.total, feature.f
        odds = np.append(feature.counts / (N - feature.counts), 0.0)
        rest = odds.sum() - np.add.outer(odds, odds)
        on_match = 2.0 + (N - f) / f + (odds.sum() - odds)
        return matches(on_match, np.maximum(rest, 0.0), len(f))

    def _share(self, feature: Frequencies) -> float:
        return float(feature.n_seen)
