"""Eskin: a mismatch weighs less where there are more values to choose from."""

from nearkind.baselines.frequencies import Frequencies
from nearkind.baselines.frequency_measures import MeanMeasure, matches, reciprocal
from nearkind.protocols import Array


class Eskin(MeanMeasure):
    """S = mean over features of 1 on a match, n^2 / (n^2 + 2) on a mismatch; 1 / S - 1.

    n is the number of values of the feature. Eskin, Arnold, Prerau, Portnoy and Stolfo,
    *A geometric framework for unsupervised anomaly detection*, 2002, as given by
    Boriah, Chandola and Kumar 2008.

    Parameters
    ----------
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Examples
    --------
    >>> Eskin().fit([["a"], ["b"]]).similarities([["a"]], [["b"]]).round(4)
    array([[0.6667]])
    """

    to_distance = staticmethod(reciprocal)

    def _table(self, feature: Frequencies) -> Array:
        n = feature.n_seen
        return matches(1.0, n * n / (n * n + 2.0), len(feature.f))
