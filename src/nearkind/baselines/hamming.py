"""Hamming distance: the share of features in which two rows differ."""

from typing import Any, Self

import numpy as np

from nearkind.distances.mismatches import MismatchWeights
from nearkind.estimators.base import EmbeddingEstimator, SeparableDistance, code_rows
from nearkind.estimators.bases import BaseEstimator
from nearkind.validation.parameters import estimator_class


@estimator_class()
class Hamming(EmbeddingEstimator, SeparableDistance, BaseEstimator):
    """d = number of features that differ / number of features (overlap distance).

    Values not seen in fit differ from all that were, and count as one value.

    Parameters
    ----------
    unseen, missing, numeric : str, default="prior", "level", "auto"
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> Hamming().fit([["a", "x"], ["b", "x"]]).pairwise_distances([["a", "x"]],
    ...                                                            [["b", "x"]])
    array([[0.5]])
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the values of each column; labels are not used."""
        rows = code_rows(self, X, sample_weight=sample_weight)
        n_features = len(rows.codebook.n_values)
        weights = np.full(n_features, 1.0 / n_features)
        self.distance_ = MismatchWeights(rows.codebook, weights)
        return self
