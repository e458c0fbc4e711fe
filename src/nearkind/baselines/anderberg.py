"""Anderberg: matches of rare values and mismatches of rare values weigh most."""

import numpy as np

from nearkind.baselines.frequencies import Frequencies
from nearkind.baselines.frequency_measures import RatioMeasure, matches
from nearkind.protocols import Array


class Anderberg(RatioMeasure):
    """S = A / (A + B), d = 1 - S.

    A = sum over matches of p(x)^-2 g, B = sum over mismatches of g / (2 p(x) p(x')),
    g = 2 / (n (n + 1)) with n the number of values of the feature. Anderberg, *Cluster
    Analysis for Applications*, 1973, as given by Boriah, Chandola and Kumar 2008.
    Constant features are left out.

    Parameters
    ----------
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Examples
    --------
    >>> anderberg = Anderberg().fit([["a", "x"], ["b", "x"], ["b", "y"], ["a", "y"]])
    >>> anderberg.similarities([["a", "x"]], [["a", "y"]]).round(4)
    array([[0.6667]])
    """

    drops_constant = True

    def _table(self, feature: Frequencies) -> Array:
        return np.diag(np.diag(self._weights(feature)))

    def _weights(self, feature: Frequencies) -> Array:
        n, p = feature.n_seen, feature.p
        rarity = 2.0 / (n * (n + 1.0)) / np.multiply.outer(p, p)
        return matches(np.diag(rarity), 0.5 * rarity, len(p))
