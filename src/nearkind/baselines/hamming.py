"""Hamming distance: the share of features in which two rows differ."""

from typing import Any, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)

from nearkind import scoring
from nearkind.estimators import shorthand
from nearkind.estimators.coded import Coded
from nearkind.estimators.targets import check_weights
from nearkind.tables import read_table
from nearkind.typing import Array, Codes


class Hamming(Coded, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """d = number of features that differ / number of features (overlap distance).

    Values not seen in fit differ from all that were, and count as one value.

    Parameters
    ----------
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Examples
    --------
    >>> Hamming().fit([["a", "x"], ["b", "x"]]).pairwise_distances([["a", "x"]],
    ...                                                            [["b", "x"]])
    array([[0.5]])
    """

    def __init__(self, unseen="prior", missing="level", numeric="auto"):
        self.unseen = unseen
        self.missing = missing
        self.numeric = numeric

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the values of each column; labels are not used."""
        table = read_table(X)
        weights = check_weights(sample_weight, table.n_rows)
        self._learn_codes(shorthand.codebook(self), table, weights)
        self._n_features_out = sum(self.codebook_.n_values) + self.n_features_in_
        return self

    def pairwise_distances(self, X: Any, Y: Any = None) -> Array:
        """Return the share of differing features (n, m); Y = X if None."""
        codes = self._encode(X)
        return self.compare(codes, codes if Y is None else self._encode(Y))

    def transform(self, X: Any) -> Array:
        """Return indicators (n, q) whose squared Euclidean distance is the distance."""
        codes = self._encode(X)
        sizes = np.array(self.codebook_.n_values) + 1  # the unseen have a place too
        at = np.where(codes < 0, sizes - 1, codes) + np.cumsum(sizes) - sizes
        U = np.zeros((len(codes), sizes.sum()))
        np.put_along_axis(U, at, (2.0 * len(sizes)) ** -0.5, axis=1)
        return U

    def triplet_accuracy(self, X: Any, y: Any) -> float:
        """Return the share of triplets of these rows that are ordered rightly."""
        return scoring.triplet_accuracy(np.asarray(self.transform(X)), y)

    def represent(self, codes: Codes) -> Codes:
        """Return what ``compare`` needs of rows: their codes."""
        return codes

    def compare(self, a: Codes, b: Codes) -> Array:
        """Return distances (n, m) between represented rows."""
        differing = np.zeros((len(a), len(b)))
        for left, right in zip(a.T, b.T, strict=True):
            differing += left[:, None] != right
        return differing / a.shape[1]
