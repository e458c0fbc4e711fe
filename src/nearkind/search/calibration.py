"""Calibration: from shares of votes to probabilities, fitted on rows held out."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array

SHARPEST = 8.0
"""Largest sharpness; its inverse is the smallest."""
STARTS = tuple(product((0.7, 2.5), (0.02, 0.3)))
"""Sharpness and share of the prior that the fit starts from."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """Probabilities (1 - prior_share) * s^sharpness / sum + prior_share * prior.

    Here s are shares of votes. No class of the prior is impossible. Equal shares keep
    the order of the prior; a larger share loses to a smaller one only where their
    classes differ in the prior.

    Parameters
    ----------
    sharpness : float
        Above 1 the largest share is trusted more than its votes say, below 1 less.
    prior_share : float
        In (0, 1).
    prior : ndarray (C,)
        Share of each class, > 0.

    Examples
    --------
    >>> half = Calibration(2.0, 0.1, np.array([0.5, 0.5]))
    >>> half.probabilities(np.array([[0.75, 0.25], [1.0, 0.0]])).round(2).tolist()
    [[0.86, 0.14], [0.95, 0.05]]
    """

    sharpness: float
    prior_share: float
    prior: Array

    def probabilities(self, shares: Array) -> Array:
        """Return the probabilities (..., C) that shares of votes (..., C) mean."""
        sharp = _sharpened(_log_ratios(shares), self.sharpness)
        return (1.0 - self.prior_share) * sharp + self.prior_share * self.prior

    @classmethod
    def fit(
        cls,
        shares: Array,
        truth: NDArray[np.intp],
        weights: Array,
        prior: Array,
        n_rows: float | None = None,
    ) -> "Calibration":
        """Return the calibration of least log loss on rows held out.

        A term (log sharpness)^2 / 2, which weighs as much as a row, keeps few rows from
        deciding too much. The prior has at least the share of one row among those held
        and one more a class: had all been right, the next might still be wrong.

        Parameters
        ----------
        shares : ndarray (n, C)
            Votes on rows held out.
        truth : ndarray of int (n,)
            Their classes.
        weights : ndarray (n,)
            How many rows each stands for.
        prior : ndarray (C,)
            Share of each class, > 0.
        n_rows : float, default=None
            How many rows there are to learn from: fewer than the sum of weights, which
            None stands for, if some weigh more than their number (``effective_rows``).
        """
        from scipy.optimize import minimize  # loads much, and only fits need it

        n_rows = float(weights.sum()) if n_rows is None else n_rows
        problem = _Problem(shares, truth, weights, prior, n_rows)
        low, high = problem.bounds
        found = [np.array([0.0, low[1]])]  # votes as they are
        for sharpness, share in STARTS:
            start = np.clip([np.log(sharpness), _logit(share)], low, high)
            bounds = np.column_stack([low, high])
            ended = minimize(
                problem.loss, start, jac=True, method="L-BFGS-B", bounds=bounds
            )
            found.append(np.clip(ended.x, low, high))
        best = min(found, key=lambda at: problem.loss(at)[0])
        return cls(float(np.exp(best[0])), float(_expit(best[1])), prior)


@dataclass(frozen=True)
class _Problem:
    """Log loss as a function of log sharpness and the logit of the prior's share."""

    shares: Array
    truth: NDArray[np.intp]
    weights: Array
    prior: Array
    n_rows: float

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Smallest and largest parameters."""
        least = 1.0 / (self.n_rows + len(self.prior))
        high = np.array([np.log(SHARPEST), max(_logit(1.0 - least), _logit(least))])
        return np.array([-np.log(SHARPEST), _logit(least)]), high

    @cached_property
    def log_ratios(self) -> Array:
        return _log_ratios(self.shares)

    def loss(self, at: Array) -> tuple[float, Array]:
        """Return the loss and its two derivatives."""
        tau, share = np.exp(at[0]), _expit(at[1])
        rows, total = np.arange(len(self.truth)), self.weights.sum()
        q = _sharpened(self.log_ratios, tau)  # (n, C)
        finite = np.where(q > 0.0, self.log_ratios, 0.0)
        right = q[rows, self.truth]
        slope = tau * right * (finite[rows, self.truth] - (q * finite).sum(axis=1))
        prior = self.prior[self.truth]
        p = (1.0 - share) * right + share * prior
        mean = self.weights / total / p
        value = -(self.weights / total) @ np.log(p) + at[0] ** 2 / (2.0 * self.n_rows)
        by_tau = -(1.0 - share) * (mean @ slope) + at[0] / self.n_rows
        by_share = -share * (1.0 - share) * (mean @ (prior - right))
        return float(value), np.array([by_tau, by_share])


def class_shares(y: NDArray[np.intp], weights: Array, n_classes: int) -> Array:
    """Return each class's share of the weight of all rows (C,)."""
    total = np.bincount(y, weights, n_classes)
    return total / total.sum()


def effective_rows(weights: Array, counts: Array) -> float:
    """Return how many rows of equal weight tell as much as weighted ones (Kish, 1965).

    Parameters
    ----------
    weights : ndarray (n,)
    counts : ndarray (n,)
        How many rows each stands for, whatever their weight.

    Examples
    --------
    >>> effective_rows(np.array([2.0, 2.0]), np.array([2.0, 2.0]))
    4.0
    >>> round(effective_rows(np.array([9.0, 1.0, 1.0]), np.ones(3)), 2)
    1.46
    """
    return float(weights.sum() ** 2 / (weights**2 / counts).sum())


def _log_ratios(shares: Array) -> Array:
    """Return logarithms of shares over the largest of a row, -inf for none."""
    shares = np.asarray(shares, dtype=float)
    with np.errstate(divide="ignore"):
        return np.log(shares / shares.max(axis=-1, keepdims=True))


def _sharpened(log_ratios: Array, tau: float) -> Array:
    powers = np.exp(tau * log_ratios)  # the largest is one
    return powers / powers.sum(axis=-1, keepdims=True)


def _logit(share: float) -> float:
    return float(np.log(share / (1.0 - share)))


def _expit(x: float) -> float:
    return float(1.0 / (1.0 + np.exp(-x)))
