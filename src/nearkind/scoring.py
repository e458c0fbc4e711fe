"""Triplet accuracy, computed exactly by sorting."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.encoding.rows import row_keys
from nearkind.losses.hinge import Hinge
from nearkind.metrics.metric import Embedding
from nearkind.protocols import Array

TIE = 1e-6
"""Squared distances closer than this share of the largest count as equal; sorting
rounds to single precision, so a smaller share would not be seen."""


def triplet_accuracy(Z: Any, y: Any) -> float:
    """Return the share of triplets that the Euclidean distance on Z orders correctly.

    Over all (i, j, k) with y_j = y_i, j != i and y_k != y_i: the share with
    |z_i - z_j| < |z_i - z_k|, a tie counting one half. Every triplet is counted, none
    enumerated: O(n^2 (q + log n)) time, memory linear in n.

    Parameters
    ----------
    Z : array-like of shape (n, q)
        Any embedding.
    y : array-like of shape (n,)
        Labels.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> triplet_accuracy([[0.0], [1.0], [5.0]], ["a", "a", "b"])
    1.0
    """
    U = np.asarray(Z, dtype=float)
    numbers = _class_numbers(U, y)
    if not np.isfinite(U).all():
        raise ValueError("Z holds NaN or infinite numbers; distances need finite ones.")
    U, numbers, weights = _merge_equal(U, numbers)
    return accuracy_of_unique_rows(U, WeightedLabels(numbers, weights))


def triplet_accuracy_by(
    compare: Callable[[Any, Any], Array], rows: NDArray[Any], y: Any
) -> float:
    """Return the share of triplets that any distance orders correctly.

    Parameters
    ----------
    compare : callable
        From rows (a, q) and (n, q) to distances (a, n) >= 0; infinite ones are tied.
    rows : ndarray of shape (n, q)
        Equal rows are at equal distances.
    y : array-like of shape (n,)
        Labels.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> places = np.array([[0], [1], [5]])
    >>> triplet_accuracy_by(lambda a, b: abs(a - b.T), places, ["a", "a", "b"])
    1.0
    """
    rows, numbers, weights = _merge_equal(rows, _class_numbers(rows, y))
    labels, hinge = WeightedLabels(numbers, weights), Hinge()
    wrong = 0.0
    # A tied triplet violates the second of the two, which counts one half.
    both = (AllTriplets(margin).bind(labels).chunks() for margin in (-TIE, TIE))
    for chunks in zip(*both, strict=True):
        d = _largest_is_one(compare(rows[chunks[0].edges.anchors], rows))
        wrong += sum(c.gradient(d, hinge).intercept / c.columns.margin for c in chunks)
    return 1.0 - 0.5 * wrong


def accuracy_of_unique_rows(U: Array, labels: WeightedLabels) -> float:
    """Return the triplet accuracy of weighted unique rows (``triplet_accuracy``)."""
    U = _unit_size(U)
    rows, hinge = Embedding(U, U), Hinge()
    tie = TIE * 4.0  # no squared distance is larger than 4
    wrong = sum(
        chunk.gradient(chunk.edges.squared_distances(rows), hinge).intercept / margin
        for margin in (-tie, tie)  # a tied triplet violates the second of the two
        for chunk in AllTriplets(margin).bind(labels).chunks()
    )
    return 1.0 - 0.5 * wrong


def _class_numbers(rows: NDArray[Any], y: Any) -> NDArray[np.intp]:
    labels = np.asarray(y)
    if rows.ndim != 2 or labels.shape != rows.shape[:1]:
        raise ValueError(
            f"Z must be (n, q) and y (n,); got shapes {rows.shape} and {labels.shape}."
        )
    return np.unique(labels, return_inverse=True)[1]


def _largest_is_one(distances: Array) -> Array:
    """Scale each anchor's distances; infinite ones become 2, beyond all others."""
    finite = np.isfinite(distances)
    largest = distances.max(axis=1, where=finite, initial=0.0, keepdims=True)
    return np.where(finite, distances / np.where(largest > 0.0, largest, 1.0), 2.0)


def _unit_size(U: Array) -> Array:
    """Move rows to the origin and scale the farthest to 1; zero if all are equal."""
    largest = np.abs(U).max(initial=0.0)
    U = U / (largest or 1.0)
    U = U - U.mean(axis=0)
    size = np.sqrt(np.einsum("iq,iq->i", U, U).max())
    return U / size if size > 1e-12 else np.zeros_like(U)


def _merge_equal(U: Array, y: Any) -> tuple[Array, Any, Array]:
    """Merge equal rows of one label into one with a weight."""
    columns = [np.unique(column, return_inverse=True)[1] for column in U.T]
    keys = row_keys(np.column_stack([y, *columns]))
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return U[first], y[first], counts.astype(float)
