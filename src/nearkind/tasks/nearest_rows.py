"""The rows of a table that are nearest to others: neighbours for tables of any kind."""

from dataclasses import KW_ONLY
from functools import partial
from itertools import pairwise
from numbers import Real
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from nearkind.distances.form import FittedDistance
from nearkind.encoding import NumberLine
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows
from nearkind.errors import RefusedError
from nearkind.neighbors import INDEXES, TrainingRows
from nearkind.protocols import Array, Codes, TableLike
from nearkind.tables import frame, one_row, read_table
from nearkind.tasks.fitted_distance import DistanceTask
from nearkind.validation import parameters
from nearkind.voting import NearestRule, Voter

IndexKind = Annotated[str, partial(parameters.choice, table=INDEXES)]
MODES = "connectivity", "distance"
"""What the entries of a graph may be."""
SMALLEST = np.finfo(float).tiny
"""What stands for a distance of zero in a graph."""
MOST_REASONS = 3
"""Columns that the text on a pair of rows lists."""


class RowSearch(DistanceTask):
    """Mixin of an estimator that looks for the nearest of the rows given to fit.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of rows given to ``fit``.
    """

    n_neighbors: int
    index: str
    n_samples_fit_: int
    _rows: TrainingRows
    _voter: Voter
    _parts: ClassVar = {"_rows": TrainingRows, "n_samples_fit_": int}

    def _keep_rows(self, X: TableLike, y: object, sample_weight: object) -> CodedRows:
        """Fit the distance, and keep and return the rows to search among."""
        rows = self._fit_distance(X, y, sample_weight)
        self._rows, self.n_samples_fit_ = TrainingRows.of(rows), rows.n_given
        self._search()
        return rows

    def _search(self) -> None:
        """Set what finds the nearest of the rows."""
        learner = type(self.metric_ or self.distance_).__name__
        INDEXES[self.index].check(self.distance_, learner, type(self).__name__)
        rule, report = NearestRule(self.n_neighbors), self._fit_report
        self._voter = Voter(self.distance_, self._rows, rule, report, self.index)

    def _check_parts(self) -> None:
        self._rows.check_codes(self.codebook_)
        if self.n_samples_fit_ <= int(self._rows.groups.rows.max()):
            raise RefusedError("n_samples_fit_ is less than the number of a row")
        self._search()

    def kneighbors(
        self,
        X: TableLike = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,
    ) -> Any:
        """Return the nearest rows of the table given to fit, ties by row number.

        Parameters
        ----------
        X : table, default=None
            None: the rows given to fit, each compared with the others.
        n_neighbors : int, default=None
            Number of neighbours per row; None: ``n_neighbors``.
        return_distance : bool, default=True
            Whether to return distances too.

        Returns
        -------
        distances : ndarray (n, k)
            In ascending order; left out if ``return_distance`` is False.
        rows : ndarray of int (n, k)
            Row numbers in the table given to fit.
        """
        check_is_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        k = parameters.check_whole(k, "n_neighbors", type(self).__name__)
        codes = None if X is None else self._encode(X)
        distances, numbers = self._voter.kneighbors(codes, k)
        return (distances, numbers) if return_distance else numbers

    def _row(self, row: Any) -> tuple[Codes, list[Any], str | None]:
        """Return the codes and cells of a row, and the library of its table.

        Parameters
        ----------
        row : one row, as ``one_row`` takes it; or int
            The number of a row of the table given to fit.
        """
        check_is_fitted(self)
        book, rows = self.codebook_, self._voter.rows
        if not parameters.is_whole(row):
            table = one_row(row)
            return self._encode(table)[0], book.cells_of(table), book.library_of(row)
        if row not in rows.groups.rows:
            raise ValueError(
                f"Row {row} is none of the {rows.n_rows:,} rows given to fit. "
                "Count rows from 0, without those of weight 0."
            )
        codes = rows.codes[rows.unique_of(row)]
        return codes, decoded(book, codes[None])[0], book.library_


