"""Hamming distance: the share of features in which two rows differ."""

import numpy as np

from nearkind.baselines.baseline import WeightedBaseline
from nearkind.distances.mismatches import MismatchWeights
from nearkind.encoding.rows import CodedRows
from nearkind.estimators.base import EmbeddingEstimator, SeparableDistance


class Hamming(EmbeddingEstimator, SeparableDistance, WeightedBaseline):
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

    def _learn(self, rows: CodedRows) -> MismatchWeights:
        n_features = len(rows.codebook.n_values)
        return MismatchWeights(rows.codebook, np.full(n_features, 1.0 / n_features))
