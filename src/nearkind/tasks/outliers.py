"""Outlier detection by nearest neighbours under any distance."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted

from nearkind.distances.form import object_array
from nearkind.encoding.rows import unique_rows
from nearkind.errors import RefusedError
from nearkind.neighbors import RankedNear
from nearkind.protocols import Array, Codes, TableLike
from nearkind.tables import frame
from nearkind.tasks.nearest_rows import IndexKind, RowSearch
from nearkind.tasks.outlier_scores import (
    LocalOutlierFactor,
    MeanDistance,
    Neighborhoods,
    quantile,
    rounded,
)
from nearkind.validation import parameters
from nearkind.validation.limits import distances_at_once
from nearkind.validation.threads import in_threads

METHODS: dict[str, Any] = {"distance": MeanDistance, "lof": LocalOutlierFactor}


@parameters.estimator_class()
class NearestOutliers(RowSearch, OutlierMixin, BaseEstimator):
    """Outlier detection by nearest neighbours under any distance of nearkind.

    The score of a row depends on its nearest training rows. Equal rows are one weighted
    row. Rows tied at the k-th distance share the remaining weight, so scores do not
    depend on the order of rows.

    A row is never its own neighbour: of the training rows equal to it, one is left out.
    So the training rows have the same scores in ``fit`` and later, and a new row has
    the score that it would have as a training row.

    Parameters
    ----------
    metric : distance, FittedDistance, classifier or str, default=None
        A distance or its name, such as "lin". An unfitted one is fitted to the rows, a
        fitted one is used as it is; wrap it in scikit-learn's ``FrozenEstimator`` if
        the estimator is cloned, as in a search. None: Hamming distance, or CPML if
        there are labels.
    n_neighbors : int, default=20
        Number of neighbours; if there are fewer rows, all are used, with a warning.
    method : {"distance", "lof"}, default="distance"
        "distance": the mean distance to the neighbours. "lof": the local outlier
        factor, which compares the density at the row with that at its neighbours. If
        more than ``n_neighbors`` rows are equal, their density is infinite, and rows
        near them have very large factors.
    contamination : "auto" or float in (0, 0.5], default="auto"
        Share of the training rows that are outliers. "auto" sets the threshold at the
        lower fence of a box plot of the training scores, 1.5 interquartile ranges below
        the first quartile; for "lof" at the factor 1.5.
    index : {"exact", "faiss"}, default="exact"
        As in :class:`nearkind.CPMLClassifier`.

    Attributes
    ----------
    distance_ : FittedDistance
        The distance between rows.
    metric_ : estimator or None
        Its fitted estimator; None if ``metric`` is a fitted distance itself.
    n_neighbors_ : float
        Number of neighbours used.
    offset_ : float
        Score below which a row is an outlier.
    n_samples_fit_ : int
        Number of rows given to ``fit``.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import nearkind as nk
    >>> rows = [["a", "x"]] * 4 + [["a", "y"]] * 4 + [["b", "z"]]
    >>> model = nk.NearestOutliers("hamming", n_neighbors=3)
    >>> model.fit_predict(rows)
    array([ 1,  1,  1,  1,  1,  1,  1,  1, -1])
    >>> model.score_samples([["a", "x"], ["a", "z"]])
    array([ 0. , -0.5])
    """

    _parts: ClassVar = {
        **RowSearch._parts,
        "n_neighbors_": (int, float),
        "offset_": (int, float),
        "_method": (MeanDistance, LocalOutlierFactor),
    }

    metric: object = None
    n_neighbors: parameters.WholeNumber = 20
    method: Annotated[str, partial(parameters.choice, table=METHODS)] = "distance"
    contamination: float | str = "auto"
    index: IndexKind = "exact"

    def fit(self, X: TableLike, y: object = None, sample_weight: object = None) -> Self:
        """Store the training rows and set the threshold.

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
        if not (isinstance(self.contamination, str) and self.contamination == "auto"):
            wanted = "'auto' or a number above 0 and up to 0.5"
            parameters.number(self, "contamination", wanted, 0.0, 0.5, open_low=True)
        self._keep_rows(X, y, sample_weight)
        voting = self._voter.rows
        self.n_neighbors_ = self._checked_neighbors()
        codes = voting.codes
        self._method = METHODS[self.method].of(lambda each: self._for_each(codes, each))
        scores = self._scores(codes)
        self.offset_ = self._offset(scores, voting.weights)
        return self

    def fit_predict(
        self, X: TableLike, y: object = None, sample_weight: object = None
    ) -> Any:
        """Fit, and return +1 for each row that is normal, -1 for an outlier (n,)."""
        return self.fit(X, y, sample_weight).predict(X)

    def predict(self, X: TableLike = None) -> NDArray[np.intp]:
        """Return +1 for each row that is normal, -1 for an outlier (n,).

        Parameters
        ----------
        X : table, default=None
            None: the training rows.
        """
        return np.where(self.decision_function(X) >= 0.0, 1, -1)

    def decision_function(self, X: TableLike = None) -> Array:
        """Return the score of each row minus ``offset_`` (n,), negative for outliers.

        Parameters
        ----------
        X : table, default=None
            None: the training rows.
        """
        scores = self.score_samples(X)
        with np.errstate(invalid="ignore"):  # minus infinity less itself
            above = scores - self.offset_
        return np.where(np.isnan(above), 0.0, above)

    def score_samples(self, X: TableLike = None) -> Array:
        """Return the normality of each row; lower scores are outliers (n,).

        The score is minus the mean distance to the neighbours, or minus the local
        outlier factor, and minus infinity if a neighbour is infinitely far.

        Parameters
        ----------
        X : table, default=None
            None: the training rows.
        """
        check_is_fitted(self)
        if X is None:
            rows = self._voter.rows
            return rows.groups.by_row(self._scores(rows.codes))[1]
        codes = self._encode(X)
        unique = unique_rows(codes)
        return self._scores(unique.codes)[unique.of_row]

    def explain(self, row: object) -> Any:
        """Return the columns that make a row an outlier.

        Parameters
        ----------
        row : one row: a dict, a list, a pandas Series or a table of one row; or an int
            The number of a row of the table given to fit.

        Returns
        -------
        data frame with columns feature, value, usual, contribution
            ``usual`` is the most frequent value among the neighbours. A contribution is
            the mean, over the neighbours, of the contribution to the distance as
            returned by ``explain`` of the distance; the largest comes first. Of the
            library of the row, else
            of that of the table given to fit, else of pandas (a dict of arrays where
            there is none).

        Examples
        --------
        >>> import nearkind as nk
        >>> rows = [["a", "x"]] * 4 + [["a", "y"]] * 4 + [["b", "x"]]
        >>> model = nk.NearestOutliers("hamming", n_neighbors=3).fit(rows)
        >>> print(model.explain(["b", "x"]).to_string(index=False))
        feature value usual  contribution
             x0     b     a           0.5
             x1     x     x           0.0
        """
        codes, value, library = self._row(row)
        book, rows = self.codebook_, self._voter.rows
        represented = self.distance_.represent(codes[None])
        near = self._neighborhoods(codes[None], represented).near
        others = rows.codes[near.unique_row]
        each = [self.distance_.contributions(codes, other) for other in others]
        parts = near.votes @ np.array(each) / near.votes.sum()
        usual = [
            _most_frequent(column, near.votes, book.values(d))
            for d, column in enumerate(others.T)
        ]
        order = np.argsort(-np.abs(parts), kind="stable")
        columns = {"feature": book.feature_names, "value": value, "usual": usual}
        shown = {name: object_array(cells)[order] for name, cells in columns.items()}
        return frame({**shown, "contribution": parts[order]}, library=library)

    def _check_parts(self) -> None:
        super()._check_parts()
        n_others = self._rows.weights.sum() - self._rows.weight_of_one
        if not 0.0 < self.n_neighbors_ <= n_others or np.isnan(self.offset_):
            raise RefusedError("n_neighbors_ or offset_ is out of range")
        if isinstance(self._method, LocalOutlierFactor):
            self._method.check_sizes(len(self._rows))

    def _scores(self, codes: Codes) -> Array:
        return rounded(self._for_each(codes, self._method.scores))

    def _for_each(self, codes: Codes, each: Callable[[Neighborhoods], Array]) -> Array:
        """Return what a function makes of the neighbourhoods of rows, in parts (n,)."""
        represented = self.distance_.represent(codes)

        def part(at: slice) -> Array:
            return each(self._neighborhoods(codes[at], represented[at]))

        chunks = self._voter.index.chunks(len(codes), distances_at_once())
        return np.concatenate(in_threads(part, chunks))

    def _neighborhoods(self, codes: Codes, represented: object) -> Neighborhoods:
        """Return the nearest rows, of those equal to the row itself without one."""
        rows, k = self._voter.rows, self.n_neighbors_
        near = self._voter.index.near(
            represented, rows.k_nearest, k + rows.weight_of_one
        )
        weights = rows.weights[near.unique_row]
        itself = _equal_places(codes, near.query, rows.codes, near.unique_row)
        weights[itself] -= np.minimum(rows.weight_of_one, weights[itself])
        others = np.flatnonzero(weights)
        found = RankedNear.of(near.take(others), weights[others]).near(k)
        return Neighborhoods(found.take(np.flatnonzero(found.votes)), k)

    def _checked_neighbors(self) -> float:
        """Return how many rows judge each row, at most as many as there are others."""
        rows = self._voter.rows
        n_others = rows.weights.sum() - rows.weight_of_one
        if n_others < 1e-9:
            raise ValueError(
                f"{type(self).__name__} requires at least two rows; got n_samples=1."
            )
        if self.n_neighbors > n_others:
            warnings.warn(
                f"n_neighbors={self.n_neighbors} exceeds the number of other "
                f"rows, {n_others:g}; all of them are used.",
                stacklevel=3,
            )
        return min(self.n_neighbors, float(n_others))

    def _offset(self, scores: Array, weights: Array) -> float:
        """Return the score below which a row is an outlier.

        Rows infinitely far from their neighbours always are, unless all are.
        """
        finite = np.isfinite(scores)
        if not finite.any():
            return -np.inf
        if isinstance(self.contamination, str):  # "auto"
            return self._method.threshold(scores[finite], weights[finite])
        line = quantile(scores, weights, self.contamination)
        return line if np.isfinite(line) else float(scores[finite].min())


def _equal_places(
    codes: Codes, query: NDArray[np.intp], others: Codes, row: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the places of a list of queries and rows at which both are equal."""
    places = np.arange(len(query))
    for a, b in zip(codes.T, others.T, strict=True):
        places = places[a[query[places]] == b[row[places]]]
    return places


def _most_frequent(codes: Codes, votes: Array, values: list[Any]) -> Any:
    """Return the value with the most votes, None if it is missing or unseen."""
    code = int(np.bincount(np.maximum(codes, -1) + 1, votes).argmax()) - 1
    return None if code < 0 else values[code]
