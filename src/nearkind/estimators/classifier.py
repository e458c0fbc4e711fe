"""k nearest neighbours over any distance of nearkind."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from nearkind.encoding.unique_rows import collapse
from nearkind.errors import SmallWeightWarning
from nearkind.estimators.adding import AddsRows
from nearkind.estimators.coded import Coded
from nearkind.estimators.cpml import CPML
from nearkind.estimators.elsewhere import home_of
from nearkind.estimators.shorthand import choice, whole_number
from nearkind.estimators.size import distances_at_once
from nearkind.estimators.targets import (
    Training,
    labelled_rows,
    lacks_labels,
    training_rows,
)
from nearkind.estimators.threads import in_threads
from nearkind.estimators.voters import VotesFromBatches
from nearkind.neighbors import INDEXES, GroupedRows, Near, Ranked, Reach
from nearkind.protocols import Array, Codes


class CPMLClassifier(AddsRows, VotesFromBatches, Coded, ClassifierMixin, BaseEstimator):
    """Classify rows by their nearest neighbours under a learned distance.

    Equal training rows are one weighted row. Rows tied at the k-th distance share what
    is left of the k votes, so no prediction depends on the order of rows or columns.

    Parameters
    ----------
    metric : a distance, unfitted: CPML or any of ``nearkind.baselines``; None: CPML()
    n_neighbors : how many rows vote
    weights : "uniform", "distance" (votes by 1 / distance; rows at distance zero, where
        there are any, vote alone; if all are infinitely far, they vote equally), or a
        function from distances to weights
    index : "exact" compares with every distinct row. "faiss" looks at the most
        promising ones, for large tables and distances with vectors, such as CPML; it
        needs ``pip install "nearkind[faiss]"``

    Attributes
    ----------
    metric_ : the fitted distance
    index_ : what finds neighbours, with ``kind``, ``recall_`` (the share of true
        neighbours found for rows new to it, at least 0.99 for "faiss"), ``n_rows``
        (distinct ones) and ``seconds`` that it took to build
    n_samples_fit_ : number of rows given to ``fit`` and ``add``
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("monks1", as_frame=False)
    >>> model = nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=1)
    >>> model.fit(data.X, data.y).score(data.X, data.y)
    1.0
    """

    def __init__(self, metric=None, n_neighbors=5, weights="uniform", index="exact"):
        self.metric = metric
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.index = index

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the distance and remember the rows.

        Parameters
        ----------
        X : table of any kind
        y : one label a row. Where the metric has ``fit_constraints``, as CPML, None or
            NaN marks rows without one: they teach the distance and do not vote
        sample_weight : one weight >= 0 a row, counting repetitions of it; only where
            every row has a label

        Returns
        -------
        self
        """
        if (home := home_of(X)) is not None:
            return home.fit(self, X, y, sample_weight)
        self._check_parameters()
        metric = CPML() if self.metric is None else clone(self.metric)
        owner = type(self).__name__
        if hasattr(metric, "fit_constraints") and lacks_labels(y):
            rows = labelled_rows(X, y, sample_weight, owner)
            return self._settle(metric.fit_constraints(X, y=y), rows)
        rows = training_rows(X, y, sample_weight, owner)
        return self._settle(_fitted(metric, X, y, sample_weight), rows)

    def fit_over(self, metric: Any, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Remember rows under a distance that is fitted already, as it is.

        Parameters
        ----------
        metric : a fitted distance
        X, y, sample_weight : as in ``fit``; the rows that vote

        Returns
        -------
        self
        """
        self._check_parameters(metric)
        rows = training_rows(X, y, sample_weight, type(self).__name__)
        return self._settle(metric, rows)

    def _settle(self, metric: Any, rows: Training) -> Self:
        """Keep a fitted distance and the rows that vote."""
        self.metric_, self.classes_ = metric, rows.classes
        _warn_of_small_weights(float(rows.weights.sum()), len(rows.y), self.n_neighbors)
        self._note(self.metric_.codebook_)
        self._remember(self._encode(rows.table), rows)
        self.n_samples_fit_ = rows.n_given
        for name in ("n_samples_seen_", "n_remembered_"):  # of batches before
            self.__dict__.pop(name, None)
        self.index_.build()
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the most votes, the first of those tied (n,)."""
        if (home := home_of(X)) is not None:
            return home.predict(self, X)
        shares = self.predict_proba(X)
        best = shares >= shares.max(axis=1, keepdims=True) - 1e-9
        return self.classes_[best.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Array:
        """Return each class's share of the votes (n, n_classes)."""
        if (home := home_of(X)) is not None:
            return home.predict_proba(self, X)
        rows = self._represent(X)
        blocks = self.index_.blocks(len(rows), distances_at_once())
        return np.concatenate(in_threads(lambda at: self._shares(rows[at]), blocks))

    def shares_by_setting(
        self, X: Any, n_neighbors: Sequence[int], weights: Sequence[Any]
    ) -> Array:
        """Return ``predict_proba`` for several settings at once.

        Parameters
        ----------
        X : table
        n_neighbors, weights : what to set, every one with every other

        Returns
        -------
        shares : (len(weights), len(n_neighbors), n, n_classes)
        """
        rows = self._represent(X)
        blocks = self.index_.blocks(len(rows), distances_at_once())
        found = in_threads(
            lambda at: self._shares_by_setting(rows[at], n_neighbors, weights), blocks
        )
        return np.concatenate(found, axis=2)

    def kneighbors(
        self,
        X: Any = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,
    ) -> Any:
        """Return the nearest training rows, ties by row number.

        Parameters
        ----------
        X : table, or None: the training rows, none being its own neighbour
        n_neighbors : how many; None: as set
        return_distance : leave distances out if False

        Returns
        -------
        distances : (n, k), rising
        rows : (n, k), numbers of rows of the table given to fit
        """
        if (home := home_of(X)) is not None:
            return home.kneighbors(self, X, n_neighbors, return_distance)
        check_is_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        k = whole_number("n_neighbors", k, type(self).__name__)
        itself, rows = self._queries(X)
        n_others = len(self._grouped.rows) - (X is None)
        if k > n_others:
            raise ValueError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k} and "
                f"only {n_others} training rows can be neighbours."
            )
        blocks = self.index_.blocks(len(rows), distances_at_once())

        def nearest(at: slice) -> tuple[Array, NDArray[np.intp]]:
            near = self.index_.near(rows[at], self._grouped.reach, k + (X is None))
            return self._grouped.nearest(near, k, itself[at])

        found = zip(*in_threads(nearest, blocks), strict=True)
        distances, numbers = (np.concatenate(part) for part in found)
        return (distances, numbers) if return_distance else numbers

    def _queries(self, X: Any) -> tuple[NDArray[np.intp], Any]:
        """Return each query's own row number (-1: none) and what represents it."""
        if X is None:
            return self._grouped.by_row(self._cells)
        rows = self._represent(X)
        return np.full(len(rows), -1), rows

    def _check_parameters(self, metric: Any = None) -> None:
        """Say what is wrong with a setting, or with the index for a metric."""
        self._check_settings()
        chosen = self.metric if metric is None else metric
        chosen = CPML() if chosen is None else chosen
        INDEXES[self.index].check(chosen, type(self).__name__)

    def _check_settings(self) -> None:
        whole_number("n_neighbors", self.n_neighbors, type(self).__name__)
        if not callable(self.weights):
            choice(self, "weights", VOTES)
        choice(self, "index", INDEXES)

    def _remember(self, codes: Codes, rows: Training) -> None:
        """Keep distinct rows, each with the weight of every class in it."""
        cells = collapse(codes, np.zeros_like(rows.y), rows.weights)
        n_classes = len(self.classes_)
        at = cells.of_row * n_classes + rows.y
        counts: Array
        counts = np.bincount(at, rows.weights, len(cells.y) * n_classes).astype(float)
        grouped = GroupedRows.of(cells.of_row, rows.rows)
        self._keep(cells.codes, cells.weights, counts.reshape(-1, n_classes), grouped)

    def _keep(
        self, codes: Codes, weights: Array, counts: Array, grouped: GroupedRows
    ) -> None:
        """Keep distinct rows, to be found by the index when it is asked."""
        self._codes, self._counts, self._grouped = codes, counts, grouped
        self._votes = counts / weights[:, None]
        self._reach = Reach(weights)
        self._place()

    def _place(self) -> None:
        """Put distinct rows where the metric has them, and an index over them."""
        self._cells = self.metric_.represent(self._codes)
        index = INDEXES[self.index]
        self.index_ = index(self.metric_, self._cells, self.n_neighbors)

    def _represent(self, X: Any) -> Any:
        codes = self._encode(X)  # first: it says so if this is not fitted
        return self.metric_.represent(codes)

    def _shares(self, rows: Any) -> Array:
        """Return each class's share of the votes for a block of queries."""
        near = self.index_.near(rows, self._reach, self.n_neighbors)
        return self._tally(near, self.weights, len(rows))

    def _shares_by_setting(self, rows: Any, ks: Sequence[int], weights: Any) -> Array:
        """Return shares (n_weights, n_ks, b, C), from one search for neighbours."""
        near = self.index_.near(rows, self._reach, max(ks))
        ranked = Ranked.of(near, self._reach.weights)
        return np.array(
            [[self._tally(ranked.near(k), w, len(rows)) for k in ks] for w in weights]
        )

    def _tally(self, near: Near, weights: Any, n_queries: int) -> Array:
        """Return each class's share of weighted votes (n_queries, C)."""
        weigh = weights if callable(weights) else VOTES[weights]
        votes = near.votes * weigh(near.distance)
        votes = _only_zeros_where_any(near, votes) if np.isinf(votes).any() else votes
        votes = _equal_where_none(near, votes, n_queries)
        shape = n_queries, len(self._votes)
        total = csr_array((votes, (near.query, near.cell)), shape) @ self._votes
        return total / total.sum(axis=1, keepdims=True)


