"""Rows as their kernels with landmarks, mapped linearly."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from nearkind.distances.checks import (
    check_amount,
    check_codes,
    check_reals,
    check_tables,
)
from nearkind.distances.form import query_chunks
from nearkind.distances.vectors import EmbeddedForm
from nearkind.errors import RefusedError
from nearkind.metrics.metric import pairwise_distances
from nearkind.protocols import Array, Codes

AT_ONCE = 1 << 21
"""Kernels and coded rows that are held at a time."""


@dataclass(frozen=True, eq=False)
class KernelLandmarks(EmbeddedForm):
    """d = |u - u'|, u = A k(x), k(x) the kernels of a row with the landmarks.

    Attributes
    ----------
    coding : sequence of ndarray of shape (s_d + 1, w_d)
        The coordinates of each value; a row is coded by those of its values, one after
        the other.
    landmarks : ndarray of int32 (m, D)
        Codes.
    kernel : {"rbf", "linear"}
    length : float
        Of "rbf": exp(-|x - z|^2 / (2 length^2)).
    components : ndarray of shape (q, m)
        A.
    """

    coding: Sequence[Array]
    landmarks: Codes
    kernel: str
    length: float
    components: Array

    @property
    def size(self) -> int:
        """Length q of the vectors."""
        return len(self.components)

    def represent(self, codes: Codes) -> Array:
        """Return the vectors of rows (n, q)."""
        landmarks = coded_rows(self.coding, self.landmarks)
        U = np.empty((len(codes), self.size))
        width = len(landmarks) + landmarks.shape[1]
        for at in query_chunks(len(codes), width, AT_ONCE):
            rows = coded_rows(self.coding, codes[at])
            K = KERNELS[self.kernel](rows, landmarks, self.length)
            U[at] = K @ self.components.T
        return U

    def check(self) -> None:
        """Raise ``RefusedError`` unless components and landmarks fit the columns."""
        n_values = self.codebook.n_values
        check_tables(self.coding, "coding", n_values)
        check_codes(self.landmarks, "landmarks", n_values)
        check_reals(self.components, "components", (None, len(self.landmarks)))
        check_amount(self.length, "length")
        if self.kernel not in KERNELS or not self.length > 0.0:
            raise RefusedError("kernel is unknown, or its length is zero")


def coded_rows(coding: Sequence[Array], codes: Codes) -> Array:
    """Return the coordinates of the values of rows, side by side (n, W)."""
    columns = zip(coding, codes.T, strict=True)
    return np.concatenate([table[code] for table, code in columns], axis=1)


def gaussian(A: Array, B: Array, length: float) -> Array:
    """Return exp(-|a - b|^2 / (2 length^2)) of rows (n, m).

    Examples
    --------
    >>> gaussian(np.array([[0.0]]), np.array([[0.0], [2.0]]), 2.0).round(4)
    array([[1.    , 0.6065]])
    """
    return np.exp(pairwise_distances(A, B) / (-2.0 * length * length))


KERNELS: dict[str, Callable[[Array, Array, float], Array]] = {
    "rbf": gaussian,
    "linear": lambda A, B, length: A @ B.T,
}
