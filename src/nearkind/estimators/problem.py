"""What a metric is learned from: rows, and what is known of their distances."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nearkind.encoding.unique_rows import Cells
from nearkind.metrics.compression import Compressed
from nearkind.metrics.spectrum import Spectrum, decompose
from nearkind.protocols import Array
from nearkind.solvers.objective import Objective


@dataclass
class Problem:
    """What does not change with the strength.

    Attributes
    ----------
    rows : in constraints, projected
    constraints : on their distances
    cells : codes and labels of the rows
    rng : for what is drawn
    """

    rows: Compressed
    constraints: Any
    cells: Cells
    rng: np.random.Generator
    _at_zero: Array | None = None

    def slope_at_zero(self, objective: Objective) -> Array:
        """Return the spectrum of the slope at M = 0, found once if none moves it."""
        if objective.constraints is not self.constraints:
            return objective.slope_at_zero().values
        if self._at_zero is None:
            self._at_zero = objective.slope_at_zero().values
        return self._at_zero


def start_at(rows: Compressed, last: Array | None) -> Spectrum:
    """Return the last metric if it has the right shape, else Euclidean distance."""
    n_blocks, width, _ = rows.bases.shape
    if last is not None and last.shape == (n_blocks, width, width):
        return decompose(rows.shrink(last)).positive()
    return rows.identity
