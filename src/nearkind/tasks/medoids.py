"""K-medoids clustering under any distance."""

import warnings
from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.validation import check_is_fitted

from nearkind.distances.checks import check_codes, check_integers, check_reals
from nearkind.distances.form import query_chunks
from nearkind.encoding.rows import UniqueRows, unique_rows
from nearkind.errors import RefusedError
from nearkind.neighbors import tie_widths
from nearkind.protocols import Array, Codes, TableLike
from nearkind.tables import frame, read_table
from nearkind.tables.selection import take_rows
from nearkind.tasks.fitted_distance import DistanceTask
from nearkind.tasks.groups import Group, described_groups, group_columns
from nearkind.tasks.pam import Optimum, Partition, Places, build, silhouette, swap
from nearkind.validation import parameters
from nearkind.validation.limits import distances_at_once
from nearkind.validation.threads import in_threads

AUTO = range(2, 16)
"""Numbers of groups that "auto" tries."""
TREES = "single", "complete", "average", "weighted"
"""Ways to join groups by distances alone."""
INFINITE = 1e6
"""What stands for an infinite distance, in multiples of the largest finite one."""


@parameters.estimator_class()
class KMedoids(
    DistanceTask,
    ClusterMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """K-medoids clustering under any distance of nearkind.

    The sum of the distances of all rows to their nearest medoids is minimised: medoids
    are chosen greedily, then swapped for other rows until no single swap is an
    improvement (PAM, in the eager form of Schubert and Rousseeuw, 2021). Equal rows
    are one weighted row, and the result does not depend on the order of rows. For many
    distinct rows, samples are clustered and evaluated on all rows (CLARA).

    Parameters
    ----------
    metric : distance, FittedDistance, classifier or str, default=None
        A distance or its name, such as "lin". An unfitted one is fitted to the rows, a
        fitted one is used as it is; wrap it in scikit-learn's ``FrozenEstimator`` if
        the estimator is cloned, as in a search. None: Hamming distance, or CPML if
        there are labels.
    n_clusters : int, "auto" or iterable of int, default=8
        Number of clusters. Of several numbers, the one with the largest mean silhouette
        is selected; "auto" tries 2 to 15.
    n_init : int, default=3
        Number of starts, of which the best is kept. The first start is greedy, the
        others are random; with samples, each start is greedy on another sample.
    max_iter : int, default=100
        Maximum number of passes over all candidates per start.
    max_rows : int, default=4000
        Maximum number of distinct rows for which all distances are stored, with 8 bytes
        each. For more rows, samples of this size are used.
    random_state : int, RandomState, Generator or None, default=None
        Seed of random starts and samples.

    Attributes
    ----------
    labels_ : ndarray of int (n,)
        The cluster of each row.
    medoid_indices_ : ndarray of int (n_clusters,)
        Row number of the medoid of each cluster, the first of equal rows.
    medoids_ : data frame
        The medoids, as they were given to fit.
    groups_ : list of Group
        Description of each cluster; ``describe`` returns it as a data frame.
    inertia_ : float
        Weighted sum of the distances of all rows to the medoids of their clusters.
    cluster_sizes_ : ndarray (n_clusters,)
        Sum of the weights of the rows in each cluster.
    n_clusters_ : int
        Number of clusters.
    silhouettes_ : dict of int to float
        Mean silhouette for each number of clusters that was tried, for the first start;
        empty if only one number was given.
    n_iter_ : int
        Number of passes over all candidates of the best start.
    distance_ : FittedDistance
        The distance between rows.
    metric_ : estimator or None
        Its fitted estimator; None if ``metric`` is a fitted distance itself.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import nearkind as nk
    >>> rows = [["a", "x"]] * 3 + [["a", "y"], ["b", "z"], ["b", "z"], ["c", "z"]]
    >>> model = nk.KMedoids("hamming", n_clusters=2).fit(rows)
    >>> model.labels_, model.medoid_indices_, model.inertia_
    (array([0, 0, 0, 0, 1, 1, 1]), array([0, 4]), 1.0)
    >>> model.predict([["c", "z"]])
    array([1])
    """

    _parts: ClassVar = {
        **dict.fromkeys(("_medoid_codes", "labels_", "medoid_indices_"), np.ndarray),
        **{"cluster_sizes_": np.ndarray, "inertia_": float, "groups_": list},
        **{"_medoid_cells": dict, "silhouettes_": dict},
        **{"n_clusters_": int, "n_iter_": int},
    }

    metric: object = None
    n_clusters: int | str | Iterable[int] = 8
    n_init: parameters.WholeNumber = 3
    max_iter: parameters.WholeNumber = 100
    max_rows: int = 4000
    random_state: parameters.Seed = None

    def fit(self, X: TableLike, y: object = None, sample_weight: object = None) -> Self:
        """Find the medoids.

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
        numbers = self._numbers()
        parameters.whole_number(self, "max_rows", max(numbers))
        rng = parameters.generator(self.random_state)
        self.silhouettes_: dict[int, float] = {}
        rows = self._fit_distance(X, y, sample_weight)
        unique = unique_rows(rows.codes, weights=rows.weights)
        medoids = self._search(unique, self._possible(numbers, len(unique)), rng)
        self._medoid_codes = unique.codes[medoids]
        self.n_clusters_ = len(medoids)
        labels, distances, second = self._nearest(unique.codes, self._medoid_codes)
        self.inertia_ = float(unique.weights @ distances)
        sizes = np.bincount(labels, unique.weights, len(medoids))
        self.cluster_sizes_: Array = sizes.astype(float)
        first = np.unique(unique.of_row, return_index=True)[1]
        self.medoid_indices_ = rows.row_numbers[first[medoids]]
        table = rows.table.take(first[medoids])
        self._medoid_cells = {
            name: table.column(d).cells() for d, name in enumerate(table.names)
        }
        gap = second - distances if len(medoids) > 1 else -distances
        found = np.unique(labels)
        order = np.lexsort((gap, labels))
        at = medoids.copy()  # of a group without rows, as medoids may be at one place
        at[found] = order[np.searchsorted(labels[order], found)]
        ends, of_row = self.medoid_indices_, labels[unique.of_row]
        border = rows.row_numbers[first[at]]
        self.groups_ = described_groups(rows.table, rows.weights, of_row, ends, border)
        self.labels_ = of_row if len(rows) == rows.n_given else self.predict(X)
        return self

    def fit_predict(
        self, X: TableLike, y: object = None, sample_weight: object = None
    ) -> Any:
        """Find the medoids, and return the cluster of each row (n,)."""
        return self.fit(X, y, sample_weight).labels_

    def predict(self, X: TableLike) -> Places:
        """Return the cluster of each row, that of the nearest medoid (n,).

        Ties are broken by the order of the medoids.
        """
        check_is_fitted(self)
        return self._nearest(self._encode(X), self._medoid_codes)[0]

    def transform(self, X: TableLike) -> Array:
        """Return the distances of rows to the medoids (n, n_clusters)."""
        check_is_fitted(self)
        rows = self.distance_.represent(self._medoid_codes)
        return self.distance_.compare(self.distance_.represent(self._encode(X)), rows)

    @property
    def medoids_(self) -> Any:
        """The medoids, as they were given to fit, as a data frame."""
        return frame(self._medoid_cells, library=self.codebook_.library_)

    def describe(self) -> Any:
        """Return a description of each cluster, as a data frame.

        Returns
        -------
        data frame with columns group, size, share, sets_apart, typical, representative,
        borderline
            ``sets_apart`` lists the values that are most over-represented in the
            cluster, each with its share of the rows of the cluster and its lift, the
            ratio of this share to that in all rows. ``typical`` lists the most frequent
            values. ``representative`` is the row number of the medoid, ``borderline``
            that of the row that is nearly as near to the next medoid. Of the library of
            the table given to fit, or
            else of pandas (a dict of columns where there is none).

        Examples
        --------
        >>> import nearkind as nk
        >>> rows = [["a", "x"]] * 3 + [["a", "y"], ["b", "z"], ["b", "z"], ["c", "z"]]
        >>> model = nk.KMedoids("hamming", n_clusters=2).fit(rows)
        >>> model.describe()["sets_apart"][1]
        'x1: z (100%, lift 2.3); x0: b (67%, lift 2.3)'
        """
        check_is_fitted(self)
        return frame(group_columns(self.groups_), library=self.codebook_.library_)

    def linkage(self, X: TableLike = None, method: str = "average") -> Array:
        """Return the hierarchy of clusters, or of rows, for SciPy's ``dendrogram``.

        Parameters
        ----------
        X : table with the columns that fit saw, default=None
            Rows to merge, at most ``max_rows``; None: the medoids.
        method : {"single", "complete", "average", "weighted"}, default="average"
            As in ``scipy.cluster.hierarchy.linkage``.

        Returns
        -------
        ndarray (n - 1, 4)
        """
        from scipy.cluster.hierarchy import linkage

        check_is_fitted(self)
        parameters.check_choice(method, TREES, "A 'method' of trees must be")
        codes = self._medoid_codes if X is None else self._encode(X)
        if not 2 <= len(codes) <= self.max_rows:
            raise ValueError(
                f"A tree joins 2 to max_rows={self.max_rows} rows or groups; got "
                f"{len(codes)}. Give other rows, or raise max_rows."
            )
        return linkage(self._square(codes)[np.triu_indices(len(codes), 1)], method)

    def stability(self, X: TableLike, n_resamples: int = 10) -> dict[int, float]:
        """Return the stability of the clusters under resampling, by number of clusters.

        Random halves of the rows are clustered, and all rows are assigned to the
        clusters of each half. The stability is the mean adjusted Rand index with the
        clusters of all rows: 1 if they are always the same, and about 0 if they are
        random.

        Parameters
        ----------
        X : table of any kind
            The rows given to fit.
        n_resamples : int, default=10
            Number of halves per number of clusters.

        Returns
        -------
        dict of int to float
            For each number of clusters that ``fit`` tried.
        """
        check_is_fitted(self)
        owner = type(self).__name__
        n_resamples = parameters.check_whole(n_resamples, "n_resamples", owner)
        rng, n_rows = parameters.generator(self.random_state), read_table(X).n_rows
        found = {}
        for k in self.silhouettes_ or [self.n_clusters_]:
            model = KMedoids(self.distance_, k, n_init=1, random_state=0)
            labels, shares = model.fit_predict(X), []
            for _ in range(n_resamples):
                half = np.sort(rng.choice(n_rows, (n_rows + 1) // 2, replace=False))
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    model.fit(take_rows(X, half))
                shares.append(adjusted_rand_score(labels, model.predict(X)))
            found[k] = float(np.mean(shares))
        return found

    def _check_parts(self) -> None:
        k = self.n_clusters_
        book = self.codebook_
        check_codes(self._medoid_codes, "medoids", book.n_values, book.lowest_codes)
        check_integers(self.medoid_indices_, "medoid_indices_", (k,))
        check_integers(self.labels_, "labels_", (None,))
        check_reals(self.cluster_sizes_, "cluster_sizes_", (k,))
        cells = self._medoid_cells.values()
        lengths = {len(self._medoid_codes), len(self.groups_), *map(len, cells)}
        if lengths != {k} or not all(type(each) is Group for each in self.groups_):
            raise RefusedError("medoids and groups are not one per group")
        if not set(np.unique(self.labels_)) <= set(range(k)):
            raise RefusedError("a label is that of no group")

    @property
    def _n_features_out(self) -> int:  # scikit-learn's name for it
        return self.n_clusters_

    def _numbers(self) -> list[int]:
        """Return the numbers of groups to choose from."""
        given: Any = self.n_clusters
        if isinstance(given, str) and given == "auto":
            return list(AUTO)
        is_one = isinstance(given, str) or not isinstance(given, Iterable)
        numbers, least = ([given], 1) if is_one else (list(given), 2)
        are_whole = all(parameters.is_whole(k) and k >= least for k in numbers)
        if not numbers or not are_whole:
            wanted = "a whole number >= 1, 'auto', or several numbers >= 2"
            raise parameters.wrong(self, "n_clusters", wanted)
        return sorted({int(k) for k in numbers})

    def _possible(self, numbers: list[int], n_distinct: int) -> list[int]:
        """Return the numbers of groups that are not too many; one if all are."""
        if len(numbers) > 1:  # a silhouette needs a group of two
            return [k for k in numbers if k < n_distinct] or [min(n_distinct, 2)]
        if numbers[0] > n_distinct:
            warnings.warn(
                f"Only {n_distinct} rows differ from each other, and every medoid is "
                f"another row: there are {n_distinct} groups instead of "
                f"n_clusters={numbers[0]}.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return [min(numbers[0], n_distinct)]

    def _search(
        self, unique: UniqueRows, numbers: list[int], rng: np.random.Generator
    ) -> Places:
        """Return the places of the medoids among unique rows, rising."""
        if len(unique) <= self.max_rows:
            codes, weights = unique.codes, unique.weights
            best = self._optimum(codes, weights, numbers, self.n_init, rng)
            medoids = best.partition.medoids
        else:
            found = []
            for _ in range(self.n_init):
                places, weights = draw(unique.weights, self.max_rows, numbers[-1], rng)
                optimum = self._optimum(unique.codes[places], weights, numbers, 1, rng)
                medoids = places[optimum.partition.medoids]
                numbers = [len(medoids)]
                distances = self._nearest(unique.codes, unique.codes[medoids])[1]
                found.append((float(unique.weights @ distances), optimum, medoids))
            _, best, medoids = min(found, key=lambda each: each[0])
        if not best.is_reached:
            warnings.warn(
                f"{type(self).__name__} stopped after max_iter={self.max_iter} "
                "passes before the swaps converged. Raise max_iter.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.n_iter_ = best.n_iter
        return np.sort(medoids)

    def _optimum(
        self,
        codes: Codes,
        weights: Array,
        numbers: list[int],
        n_init: int,
        rng: np.random.Generator,
    ) -> Optimum:
        """Return the best of several starts among rows that all are compared."""
        square = self._square(codes)
        greedy = build(square, weights, numbers[-1]).medoids  # fewer are the first ones
        n_clusters = numbers[0]
        if len(numbers) > 1:
            for k in numbers:
                found = swap(Partition(square, weights, greedy[:k]), self.max_iter)
                groups = found.partition.nearest
                self.silhouettes_[k] = silhouette(square, weights, groups)
            n_clusters = max(numbers, key=self.silhouettes_.__getitem__)
        drawn = [
            rng.choice(len(codes), n_clusters, replace=False) for _ in range(n_init - 1)
        ]
        starts = [greedy[:n_clusters], *drawn]
        ends = [swap(Partition(square, weights, s), self.max_iter) for s in starts]
        return min(ends, key=lambda end: end.partition.loss)

    def _square(self, codes: Codes) -> Array:
        """Return all distances (m, m), for infinite ones more than all finite ones."""
        rows = self.distance_.represent(codes)
        square = np.empty((len(codes), len(codes)))

        def fill(at: slice) -> None:
            square[at] = self.distance_.compare(rows[at], rows)

        in_threads(fill, query_chunks(len(codes), len(codes), distances_at_once()))
        if not np.isfinite(square).all():
            largest = square.max(where=np.isfinite(square), initial=1.0)
            np.minimum(square, INFINITE * largest, out=square)
        return square

    def _nearest(self, codes: Codes, medoids: Codes) -> tuple[Places, Array, Array]:
        """Return the place of the nearest medoid of each row, its distance (n,), and
        that of the second nearest.
        """
        rows = self.distance_.represent(medoids)

        def part(at: slice) -> tuple[Places, Array, Array]:
            d = self.distance_.compare(self.distance_.represent(codes[at]), rows)
            least = d.min(axis=1)
            place = (d <= (least + tie_widths(d))[:, None]).argmax(axis=1)
            second = np.partition(d, 1, axis=1)[:, 1] if d.shape[1] > 1 else least
            return place, least, second

        width = max(len(rows), np.size(rows) // len(rows))
        chunks = query_chunks(len(codes), width, distances_at_once())
        found = zip(*in_threads(part, chunks), strict=True)
        places, least, second = (np.concatenate(each) for each in found)
        return places, least, second


def draw(
    weights: Array, size: int, least: int, rng: np.random.Generator
) -> tuple[Places, Array]:
    """Draw rows, each as often as its weight says, and return the unique ones.

    Parameters
    ----------
    weights : ndarray (m,)
    size : int
        How many to draw.
    least : int
        How many must differ; some without weight are added if they are fewer.
    rng : numpy.random.Generator

    Returns
    -------
    places : ndarray of int (s,)
        Rising.
    weights : ndarray (s,)
        How often each was drawn.
    """
    counts = rng.multinomial(size, weights / weights.sum())
    drawn, others = np.flatnonzero(counts), np.flatnonzero(counts == 0)
    n_lacking = max(0, least - len(drawn))
    added = rng.choice(others, n_lacking, replace=False)
    places = np.sort(np.concatenate([drawn, added]))
    return places, counts[places].astype(float)
