"""Class histograms of values (VDM)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from nearkind.projections.base import TableProjection, value_counts
from nearkind.protocols import Array, Codes, Labels


@dataclass
class VDM(TableProjection):
    """The value difference metric's projection (equations 1 and 2 of the paper).

    phi_d(f)_c = (N_cd(f) + m pi_c) / (N_d(f) + m), with N_cd(f) the rows of class c
    that have value f, pi the class prior and m >= 0 pseudo-counts; the paper has m = 0.

    Parameters
    ----------
    smoothing : float or callable, default=0.0
        The pseudo-counts m, or a function from counts (s_d, C) and prior (C,) to m.
    cross_fit : bool, default=False
        Whether to leave a row out of its own histograms while the metric is learned.

    Attributes
    ----------
    tables : list of ndarray of shape (s_d + 1, 1, C)
        The last row is the prior.
    counts : list of ndarray of shape (s_d, C)
    prior : ndarray of shape (C,)
    pseudo : list of float
        The pseudo-counts of each feature.
    """

    smoothing: float | Callable[[Array, Array], float] = 0.0
    cross_fit: bool = False
    counts: list[Array] = field(default_factory=list, init=False, repr=False)
    prior: Array = field(default_factory=lambda: np.zeros(0), init=False, repr=False)
    pseudo: list[float] = field(default_factory=list, init=False, repr=False)

    def shape(self, n_values: Sequence[int], n_classes: int) -> tuple[int, int]:
        """Return one row per feature, one channel per class."""
        return len(n_values), n_classes

    def fit(
        self, codes: Codes, n_values: Sequence[int], y: Labels, weights: Array
    ) -> Self:
        """Count classes at each value, O(n D + C sum of s_d), over labelled rows."""
        if y is None:
            raise ValueError(
                "Class histograms need labels. Pass y, or take "
                "projection='cooccurrence' or 'onehot', which need none."
            )
        known = y >= 0
        codes, y, weights = codes[known], y[known], weights[known]
        totals = np.bincount(y, weights).astype(float)
        return self.fit_counts(value_counts(codes, n_values, y, weights), totals)

    def fit_counts(self, counts: Sequence[Array], totals: Array) -> Self:
        """Fill ``tables`` from N_cd(f) (s_d, C) and the rows of each class (C,)."""
        self.counts = list(counts)
        self.prior = totals / totals.sum()
        choose = self.smoothing
        self.pseudo = [
            choose(counts, self.prior) if callable(choose) else float(choose)
            for counts in self.counts
        ]
        self.tables = [
            np.vstack([shares(N, m, self.prior), self.prior])[:, None, :]
            for N, m in zip(self.counts, self.pseudo, strict=True)
        ]
        return self

    def transform_training(self, codes: Codes, y: Labels) -> Array:
        """Return phi (n, D, C), each row without itself if ``cross_fit``."""
        if not self.cross_fit or y is None:
            return self.transform(codes)
        itself = np.vstack([np.eye(len(self.prior)), np.zeros(len(self.prior))])[y]
        phi = np.empty((len(codes), codes.shape[1], len(self.prior)))
        for d, (N, m) in enumerate(zip(self.counts, self.pseudo, strict=True)):
            left = np.vstack([N, np.zeros(len(self.prior))])[codes[:, d]]
            phi[:, d] = shares(np.maximum(left - itself, 0.0), m, self.prior)
        return phi


def shares(counts: Array, pseudo: float, prior: Array) -> Array:
    """Return the class shares of each row of counts, shrunk to the prior.

    A row without counts has the prior itself.

    Examples
    --------
    >>> shares(np.array([[1.0, 0.0], [0.0, 0.0]]), 1.0, np.array([0.5, 0.5]))
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    total = counts.sum(axis=1, keepdims=True) + pseudo
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0.0, (counts + pseudo * prior) / total, prior)


def empirical_bayes(counts: Array, prior: Array) -> float:
    """Return the pseudo-counts m that make the counts most likely.

    The classes at each value are taken as drawn with probabilities that follow a
    Dirichlet distribution of mean pi and concentration m (Minka, 2000). Where the
    counts do not determine m (every value seen once), the largest is taken: all values
    then have the prior.

    Examples
    --------
    >>> once = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> empirical_bayes(once, np.array([0.5, 0.5]))
    1000000.0
    """
    present = prior > 0.0
    N, pi = counts[:, present], prior[present]
    totals = N.sum(axis=1)

    def cost(log_m: float) -> float:
        m = np.exp(log_m)
        gain = (gammaln(N + m * pi) - gammaln(m * pi)).sum()
        return -float(gain + (gammaln(m) - gammaln(totals + m)).sum())

    grid = np.log(np.logspace(-3, 6, 28))
    costs = np.array([cost(x) for x in grid])
    flat = 1e-7 * max(totals.sum(), 1.0)
    best = int(np.flatnonzero(costs <= costs.min() + flat)[-1])
    if best in (0, len(grid) - 1):
        return float(np.exp(grid[best]).round(9))
    around = (grid[best - 1], grid[best + 1])
    return float(np.exp(minimize_scalar(cost, bounds=around, method="bounded").x))
