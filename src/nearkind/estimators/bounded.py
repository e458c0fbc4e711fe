"""What the theorems say of a fitted metric."""

from typing import Any

from nearkind import theory
from nearkind.estimators import shorthand
from nearkind.losses.edges import difference_matrices
from nearkind.protocols import Array


class Bounded:
    """Mixin that gives CPML its generalization bound."""

    constraints: str
    powered: bool
    metric_: Array
    strength_: float
    _encode: Any
    _projection: Any
    _structure: Any

    def generalization_bound(
        self, X: Any, delta: float = 0.05, variant: str = "corrected"
    ) -> theory.Bound:
        """Bound what the pair loss on new rows may exceed that on X by (Theorem 2).

        The theorem takes the projection as given beforehand. It holds for rows X whose
        labels the histograms have not seen; for the rows of fit read it as a guide.

        Parameters
        ----------
        X : table, the rows the metric was learned from
        delta : probability that the bound fails
        variant : "corrected", or "printed" as in the paper

        Returns
        -------
        Bound, which prints as a sentence and says when it is too large to mean anything
        """
        codes = self._encode(X)
        if self.constraints != "pairs":
            raise ValueError(
                "The theorem is about pair constraints, but this model was fitted with "
                f"constraints={self.constraints!r}. Fit with constraints='pairs'."
            )
        return theory.bound_terms(
            p=shorthand.exponent(self),
            n_samples=len(codes),
            n_features=self.metric_.shape[0] * self.metric_.shape[1],
            diameter=theory.diameter(self._projection.tables),
            strength=self.strength_,
            delta=delta,
            variant=variant,
            penalty="power" if self.powered else "norm",
        )

    def difference_matrices(self, X: Any) -> tuple[Array, float]:
        """Return A^(i, i + n/2) of the first half of rows against the second, and p.

        Returns
        -------
        A : (n // 2, B, W, W), with <A, M> the squared distance
        p : exponent of the regularizer
        """
        p, phi = shorthand.exponent(self), self._projection.transform(self._encode(X))
        return difference_matrices(self._structure.blocks(phi)), p
