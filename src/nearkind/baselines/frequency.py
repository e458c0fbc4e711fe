"""Measures of similarity from the frequencies of values, and their distances.

``x`` and ``x'`` are the values of a feature in two rows, f(x) the count of a value, N
the number of rows, p = f / N. The formulas are those of Boriah, Chandola and Kumar,
*Similarity measures for categorical data*, SIAM Data Mining 2008, who name the sources.
"""

import numpy as np
from scipy.special import entr

from nearkind.baselines.similarity import Frequencies, MeanMeasure, RatioMeasure
from nearkind.protocols import Array


class Eskin(MeanMeasure):
    """S = mean over features of 1 on a match, n^2 / (n^2 + 2) on a mismatch; 1 / S - 1.

    n is the number of values of the feature. Eskin, Arnold, Prerau, Portnoy and Stolfo,
    *A geometric framework for unsupervised anomaly detection*, 2002, as given by
    Boriah, Chandola and Kumar 2008.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> Eskin().fit([["a"], ["b"]]).similarities([["a"]], [["b"]]).round(4)
    array([[0.6667]])
    """

    conversion = "reciprocal"

    def _table(self, feature: Frequencies) -> Array:
        n = feature.n_seen
        return feature.table(1.0, n * n / (n * n + 2.0))


class InverseOccurrence(MeanMeasure):
    """S = mean of 1 on a match, 1 / (1 + log f(x) log f(x')) on a mismatch; 1 / S - 1.

    f is the count of a value: rare values are more similar on a mismatch. Spaerck
    Jones, *A statistical interpretation of term specificity*, Journal of Documentation
    1972, as given by Boriah, Chandola and Kumar 2008; natural logarithm. Counts below
    one, due to sample weights, are treated as one.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> iof = InverseOccurrence().fit([["a"], ["a"], ["b"], ["b"]])
    >>> iof.similarities([["a"]], [["b"]]).round(4)
    array([[0.6755]])
    """

    conversion = "reciprocal"

    def _table(self, feature: Frequencies) -> Array:
        logs = np.log(np.maximum(feature.f, 1.0))
        return feature.table(1.0, 1.0 / (1.0 + np.multiply.outer(logs, logs)))


class OccurrenceFrequency(MeanMeasure):
    """S = mean of 1 on a match, 1 / (1 + log(N/f(x)) log(N/f(x'))) else; 1 / S - 1.

    N / f is the inverse share of a value: frequent values are more similar on a
    mismatch. Boriah, Chandola and Kumar, SIAM Data Mining 2008; natural logarithm.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> of = OccurrenceFrequency().fit([["a"], ["a"], ["b"], ["b"]])
    >>> of.similarities([["a"]], [["b"]]).round(4)
    array([[0.6755]])
    """

    conversion = "reciprocal"

    def _table(self, feature: Frequencies) -> Array:
        logs = np.maximum(-np.log(feature.p), 0.0)
        return feature.table(1.0, 1.0 / (1.0 + np.multiply.outer(logs, logs)))


class Lin(RatioMeasure):
    """S = sum of 2 log p(x or x') / sum of log p(x) + log p(x'), d = 1 / S - 1.

    p(x or x') is the share of rows with either value; sums run over features. Matches
    of rare values, and mismatches of frequent ones, have the largest weights. Rows that
    differ in all features, each with two values, have S = 0 and infinite distance. Lin,
    *An information-theoretic definition of similarity*, ICML 1998, as given by Boriah,
    Chandola and Kumar 2008. Constant features are ignored.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> lin = Lin().fit([["a"], ["b"], ["c"], ["c"]])
    >>> lin.similarities([["a"]], [["b"]]).round(4)
    array([[0.5]])
    """

    fewest_values = 2
    conversion = "reciprocal"

    def _table(self, feature: Frequencies) -> Array:
        either = np.add.outer(feature.f, feature.f) / feature.total
        return feature.table(2.0 * np.log(feature.p), 2.0 * _log(either))

    def _weights(self, feature: Frequencies) -> Array:
        logs = np.log(feature.p)
        return np.add.outer(logs, logs)


