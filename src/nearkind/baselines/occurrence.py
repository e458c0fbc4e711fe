"""Inverse occurrence frequency and occurrence frequency."""

import numpy as np

from nearkind.baselines.frequencies import Frequencies
from nearkind.baselines.frequency_measures import MeanMeasure, matches, reciprocal
from nearkind.protocols import Array


class InverseOccurrence(MeanMeasure):
    """S = mean of 1 on a match, 1 / (1 + log f(x) log f(x')) on a mismatch; 1 / S - 1.

    f is the count of a value: mismatches of rare values are more alike. Spaerck Jones,
    *A statistical interpretation of term specificity*, Journal of Documentation 1972,
    as given by Boriah, Chandola and Kumar 2008; natural logarithm. Counts below one,
    which weights can make, count as one.

    Parameters
    ----------
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Examples
    --------
    >>> iof = InverseOccurrence().fit([["a"], ["a"], ["b"], ["b"]])
    >>> iof.similarities([["a"]], [["b"]]).round(4)
    array([[0.6755]])
    """

    to_distance = staticmethod(reciprocal)

    def _table(self, feature: Frequencies) -> Array:
        return _of_logarithms(np.log(np.maximum(feature.f, 1.0)))


class OccurrenceFrequency(MeanMeasure):
    """S = mean of 1 on a match, 1 / (1 + log(N/f(x)) log(N/f(x'))) else; 1 / S - 1.

    N / f is the inverse share of a value: mismatches of frequent values are more alike.
    Boriah, Chandola and Kumar, SIAM Data Mining 2008; natural logarithm.

    Parameters
    ----------
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Examples
    --------
    >>> of = OccurrenceFrequency().fit([["a"], ["a"], ["b"], ["b"]])
    >>> of.similarities([["a"]], [["b"]]).round(4)
    array([[0.6755]])
    """

    to_distance = staticmethod(reciprocal)

    def _table(self, feature: Frequencies) -> Array:
        return _of_logarithms(np.maximum(-np.log(feature.p), 0.0))


def _of_logarithms(logs: Array) -> Array:
    return matches(1.0, 1.0 / (1.0 + np.multiply.outer(logs, logs)), len(logs))