@parameters.estimator_class()
class NearestRows(RowSearch, BaseEstimator):
    """Find the nearest rows of a table, under any distance of nearkind.

    The counterpart of scikit-learn's ``NearestNeighbors`` for tables of categories and
    numbers. Equal rows are compared once, and rows at the same distance are returned in
    the order of the table. Queries are processed in chunks, so the distances of all
    pairs are never in memory.

    Parameters
    ----------
    metric : distance, FittedDistance, classifier or str, default="gower"
        A fitted distance is used as it is; an unfitted one, or the name of one, is
        fitted to the rows. Where models are cloned, as in a search, wrap a fitted one
        in scikit-learn's ``FrozenEstimator``.
    n_neighbors : int, default=5
        Number of neighbours per row.
    radius : float, default=1.0
        Largest distance of ``radius_neighbors``.
    index : {"exact", "faiss"}, default="exact"
        As in :class:`nearkind.CPMLClassifier`.

    Attributes
    ----------
    distance_ : FittedDistance
        The distance between rows.
    metric_ : estimator or None
        Its fitted estimator; None if ``metric`` is a fitted distance itself.
    n_samples_fit_ : int
        Number of rows given to ``fit``.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import nearkind as nk
    >>> rows = [["red", "S"], ["red", "M"], ["blue", "M"], ["blue", "L"]]
    >>> model = nk.NearestRows("hamming", n_neighbors=2).fit(rows)
    >>> distances, numbers = model.kneighbors([["red", "L"]])
    >>> distances.tolist(), numbers.tolist()
    ([[0.5, 0.5]], [[0, 1]])
    """

    metric: object = "gower"
    _: KW_ONLY
    n_neighbors: parameters.WholeNumber = 5
    radius: parameters.NonNegative = 1.0
    index: IndexKind = "exact"

    def fit(self, X: TableLike, y: object = None, sample_weight: object = None) -> Self:
        """Store the rows to search.

        Parameters
        ----------
        X : table of any kind
        y : array-like (n,), default=None
            Labels, used only by an unfitted distance that learns
            from them.
        sample_weight : array-like (n,), default=None
            Weights for an unfitted distance; rows of weight zero are left out.

        Returns
        -------
        self
        """
        self._keep_rows(X, y, sample_weight)
        return self

    def radius_neighbors(
        self,
        X: TableLike = None,
        radius: float | None = None,
        return_distance: bool = True,
    ) -> Any:
        """Return the rows of the table given to fit within a distance, nearest first.

        Parameters
        ----------
        X : table, default=None
            None: the rows given to fit, each compared with the others.
        radius : float, default=None
            The largest distance; None: ``radius`` of the estimator.
        return_distance : bool, default=True
            Whether to return distances too.

        Returns
        -------
        distances : ndarray of object (n,)
            An array per row, in ascending order; left out if ``return_distance`` is
            False.
        rows : ndarray of object (n,)
            Row numbers in the table given to fit, an array per row.
        """
        n_queries, query, numbers, distances = self._within(X, radius)
        ends = np.searchsorted(query, np.arange(n_queries + 1))
        found = np.empty((2, n_queries), dtype=object)
        for i, (start, end) in enumerate(pairwise(ends)):
            found[0, i], found[1, i] = distances[start:end], numbers[start:end]
        return (found[0], found[1]) if return_distance else found[1]

    def kneighbors_graph(
        self,
        X: TableLike = None,
        n_neighbors: int | None = None,
        mode: str = "connectivity",
    ) -> csr_array:
        """Return the graph of the nearest rows, as a sparse array (n, n_samples_fit_).

        Parameters
        ----------
        X, n_neighbors : as in ``kneighbors``
        mode : {"connectivity", "distance"}, default="connectivity"
            Entries: ones, or distances for estimators with ``metric="precomputed"``. A
            distance of zero is stored as the smallest positive number, because
            algorithms on sparse graphs treat zeros as missing entries.
        """
        parameters.check_choice(mode, MODES, "The 'mode' of a graph must be")
        distances, numbers = self.kneighbors(X, n_neighbors)
        query = np.repeat(np.arange(len(numbers)), numbers.shape[1])
        found = len(numbers), query, numbers.ravel(), distances.ravel()
        return self._graph(X, mode, *found)

    def radius_neighbors_graph(
        self,
        X: TableLike = None,
        radius: float | None = None,
        mode: str = "connectivity",
    ) -> csr_array:
        """Return the graph of rows within a distance, as a sparse array.

        Its shape is (n, n_samples_fit_). Without X it is symmetric.

        Parameters
        ----------
        X, radius : as in ``radius_neighbors``
        mode : as in ``kneighbors_graph``
        """
        parameters.check_choice(mode, MODES, "The 'mode' of a graph must be")
        return self._graph(X, mode, *self._within(X, radius))

    def neighbors(self, X: TableLike = None, n_neighbors: int | None = None) -> Any:
        """Return the nearest rows as a data frame, each with the columns that differ.

        Parameters
        ----------
        X, n_neighbors : as in ``kneighbors``

        Returns
        -------
        data frame with columns row, neighbor, distance, differs
            A line per row and neighbour; ``differs`` names the columns that contribute
            most to the distance, with both values. Of the library of X, else of that of
            the table given to fit, else of pandas (a dict of columns where there is
            none).
        """
        distances, numbers = self.kneighbors(X, n_neighbors)
        rows, book = self._voter.rows, self.codebook_
        unique = list(zip(rows.codes, decoded(book, rows.codes), strict=True))
        members = zip(*rows.groups.members_of(np.arange(len(rows))), strict=True)
        training = {int(number): unique[u] for number, u in members}
        queries, library = sorted(training), book.library_
        sides = [training[number] for number in queries]
        if X is not None:
            table = read_table(X)
            order = book.order_of(table, type(self).__name__)
            cells = zip(*(table.column(d).cells() for d in order), strict=True)
            sides = list(zip(self._encode(X), map(list, cells), strict=True))
            queries, library = list(range(len(sides))), book.library_of(X)
        columns = {
            "row": np.repeat(queries, numbers.shape[1]),
            "neighbor": numbers.ravel(),
            "distance": distances.ravel(),
            "differs": [
                differences(self.distance_, *side, *training[number])
                for side, near in zip(sides, numbers.tolist(), strict=True)
                for number in near
            ],
        }
        return frame(columns, library=library)

    def explain(self, a: object, b: object) -> Any:
        """Split the distance between two rows among the columns.

        Parameters
        ----------
        a, b : one row each: a dict, a list, a pandas Series or a table of one row; or
            an int, the number of a row of the table given to fit

        Returns
        -------
        data frame with columns feature, a, b, contribution
            As ``explain`` of the distance returns it.
        """
        (here, left, library), (there, right, _) = self._row(a), self._row(b)
        return self.distance_.explain_codes((here, there), (left, right), library)

    def _within(
        self, X: TableLike, radius: float | None
    ) -> tuple[int, NDArray[np.intp], NDArray[np.intp], Array]:
        """Return the number of queries, and the pairs of a query and a row."""
        check_is_fitted(self)
        radius = self.radius if radius is None else radius
        if not isinstance(radius, Real) or not radius >= 0.0:
            raise ValueError(
                f"The 'radius' parameter of {type(self).__name__} must be a number >= "
                f"0; got {radius!r:.60}."
            )
        codes = None if X is None else self._encode(X)
        n_queries = self._voter.rows.n_rows if codes is None else len(codes)
        return n_queries, *self._voter.radius_neighbors(codes, float(radius))

    def _graph(
        self, X: Any, mode: str, n_queries: int, query: Any, row: Any, distances: Array
    ) -> csr_array:
        """Return the graph of found neighbours, listed by rising query."""
        if X is None:
            query = np.sort(self._voter.rows.groups.rows)[query]
            n_queries = self.n_samples_fit_
        is_distance = mode == "distance"
        data = np.maximum(distances, SMALLEST) if is_distance else np.ones(len(row))
        ends = np.searchsorted(query, np.arange(n_queries + 1))
        return csr_array((data, row, ends), (n_queries, self.n_samples_fit_))


