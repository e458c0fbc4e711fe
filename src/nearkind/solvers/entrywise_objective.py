"""Loss plus strength times a function of the entries of M, not of its spectrum."""

from dataclasses import dataclass
from typing import cast

from nearkind.metrics.spectrum import Spectrum, decompose
from nearkind.protocols import Array
from nearkind.regularizers.entrywise import EntrywiseL1
from nearkind.solvers.objective import Linearization, Objective


@dataclass(frozen=True)
class EntrywiseObjective(Objective):
    """f(M) = loss(M) + strength * sum of |M_pq| over positive semi-definite M.

    As ``Objective``, but the regularizer is given matrices. There is no gradient in a
    factor of M: the penalty is not smooth.
    """

    def penalty(self, point: Spectrum) -> float:
        """Return strength times regularizer."""
        return self.strength * self.regularizer.value(point.matrix)

    def subgradient(self, point: Spectrum, at: Linearization) -> Array:
        """Return one subgradient of f (B, W, W)."""
        return at.gradient + self.strength * self.regularizer.subgradient(point.matrix)

    def prox(self, M: Array, step: float) -> Spectrum:
        """Return argmin over PSD X of |X - M|^2 / 2 + step * strength * r(X)."""
        X = self.regularizer.prox(M, step * self.strength)
        return decompose(X).positive()

    def lower_bound(
        self, gradient: Array, intercept: float, near: Spectrum | None = None
    ) -> float:
        """Return a proven lower bound on the minimum of f with the plain hinge."""
        M = None if near is None else near.matrix
        norm = cast(EntrywiseL1, self.regularizer)
        return norm.dual_value(-gradient, intercept, self.strength, M)

    def dual_norm(self, descent: Spectrum) -> float:
        """Return the dual norm of minus a gradient of the loss."""
        return self.regularizer.dual_norm(descent.matrix)

    def strength_max(self, descent: Spectrum) -> float:
        """Return the smallest strength at which M = 0 is optimal."""
        return self.regularizer.strength_max(descent.matrix)
