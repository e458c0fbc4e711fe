"""Schatten p-norms and their powers, as functions of a spectrum.

The spectrum is that of all blocks of the metric together, as of one block-diagonal
matrix. A regularizer never sees a matrix.
"""

from dataclasses import dataclass

import numpy as np

from nearkind.protocols import Array
from nearkind.regularizers.prox import norm, prox_norm, prox_power


def conjugate_exponent(p: float) -> float:
    """Return q with 1/p + 1/q = 1."""
    if p == 1.0:
        return np.inf
    return 1.0 if p == np.inf else p / (p - 1.0)


@dataclass(frozen=True)
class _OfExponent:
    """What the norm and its power share."""

    p: float = 1.0

    takes_matrix = False

    @property
    def is_trace(self) -> bool:
        """Whether it is the trace of M."""
        return self.p == 1.0

    def dual_norm(self, spectrum: Array) -> float:
        """Return the conjugate norm of the positive part."""
        return norm(np.maximum(spectrum, 0.0), conjugate_exponent(self.p))


@dataclass(frozen=True)
class Schatten(_OfExponent):
    """r(M) = [Tr M^p]^(1/p): trace norm, Frobenius norm, ..., largest eigenvalue.

    Examples
    --------
    >>> Schatten(1.0).prox(np.array([3.0, 1.0, -2.0]), step=1.0)
    array([2., 0., 0.])
    """

    @property
    def is_smooth(self) -> bool:
        """Whether it has a gradient at all M of full rank."""
        return self.p < np.inf

    def value(self, spectrum: Array) -> float:
        """Return the norm."""
        return norm(spectrum, self.p)

    def subgradient(self, spectrum: Array) -> Array:
        """Return the gradient; 0 at 0; at p = inf the mean over the largest."""
        size = self.value(spectrum)
        if size == 0.0:
            return np.zeros_like(spectrum)
        if self.p == np.inf:
            top = (spectrum >= size * (1.0 - 1e-12)).astype(float)
            return top / float(top.sum())
        return (np.maximum(spectrum, 0.0) / size) ** (self.p - 1.0)

    def prox(self, spectrum: Array, step: float) -> Array:
        """Return argmin over x >= 0 of |x - spectrum|^2 / 2 + step ||x||_p."""
        return prox_norm(spectrum, step, self.p)

    def strength_max(self, spectrum: Array) -> float:
        """Return the smallest strength at which M = 0 is optimal.

        ``spectrum`` is that of minus the gradient of the loss at M = 0.
        """
        return self.dual_norm(spectrum)

    def dual_value(self, spectrum: Array, intercept: float, strength: float) -> float:
        """Return the best dual value over multiples s <= 1 of the multipliers.

        s intercept where s keeps the dual norm of s S within ``strength``.
        """
        size = self.dual_norm(spectrum)
        scale = 1.0 if size <= strength else strength / size
        return max(scale * intercept, 0.0)


@dataclass(frozen=True)
class SchattenPower(_OfExponent):
    """r(M) = Tr M^p, p < inf: the norm at another scale of the strength.

    Examples
    --------
    >>> SchattenPower(2.0).value(np.array([3.0, 4.0]))
    25.0
    """

    is_smooth = True

    def value(self, spectrum: Array) -> float:
        """Return the sum of p-th powers."""
        return float((np.abs(spectrum) ** self.p).sum())

    def subgradient(self, spectrum: Array) -> Array:
        """Return p x^(p - 1)."""
        return self.p * np.maximum(spectrum, 0.0) ** (self.p - 1.0)

    def prox(self, spectrum: Array, step: float) -> Array:
        """Return argmin over x >= 0 of |x - spectrum|^2 / 2 + step sum x^p."""
        return prox_power(spectrum, step, self.p)

    def strength_max(self, spectrum: Array) -> float:
        """Return inf for p > 1: the gradient at 0 is 0, so M = 0 is never optimal."""
        return self.dual_norm(spectrum) if self.p == 1.0 else np.inf

    def dual_value(self, spectrum: Array, intercept: float, strength: float) -> float:
        """Return the best of s intercept - K s^q over 0 <= s <= 1.

        K = (p - 1) strength (||S_+||_q / (p strength))^q is the conjugate at s = 1.
        """
        if self.p == 1.0:
            return Schatten(1.0).dual_value(spectrum, intercept, strength)
        if intercept <= 0.0 or strength == 0.0:
            return 0.0
        p, q = self.p, conjugate_exponent(self.p)
        size = self.dual_norm(spectrum)
        if size == 0.0:
            return intercept
        log_k = np.log((p - 1.0) * strength) + q * np.log(size / (p * strength))
        log_scale = min(0.0, (np.log(intercept / q) - log_k) / (q - 1.0))
        lost = np.exp(log_k + q * log_scale)  # K s^q, in logarithms: q may be huge
        return max(float(np.exp(log_scale) * intercept - lost), 0.0)
