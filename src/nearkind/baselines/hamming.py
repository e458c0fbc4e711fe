"""Hamming distance: the share of features in which two rows differ."""

from typing import Any, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)

from nearkind.baselines.pair_tables import places, starts
from nearkind.baselines.pairwise import PairwiseDistance
from nearkind.neighbors import query_chunks
from nearkind.protocols import Array, Codes

COUNTS_AT_ONCE = 1 << 18
"""Counts of features that are held at a time: about what a core's cache holds."""


class Hamming(
    PairwiseDistance, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """d = number of features that differ / number of features (overlap distance).

    Values not seen in fit differ from all that were, and count as one value.

    Parameters
    ----------
    unseen, missing, numeric : str, default="prior", "level", "auto"
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    n_features_out_ : int
        Width of the indicators that ``transform`` returns.

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
        self.code_rows(X, sample_weight=sample_weight)
        self.n_features_out_ = int(starts(self.codebook_.n_values)[-1])
        return self

    @property
    def _n_features_out(self) -> int:  # scikit-learn's name for it
        return self.n_features_out_

    def transform(self, X: Any) -> Array:
        """Return indicators (n, q) whose squared Euclidean distance is the distance."""
        codes = self.encode(X)
        U = np.zeros((len(codes), self.n_features_out_))
        at = places(codes, self.codebook_.n_values)
        np.put_along_axis(U, at, (2.0 * codes.shape[1]) ** -0.5, axis=1)
        return U

    def represent(self, codes: Codes) -> Codes:
        """Return what ``compare`` needs of rows: their codes."""
        return codes

    def compare(self, a: Codes, b: Codes) -> Array:
        """Return distances (n, m) between represented rows."""
        n_features = a.shape[1]
        narrow = np.result_type(*map(np.min_scalar_type, (-1, a.max(initial=0))))
        narrow = np.promote_types(narrow, np.min_scalar_type(b.max(initial=0)))
        left, right = a.astype(narrow).T, np.ascontiguousarray(b.T, dtype=narrow)
        distances = np.empty((len(a), len(b)))
        for rows in query_chunks(len(a), len(b), COUNTS_AT_ONCE):
            shape = len(a[rows]), len(b)
            differing = np.zeros(shape, dtype=np.min_scalar_type(n_features))
            for x, y in zip(left, right, strict=True):
                differing += x[rows, None] != y
            np.divide(differing, n_features, out=distances[rows])
        return distances
