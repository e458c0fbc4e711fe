"""Gambaryan: matches of values that half of the rows have say most."""

import numpy as np
from scipy.special import entr

from nearkind.baselines.frequencies import Frequencies
from nearkind.baselines.frequency_measures import MeanMeasure, matches
from nearkind.protocols import Array


class Gambaryan(MeanMeasure):
    """S = sum over matches of H(p(x)) / sum of the features' numbers of values; 1 - S.

    H(p) = -p log2 p - (1 - p) log2(1 - p). Equal rows are not at distance 0. Gambaryan,
    *A mathematical model of taxonomy*, 1964, as given by Boriah, Chandola and Kumar
    2008. Constant features are left out.

    Parameters
    ----------
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Examples
    --------
    >>> gambaryan = Gambaryan().fit([["a"], ["a"], ["b"], ["b"]])
    >>> gambaryan.similarities([["a"]], [["a"], ["b"]])
    array([[0.5, 0. ]])
    """

    drops_constant = True
    zero_on_equal_rows = False

    def _table(self, feature: Frequencies) -> Array:
        p = feature.p
        return matches((entr(p) + entr(1.0 - p)) / np.log(2.0), 0.0, len(p))

    def _share(self, feature: Frequencies) -> float:
        return float(feature.n_seen)
