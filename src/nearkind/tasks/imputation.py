"""Missing cells filled from the nearest rows that have a value there."""

import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from itertools import chain
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from nearkind.distances.checks import check_codes, check_reals
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows, unique_rows
from nearkind.errors import RefusedError
from nearkind.neighbors import VOTE_WEIGHTS, KNearest, Near, PlainIndex, near_votes
from nearkind.protocols import Array, Codes, LabelArray, TableLike
from nearkind.tables import FactorizedTable, as_floats, frame, read_table
from nearkind.tables.selection import with_cells
from nearkind.tasks.fitted_distance import DistanceTask
from nearkind.validation import parameters
from nearkind.validation.limits import distances_at_once
from nearkind.validation.threads import in_threads

Numbers = NDArray[np.intp]

INDICATOR = "missingindicator_"
"""What names of columns of ``add_indicator`` begin with, as in scikit-learn."""
HUGE = 1e300
"""The size of a number beyond all floats, or infinite, in a median."""
DIGITS = 9
"""Decimals of votes: those equal but for rounding are tied."""


class FilledCells(NamedTuple):
    """Cells that were missing, in order of columns, then rows.

    Attributes
    ----------
    row, column : ndarray of int (n,)
        Where each is.
    value : ndarray of int (n,)
        Place of its value among the distinct values of the column in ``fit``.
    certainty : ndarray (n,)
        Between 0 and 1.
    """

    row: Numbers
    column: Numbers
    value: Numbers
    certainty: Array


NONE = np.empty(0, dtype=np.intp)
NO_CELLS = FilledCells(NONE, NONE, NONE, np.empty(0))


@dataclass(frozen=True)
class Donors:
    """Unique rows that give their values to others.

    Attributes
    ----------
    codes : ndarray of int32 (m, D)
        By the codebook of the distance.
    cells : ndarray of int32 (m, D)
        Place of each value among the distinct ones of its column, -1 where missing.
    weights : ndarray (m,)
        Number of rows that each represents.
    values : list of list
        Distinct values of each column.
    is_number : ndarray of bool (D,)
        Whether a column is filled with medians.
    """

    codes: Codes
    cells: Codes
    weights: Array
    values: list[list[Any]]
    is_number: NDArray[np.bool_]

    @classmethod
    def of(cls, rows: CodedRows, order: list[int]) -> "Donors":
        """Merge equal rows; ``order`` says where the columns of the codebook are."""
        unique = unique_rows(rows.table.codes[:, order], weights=rows.weights)
        first = np.unique(unique.of_row, return_index=True)[1]
        columns = [rows.table.columns[place] for place in order]
        numeric = [each.numeric is not None and not each.declared for each in columns]
        values, is_number = [each.cells()[:-1] for each in columns], np.array(numeric)
        codes = rows.codes[first]
        return cls(codes, unique.codes, unique.weights, values, is_number)

    def check_codes(self, book: Codebook) -> None:
        """Raise ``RefusedError`` unless these are rows coded by a codebook."""
        check_codes(self.codes, "codes of rows", book.n_values, book.lowest_codes)
        n_features = len(self.values)
        shape = self.is_number.dtype, self.is_number.shape
        if shape != (bool, (n_features,)) or self.codes.shape[1] < n_features:
            raise RefusedError("is_number does not have a truth value per column")
        check_codes(self.cells, "cells of rows", [len(each) for each in self.values])
        weights = check_reals(self.weights, "weights", (len(self.codes),))
        if len(self.cells) != len(self.codes) or not (weights > 0.0).all():
            raise RefusedError("weights are not one above zero for each row")
        for d in np.flatnonzero(self.is_number):
            np.array(self.values[d], dtype=float)

    @property
    def has_gaps(self) -> NDArray[np.bool_]:
        """Which columns lack some value (D,)."""
        return np.array((self.cells < 0).any(axis=0))

    def known(self, d: int) -> Numbers:
        """Return the rows that have a value in a column."""
        return np.flatnonzero(self.cells[:, d] >= 0)

    def most_voted(self, d: int, near: Near, votes: Array) -> tuple[Numbers, Array]:
        """Return the value with the most votes on each query, and its share (b,).

        Of tied values it is the one most frequent in the column.
        """
        value = self.cells[near.unique_row, d]
        n_values = len(self.values[d])
        keys, at = np.unique(near.query * n_values + value, return_inverse=True)
        query, value = np.divmod(keys, n_values)
        total = np.bincount(at, votes).astype(float)
        share = total / np.bincount(query, total)[query]
        known = self.known(d)
        counts = np.bincount(self.cells[known, d], self.weights[known], n_values)
        order = np.lexsort((-counts[value], -share.round(DIGITS), query))
        best = order[np.unique(query[order], return_index=True)[1]]
        return value[best], share[best]

    def median(self, d: int, near: Near, votes: Array) -> tuple[Numbers, Array]:
        """Return the weighted median of each query, and how certain it is (b,).

        Of two medians it is the smaller. The certainty is 1 less the mean deviation of
        the votes from it, as a share of that of the column from its own median.
        """
        numbers = np.clip(as_floats(self.values[d])[:-1], -HUGE, HUGE)
        cells, known = self.cells[:, d].astype(np.intp), self.known(d)
        value, spread = _medians(near.query, cells[near.unique_row], votes, numbers)
        alone = np.zeros(len(known), dtype=np.intp)
        _, all_rows = _medians(alone, cells[known], self.weights[known], numbers)
        share = spread / all_rows[0] if all_rows[0] > 0.0 else np.zeros(len(spread))
        return value, np.clip(1.0 - share, 0.0, 1.0)


