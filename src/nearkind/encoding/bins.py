"""Quantile bins of numbers."""

from itertools import pairwise
from typing import Any

import numpy as np

from nearkind.encoding.features import NumberFeature, distinct_numbers
from nearkind.protocols import Array

MAX_BINS = 10


class Bins(NumberFeature):
    """Numbers between two edges share a code.

    Parameters
    ----------
    name : object
        The column's name.
    edges : array (n_bins - 1,)
        Increasing; bin k holds ``edges[k - 1] <= x < edges[k]``.
    has_missing : bool
        Whether missing is a level of its own, the last.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> bins = Bins("age", [3.5, 7.0], has_missing=False)
    >>> bins.values
    ['< 3.5', '3.5 to 7', '>= 7']
    >>> bins.encode(read_table([[1], [3.5], [float("inf")], [None]]).column(0)).tolist()
    [0, 1, 2, -1]
    """

    @property
    def n_ordered(self) -> int:  # type: ignore[override]
        """How many values are in order: all but a missing one."""
        return len(self.edges) + 1

    @property
    def values(self) -> list[Any]:
        """Display values in code order."""
        bins = _bin_names(
            [repr(edge).removesuffix(".0") for edge in self.edges.tolist()]
        )
        return [*bins, *([None] if self.missing_code >= 0 else [])]


def _bin_names(edges: list[str]) -> list[str]:
    if not edges:
        return ["any number"]
    between = [f"{low} to {high}" for low, high in pairwise(edges)]
    return [f"< {edges[0]}", *between, f">= {edges[-1]}"]


def quantile_edges(
    x: Array, max_bins: int = MAX_BINS, weights: Array | None = None
) -> Array:
    """Return the edges of bins that share the numbers about evenly.

    Edges are numbers of x, so that no bin is empty. Equal quantiles merge; where the
    smallest number is tied across quantiles, it gets a bin of its own.

    Parameters
    ----------
    x : ndarray (n,)
        Numbers; infinite ones are counted, but are never an edge. NaN is ignored.
    max_bins : int
        Maximum number of bins.
    weights : ndarray (n,), optional
        Weight of each number; default 1.

    Returns
    -------
    ndarray (n_bins - 1,)
        Finite, increasing.

    Examples
    --------
    >>> quantile_edges(np.arange(8.0), max_bins=4).tolist()
    [2.0, 4.0, 6.0]
    """
    x, totals = distinct_numbers(x, np.ones(len(x)) if weights is None else weights)
    if len(x) == 0:
        return x
    upto = np.cumsum(totals)  # rows up to each number
    at = np.ceil(np.arange(1, max_bins) / max_bins * (upto[-1] - 1.0))
    at = np.maximum(at, upto[0])  # above the smallest
    edges = np.unique(x[np.searchsorted(upto, at[at < upto[-1]], side="right")])
    return edges[np.isfinite(edges)]
