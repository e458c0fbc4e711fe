"""Categories in an order that is learned without labels."""

from dataclasses import KW_ONLY, replace

import numpy as np
from numpy.typing import NDArray

from nearkind.baselines.gower import MixedDistance, level_ends
from nearkind.distances.mixed_tables import MixedTables
from nearkind.encoding import Levels, Ordinal
from nearkind.encoding.rows import CodedRows, UniqueRows
from nearkind.projections.base import value_counts
from nearkind.protocols import Array
from nearkind.validation.parameters import Seed, WholeNumber, generator

Places = NDArray[np.intp]

SETTLED = 0.999
"""Share of the cost before from which on groups and orders are not renewed."""


class OCL(MixedDistance):
    """d = weighted mean over columns of |o(x) - o(x')| / (s - 1), o a learned order.

    o(x) is the position of a category in the order of the s categories of its column.
    Two steps alternate until convergence: each row joins the group with the smallest
    mean distance, and the categories of each column are ordered so that those of a
    group are close. Numbers, columns with a known order and missing cells are treated
    as in :class:`nearkind.baselines.Gower`. An unseen category is in the middle.

    Zhang, Zhao, Jia, Li, Lu and Cheung, *Categorical data clustering via value order
    estimated distance metric learning*, arXiv 2411.15189. How the order is found is our
    reading: by the first axis of the correspondence analysis of groups and categories,
    if it brings rows of a group closer than the previous order.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of groups.
    max_iter : int, default=30
        Maximum number of updates of groups and orders.
    n_init : int, default=3
        Number of starts from random rows; the best result is kept.
    random_state : int, RandomState, Generator or None, default=0
        Selects the random rows.
    weights : dict of column to float, default=None
        Weight >= 0 of columns in the mean; others have weight 1.
    missing : {"skip", "error"}, default="skip"
        Ignore missing cells, or raise an error.
    numeric : {"number", "auto", "category", "bin"}, default="number"
        Numbers are compared by their difference; or as in :class:`nearkind.CPML`.
    unseen, ordered : str, dict, default="prior", None
        As in :class:`nearkind.CPML`.

    Attributes
    ----------
    orders_ : dict of column to list
        The values of each categorical column in the learned order; its reverse gives
        the same distances.

    Examples
    --------
    >>> rows = [["low", "cold"], ["mid", "cold"], ["mid", "hot"], ["high", "hot"]]
    >>> OCL(n_clusters=2).fit(rows * 5).orders_["x0"][1]
    'mid'
    """

    _: KW_ONLY
    n_clusters: WholeNumber = 8
    max_iter: WholeNumber = 30
    n_init: WholeNumber = 3
    random_state: Seed = 0

    def _learn(self, rows: CodedRows) -> MixedTables:
        form = self._form(rows, level_ends, limit=1.0)
        book, unique = rows.codebook, rows.merge_equal()
        learned = [
            d
            for d, feature in enumerate(book.features_)
            if isinstance(feature, Levels)
            and not isinstance(feature, Ordinal)
            and len(feature.code_of) > 1
        ]
        sizes = [len(book.features_[d].code_of) for d in learned]  # type: ignore[attr-defined]
        rng, found = generator(self.random_state), []
        for _ in range(self.n_init if learned else 0):
            found.append(self._search(_columns(unique, learned, sizes), sizes, rng))
        orders = min(found, key=lambda each: each[0])[1] if found else []
        ends = list(form.ends)
        for d, order in zip(learned, orders, strict=True):
            place = np.argsort(order) / max(len(order) - 1, 1)
            missing = [0.0] * (book.n_values[d] - len(order))
            ends[d] = np.repeat(np.append(place, missing)[:, None], 2, axis=1)
        self.orders_ = {
            book.names_[d]: list(map(book.values(d).__getitem__, order))
            for d, order in zip(learned, orders, strict=True)
        }
        return replace(form, ends=ends)

    def _search(
        self, rows: UniqueRows, sizes: list[int], rng: np.random.Generator
    ) -> tuple[float, list[Places]]:
        """Return the cost of the best groups, and the codes of each column in order."""
        k = min(self.n_clusters, len(rows))
        share = rows.weights / rows.weights.sum()
        first = rows.codes[rng.choice(len(rows), k, replace=False, p=share)]
        groups = (rows.codes[:, None] != first).sum(axis=2).argmin(axis=1)
        orders = [np.arange(size) for size in sizes]
        total = np.inf
        for _ in range(self.max_iter):
            counts = value_counts(rows.codes, sizes, groups, rows.weights, k)
            orders = [_better(*both) for both in zip(counts, orders, strict=True)]
            costs = np.zeros((len(rows), k))
            for column, N, order in zip(rows.codes.T, counts, orders, strict=True):
                costs += np.vstack([_distances(N, order), np.zeros(k)])[column]
            groups = costs.argmin(axis=1)
            last, total = total, float(rows.weights @ costs.min(axis=1))
            if total > SETTLED * last:
                break
        return total, orders


def _columns(rows: UniqueRows, columns: list[int], sizes: list[int]) -> UniqueRows:
    """Return rows in some columns, the codes of missing cells being -1."""
    codes = rows.codes[:, columns]
    return replace(rows, codes=np.where(codes < sizes, codes, -1))


def _shares(counts: Array) -> Array:
    return counts / np.maximum(counts.sum(axis=0), 1e-300)


def _better(counts: Array, order: Places) -> Places:
    """Return the order (s,) by correspondence analysis, or the one before if better.

    Parameters
    ----------
    counts : ndarray (s, k)
        Rows that have each value, by group.
    order : ndarray of int (s,)
    """
    total, of_group = counts.sum(axis=1), counts.sum(axis=0)
    centred = counts - np.outer(total, of_group) / counts.sum()
    root = np.sqrt(np.maximum(np.outer(total, of_group), 1e-300))
    axis = np.linalg.svd(centred / root, full_matrices=False).U[:, 0]
    scores = axis / np.sqrt(np.maximum(total, 1e-300))
    found = np.argsort(np.round(scores, 9), kind="stable")
    return min(order, found, key=lambda each: _spread(counts, each))


def _spread(counts: Array, order: Places) -> float:
    """Return the mean distance in an order of two rows of a group, times its rows."""
    upto = np.cumsum(_shares(counts)[order], axis=0)
    return float((upto * (1.0 - upto)).sum(axis=0) @ counts.sum(axis=0))


def _distances(counts: Array, order: Places) -> Array:
    """Return the mean distance of each value to the rows of each group (s, k)."""
    upto = np.cumsum(_shares(counts)[order], axis=0)[:-1]
    none = np.zeros((1, counts.shape[1]))
    before = np.cumsum(np.vstack([none, upto]), axis=0)
    after = np.cumsum(np.vstack([none, 1.0 - upto[::-1]]), axis=0)[::-1]
    distances = np.empty_like(counts)
    distances[order] = (before + after) / max(len(order) - 1, 1)
    return distances
