"""Distances of values without learning: VDM, Euclidean and Hamming."""

from collections.abc import Callable
from dataclasses import KW_ONLY
from functools import partial
from typing import Annotated, Any

import numpy as np

from nearkind.baselines.baseline import ColumnWeighted, column_weights
from nearkind.baselines.coding import weighted_tables
from nearkind.distances.mismatches import MismatchWeights
from nearkind.distances.pair_tables import PairTables, check_table_size
from nearkind.distances.vectors import ValueVectors
from nearkind.encoding.rows import CodedRows
from nearkind.estimators.base import (
    EmbeddingEstimator,
    SeparableDistance,
    VectorDistance,
)
from nearkind.metrics.value_tables import unlearned_tables
from nearkind.projections.coordinates import with_coordinates
from nearkind.projections.vdm import VDM
from nearkind.protocols import Array
from nearkind.validation.parameters import Positive, choice

WEIGHTINGS: dict[str, Callable[[Array], Any]] = {
    "none": lambda w: 1.0,
    "query": lambda w: w[:, None],
    "symmetric": lambda w: 0.5 * np.add.outer(w, w),
}
ROUNDING = 2.0**-52
"""Share of the largest distance below which the distance of two values is zero: it
would vanish in a sum with others."""


class ValueDifference(SeparableDistance, ColumnWeighted):
    """d = sum over features of w_d(x_d) sum over classes |phi_d(x)_c - phi_d(x')_c|^k.

    phi_d(f) are the shares of the classes among rows with value f; those of an unseen
    value are the shares in all rows. Stanfill and Waltz, *Toward memory-based
    reasoning*, Communications of the ACM 1986; the weight is our reading of it,
    w_d(f)^2 = sum over classes of phi_d(f)_c^2, and later work leaves it out.

    Without weights and with exponent 2, this is the square of
    :class:`nearkind.baselines.Euclidean`, whose ``transform`` embeds rows.

    Parameters
    ----------
    exponent : float > 0, default=2.0
        k.
    weighting : {"none", "query", "symmetric"}, default="none"
        No weight; the weight at the value of the query, X in
        ``pairwise_distances(X, Y)``, so that distances are not symmetric; or the mean
        of both rows' weights.
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> rows, labels = [["a"], ["a"], ["b"], ["b"]], ["no", "no", "no", "yes"]
    >>> vdm = ValueDifference().fit(rows, labels)
    >>> vdm.pairwise_distances([["a"]], [["b"]])
    array([[0.5]])
    """

    _requires_labels = True

    exponent: Positive = 2.0
    _: KW_ONLY
    weighting: Annotated[str, partial(choice, table=WEIGHTINGS)] = "none"

    def _learn(self, rows: CodedRows) -> PairTables:
        weigh, weights = WEIGHTINGS[self.weighting], column_weights(self, rows.codebook)
        check_table_size(rows.codebook, type(self).__name__)
        vdm = VDM().fit(rows.codes, rows.codebook.n_values, rows.y, rows.weights)
        tables = [
            w
            * weigh(np.sqrt((phi * phi).sum(axis=1)))
            * differences(phi, self.exponent)
            for w, phi in zip(weights, (t[:, 0] for t in vdm.tables), strict=True)
        ]
        least = ROUNDING * sum(table.max() for table in tables)
        tables = [np.where(table < least, 0.0, table) for table in tables]
        return PairTables(rows.codebook, tables)


def differences(phi: Array, exponent: float) -> Array:
    """Return sum over c of |phi_uc - phi_vc|^exponent for any two values (s, s)."""
    total = np.zeros((len(phi), len(phi)))
    for share in phi.T:
        total += np.abs(np.subtract.outer(share, share)) ** exponent
    return total


class Euclidean(VectorDistance, ColumnWeighted):
    """d^2 = sum over features and classes of (phi_d(x)_c - phi_d(x')_c)^2.

    The paper's "Euclidean": values as class histograms, no metric learned. With
    numeric="scale", numbers add the square of their standardised difference.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> rows, labels = [["a"], ["a"], ["b"], ["b"]], ["no", "no", "no", "yes"]
    >>> Euclidean().fit(rows, labels).pairwise_distances([["a"]], [["b"]]).round(4)
    array([[0.7071]])
    """

    _requires_labels = True
    _has_coordinates = True

    def _learn(self, rows: CodedRows) -> ValueVectors:
        book = rows.codebook
        projection = with_coordinates(VDM(), book.positions)
        projection.fit(rows.codes, book.n_values, rows.y, rows.weights)
        tables = unlearned_tables(projection.tables).vectors
        return ValueVectors(book, weighted_tables(tables, column_weights(self, book)))


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