def _fitted(metric: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """Fit a distance to labels, with weights if there are any."""
    weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
    if weighted and not has_fit_parameter(metric, "sample_weight"):
        raise ValueError(
            f"{type(metric).__name__} takes no sample_weight. Repeat rows instead, "
            "or choose another metric."
        )
    return metric.fit(X, y, **weighted)


def _warn_of_small_weights(total: float, n_rows: int, k: int) -> None:
    if total < k <= n_rows:
        warnings.warn(
            f"The sample weights add up to {total:.3g}, less than n_neighbors={k}, so "
            "every row votes on every answer. A weight counts repetitions of its row; "
            "scale the weights up, so that their mean is 1 for example.",
            SmallWeightWarning,
            stacklevel=3,
        )


def _by_distance(distances: Array) -> Array:
    with np.errstate(divide="ignore"):
        return 1.0 / distances


def _only_zeros_where_any(near: Near, votes: Array) -> Array:
    """Let rows at distance zero vote alone: an infinite weight drowns all others."""
    infinite = np.isinf(votes)
    drowned = np.isin(near.query, near.query[infinite])
    return np.where(infinite, near.votes, np.where(drowned, 0.0, votes))


def _equal_where_none(near: Near, votes: Array, n_queries: int) -> Array:
    """Let rows vote equally where none has a weight, all being infinitely far."""
    heard = np.bincount(near.query, votes, n_queries) > 0.0
    return np.where(heard[near.query], votes, near.votes)


VOTES: dict[str, Callable[[Array], Array]] = {
    "uniform": np.ones_like,
    "distance": _by_distance,
}