@parameters.estimator_class()
class NeighborImputer(
    OneToOneFeatureMixin, DistanceTask, TransformerMixin, BaseEstimator
):
    """Fill missing cells from the nearest rows, under any distance of nearkind.

    A missing cell is filled from the ``n_neighbors`` nearest rows that have a value in
    its column: with the value that has the most votes, or with the weighted median in a
    numeric column. Rows at the same distance share votes, so results do not depend on
    the order of rows. Numeric codes, such as postal codes, are filled with the most
    frequent one if their column has a categorical type or is text.

    Parameters
    ----------
    metric : distance, FittedDistance, classifier or str, default="gower"
        A fitted distance is used as it is; an unfitted one, or the name of one, is
        fitted to the rows. Where models are cloned, as in a search, wrap a fitted one
        in scikit-learn's ``FrozenEstimator``.
    n_neighbors : int, default=5
        Number of nearest rows used to fill a cell.
    weights : {"uniform", "distance"}, default="uniform"
        "uniform": every row has one vote; "distance": votes are weighted by 1 /
        distance.
    add_indicator : bool, default=False
        Whether ``transform`` also returns an indicator of missing cells for each column
        with missing cells in ``fit``, as in ``sklearn.impute``.

    Attributes
    ----------
    distance_ : FittedDistance
        The distance between rows.
    metric_ : estimator or None
        Its fitted estimator; None if ``metric`` is a fitted distance itself.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import nearkind as nk
    >>> rows = [["red", 3], ["red", 4], ["blue", 9], ["blue", 8], [None, 9]]
    >>> nk.NeighborImputer(n_neighbors=2).fit_transform(rows)[-1]
    array(['blue', 9], dtype=object)
    """

    _parts: ClassVar = {"_donors": Donors}

    metric: object = "gower"
    _: KW_ONLY
    n_neighbors: parameters.WholeNumber = 5
    weights: Annotated[str, partial(parameters.choice, table=VOTE_WEIGHTS)] = "uniform"
    add_indicator: parameters.Flag = False

    def fit(self, X: TableLike, y: object = None, sample_weight: object = None) -> Self:
        """Store the rows that are used to fill cells.

        Parameters
        ----------
        X : table of any kind
        y : array-like (n,), default=None
            Labels, used only by an unfitted distance that learns from them.
        sample_weight : array-like (n,), default=None
            Number of rows that each row represents.

        Returns
        -------
        self
        """
        rows = self._fit_distance(X, y, sample_weight)
        order = self.codebook_.order_of(rows.table, type(self).__name__)
        self._donors = Donors.of(rows, order)
        for d in np.flatnonzero((self._donors.cells < 0).all(axis=0)):
            warnings.warn(
                f"Column {self.codebook_.names_[d]!r} has no value in any row, so its "
                "missing cells stay missing.",
                UserWarning,
                stacklevel=2,
            )
        return self

    def transform(self, X: TableLike) -> Any:
        """Return the table with missing cells filled, as a table of the same kind.

        A list of lists is returned as an array.

        Parameters
        ----------
        X : table with the columns that fit saw
        """
        table, order, found = self._fill(X)
        if isinstance(X, list | tuple) and not isinstance(X[0], Mapping):
            rows, X = X, np.empty(table.codes.shape, dtype=object)
            X[:] = rows  # whose cells may be tuples
            numbers = [each.numeric is not None for each in table.columns]
            if self._donors.is_number.all() and all(numbers):
                X = _exact_floats(X, table.codes < 0)
        filled, added = {}, {}
        for d in np.unique(found.column):
            here, values = found.column == d, self._donors.values[d]
            filled[order[d]] = found.row[here], [values[v] for v in found.value[here]]
        for d in np.flatnonzero(self._donors.has_gaps & self.add_indicator):
            name = f"{INDICATOR}{self.codebook_.names_[d]}"
            added[name] = table.codes[:, order[d]] < 0
        return with_cells(X, filled, added)

    def certainty(self, X: TableLike) -> Any:
        """Return the cells that ``transform`` fills, with the certainty of each value.

        The certainty of a category is its share of the votes. The certainty of a number
        is 1 minus the mean absolute deviation of the votes from it, divided by that of
        the whole column from its median, and at least 0.

        Parameters
        ----------
        X : table with the columns that fit saw

        Returns
        -------
        data frame with columns row, column, value, certainty
            Of the library of X, else of that of the table given to fit, else of pandas
            (a dict of columns where there is none).
        """
        _, _, found = self._fill(X)
        names, values = self.codebook_.names_, self._donors.values
        cells = zip(found.column, found.value, strict=True)
        columns = {
            **found._asdict(),
            "column": [names[d] for d in found.column],
            "value": [values[d][place] for d, place in cells],
        }
        return frame(columns, library=self.codebook_.library_of(X))

    def get_feature_names_out(self, input_features: object = None) -> LabelArray:
        """Return the names of the columns that ``transform`` returns."""
        check_is_fitted(self)
        names = super().get_feature_names_out(input_features)
        gaps = names[self._donors.has_gaps & self.add_indicator]
        added = [f"{INDICATOR}{name}" for name in gaps]
        return np.array([*names, *added], dtype=object)

    def _check_parts(self) -> None:
        self._donors.check_codes(self.codebook_)

    def _fill(self, X: TableLike) -> tuple[FactorizedTable, list[int], FilledCells]:
        """Return the table, the places of its columns, and what fills it."""
        check_is_fitted(self)
        table = read_table(X).factorize()
        order = self.codebook_.order_of(table, type(self).__name__)
        is_gap = table.codes[:, order] < 0
        rows = np.flatnonzero(is_gap.any(axis=1))
        if not len(rows):
            return table, order, NO_CELLS
        codes, is_gap = self._encode(table.take(rows)), is_gap[rows]
        donors = self._donors
        index = PlainIndex(self.distance_, self.distance_.represent(donors.codes), 1)

        def fill(at: slice) -> list[FilledCells]:
            distances, tie = index.distances(self.distance_.represent(codes[at]))
            return [
                self._fill_column(d, rows[at], is_gap[at, d], distances, tie)
                for d in np.flatnonzero(is_gap[at].any(axis=0)).tolist()
            ]

        parts = in_threads(fill, index.chunks(len(rows), distances_at_once()))
        row, column, value, certainty = map(
            np.concatenate, zip(*chain.from_iterable(parts), strict=True)
        )
        by = np.lexsort((row, column))
        return table, order, FilledCells(row[by], column[by], value[by], certainty[by])

    def _fill_column(
        self,
        d: int,
        rows: Numbers,
        is_gap: NDArray[np.bool_],
        distances: Array,
        tie: Array,
    ) -> FilledCells:
        """Return what fills the missing cells of a column, given distances (b, m)."""
        donors, queries = self._donors, np.flatnonzero(is_gap)
        known = donors.known(d)
        if not len(known):
            return NO_CELLS
        k_nearest = KNearest(donors.weights[known])
        near = k_nearest.near(
            distances[np.ix_(queries, known)], self.n_neighbors, tie[queries]
        )
        votes = near_votes(near, VOTE_WEIGHTS[self.weights], len(queries))
        near = near._replace(unique_row=known[near.unique_row])
        answer = donors.median if donors.is_number[d] else donors.most_voted
        column = np.full(len(queries), d)
        return FilledCells(rows[queries], column, *answer(d, near, votes))


