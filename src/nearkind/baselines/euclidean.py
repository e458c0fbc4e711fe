"""Euclidean distance on class histograms: CPML before any learning, M = I."""

from typing import Any, Self

from sklearn.base import BaseEstimator

from nearkind.estimators.vector_distance import VectorDistance
from nearkind.metrics.spectrum import identity
from nearkind.metrics.structures import Single
from nearkind.metrics.value_tables import value_tables
from nearkind.projections.coordinates import with_coordinates
from nearkind.projections.vdm import VDM


class Euclidean(VectorDistance, BaseEstimator):
    """d^2 = sum over features and classes of (phi_d(x)_c - phi_d(x')_c)^2.

    The paper's "Euclidean": values as class histograms, no metric learned. With
    numeric="scale", numbers add the square of their standardised difference.

    Parameters
    ----------
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Examples
    --------
    >>> rows, labels = [["a"], ["a"], ["b"], ["b"]], ["no", "no", "no", "yes"]
    >>> Euclidean().fit(rows, labels).pairwise_distances([["a"]], [["b"]]).round(4)
    array([[0.7071]])
    """

    requires_labels = True

    has_coordinates = True

    def __init__(self, unseen="prior", missing="level", numeric="auto"):
        self.unseen = unseen
        self.missing = missing
        self.numeric = numeric

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Count the classes at each value."""
        rows = self.code_rows(X, y, sample_weight)
        n_values = self.codebook_.n_values
        projection = with_coordinates(VDM(), self.codebook_.positions)
        projection.fit(rows.codes, n_values, rows.y, rows.weights)
        self.value_tables_ = value_tables(
            projection.tables, Single(), identity(1, len(n_values))
        )
        return self
