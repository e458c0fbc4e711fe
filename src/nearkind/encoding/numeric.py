"""Features of numeric columns: levels, bins, a coordinate or numbers."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from nearkind.encoding.bins import Bins, quantile_edges
from nearkind.encoding.coordinates import Coordinate
from nearkind.encoding.features import Feature, distinct_numbers
from nearkind.encoding.levels import Levels
from nearkind.encoding.number_line import NumberLine
from nearkind.protocols import Array
from nearkind.tables import Column, canonical

MAX_LEVELS_OF_NUMBERS = 20
"""numeric="auto" bins a column with more."""


class Sample:
    """A column to learn a feature from.

    Parameters
    ----------
    name : object
        The column's name.
    column : Column
    weights : array (n,)
        Number of rows that each row represents; those of weight zero teach no value.
    keep_missing : bool
        Whether missing is to be a level of its own, if there is any.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> column = read_table([[2], [None], [1], [2]]).column(0)
    >>> sample = Sample("size", column, np.ones(4), keep_missing=True)
    >>> [NUMERIC[kind](sample).values for kind in ("category", "bin", "scale")]
    [[1, 2, None], ['< 2', '>= 2', None], [1, 2, None]]
    """

    def __init__(
        self, name: object, column: Column, weights: Array, keep_missing: bool
    ) -> None:
        self.name, self.column, self.weights = name, column, weights
        counted = weights > 0.0
        self.has_missing = keep_missing and bool(column.missing[counted].any())

    @property
    def values(self) -> list[Any]:
        """Distinct values, in canonical order."""
        places = self.column.occurring(self.weights > 0.0)
        return canonical(self.column.values[i] for i in places)

    @cached_property
    def numbers(self) -> tuple[Array, Array]:
        """Distinct numbers, rising, and the weight of each; none in other columns."""
        x = self.column.numeric
        none = np.empty(0)
        return (none, none) if x is None else distinct_numbers(x, self.weights)


def as_levels(sample: Sample) -> Feature:
    """Make every value a level."""
    return Levels(sample.name, sample.values, sample.has_missing)


def as_bins(sample: Sample) -> Feature:
    """Cut numbers into bins; values of a column without any are levels."""
    x, totals = sample.numbers
    if not len(x):
        return as_levels(sample)
    return Bins(sample.name, quantile_edges(x, weights=totals), sample.has_missing)


def as_levels_or_bins(sample: Sample) -> Feature:
    """Cut numbers into bins if there are many."""
    many = len(sample.numbers[0]) > MAX_LEVELS_OF_NUMBERS
    return as_bins(sample) if many else as_levels(sample)


def as_coordinate(sample: Sample) -> Feature:
    """Standardise numbers; values of a column without a finite one are levels."""
    x, totals = sample.numbers
    if not np.isfinite(x).any():
        return as_levels(sample)
    return Coordinate.learned(sample.name, x, totals, sample.has_missing)


def as_number_line(sample: Sample) -> Feature:
    """Keep every number; values of a column without any are levels."""
    x, _ = sample.numbers
    if not len(x):
        return as_levels(sample)
    return NumberLine.learned(sample.name, x, sample.has_missing)


NUMERIC: dict[str, Callable[[Sample], Feature]] = {
    "auto": as_levels_or_bins,
    "category": as_levels,
    "bin": as_bins,
    "scale": as_coordinate,
    "number": as_number_line,
}
