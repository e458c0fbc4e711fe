"""A rule bound to labels: the constraints that they imply."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.constraints.labels import Labels
from nearkind.metrics.spectrum import Spectrum
from nearkind.protocols import Array


@dataclass(frozen=True)
class Bound:
    """All constraints of one rule among labelled cells, in blocks.

    Attributes
    ----------
    rule : what made it; it can ``bind`` other labels, and knows its slope at M = 0
    labels : of the cells
    blocks : pieces whose pulls add up to the whole
    """

    rule: Any
    labels: Labels
    blocks: Sequence[Any]
    moves = False

    @property
    def n_distances(self) -> int:
        """How many distances one evaluation computes."""
        return len(self.labels.y) ** 2

    def parts(self) -> Sequence[Any]:
        """Return the blocks; their pulls add up to the whole."""
        return self.blocks

    def slope_at_zero(self, Z: Array) -> Array:
        """Return the gradient of the loss at M = 0 (B, W, W)."""
        return self.rule.slope_at_zero(self.labels, Z)

    def renewed(self, Z: Array, point: Spectrum) -> "Bound":
        """Return itself: labels imply the same under every metric."""
        return self

    def sample(
        self, size: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.intp], "Bound"]:
        """Return about ``size`` rows, and the constraints among them."""
        rows, labels = self.labels.sample(size, rng)
        return rows, self.rule.bind(labels)
