"""Distances of tables of words and numbers: means over columns of differences."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearkind.baselines.baseline import ColumnWeighted, column_weights
from nearkind.distances.mixed_tables import MixedTables
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.errors import did_you_mean
from nearkind.estimators.base import SeparableDistance
from nearkind.validation.parameters import wrong


class MixedDistance(SeparableDistance, ColumnWeighted):
    """Base of distances that compare numbers as numbers and skip missing cells."""

    _policies: ClassVar = {
        "missing": ("skip", "error"),
        "numeric": ("number", "auto", "category", "bin"),
    }

    _: KW_ONLY
    missing: str = "skip"
    numeric: str = "number"


class Gower(MixedDistance):
    """d = weighted mean over columns of how much two rows differ, between 0 and 1.

    Words differ by 1, or 0 if they are equal. Numbers x and y differ by |x - y| / R, R
    the range of the column in fit, and by 1 at most if one of them is new. Cells that
    are missing leave their column out of the mean of their pair of rows. Gower, *A
    general coefficient of similarity and some of its properties*, Biometrics 1971. The
    distances are those of ``daisy`` in R's package cluster.

    Where two rows have no column in common in which both have a value, daisy gives NA.
    Here they are at distance 1, the largest, and equal rows at distance 0.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weight >= 0 of columns in the mean; others have weight 1.
    asymmetric : sequence of columns, default=()
        Columns of two values whose first value, in sorted order (0, False, "no"), means
        absence: where both rows have it, the column is left out of their mean.
    missing : {"skip", "error"}, default="skip"
        Leave missing cells out, or refuse them.
    numeric : {"number", "auto", "category", "bin"}, default="number"
        Numbers are compared by their difference; or as in :class:`nearkind.CPML`.
    unseen : str, default="prior"
        As in :class:`nearkind.CPML`; unseen words count as one value.

    Examples
    --------
    >>> rows = [["red", 20], ["red", 30], ["blue", 60]]
    >>> Gower().fit(rows).pairwise_distances(rows[:1], rows)
    array([[0.   , 0.125, 1.   ]])
    """

    _: KW_ONLY
    asymmetric: Any = ()

    def _learn(self, rows: CodedRows) -> MixedTables:
        book = rows.codebook
        weights, is_asymmetric = column_weights(self, book), _asymmetric(self, book)
        ends = [np.empty((0, 2))] * len(weights)
        ones = np.ones(len(weights))
        return MixedTables(book, weights, ones, ends, is_asymmetric, limit=1.0)


class Unbiased(MixedDistance):
    """d = weighted mean over columns of differences whose mean over pairs of rows is 1.

    Words differ by 1 and numbers by |x - y|, each divided by the mean of these over all
    pairs of rows of fit, so that all columns contribute equally to the mean distance.
    Under Gower's distance a column of words contributes more than one of numbers. A
    constant column is not scaled. Missing cells leave their column out of the mean of
    their pair of rows; rows without a column in common are at distance 1.

    van de Velden, Iodice D'Enza, Markos and Cavicchia, *Unbiased mixed variables
    distance*, arXiv 2411.00429, 2024: the additive distance with commensurable columns,
    without associations between columns. Theirs is the sum over columns, here the mean,
    because cells may be missing.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weight >= 0 of columns in the mean; others have weight 1.
    missing : {"skip", "error"}, default="skip"
        Leave missing cells out, or refuse them.
    numeric : {"number", "auto", "category", "bin"}, default="number"
        Numbers are compared by their difference; or as in :class:`nearkind.CPML`.
    unseen : str, default="prior"
        As in :class:`nearkind.CPML`; unseen words count as one value.

    Examples
    --------
    >>> rows = [["red", 20], ["red", 30], ["blue", 60]]
    >>> D = Unbiased().fit(rows).pairwise_distances(rows)
    >>> D.round(4)
    array([[0.    , 0.1875, 1.5   ],
           [0.1875, 0.    , 1.3125],
           [1.5   , 1.3125, 0.    ]])
    >>> bool(np.isclose(D[np.triu_indices(3, 1)].mean(), 1.0))
    True
    """

    def _learn(self, rows: CodedRows) -> MixedTables:
        book = rows.codebook
        weights, none = column_weights(self, book), np.zeros(len(book.n_values), bool)
        ends, ones = [np.empty((0, 2))] * len(weights), np.ones(len(weights))
        form = MixedTables(book, weights, ones, ends, none)
        means = form.mean_differences(rows.codes, rows.weights)
        return replace(form, scales=1.0 / np.where(means > 0.0, means, 1.0))


def _asymmetric(model: Gower, book: Codebook) -> NDArray[np.bool_]:
    """Return in which columns the first value says nothing where both rows have it."""
    named, is_asymmetric = model.asymmetric, np.zeros(len(book.names_), dtype=bool)
    if isinstance(named, str) or not isinstance(named, Sequence):
        raise wrong(model, "asymmetric", "a list of columns")
    for name in named:
        if name not in book.names_:
            hint = did_you_mean(name, book.names_)
            raise ValueError(f"asymmetric names {name!r}, which is no column. {hint}")
        d = book.names_.index(name)
        values = [value for value in book.values(d) if value is not None]
        if len(values) > 2:
            raise ValueError(
                f"asymmetric names column {name!r}, which has {len(values)} values, "
                f"such as {values[0]!r}, {values[1]!r} and {values[2]!r}; a column of "
                "presence and absence has two."
            )
        is_asymmetric[d] = len(values) == 2 or values == [0]
    return is_asymmetric
