"""Partitioning around medoids, on a matrix of distances between weighted rows.

Kaufman and Rousseeuw, *Finding groups in data*, 1990: BUILD and SWAP. Schubert and
Rousseeuw, *Fast and eager k-medoids clustering*, Information Systems 101, 2021: the
change by every swap with one candidate in one pass, and a swap as soon as one is found
that helps.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nearkind.distances.form import query_chunks
from nearkind.protocols import Array

Places = NDArray[np.intp]
AT_ONCE = 1 << 18
"""Distances that are looked at before the best swap among them is made, at most."""
PARTS = 16
"""Parts of the candidates, at least, after each of which a swap may be made."""
LEAST_GAIN = 1e-12
"""Share of the loss that a swap must save: less may be rounding."""


@dataclass(frozen=True)
class Partition:
    """Rows and the medoids nearest to them.

    Attributes
    ----------
    square : ndarray (m, m)
        Finite distances between unique rows.
    weights : ndarray (m,)
        Number of rows that each represents.
    medoids : ndarray of int (k,)
        Places of the unique rows that are medoids.
    """

    square: Array
    weights: Array
    medoids: Places

    @cached_property
    def _order(self) -> tuple[Places, Array, Array]:
        """Place of the nearest medoid, its distance, and that of the second (m,)."""
        d = self.square[:, self.medoids]
        each, nearest = np.arange(len(d)), d.argmin(axis=1)
        first = d[each, nearest]
        d[each, nearest] = np.inf
        return nearest, first, d.min(axis=1)

    @property
    def nearest(self) -> Places:
        """Place among the medoids of the one nearest to each row (m,)."""
        return self._order[0]

    @cached_property
    def loss(self) -> float:
        """Sum of the distances of all rows to their nearest medoids."""
        return float(self.weights @ self._order[1])

    @cached_property
    def _of_medoids(self) -> csr_array:
        """The weight of each row in the line of its nearest medoid (k, m)."""
        m, k = len(self.weights), len(self.medoids)
        return csr_array((self.weights, (self.nearest, np.arange(m))), shape=(k, m))

    def changes(self, candidates: slice) -> Array:
        """Return by how much the loss changes if a candidate replaces a medoid (k, b).

        A row whose nearest medoid stays goes to the candidate if that is nearer. One
        whose nearest medoid leaves goes to the candidate or to the second nearest.
        """
        _, first, second = self._order
        change = np.minimum(self.square[:, candidates], second[:, None])
        change -= first[:, None]  # (m, b)
        lost = np.maximum(change, 0.0)
        change -= lost
        return self._of_medoids @ lost + self.weights @ change

    def swapped(self, place: int, candidate: int) -> "Partition":
        """Return the partition with a candidate instead of one of the medoids."""
        medoids = self.medoids.copy()
        medoids[place] = candidate
        return Partition(self.square, self.weights, medoids)


def build(square: Array, weights: Array, n_medoids: int) -> Partition:
    """Choose one medoid after the other, each the one that saves most.

    Examples
    --------
    >>> square = np.abs(np.subtract.outer([0.0, 1.0, 2.0, 9.0], [0.0, 1.0, 2.0, 9.0]))
    >>> build(square, np.ones(4), 2).medoids
    array([1, 3])
    """
    m = len(weights)
    medoids = [int((weights @ square).argmin())]
    nearest = square[medoids[0]].copy()
    chunks = query_chunks(m, m, AT_ONCE)
    while len(medoids) < n_medoids:
        gains = [np.maximum(nearest - square[at], 0.0) @ weights for at in chunks]
        gain = np.concatenate(gains)
        gain[medoids] = -1.0
        medoids.append(int(gain.argmax()))
        np.minimum(nearest, square[medoids[-1]], out=nearest)
    return Partition(square, weights, np.array(medoids))


class Optimum(NamedTuple):
    """Where swapping ended.

    Attributes
    ----------
    partition : Partition
    n_iter : int
        How often all candidates were gone through.
    is_reached : bool
        Whether no single swap would make the loss smaller.
    """

    partition: Partition
    n_iter: int
    is_reached: bool


def swap(start: Partition, max_iter: int) -> Optimum:
    """Swap medoids and other rows until no single swap makes the loss smaller.

    Parameters
    ----------
    start : Partition
    max_iter : int
        How often to go through all candidates, at most.

    Examples
    --------
    >>> square = np.abs(np.subtract.outer([0.0, 1.0, 2.0, 9.0], [0.0, 1.0, 2.0, 9.0]))
    >>> swap(Partition(square, np.ones(4), np.array([0, 1])), 10).partition.loss
    2.0
    """
    m, best, since = len(start.weights), start, 0
    chunks = query_chunks(m, m, min(AT_ONCE, m * m // PARTS))
    for n_iter in range(1, max_iter + 1):
        for at in chunks:
            changes = best.changes(at)
            place, candidate = np.unravel_index(changes.argmin(), changes.shape)
            if changes[place, candidate] < -LEAST_GAIN * best.loss:
                best = best.swapped(int(place), at.start + int(candidate))
                since = 0
            else:
                since += 1
            if since == len(chunks):
                return Optimum(best, n_iter, True)
    return Optimum(best, max_iter, False)


def silhouette(square: Array, weights: Array, labels: Places) -> float:
    """Return the mean silhouette of rows, a row of weight m being m rows.

    Rousseeuw, *Silhouettes*, Journal of Computational and Applied Mathematics 20, 1987.
    That of a row is (b - a) / max(a, b), with a its mean distance to the others of its
    group and b that to the rows of the nearest other group; 0 if it is alone.

    Parameters
    ----------
    square : ndarray (m, m)
        Finite distances.
    weights : ndarray (m,)
    labels : ndarray of int (m,)
        Groups, at least two.

    Examples
    --------
    >>> square = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 4.0], [4.0, 4.0, 0.0]])
    >>> silhouette(square, np.ones(3), np.array([0, 0, 1]))
    0.5
    """
    m, groups = len(weights), np.unique(labels)
    own = np.searchsorted(groups, labels)
    member = csr_array((weights, (own, np.arange(m))), shape=(len(groups), m))
    size, total = np.bincount(own, weights), (member @ square).T  # (g,), (m, g)
    each = np.arange(m)
    others = size[own] - 1.0
    inside = total[each, own] - square.diagonal()  # without the row itself
    a = inside / np.where(others > 0.0, others, np.inf)
    means = total / size
    means[each, own] = np.inf
    b = means.min(axis=1)
    larger = np.maximum(a, b)
    share = np.divide(b - a, larger, out=np.zeros(m), where=larger > 0.0)
    share[others <= 0.0] = 0.0
    return float(weights @ share / weights.sum())
