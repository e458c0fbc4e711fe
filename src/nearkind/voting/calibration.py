"""Calibration of shares of votes on held-out rows."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.checks import check_reals
from nearkind.errors import RefusedError
from nearkind.protocols import Array

SHARPEST = 8.0
"""Largest sharpness; its inverse is the smallest."""
MAX_STEPS = 50
"""Steps of Newton's method; it takes about eight."""
FLAT = 1e-7
"""Slope of the loss, in nats per unit of a logarithm, that counts as none."""
SHORTEST = 1e-8
"""Share of a step below which the line search gives up."""
STARTS = tuple(product((0.4, 1.0, 2.5, 6.0), (0.02, 0.1, 0.4, 0.8)))
"""Sharpness and share of the prior, of which the best is where the fit starts."""


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

    def check(self) -> None:
        """Raise ``RefusedError`` unless sharpness and shares are in their ranges."""
        if not 0.0 < self.sharpness <= 1.01 * SHARPEST:
            raise RefusedError(
                f"sharpness of a calibration is not in (0, {SHARPEST:g}]"
            )
        if not 0.0 < self.prior_share < 1.0:
            raise RefusedError("prior_share of a calibration is not in (0, 1)")
        prior = check_reals(self.prior, "prior", (None,))
        if (prior <= 0.0).any() or abs(prior.sum() - 1.0) > 1e-6:
            raise RefusedError("prior of a calibration is not of shares > 0 of one")

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
        """Return the calibration of least log loss on held-out rows.

        A term (log sharpness)^2 / 2, which weighs as much as a row, keeps few rows from
        deciding too much. The prior has at least the share of one row among those held
        and one more a class: had all been right, the next might still be wrong.

        Parameters
        ----------
        shares : ndarray (n, C)
            Votes on held-out rows.
        truth : ndarray of int (n,)
            Their classes.
        weights : ndarray (n,)
            Number of rows that each represents.
        prior : ndarray (C,)
            Share of each class, > 0.
        n_rows : float, default=None
            How many rows there are to learn from: fewer than the sum of weights, which
            None stands for, if some weigh more than their number (``effective_rows``).
        """
        n_rows = float(weights.sum()) if n_rows is None else n_rows
        problem = _Problem(shares, truth, weights, prior, n_rows)
        low, high = problem.bounds
        starts = [np.array([0.0, low[1]])]  # votes as they are
        for sharpness, share in STARTS:
            starts.append(np.clip([np.log(sharpness), _logit(share)], low, high))
        best = problem.descend(min(starts, key=problem.value))
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

    @cached_property
    def true_ratios(self) -> Array:
        return self.log_ratios[np.arange(len(self.truth)), self.truth]

    @cached_property
    def row_shares(self) -> Array:
        """Share of each row in the weight of all (n,)."""
        return self.weights / self.weights.sum()

    def value(self, at: Array) -> float:
        """Return the loss."""
        right = _sharpened(self.log_ratios, np.exp(at[0]))[
            np.arange(len(self.truth)), self.truth
        ]
        share = _expit(at[1])
        p = (1.0 - share) * right + share * self.prior[self.truth]
        return float(at[0] ** 2 / (2.0 * self.n_rows) - self.row_shares @ np.log(p))

    def derivatives(self, at: Array) -> tuple[Array, Array, Array]:
        """Return the gradient (2,), the Hessian and its Gauss-Newton part (2, 2).

        With q the sharpened shares of a row, l its log ratios, r and l_t those of its
        class, m = sum of q l and v = sum of q (l - m)^2:

            dr / da = tau r (l_t - m),
            d2r / da2 = dr / da + tau^2 r ((l_t - m)^2 - v),

        a being log tau, and the probability is p = (1 - e) r + e prior.
        """
        tau, share = np.exp(at[0]), _expit(at[1])
        q = _sharpened(self.log_ratios, tau)  # (n, C)
        finite = np.where(q > 0.0, self.log_ratios, 0.0)
        right = q[np.arange(len(self.truth)), self.truth]
        true = np.where(right > 0.0, self.true_ratios, 0.0)
        mean = (q * finite).sum(axis=1)
        spread = (q * (finite - mean[:, None]) ** 2).sum(axis=1)
        slope = tau * right * (true - mean)  # dr / da
        bend = slope + tau**2 * right * ((true - mean) ** 2 - spread)
        prior, step = self.prior[self.truth], share * (1.0 - share)
        p = (1.0 - share) * right + share * prior
        D = np.array([(1.0 - share) * slope, step * (prior - right)]) / p  # (2, n)
        mixed = -step * slope
        curved = step * (1.0 - 2.0 * share) * (prior - right)
        second = np.array([[(1.0 - share) * bend, mixed], [mixed, curved]]) / p
        gauss_newton = (D * self.row_shares) @ D.T
        gauss_newton[0, 0] += 1.0 / self.n_rows
        gradient = np.array([at[0] / self.n_rows, 0.0]) - D @ self.row_shares
        return gradient, gauss_newton - second @ self.row_shares, gauss_newton

    def descend(self, at: Array) -> Array:
        """Return a local minimum by Newton's method with line search, in the bounds.

        Where the Hessian is not positive definite its Gauss-Newton part, which is,
        takes its place. A parameter at a bound that the loss pushes against stays.
        """
        low, high = self.bounds
        value = self.value(at)
        for _ in range(MAX_STEPS):
            gradient, hessian, gauss_newton = self.derivatives(at)
            free = ~(((at <= low) & (gradient > 0.0)) | ((at >= high) & (gradient < 0)))
            if not np.abs(gradient[free]).max(initial=0.0) > FLAT:
                break
            step = np.zeros(2)
            step[free] = -_solved(hessian, gauss_newton, free, gradient)
            length = 1.0
            while (new := self.value(np.clip(at + length * step, low, high))) > value:
                length /= 4.0
                if length < SHORTEST:
                    return at
            at, gained, value = np.clip(at + length * step, low, high), value - new, new
            if gained <= FLAT * FLAT:
                break
        return at


def _solved(
    hessian: Array, gauss_newton: Array, free: NDArray[np.bool_], gradient: Array
) -> Array:
    """Return Newton's step for the free parameters, its sign reversed."""
    part = np.ix_(free, free)
    A = hessian[part]
    least = 1e-6 * np.abs(gauss_newton[part]).max()
    if A.diagonal().min() <= least or np.linalg.det(A) <= least ** len(A):
        A = gauss_newton[part]
    A = A + 1e-12 * np.eye(len(A))
    step = np.linalg.solve(A, gradient[free])
    return np.asarray(step, dtype=float)


def effective_rows(weights: Array, counts: Array) -> float:
    """Return how many rows of equal weight tell as much as weighted ones (Kish, 1965).

    Parameters
    ----------
    weights : ndarray (n,)
    counts : ndarray (n,)
        Number of rows that each represents, whatever their weight.

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
