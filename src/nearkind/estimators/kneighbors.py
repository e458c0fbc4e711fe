"""Rows kept under a fitted distance, and the nearest of them."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from nearkind.encoding.rows import CodedRows
from nearkind.estimators import params
from nearkind.estimators.base import TableEstimator, backend_of
from nearkind.estimators.limits import distances_at_once
from nearkind.estimators.threads import in_threads
from nearkind.neighbors import INDEXES, TrainingRows
from nearkind.protocols import Array, Codes, Index


class KNeighbors(TableEstimator):
    """Mixin of an estimator that keeps rows: whichever are nearest to others.

    It is over the parameters ``n_neighbors`` and ``index``, and over ``distance_``,
    which fit must set before ``set_training_rows``.

    Attributes
    ----------
    distance_ : distance
        Fitted.
    training_rows_ : TrainingRows
        The rows that are kept, equal ones merged.
    index_ : Index
        What finds neighbours.
    """

    n_neighbors: Any
    index: Any
    distance_: Any
    training_rows_: TrainingRows
    index_: Index

    def set_training_rows(self, rows: TrainingRows) -> Self:
        """Let other rows vote, under the distance as it is."""
        self.training_rows_ = rows
        represented = self.distance_.represent(rows.codes)
        index = INDEXES[self.index]
        self.index_ = index(self.distance_, represented, self.n_neighbors)
        return self

    def kneighbors(
        self,
        X: Any = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,
    ) -> Any:
        """Return the nearest training rows, ties by row number.

        Parameters
        ----------
        X : table, default=None
            None: the training rows, none being its own neighbour.
        n_neighbors : int, default=None
            How many; None: as set.
        return_distance : bool, default=True
            Whether to return distances too.

        Returns
        -------
        distances : ndarray (n, k)
            Rising; left out if ``return_distance`` is False.
        rows : ndarray of int (n, k)
            Numbers of rows of the table given to fit.
        """
        if (backend := backend_of(X)) is not None:
            return backend.kneighbors(self, X, n_neighbors, return_distance)
        check_is_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        k = params.check_whole(k, "n_neighbors", type(self).__name__)
        groups = self.training_rows_.groups
        itself, rows = self._queries(X)
        n_others = self.training_rows_.n_rows - (X is None)
        if k > n_others:
            raise ValueError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k} and "
                f"only {n_others} training rows can be neighbours."
            )

        def nearest(at: slice) -> tuple[Array, NDArray[np.intp]]:
            near = self.index_.near(rows[at], groups.reach, k + (X is None))
            return groups.nearest(near, k, itself[at])

        chunks = self.index_.chunks(len(rows), distances_at_once())
        found = zip(*in_threads(nearest, chunks), strict=True)
        distances, numbers = (np.concatenate(part) for part in found)
        return (distances, numbers) if return_distance else numbers

    def score_samples(self, X: Any = None) -> Array:
        """Return how like the training rows each row is: larger is more normal (n,).

        It is minus the mean distance to the ``n_neighbors`` nearest training rows,
        counted by their weights, and minus infinity where one of these is infinitely
        far or there is none.

        Parameters
        ----------
        X : table, default=None
            None: the training rows, none being its own neighbour.

        Examples
        --------
        >>> import nearkind as nk
        >>> rows = [["a", "x"], ["a", "x"], ["a", "y"], ["b", "x"]]
        >>> model = nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=2)
        >>> model.fit(rows, [0, 0, 1, 1]).score_samples([["a", "x"], ["b", "y"]])
        array([ 0. , -0.5])
        """
        if (backend := backend_of(X)) is not None:
            return backend.score_samples(self, X)
        check_is_fitted(self)
        reach, (_, rows) = self.training_rows_.reach, self._queries(X)
        # A row is at distance zero of itself: with one more it adds nothing.
        itself = 0.0 if X is not None else self.training_rows_.weight_of_one
        k = reach.at_most(self.n_neighbors + itself)

        def total(at: slice) -> Array:
            queries = rows[at]
            near = self.index_.near(queries, reach, k)
            sums = np.bincount(near.query, near.votes * near.distance, len(queries))
            return sums.astype(float)

        chunks = self.index_.chunks(len(rows), distances_at_once())
        distances = np.concatenate(in_threads(total, chunks))
        n_others = k - itself
        if n_others < 1e-9:
            return np.full(len(rows), -np.inf)
        return 0.0 - distances / n_others  # never -0.0

    def _queries(self, X: Any) -> tuple[NDArray[np.intp], Any]:
        """Return each query's own row number (-1: none) and what represents it."""
        if X is None:
            represented = self.distance_.represent(self.training_rows_.codes)
            return self.training_rows_.groups.by_row(represented)
        rows = self._represent(X)
        return np.full(len(rows), -1), rows

    def _represent(self, X: Any) -> "Represented":
        if isinstance(X, CodedRows):
            return Represented(self.distance_, X.coded_by(self.codebook_).codes)
        codes = self.encode(X)  # first: it says so if this is not fitted
        return Represented(self.distance_, codes)


@dataclass(frozen=True)
class Represented:
    """Rows as a distance represents them, made for each chunk when it is asked for.

    Vectors may be far longer than rows of codes; those of all rows are never held.
    """

    distance: Any
    codes: Codes

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, at: slice) -> Any:
        return self.distance.represent(self.codes[at])
