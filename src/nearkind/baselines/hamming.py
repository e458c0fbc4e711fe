"""Hamming distance: the share of features in which two rows differ."""

from nearkind.baselines.baseline import ColumnWeighted, column_weights
from nearkind.distances.mismatches import MismatchWeights
from nearkind.encoding.rows import CodedRows
from nearkind.estimators.base import EmbeddingEstimator, SeparableDistance


class Hamming(EmbeddingEstimator, SeparableDistance, ColumnWeighted):
    """d = weighted proportion of features that differ (overlap distance).

    Values not seen in fit differ from all known values, and are equal to each other.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> Hamming().fit([["a", "x"], ["b", "x"]]).pairwise_distances([["a", "x"]],
    ...                                                            [["b", "x"]])
    array([[0.5]])
    """

    def _learn(self, rows: CodedRows) -> MismatchWeights:
        weights = column_weights(self, rows.codebook)
        return MismatchWeights(rows.codebook, weights / weights.sum())