def decoded(book: Codebook, codes: Codes) -> list[list[Any]]:
    """Return the values that rows of codes (n, D) stand for; None if missing."""
    columns = []
    for d, column in enumerate(codes.T):
        values = dict(enumerate(book.values(d)))
        feature = book.features_[d] if d < len(book.features_) else None
        if isinstance(feature, NumberLine):
            new = np.unique(column[column < 0]).tolist()
            values |= {code: feature.number(code) for code in new}
        columns.append([*map(values.get, column.tolist())])
    return list(map(list, zip(*columns, strict=True)))


def differences(
    distance: FittedDistance, a: Codes, left: list[Any], b: Codes, right: list[Any]
) -> str:
    """Return in words the columns that contribute most to the distance of two rows.

    Parameters
    ----------
    distance : FittedDistance
    a, b : ndarray of int (D,)
        Codes.
    left, right : list
        The cells that they stand for.

    Examples
    --------
    >>> import nearkind as nk
    >>> form = nk.baselines.Hamming().fit([["a", "x"], ["b", "x"]]).distance_
    >>> a, b = form.encode([["a", "x"], ["b", "x"]])
    >>> differences(form, a, ["a", "x"], b, ["b", "x"])
    "x0: 'a', 'b'"
    """
    if (a == b).all():
        return "equal"
    parts, names = distance.contributions(a, b), distance.codebook.feature_names
    order = [d for d in np.argsort(-np.abs(parts), kind="stable") if parts[d]]
    told = [f"{names[d]}: {left[d]!r}, {right[d]!r}" for d in order[:MOST_REASONS]]
    more = f"; {len(order) - MOST_REASONS} more" if len(order) > MOST_REASONS else ""
    return "; ".join(told) + more