def _exact_floats(cells: NDArray[np.object_], is_missing: NDArray[np.bool_]) -> Any:
    """Return numbers as floats, NaN if missing; as they are if floats would differ."""
    try:
        floats = np.where(is_missing, np.nan, cells).astype(float)
    except OverflowError:
        return cells
    return floats if ((floats == cells) | is_missing).all() else cells


def _medians(
    query: Numbers, value: Numbers, votes: Array, numbers: Array
) -> tuple[Numbers, Array]:
    """Return the weighted median of each query, and the mean deviation from it (b,).

    Parameters
    ----------
    query : ndarray of int (n,)
        Of each vote; all of 0, 1, ... have one.
    value : ndarray of int (n,)
        Place in ``numbers`` of what it votes for.
    votes : ndarray (n,)
        Weights.
    numbers : ndarray (s,)

    Examples
    --------
    >>> value, votes = np.array([2, 0, 1]), np.array([1.0, 1.0, 1.0])
    >>> _medians(np.zeros(3, int), value, votes, np.array([1.0, 2.0, 9.0]))
    (array([1]), array([2.66666667]))
    """
    order = np.lexsort((numbers[value], query))
    query, value, votes = query[order], value[order], votes[order]
    totals = np.bincount(query, votes)
    within = np.cumsum(votes) - (np.cumsum(totals) - totals)[query]
    reached = np.flatnonzero(within >= (0.5 - 10.0**-DIGITS) * totals[query])
    median = value[reached[np.unique(query[reached], return_index=True)[1]]]
    deviation = np.abs(numbers[value] - numbers[median][query])
    spread: Array = np.bincount(query, votes * deviation) / totals
    return median, spread
