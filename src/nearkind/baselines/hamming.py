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
from nearkind.protocols import Array, Codes


class Hamming(
    PairwiseDistance, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """d = number of features that differ / number of features (overlap distance).

    Values not seen in fit differ from all that were, and count as one value.

    Parameters
    ----------
    unseen, missing, numeric : str
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
        differing = np.zeros((len(a), len(b)))
        for left, right in zip(a.T, b.T, strict=True):
            differing += left[:, None] != right
        return differing / a.shape[1]
