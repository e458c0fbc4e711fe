"""Oversampling of small classes for categorical columns."""

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin

from nearkind.encoding.rows import CodedRows, unique_rows
from nearkind.estimators.labels import require_labels
from nearkind.neighbors import ExactIndex, RowGroups
from nearkind.protocols import Array, Codes, TableLike
from nearkind.tables.selection import take_cells, take_values
from nearkind.tasks.fitted_distance import DistanceTask
from nearkind.validation import parameters
from nearkind.validation.limits import distances_at_once

Numbers = NDArray[np.intp]


@parameters.estimator_class()
class Oversampler(OneToOneFeatureMixin, DistanceTask, BaseEstimator):
    """Oversample small classes, with the interface of imbalanced-learn.

    A new row is based on a random row of its class; each of its values is drawn from
    that row or one of its nearest rows of the same class, independently for each
    column. This is SMOTE (Chawla et al., 2002) for categorical columns, under a
    distance that may be learned. Numbers and missing values are drawn in the same way,
    so every value of a new row occurs in that column and class.

    Parameters
    ----------
    metric : distance, FittedDistance, classifier or str, default=None
        A distance, a classifier, or the name of a distance. An unfitted one is fitted
        to the rows, a fitted one is used as it is. None: ``CPML()``.
    n_neighbors : int, default=5
        Number of nearest rows of the class from which values are drawn, or all rows of
        a smaller class; a class with one row repeats it.
    sampling_strategy : str, float, dict or callable, default="auto"
        As in imbalanced-learn. "auto" and "not majority" make all classes as large as
        the largest, "minority" only the smallest one, "not minority" all others; "all"
        is "auto". A float, for two classes, is the ratio of the smaller to the larger
        one. A dict maps classes to sizes, and a function maps y to such a dict.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the sampling.

    Attributes
    ----------
    distance_ : FittedDistance
        The distance between rows.
    metric_ : estimator or None
        Its fitted estimator; None if ``metric`` is a fitted distance itself.
    sampling_strategy_ : dict
        Number of new rows of each class.
    sample_indices_ : ndarray of int (n_new,)
        Number of the row that each returned row is or is based on.
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import nearkind as nk
    >>> X = [["red", "s"], ["red", "m"], ["blue", "l"], ["blue", "l"], ["blue", "m"]]
    >>> y = ["a", "a", "b", "b", "b"]
    >>> rows, labels = nk.Oversampler("hamming", random_state=0).fit_resample(X, y)
    >>> rows[5:], labels[5:]
    ([['red', 's']], ['a'])
    """

    _requires_labels: ClassVar[bool] = True

    _parts: ClassVar = {"classes_": np.ndarray, "sampling_strategy_": dict}

    metric: object = None
    n_neighbors: parameters.WholeNumber = 5
    sampling_strategy: Any = "auto"
    random_state: parameters.Seed = None

    def fit(self, X: TableLike, y: object) -> Self:
        """Fit the distance and compute the number of new rows of each class.

        Parameters
        ----------
        X : table of any kind
        y : array-like (n,)
            One label per row.

        Returns
        -------
        self
        """
        self._fit(X, y)
        return self

    def fit_resample(self, X: TableLike, y: object) -> tuple[Any, Any]:
        """Return the given rows followed by new ones.

        Parameters
        ----------
        X, y : as in ``fit``

        Returns
        -------
        X, y : of the kinds that were given
            Columns keep their types and categories. The rows of a data frame get a new
            index.
        """
        rows = self._fit(X, y)
        rng = parameters.generator(self.random_state)
        n_columns = len(rows.table.names)
        each = np.arange(len(rows))
        begun, cells = [each], [np.tile(each[:, None], n_columns)]
        for number, label in enumerate(rows.classes.tolist()):
            if n_new := self.sampling_strategy_.get(label, 0):
                rows_of = np.flatnonzero(rows.y == number)
                drawn = self._draw(rows.codes, rows_of, (n_new, n_columns), rng)
                begun.append(drawn[0])
                cells.append(drawn[1])
        self.sample_indices_ = np.concatenate(begun)
        made = take_cells(X, np.concatenate(cells))
        return made, take_values(y, self.sample_indices_)

    def _fit(self, X: TableLike, y: object) -> CodedRows:
        require_labels(y, type(self).__name__)
        rows = self._fit_distance(X, y)
        self.classes_ = rows.classes
        sizes = dict(zip(rows.classes.tolist(), np.bincount(rows.y), strict=True))
        self.sampling_strategy_ = self._new_rows(sizes, y)
        return rows

    def _draw(
        self,
        codes: Codes,
        rows_of: Numbers,
        shape: tuple[int, int],
        rng: np.random.Generator,
    ) -> tuple[Numbers, Numbers]:
        """Return where new rows of a class begin, and the row of each of their cells.

        Parameters
        ----------
        codes : ndarray of int (n, D)
        rows_of : ndarray of int
            Numbers of the rows of the class.
        shape : (n_new, number of columns)
        rng : numpy.random.Generator
        """
        unique = unique_rows(codes[rows_of])
        groups = RowGroups.of(unique.of_row, rows_of)
        represented, k = self.distance_.represent(unique.codes), self.n_neighbors + 1
        index = ExactIndex(self.distance_, represented, k)
        begin = np.sort(rng.choice(unique.of_row, shape[0]))  # the unique row of each
        cells = np.empty(shape, dtype=np.intp)
        for at in index.chunks(shape[0], distances_at_once()):
            queries, which = np.unique(begin[at], return_inverse=True)
            near = index.near(represented[queries], groups.k_nearest, k)  # itself too
            cells[at] = near.unique_row[
                weighted_places(near.query, near.votes, which, shape[1], rng)
            ]
        return _any_row(groups, begin, rng), _any_row(groups, cells, rng)

    def _new_rows(self, sizes: dict[Any, int], y: object) -> dict[Any, int]:
        """Return how many new rows of each class there are to be."""
        wanted = self.sampling_strategy
        if isinstance(wanted, str):
            chosen = parameters.choice(self, "sampling_strategy", STRATEGIES)(sizes)
            return {label: max(sizes.values()) - sizes[label] for label in chosen}
        if isinstance(wanted, Real) and not isinstance(wanted, bool):
            return self._by_ratio(float(wanted), sizes)
        wanted = wanted(y) if callable(wanted) else wanted
        if not isinstance(wanted, Mapping):
            listed = ", ".join(map(repr, STRATEGIES))
            raise self._wrong(
                f"one of {listed}, a number in (0, 1], a dict of class to size, or a "
                "function from y to such a dict"
            )
        for label, size in wanted.items():
            if label not in sizes:
                raise self._wrong(f"of classes of y, which {label!r} is not")
            if not parameters.is_whole(size) or size < sizes[label]:
                raise self._wrong(
                    f"of whole numbers, for {label!r} at least the {sizes[label]} rows "
                    "that there are"
                )
        return {label: int(wanted[label]) - sizes[label] for label in sorted(wanted)}

    def _by_ratio(self, ratio: float, sizes: dict[Any, int]) -> dict[Any, int]:
        if len(sizes) != 2 or not 0.0 < ratio <= 1.0:
            raise self._wrong(
                "a number in (0, 1] for two classes, else a dict of class to size"
            )
        (small,) = _all_but(max, sizes)
        largest = max(sizes.values())
        n_new = int(largest * ratio - sizes[small])
        if n_new <= 0:
            as_it_is = f"{sizes[small] / largest:.4g}"
            raise self._wrong(
                f"more than {as_it_is}, the ratio of the two classes as they are"
            )
        return {small: n_new}

    def _wrong(self, wanted: str) -> ValueError:
        return parameters.wrong(self, "sampling_strategy", wanted)


