"""Distances for mixed tables: means of differences over columns."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, replace
from functools import partial
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from nearkind.baselines.baseline import ColumnWeighted, column_weights
from nearkind.distances.mixed_tables import MixedTables
from nearkind.encoding import Ordinal
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.errors import require_known
from nearkind.estimators.base import SeparableDistance
from nearkind.protocols import Array, Codes
from nearkind.validation.parameters import choice, wrong


def level_ends(counts: Array) -> Array:
    """Return where ordered values begin and end (s, 2), their numbers over the range.

    Examples
    --------
    >>> level_ends(np.array([2.0, 0.0, 1.0, 0.0])).tolist()
    [[0.0, 0.0], [0.5, 0.5], [1.0, 1.0], [1.5, 1.5]]
    """
    used = np.flatnonzero(counts)
    span = max(int(np.ptp(used)), 1) if len(used) else 1
    return np.repeat(np.arange(len(counts))[:, None] / span, 2, axis=1)


def rank_ends(counts: Array) -> Array:
    """Return where ordered values begin and end (s, 2), as shares of ranks of rows.

    Two values then differ by one more than the number of rows between them. A value
    that no row has stands half a rank from its neighbours.

    Examples
    --------
    >>> rank_ends(np.array([2.0, 1.0, 3.0])).tolist()
    [[0.0, 0.5], [1.0, 1.0], [1.5, 2.5]]
    """
    upto, used = np.cumsum(counts), np.flatnonzero(counts)
    below = upto - counts
    span = below[used[-1]] - upto[used[0]] + 1.0 if len(used) > 1 else 1.0
    first = np.where(counts > 0.0, below, below - 0.5)
    last = np.where(counts > 0.0, np.maximum(upto - 1.0, below), first)
    return np.column_stack([first, last]) / span


ORDINAL: dict[str, Callable[[Array], Array]] = {
    "levels": level_ends,
    "podani": rank_ends,
}


class MixedDistance(SeparableDistance, ColumnWeighted):
    """Base of distances that compare numbers as numbers and skip missing cells."""

    _policies: ClassVar = {
        "missing": ("skip", "error"),
        "numeric": ("number", "auto", "category", "bin"),
    }

    _: KW_ONLY
    missing: str = "skip"
    numeric: str = "number"

    def _form(
        self,
        rows: CodedRows,
        ends_of: Callable[[Array], Array],
        asymmetric: NDArray[np.bool_] | None = None,
        limit: float | None = None,
    ) -> MixedTables:
        """Return the form of differences that are not scaled.

        ``ends_of`` makes the ends of the values of an ordered column from their counts.
        """
        book = rows.codebook
        features = zip(book.features_, rows.codes.T, strict=True)
        ends = [
            _with_missing(ends_of(_counts(feature, codes, rows.weights)), feature)
            if isinstance(feature, Ordinal)
            else np.empty((0, 2))
            for feature, codes in features
        ]
        n_features = len(ends)
        none = np.zeros(n_features, dtype=bool)
        return MixedTables(
            book,
            column_weights(self, book),
            np.ones(n_features),
            ends,
            none if asymmetric is None else asymmetric,
            limit,
        )


class Gower(MixedDistance):
    """d = weighted mean over columns of how much two rows differ, between 0 and 1.

    Categories differ by 1, or 0 if they are equal, and values of an ordered column by
    their distance in the order. Numbers x and y differ by |x - y| / R, R the range of
    the column in fit, and by 1 at most if one of them is new. Columns with a missing
    cell are left out of the mean for a pair of rows. Gower, *A general coefficient of
    similarity and some of its properties*, Biometrics 1971. The distances are those of
    ``daisy`` in R's package cluster.

    If there is no column in which both rows have a value, daisy returns NA; here equal
    rows have distance 0 and others 1, the largest distance.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weight >= 0 of columns in the mean; others have weight 1.
    asymmetric : sequence of columns, default=()
        Columns of two values whose first value, in sorted order (0, False, "no"), means
        absence: if both rows have it, the column is left out of the mean.
    ordinal : {"levels", "podani"}, default="levels"
        Values of an ordered column differ by the difference of their levels, divided by
        the range of the levels that occur (as in daisy); or by the number of rows
        between them (Podani, *Extending Gower's general coefficient of similarity to
        ordinal characters*, Taxon 1999).
    missing : {"skip", "error"}, default="skip"
        Ignore missing cells, or raise an error.
    numeric : {"number", "auto", "category", "bin"}, default="number"
        Numbers are compared by their difference; or as in :class:`nearkind.CPML`.
    unseen, ordered : str, dict, default="prior", None
        As in :class:`nearkind.CPML`; unseen categories count as one value.

    Examples
    --------
    >>> rows = [["red", 20], ["red", 30], ["blue", 60]]
    >>> Gower().fit(rows).pairwise_distances(rows[:1], rows)
    array([[0.   , 0.125, 1.   ]])
    """

    _: KW_ONLY
    asymmetric: Sequence[object] = ()
    ordinal: Annotated[str, partial(choice, table=ORDINAL)] = "levels"

    def _learn(self, rows: CodedRows) -> MixedTables:
        ends, is_asymmetric = ORDINAL[self.ordinal], _asymmetric(self, rows.codebook)
        return self._form(rows, ends, is_asymmetric, limit=1.0)


class Unbiased(MixedDistance):
    """d = weighted mean over columns of differences whose mean over pairs of rows is 1.

    Categories differ by 1, numbers by |x - y| and values of an ordered column by the
    difference of their levels, each divided by its mean over all pairs of rows of fit,
    so that all columns contribute equally to the mean distance. With Gower's distance,
    a categorical column contributes more than a numeric one. A constant column is not
    scaled. Missing cells leave their column out of the mean of their pair of rows; rows
    without a column in common are at distance 1.

    van de Velden, Iodice D'Enza, Markos and Cavicchia, *Unbiased mixed variables
    distance*, arXiv 2411.00429, 2024: the additive distance with commensurable columns,
    without associations between columns. The source uses the sum over columns; here it
    is the mean, because cells may be missing.

    Parameters
    ----------
    weights : dict of column to float, default=None
        Weight >= 0 of columns in the mean; others have weight 1.
    missing : {"skip", "error"}, default="skip"
        Ignore missing cells, or raise an error.
    numeric : {"number", "auto", "category", "bin"}, default="number"
        Numbers are compared by their difference; or as in :class:`nearkind.CPML`.
    unseen, ordered : str, dict, default="prior", None
        As in :class:`nearkind.CPML`; unseen categories count as one value.

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
        form = self._form(rows, level_ends)
        means = form.mean_differences(rows.codes, rows.weights)
        return replace(form, scales=1.0 / np.where(means > 0.0, means, 1.0))


def _counts(feature: Ordinal, codes: Codes, weights: Array) -> Array:
    """Return the weight of the rows that have each value of an order (s,)."""
    known = (codes >= 0) & (codes != feature.missing_code)
    counts = np.bincount(codes[known], weights[known], feature.n_ordered)
    return counts.astype(float)


def _with_missing(ends: Array, feature: Ordinal) -> Array:
    return np.pad(ends, ((0, feature.n_values - len(ends)), (0, 0)))


def _asymmetric(model: Gower, book: Codebook) -> NDArray[np.bool_]:
    """Return in which columns the first value says nothing where both rows have it."""
    named, is_asymmetric = model.asymmetric, np.zeros(len(book.names_), dtype=bool)
    if isinstance(named, str) or not isinstance(named, Sequence):
        raise wrong(model, "asymmetric", "a list of columns")
    for name in named:
        message = f"asymmetric names {name!r}, which is not a column."
        require_known(name, book.names_, message)
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
