"""Burnaby: mismatches of rare values are less alike."""

import numpy as np

from nearkind.baselines.frequencies import Frequencies
from nearkind.baselines.frequency_measures import MeanMeasure, matches
from nearkind.protocols import Array


class Burnaby(MeanMeasure):
    """S = mean over features of 1 on a match, B / (log odds + B) on a mismatch; 1 - S.

    B = sum over values of 2 log(1 - p(q)), log odds = log(p(x) p(x') / ((1 - p(x))
    (1 - p(x')))). With two values the odds cancel, so features of two values say
    nothing. Burnaby, *On a method for character weighting a similarity coefficient*,
    Mathematical Geology 1970, as given by Boriah, Chandola and Kumar 2008. Constant
    features are left out.

    Parameters
    ----------
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Examples
    --------
    >>> burnaby = Burnaby().fit([["a"], ["b"], ["c"]])
    >>> burnaby.similarities([["a"]], [["a"], ["b"]]).round(4)
    array([[1.   , 0.637]])
    """

    drops_constant = True

    def _table(self, feature: Frequencies) -> Array:
        B = 2.0 * np.log1p(-feature.counts / feature.total).sum()
        log_odds = np.log(feature.p) - np.log1p(-feature.p)
        both = np.minimum(np.add.outer(log_odds, log_odds), 0.0)
        return matches(1.0, B / (both + B), len(feature.f))
