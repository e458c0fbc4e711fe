"""Association: distances between conditional distributions of the other features."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

import numpy as np
from scipy.special import rel_entr

from nearkind.baselines.baseline import ColumnWeighted, column_weights
from nearkind.baselines.contingency import Contingency, counted
from nearkind.distances.pair_tables import PairTables, overlap, with_unseen
from nearkind.encoding.rows import CodedRows
from nearkind.estimators.base import SeparableDistance
from nearkind.protocols import Array
from nearkind.validation.parameters import choice

_AT_ONCE = 1 << 20
"""Numbers in a temporary array of differences."""

Divergence = Callable[[Array, Array], Array]
"""From distributions p (..., k) and q (..., k) to how much they differ (...)."""


def kullback_leibler(p: Array, q: Array, floor: float = 1e-6) -> Array:
    """Return sum of (p - q) log2(p / q), a little added to each share.

    Examples
    --------
    >>> kullback_leibler(np.array([0.5, 0.5]), np.array([0.25, 0.75])).round(4)
    np.float64(0.3962)
    """
    p, q = ((x + floor) / (x + floor).sum(axis=-1, keepdims=True) for x in (p, q))
    return ((p - q) * (np.log2(p) - np.log2(q))).sum(axis=-1)


def jensen_shannon(p: Array, q: Array) -> Array:
    """Return sum of p log2(2 p / (p + q)) + q log2(2 q / (p + q)), at most 2.

    Examples
    --------
    >>> jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    np.float64(2.0)
    """
    middle = 0.5 * (p + q)
    both = rel_entr(p, middle) + rel_entr(q, middle)
    return np.maximum(both.sum(axis=-1), 0.0) / np.log(2.0)


DIVERGENCES: dict[str, Divergence] = {"kl": kullback_leibler, "js": jensen_shannon}


class Association(SeparableDistance, ColumnWeighted):
    """d = sum over features i and j != i of psi(P(A_j | x_i), P(A_j | x'_i)).

    Le and Ho, *An association-based dissimilarity measure for categorical data*,
    Pattern Recognition Letters 2005. The divergence psi is our reconstruction: A1,
    symmetric Kullback-Leibler with 1e-6 added to each probability, or A2, Lin's, which
    is twice the Jensen-Shannon divergence. An unseen value has the mean distance of the
    feature's values. With a single feature, values are only equal or different.

    Parameters
    ----------
    divergence : {"kl", "js"}, default="kl"
        A1 or A2.
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> rows = [["a", "x"], ["a", "y"], ["b", "y"]]
    >>> Association("js").fit(rows).value_distances("x0")["b"].round(4).tolist()
    [0.6226, 0.0]
    """

    divergence: Annotated[str, partial(choice, table=DIVERGENCES)] = "kl"

    def _learn(self, rows: CodedRows) -> PairTables:
        counts, psi = counted(rows, self), DIVERGENCES[self.divergence]
        tables = [
            w * with_unseen(_distances(counts, d, psi))
            for d, w in enumerate(column_weights(self, rows.codebook))
        ]
        return PairTables(rows.codebook, tables)


def _distances(counts: Contingency, d: int, psi: Divergence) -> Array:
    """Return the distances of the values of a feature (s, s)."""
    size = counts.n_values[d]
    if counts.n_features == 1:
        return overlap(size)
    total = np.zeros((size, size))
    for other in counts.others(d):
        total += _divergences(counts.given(d, other), psi)
    return total


def _divergences(P: Array, psi: Divergence) -> Array:
    """Return psi between any two rows of P (s, s), symmetric to the last bit."""
    table = np.zeros((len(P), len(P)))
    step = max(1, _AT_ONCE // max(P.size, 1))
    for at in range(0, len(P), step):
        rows = slice(at, at + step)
        table[rows, at:] = psi(P[rows, None], P[None, at:])
    upper = np.triu(table, 1)
    return upper + upper.T
