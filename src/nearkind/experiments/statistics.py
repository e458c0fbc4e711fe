"""Ranks of methods over many sets, and tests whether they differ.

Scores are arrays of shape (N sets, k methods) without gaps; higher is better.

References
----------
J. Demsar, *Statistical comparisons of classifiers over multiple data sets*, JMLR 7,
2006.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from nearkind.protocols import Array

DIGITS = 12
"""Scores that agree in so many decimals are tied."""


class Friedman(NamedTuple):
    """Result of the test whether any method differs from the others.

    Attributes
    ----------
    chi2, p_value : float
        Friedman's statistic, corrected for ties, and its p-value.
    F, F_p_value : float
        The less conservative statistic of Iman and Davenport (1980).
    """

    chi2: float
    p_value: float
    F: float
    F_p_value: float


class Pair(NamedTuple):
    """Comparison of two methods.

    Attributes
    ----------
    a, b : int
        Columns of the methods, a < b.
    wins, ties, losses : int
        Number of sets on which a is better than b, as good, and worse.
    p_value : float
        Of Wilcoxon's two-sided signed-rank test, zeros split between both sides.
    adjusted : float
        The p-value adjusted by Holm's procedure over all pairs.
    """

    a: int
    b: int
    wins: int
    ties: int
    losses: int
    p_value: float
    adjusted: float


def ranks(scores: ArrayLike) -> Array:
    """Return the rank of each method on each set (N, k), 1 the best, ties averaged.

    Examples
    --------
    >>> ranks([[0.9, 0.8, 0.9]])
    array([[1.5, 3. , 1.5]])
    """
    return stats.rankdata(-_table(scores), axis=1)


def mean_ranks(scores: ArrayLike) -> Array:
    """Return the mean rank of each method (k,)."""
    return ranks(scores).mean(axis=0)


def friedman(scores: ArrayLike) -> Friedman:
    """Return Friedman's test that all methods are equally good.

        chi2 = (k - 1) sum_j (R_j - N (k + 1) / 2)^2 / (sum of (r_ij - (k + 1) / 2)^2)
        F = (N - 1) chi2 / (N (k - 1) - chi2),  of k - 1 and (k - 1)(N - 1) degrees

    r are ranks, R_j their sum for method j. Without ties this is the usual formula.

    Examples
    --------
    >>> friedman([[0.5, 0.5, 0.5], [0.7, 0.7, 0.7]]).p_value
    1.0
    """
    centred = ranks(scores)
    N, k = centred.shape
    centred = centred - (k + 1) / 2.0
    spread = (centred**2).sum()
    chi2 = (k - 1) * (centred.sum(axis=0) ** 2).sum() / spread if spread > 0.0 else 0.0
    rest = N * (k - 1) - chi2
    F = (N - 1) * chi2 / rest if rest > 1e-9 * N else np.inf
    freedom = k - 1, (k - 1) * (N - 1)
    p_value = stats.chi2.sf(chi2, k - 1)
    return Friedman(
        float(chi2), float(p_value), float(F), float(stats.f.sf(F, *freedom))
    )


def critical_difference(n_sets: int, n_methods: int, alpha: float = 0.05) -> float:
    """Return the critical difference of mean ranks in Nemenyi's test.

        CD = q sqrt(k (k + 1) / (6 N)),  q of the studentized range over sqrt(2)

    Parameters
    ----------
    n_sets, n_methods : int
        N and k.
    alpha : float, default=0.05
        Level of the test.

    Examples
    --------
    >>> round(critical_difference(14, 4), 2)
    1.25
    """
    q = stats.studentized_range.ppf(1.0 - alpha, n_methods, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_sets)))


def groups(mean_ranks: ArrayLike, difference: float) -> list[tuple[int, ...]]:
    """Return the largest groups of methods that do not differ, the best first.

    Parameters
    ----------
    mean_ranks : array-like of shape (k,)
        Mean rank of each method.
    difference : float
        Critical difference: methods differ if their mean ranks are so far apart.

    Returns
    -------
    list of tuple of int
        Columns of the two or more methods of each group, the best first. Groups may
        overlap.

    Examples
    --------
    >>> groups([1.0, 3.0, 2.0], difference=1.5)
    [(0, 2), (2, 1)]
    """
    means = np.asarray(mean_ranks, dtype=float)
    order = np.argsort(means, kind="stable")
    ends = np.searchsorted(
        means[order], means[order] + difference
    )  # (k,), first beyond
    starts = np.flatnonzero(np.diff(ends, prepend=0))  # others are within one before
    return [tuple(order[at : ends[at]].tolist()) for at in starts if ends[at] - at > 1]


def pairs(scores: ArrayLike) -> list[Pair]:
    """Return the comparison of every two methods.

    Examples
    --------
    >>> [pair] = pairs([[0.9, 0.8], [0.7, 0.6], [0.5, 0.5]])
    >>> pair.wins, pair.ties, pair.losses
    (2, 1, 0)
    """
    table = _table(scores)
    columns = list(combinations(range(table.shape[1]), 2))
    apart = [np.round(table[:, a] - table[:, b], DIGITS) for a, b in columns]
    p_values = [signed_rank(d) for d in apart]
    return [
        Pair(a, b, int((d > 0).sum()), int((d == 0).sum()), int((d < 0).sum()), p, h)
        for (a, b), d, p, h in zip(
            columns, apart, p_values, holm(p_values).tolist(), strict=True
        )
    ]


def signed_rank(differences: Array) -> float:
    """Return the p-value of Wilcoxon's signed-rank test.

    As in Demsar (2006), zero differences are split evenly between both signs.

    Examples
    --------
    >>> signed_rank(np.zeros(5))
    1.0
    """
    if not np.any(differences):
        return 1.0
    return float(stats.wilcoxon(differences, zero_method="zsplit").pvalue)


def holm(p_values: ArrayLike) -> Array:
    """Return p-values adjusted for their number by Holm's procedure.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    raised = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


def _table(scores: ArrayLike) -> NDArray[np.float64]:
    table = np.asarray(scores, dtype=float)
    if table.ndim != 2 or table.shape[0] < 1 or table.shape[1] < 2:
        raise ValueError(
            "scores must be a table of sets x methods with at least one set and two "
            f"methods; got shape {table.shape}."
        )
    if np.isnan(table).any():
        raise ValueError(
            f"scores are missing in {int(np.isnan(table).sum())} of {table.size} "
            "places; keep only the sets on which every method has a score, as "
            "Scores.complete does."
        )
    return np.round(table, DIGITS)
