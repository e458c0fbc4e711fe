"""Distances that add up the weights of the features in which two rows differ."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.checks import check_reals
from nearkind.distances.form import SeparableForm, query_chunks
from nearkind.distances.pair_tables import Places, overlap, places, starts
from nearkind.errors import RefusedError
from nearkind.protocols import Array, Codes

COUNTS_AT_ONCE = 1 << 18
"""Counts of features that are held at a time: about what a core's cache holds."""


@dataclass(frozen=True, eq=False)
class MismatchWeights(SeparableForm):
    """d = sum of the weights of the features in which two rows differ.

    Attributes
    ----------
    weights : ndarray of shape (D,)
    """

    weights: Array

    def represent(self, codes: Codes) -> Codes:
        """Return the codes of rows."""
        return codes

    def compare(self, a: Codes, b: Codes) -> Array:
        """Return distances (n, m) between represented rows."""
        n_features = a.shape[1]
        narrow = np.result_type(*map(np.min_scalar_type, (-1, a.max(initial=0))))
        narrow = np.promote_types(narrow, np.min_scalar_type(b.max(initial=0)))
        left, right = a.astype(narrow).T, np.ascontiguousarray(b.T, dtype=narrow)
        is_even = bool((self.weights * n_features == 1.0).all())
        kind = np.min_scalar_type(n_features) if is_even else np.dtype(float)
        distances = np.empty((len(a), len(b)))
        for rows in query_chunks(len(a), len(b), COUNTS_AT_ONCE):
            total = np.zeros((len(a[rows]), len(b)), dtype=kind)
            for x, y, w in zip(left, right, self.weights, strict=True):
                differs = x[rows, None] != y
                total += differs if is_even else w * differs
            np.divide(total, n_features if is_even else 1.0, out=distances[rows])
        return distances

    def distances_over(
        self, row: Codes, others: Codes, kept: NDArray[np.bool_]
    ) -> Array:
        """Return the distances of rows from one row over subsets of features (E, m)."""
        return (kept * self.weights) @ (others != row).T

    def transform(self, X: Any, *, owner: str | None = None) -> Array:
        """Return indicators (n, q) whose squared Euclidean distance is the distance."""
        codes = self.encode(X, owner)
        U = np.zeros((len(codes), self.size))
        at = places(codes, self.codebook.n_values)
        np.put_along_axis(U, at, np.sqrt(0.5 * self.weights)[None], axis=1)
        return U

    @property
    def size(self) -> int:
        """Number of columns of ``transform``, one per value, seen or not."""
        return int(starts(self.codebook.n_values)[-1])

    def between_values(self, d: int, codes: Places, squared: bool) -> Array:
        """Return the distances between values of feature d (s, s)."""
        table = self.weights[d] * overlap(len(codes))
        return table**2 if squared else table

    @property
    def cost(self) -> int:
        """How many numbers are read to compare two represented rows."""
        return len(self.weights)

    def check(self) -> None:
        """Raise ``RefusedError`` unless there is one weight >= 0 per feature."""
        n_features = len(self.codebook.n_values)
        if (check_reals(self.weights, "weights", (n_features,)) < 0.0).any():
            raise RefusedError("weights hold a negative number")
