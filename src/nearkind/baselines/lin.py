"""Lin's similarity from information content, and the variant Lin1."""

import numpy as np

from nearkind.baselines.frequencies import Frequencies
from nearkind.baselines.frequency_measures import RatioMeasure, matches, reciprocal
from nearkind.protocols import Array


class Lin(RatioMeasure):
    """S = sum of 2 log p(x or x') / sum of log p(x) + log p(x'), d = 1 / S - 1.

    p(x or x') is the share of rows with either value; sums run over features. Matches
    of rare values, and mismatches of frequent ones, say most. Rows of two-valued
    features only that agree in none have S = 0 and are infinitely far apart. Lin, *An
    information-theoretic definition of similarity*, ICML 1998, as given by Boriah,
    Chandola and Kumar 2008. Constant features are left out.

    Parameters
    ----------
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Examples
    --------
    >>> lin = Lin().fit([["a"], ["b"], ["c"], ["c"]])
    >>> lin.similarities([["a"]], [["b"]]).round(4)
    array([[0.5]])
    """

    drops_constant = True
    to_distance = staticmethod(reciprocal)

    def _table(self, feature: Frequencies) -> Array:
        either = np.add.outer(feature.f, feature.f) / feature.total
        return matches(2.0 * np.log(feature.p), 2.0 * _log(either), len(feature.f))

    def _weights(self, feature: Frequencies) -> Array:
        logs = np.log(feature.p)
        return np.add.outer(logs, logs)


class Lin1(RatioMeasure):
    """As Lin, with all values Q whose frequency lies between those of x and x'.

    S = sum over features of (sum of log p(q) on a match, 2 log of the sum of p(q) on a
    mismatch) / sum of sum of log p(q), q in Q, ends included; 1 / S - 1. An unseen
    value is in Q only as one of its ends. Boriah, Chandola and Kumar, SIAM Data Mining
    2008. Constant features are left out.

    Parameters
    ----------
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Examples
    --------
    >>> lin1 = Lin1().fit([["a"], ["b"], ["c"], ["c"]])
    >>> lin1.similarities([["a"]], [["b"]]).round(4)
    array([[0.5]])
    """

    drops_constant = True
    to_distance = staticmethod(reciprocal)

    def _table(self, feature: Frequencies) -> Array:
        together = _between(feature, feature.f) / feature.total
        on_match = np.diag(self._weights(feature))
        return matches(on_match, 2.0 * _log(together), len(feature.f))

    def _weights(self, feature: Frequencies) -> Array:
        return _between(feature, np.log(feature.p))


def _log(shares: Array) -> Array:
    """Return the logarithm of shares; an unseen value may push them above one."""
    return np.log(np.minimum(shares, 1.0))


def _between(feature: Frequencies, amounts: Array) -> Array:
    """Return sums of amounts (s + 1,) over Q for any two values (s + 1, s + 1)."""
    rank, order = feature.rank, np.argsort(feature.rank[:-1], kind="stable")
    running = np.concatenate([[0.0], np.cumsum(amounts[:-1][order])])
    low = np.searchsorted(rank[:-1][order], rank, "left")
    high = np.searchsorted(rank[:-1][order], rank, "right")
    sums = running[np.maximum.outer(high, high)] - running[np.minimum.outer(low, low)]
    sums[-1, :] += amounts[-1]
    sums[:-1, -1] += amounts[-1]
    return sums
