"""The entrywise l1 norm of M, under which pairs of features are left uncoupled.

It is no function of the spectrum, so its methods take matrices (B, W, W) where those of
a Schatten norm take eigenvalues, and features may not be rotated before.

On the cone its prox is not that of the norm followed by a projection: what the one
makes zero the other fills again. Both are had at once from the dual problem,

    min over |U| <= step of  |(V - U)_+|^2 / 2,     X = (V - U)_+,

with a gradient -X of Lipschitz constant 1. Accelerated projected gradient steps (Beck
and Teboulle, 2009) with restart (O'Donoghue and Candes, 2015) solve it, and prove how
near they are.
"""

from dataclasses import dataclass

import numpy as np

from nearkind.metrics.spectrum import decompose
from nearkind.protocols import Array

PROX_TOL = 1e-12
"""Gap at which the prox stops, as a share of |V|^2; X is within its root of exact."""
PROX_STEPS = 5_000
"""Steps of the prox at most."""
NORM_TOL = 1e-4
"""How far the dual norm may be above the true one, as a share."""


@dataclass(frozen=True)
class EntrywiseL1:
    """r(M) = sum of |M_pq| over all entries of all blocks.

    Examples
    --------
    >>> r, M = EntrywiseL1(), np.array([[[2.0, 0.25], [0.25, 1.0]]])
    >>> r.value(M)
    3.5
    >>> r.prox(M, step=0.5).round(6)
    array([[[1.5, 0. ],
            [0. , 0.5]]])
    """

    is_smooth = False
    is_trace = False
    takes_matrix = True

    def value(self, M: Array) -> float:
        """Return the norm."""
        return float(np.abs(M).sum())

    def subgradient(self, M: Array) -> Array:
        """Return the signs; 0 at 0."""
        return np.sign(M)

    def prox(self, M: Array, step: float) -> Array:
        """Return argmin over PSD X of |X - M|^2 / 2 + step r(X)."""
        return prox_on_cone(M, step)[0]

    def dual_norm(self, S: Array) -> float:
        """Return the largest <S, X> over PSD X of norm 1, from above.

        It is the least height max |Y_pq| of a Y with Y - S in the cone. Every prox of S
        gives an X and a Y, hence both a lower and an upper bound; they are brought
        within ``NORM_TOL`` of each other by taking the lower one as the next step.
        """
        high = _height_above(S, np.zeros_like(S))
        low, U = max(float(np.diagonal(S, axis1=1, axis2=2).max()), 1e-3 * high), S
        for _ in range(50):
            X, U = prox_on_cone(S, low, U)
            high = min(high, _height_above(S, U))
            if high <= (1.0 + NORM_TOL) * low:
                break
            if (size := self.value(X)) > 0.0:
                low = max(low, float((S * X).sum()) / size)
        return high

    def strength_max(self, S: Array) -> float:
        """Return the smallest strength at which M = 0 is optimal, from above.

        ``S`` is minus the gradient of the loss at M = 0.
        """
        return self.dual_norm(S)

    def dual_value(
        self, S: Array, intercept: float, strength: float, near: Array | None = None
    ) -> float:
        """Return a dual value at a multiple s <= 1 of the multipliers.

        Parameters
        ----------
        S : ndarray of shape (B, W, W)
            Minus the gradient that the multipliers give.
        intercept, strength : float
        near : ndarray of shape (B, W, W), default=None
            A metric near the optimum. There S is in strength times the subgradients of
            the norm, up to the cone, and a prox from ``near`` along S finds in which.

        Returns
        -------
        float
            s intercept, where s S lies below a matrix with no entry above ``strength``.
        """
        if near is not None and near.any() and S.any():
            scale = float(np.linalg.norm(near) / np.linalg.norm(S))
            U = prox_on_cone(near + scale * S, scale * strength)[1] / scale
            height = _height_above(S, U)
        else:
            height = self.dual_norm(S)
        share = 1.0 if height <= strength else strength / height
        return max(share * intercept, 0.0)


def prox_on_cone(V: Array, step: float, U: Array | None = None) -> tuple[Array, Array]:
    """Return argmin over PSD X of |X - V|^2 / 2 + step |X|_1, and its multipliers.

    Parameters
    ----------
    V : ndarray of shape (B, W, W)
    step : float
    U : ndarray of shape (B, W, W), default=None
        Multipliers to start from; None: V itself, cut off.

    Returns
    -------
    X : ndarray of shape (B, W, W)
        |X - X*|^2 is at most twice the gap; see ``PROX_TOL``.
    U : ndarray of shape (B, W, W)
        No entry is above ``step``, and V - U - X is negative semi-definite, up to the
        gap.
    """
    U = np.clip(V if U is None else U, -step, step)
    enough = PROX_TOL * float((V * V).sum())
    ahead, momentum = U, 1.0
    for _ in range(PROX_STEPS):
        X = decompose(V - ahead).positive().matrix
        new = np.clip(ahead + X, -step, step)
        move = new - ahead
        # P(X) less a lower bound on the dual at ``new``, by the descent lemma
        gap = step * np.abs(X).sum() - (new * X).sum() + 0.5 * (move * move).sum()
        if gap <= enough:
            return X, new
        if (move * (new - U)).sum() < 0.0:
            momentum = 1.0  # the step points back: forget the speed
        grown = (1.0 + (1.0 + 4.0 * momentum**2) ** 0.5) / 2.0
        ahead = new + (momentum - 1.0) / grown * (new - U)
        U, momentum = new, grown
    return X, U


def _height_above(S: Array, Y: Array) -> float:
    """Return the largest entry of Y, lifted along the diagonal until Y - S is PSD."""
    lift = max(float(decompose(S - Y).values.max()), 0.0)
    return float(np.abs(Y + lift * np.eye(S.shape[-1])).max())
