"""Hinge losses of the violation z of a constraint.

A violation is the constraint's offset plus signed squared distances; z <= 0 is
satisfied. A loss knows its value and derivative at one violation, and its sum over
every near distance against every far one, by sorting.
"""

from dataclasses import dataclass

import numpy as np

from nearkind.losses.pair_sums import NearFar, engine
from nearkind.protocols import Array, LossGradient


@dataclass(frozen=True)
class Hinge:
    """[z]_+, the loss of the paper.

    Examples
    --------
    >>> Hinge().value(np.array([-1.0, 0.5]))
    array([0. , 0.5])
    """

    def value(self, z: Array) -> Array:
        """Return [z]_+."""
        return np.maximum(z, 0.0)

    def derivative(self, z: Array) -> Array:
        """Return 1 where violated, strictly; 0 elsewhere."""
        return (z > 0.0).astype(float)

    def total(self, d2: Array, columns: NearFar) -> float:
        """Sum over every pair of a near and a far distance of each row."""
        return engine(d2.size).total(d2, columns, 0.0)

    def gradient(self, d2: Array, columns: NearFar) -> LossGradient:
        """Return that sum, its gradient in d2, and its intercept."""
        return engine(d2.size).gradient(d2, columns, 0.0)


@dataclass(frozen=True)
class SmoothedHinge:
    """The hinge with a quadratic corner of the given width, at most width / 2 below it.

    Its value is ([z]_+^2 - [z - width]_+^2) / (2 width), so its sums over all pairs are
    differences of two power sums.

    Examples
    --------
    >>> SmoothedHinge(1.0).value(np.array([-1.0, 0.5, 2.0]))
    array([0.   , 0.125, 1.5  ])
    """

    width: float

    def value(self, z: Array) -> Array:
        """Return 0, z^2 / (2 width) or z - width / 2."""
        inside = np.clip(z, 0.0, self.width)
        return inside * inside / (2 * self.width) + np.maximum(z - self.width, 0.0)

    def derivative(self, z: Array) -> Array:
        """Return z / width clipped to [0, 1]."""
        return np.clip(z / self.width, 0.0, 1.0)

    def total(self, d2: Array, columns: NearFar) -> float:
        """Sum over every pair of a near and a far distance of each row."""
        return engine(d2.size).total(d2, columns, self.width)

    def gradient(self, d2: Array, columns: NearFar) -> LossGradient:
        """Return that sum, its gradient in d2, and its intercept."""
        return engine(d2.size).gradient(d2, columns, self.width)