def _all_but(extreme: Callable[..., Any], sizes: dict[Any, int]) -> list[Any]:
    left_out = extreme(sizes, key=sizes.__getitem__)
    return [label for label in sizes if label != left_out]


STRATEGIES: dict[str, Callable[[dict[Any, int]], list[Any]]] = {
    "auto": lambda sizes: _all_but(max, sizes),
    "not majority": lambda sizes: _all_but(max, sizes),
    "minority": lambda sizes: [min(sizes, key=sizes.__getitem__)],
    "not minority": lambda sizes: _all_but(min, sizes),
    "all": list,
}
"""Which classes, of so many rows each, are to become as large as the largest."""


def weighted_places(
    group: Numbers, weights: Array, which: Numbers, n: int, rng: np.random.Generator
) -> Numbers:
    """Draw places in a list of groups, within a group in proportion to weights.

    Parameters
    ----------
    group : ndarray of int
        The group of each place, rising from 0.
    weights : ndarray
        Of each place.
    which : ndarray of int (b,)
        Groups to draw from.
    n : int
        How often, from each.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int (b, n)

    Examples
    --------
    >>> group, weights = np.array([0, 0, 1]), np.array([0.0, 1.0, 2.0])
    >>> rng = np.random.default_rng(0)
    >>> weighted_places(group, weights, np.array([1, 0]), 2, rng).tolist()
    [[2, 2], [1, 1]]
    """
    upto = np.cumsum(weights)
    ends = np.searchsorted(group, which, side="right")[:, None]
    starts = np.searchsorted(group, which, side="left")[:, None]
    low = np.where(starts > 0, upto[starts - 1], 0.0)
    drawn = low + rng.random((len(which), n)) * (upto[ends - 1] - low)
    return np.clip(np.searchsorted(upto, drawn, side="right"), starts, ends - 1)


def _any_row(groups: RowGroups, unique: Numbers, rng: np.random.Generator) -> Numbers:
    """Draw one of the rows that each unique row stands for."""
    within = rng.random(unique.shape) * groups.sizes[unique]
    return groups.rows[groups.starts[unique] + within.astype(np.intp)]