class Lin1(RatioMeasure):
    """As Lin, with all values Q whose frequency lies between those of x and x'.

    S = sum over features of (sum of log p(q) on a match, 2 log of the sum of p(q) on a
    mismatch) / sum of sum of log p(q), q in Q, ends included; 1 / S - 1. An unseen
    value is in Q only as one of its ends. Boriah, Chandola and Kumar, SIAM Data Mining
    2008. Constant features are ignored.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> lin1 = Lin1().fit([["a"], ["b"], ["c"], ["c"]])
    >>> lin1.similarities([["a"]], [["b"]]).round(4)
    array([[0.5]])
    """

    fewest_values = 2
    conversion = "reciprocal"

    def _table(self, feature: Frequencies) -> Array:
        together = _between(feature, feature.f) / feature.total
        on_match = np.diag(self._weights(feature))
        return feature.table(on_match, 2.0 * _log(together))

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


class Goodall1(MeanMeasure):
    """S = mean of 1 - sum of p2(q) over values q no more frequent than x, on a match.

    A mismatch adds 0; d = 1 - S, above 0 for equal rows. p2(q) = f (f - 1) / (N (N -
    1)) is the probability that two rows both have q. Goodall, *A new similarity index
    based on probability*, Biometrics 1966, in the variants of Boriah, Chandola and
    Kumar 2008.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> goodall = Goodall1().fit([["a"], ["a"], ["b"], ["b"]])
    >>> goodall.similarities([["a"]], [["a"], ["b"]]).round(4)
    array([[0.6667, 0.    ]])
    """

    def _table(self, feature: Frequencies) -> Array:
        no_more = feature.rank[:-1] <= feature.rank[:, None]
        return feature.table(1.0 - no_more @ feature.p2[:-1], 0.0)


class Goodall2(MeanMeasure):
    """S = mean of 1 - sum of p2(q) over values q no less frequent than x, on a match.

    Otherwise as :class:`Goodall1`, but matches of frequent values have larger weights.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> goodall = Goodall2().fit([["a"], ["a"], ["b"], ["b"]])
    >>> goodall.similarities([["a"]], [["a"], ["b"]]).round(4)
    array([[0.6667, 0.    ]])
    """

    def _table(self, feature: Frequencies) -> Array:
        no_less = feature.rank[:-1] >= feature.rank[:, None]
        return feature.table(1.0 - no_less @ feature.p2[:-1], 0.0)


class Goodall3(MeanMeasure):
    """S = mean of 1 - p2(x) on a match; otherwise as :class:`Goodall1`.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> goodall = Goodall3().fit([["a"], ["a"], ["b"], ["b"]])
    >>> goodall.similarities([["a"]], [["a"], ["b"]]).round(4)
    array([[0.8333, 0.    ]])
    """

    def _table(self, feature: Frequencies) -> Array:
        return feature.table(1.0 - feature.p2, 0.0)


class Goodall4(MeanMeasure):
    """S = mean of p2(x) on a match; otherwise as :class:`Goodall1`.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> goodall = Goodall4().fit([["a"], ["a"], ["b"], ["b"]])
    >>> goodall.similarities([["a"]], [["a"], ["b"]]).round(4)
    array([[0.1667, 0.    ]])
    """

    def _table(self, feature: Frequencies) -> Array:
        return feature.table(feature.p2, 0.0)


