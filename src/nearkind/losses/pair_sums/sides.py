"""Which columns of a block of distances are near, and which far."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkind.protocols import Array


@dataclass(frozen=True)
class Sides:
    """In each row of distances (a, n), near columns + margin should be below far ones.

    Attributes
    ----------
    near, far : column numbers (p,) and (m,), at least one each; ``near`` may also be
        (a, p), other columns for each row
    margin : by how much
    weights : (n,), of columns
    shares : (a,), of rows
    own, own_weights : (a,), a near column of each row that weighs something else there;
        -1 for none
    near_weights : (a, p), of the near columns of each row; None: as ``weights`` says
    """

    near: NDArray[np.intp]
    far: NDArray[np.intp]
    margin: float
    weights: Array
    shares: Array
    own: NDArray[np.intp]
    own_weights: Array
    near_weights: Array | None = None

    @property
    def columns(self) -> NDArray[np.intp]:
        """The near columns of each row (a, p), or of all rows (1, p)."""
        return np.atleast_2d(self.near)

    @property
    def column_weights(self) -> Array:
        """The weights of ``columns``, but for the ``own`` ones."""
        if self.near_weights is None:
            return self.weights[self.columns]
        return self.near_weights

    def weights_by_row(self) -> Array:
        """Return the weight of each near column in each row (a, p)."""
        shape = len(self.shares), self.columns.shape[1]
        weights = np.broadcast_to(self.column_weights, shape).copy()
        rows, columns = np.nonzero(self.columns == self.own[:, None])
        weights[rows, columns] = self.own_weights[rows]
        return weights

    def add_near(self, out: Array, at: NDArray[np.intp], pulls: Array) -> None:
        """Add (a, p) to the near columns ``at`` (a, p) of each row of ``out``."""
        if self.near.ndim == 1:
            out[:, self.near] = pulls  # no column twice
        else:
            np.add.at(out, (np.arange(len(out))[:, None], at), pulls)