class Smirnov(MeanMeasure):
    """S = sum over features of S_d / sum of their numbers of values; 1 / (1 + S).

    On a match S_d = 2 + (N - f(x)) / f(x) + sum of f(q) / (N - f(q)) over values q
    other than x; on a mismatch only that sum, over q other than x and x'. Equal rows
    are not at distance 0. Smirnov, *On exact methods in systematics*, Systematic
    Zoology 1968, as given by Boriah, Chandola and Kumar 2008. Constant features are
    ignored.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> smirnov = Smirnov().fit([["a"], ["a"], ["b"], ["b"]])
    >>> smirnov.similarities([["a"]], [["a"], ["b"]])
    array([[2., 0.]])
    """

    fewest_values = 2
    conversion = "shifted"

    def _table(self, feature: Frequencies) -> Array:
        N, f = feature.total, feature.f
        odds = np.append(feature.counts / (N - feature.counts), 0.0)
        rest = odds.sum() - np.add.outer(odds, odds)
        on_match = 2.0 + (N - f) / f + (odds.sum() - odds)
        return feature.table(on_match, np.maximum(rest, 0.0))

    def _share(self, feature: Frequencies) -> float:
        return float(feature.n_seen)


class Burnaby(MeanMeasure):
    """S = mean over features of 1 on a match, B / (log odds + B) on a mismatch; 1 - S.

    B = sum over values of 2 log(1 - p(q)), log odds = log(p(x) p(x') / ((1 - p(x)) (1 -
    p(x')))). With two values the odds cancel, so features with two values have no
    effect. Burnaby, *On a method for character weighting a similarity coefficient*,
    Mathematical Geology 1970, as given by Boriah, Chandola and Kumar 2008. Constant
    features are ignored.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> burnaby = Burnaby().fit([["a"], ["b"], ["c"]])
    >>> burnaby.similarities([["a"]], [["a"], ["b"]]).round(4)
    array([[1.   , 0.637]])
    """

    fewest_values = 2

    def _table(self, feature: Frequencies) -> Array:
        B = 2.0 * np.log1p(-feature.counts / feature.total).sum()
        log_odds = np.log(feature.p) - np.log1p(-feature.p)
        both = np.minimum(np.add.outer(log_odds, log_odds), 0.0)
        return feature.table(1.0, B / (both + B))


class Anderberg(RatioMeasure):
    """S = A / (A + B), d = 1 - S.

    A = sum over matches of p(x)^-2 g, B = sum over mismatches of g / (2 p(x) p(x')), g
    = 2 / (n (n + 1)) with n the number of values of the feature. Anderberg, *Cluster
    Analysis for Applications*, 1973, as given by Boriah, Chandola and Kumar 2008.
    Constant features are ignored.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> anderberg = Anderberg().fit([["a", "x"], ["b", "x"], ["b", "y"], ["a", "y"]])
    >>> anderberg.similarities([["a", "x"]], [["a", "y"]]).round(4)
    array([[0.6667]])
    """

    fewest_values = 2

    def _table(self, feature: Frequencies) -> Array:
        return np.diag(np.diag(self._weights(feature)))

    def _weights(self, feature: Frequencies) -> Array:
        n, p = feature.n_seen, feature.p
        rarity = 2.0 / (n * (n + 1.0)) / np.multiply.outer(p, p)
        return feature.table(np.diag(rarity), 0.5 * rarity)


class Gambaryan(MeanMeasure):
    """S = sum over matches of H(p(x)) / sum of the features' numbers of values; 1 - S.

    H(p) = -p log2 p - (1 - p) log2(1 - p). Equal rows are not at distance 0. Gambaryan,
    *A mathematical model of taxonomy*, 1964, as given by Boriah, Chandola and Kumar
    2008. Constant features are ignored.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> gambaryan = Gambaryan().fit([["a"], ["a"], ["b"], ["b"]])
    >>> gambaryan.similarities([["a"]], [["a"], ["b"]])
    array([[0.5, 0. ]])
    """

    fewest_values = 2

    def _table(self, feature: Frequencies) -> Array:
        p = feature.p
        return feature.table((entr(p) + entr(1.0 - p)) / np.log(2.0), 0.0)

    def _share(self, feature: Frequencies) -> float:
        return float(feature.n_seen)
