"""Numbers as one standardised coordinate."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.features import NumberFeature, distinct_numbers
from nearkind.protocols import Array

MAX_PLACES = 1_000
"""Places kept of a column. Each has a vector, so tables stay small; and a number that
moves to the nearest keeps its rank among the rows to about one in a thousand."""


class Coordinate(NumberFeature):
    """A number takes the code of the nearest place on an axis, a tie the upper one.

    Numbers beyond all places, infinite ones too, take the outermost. A missing or
    unseen one stands at zero, the mean.

    Parameters
    ----------
    name : object
        The column's name.
    places : array (n_places,)
        Finite numbers, increasing, at least one.
    positions : array (n_places,)
        Where each stands on the axis, in standard deviations from the mean.
    has_missing : bool
        Whether missing is a level of its own, the last.

    Attributes
    ----------
    positions : array (n_values,), that of a missing level being zero

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> age = Coordinate.learned(
    ...     "age", np.array([1.0, 2.0, 3.0, 2.0]), np.ones(4), has_missing=False
    ... )
    >>> age.values, age.positions.round(4).tolist()
    ([1, 2, 3], [-1.4142, 0.0, 1.4142])
    >>> age.encode(read_table([[-9], [2.4], [2.5], [None]]).column(0)).tolist()
    [0, 1, 2, -1]
    """

    def __init__(
        self, name: Any, places: object, positions: Any, has_missing: bool
    ) -> None:
        self.places: Array = np.asarray(places, dtype=np.float64)
        super().__init__(name, _midpoints(self.places), has_missing)
        self.positions = np.append(positions, [0.0] * has_missing)

    @classmethod
    def learned(cls, name: object, x: Array, weights: Array, has_missing: bool) -> Self:
        """Return the axis of some numbers (n,), those of weight m counting m times.

        Infinite numbers and NaN are left out; a finite one there must be.
        """
        x, totals = distinct_numbers(np.where(np.isinf(x), np.nan, x), weights)
        kept = _evenly(totals)
        return cls(name, x[kept], standardised(x, totals)[kept], has_missing)

    @property
    def values(self) -> list[Any]:
        """Numbers in code order, whole ones as int."""
        numbers = [shown(place) for place in self.places.tolist()]
        return [*numbers, *([None] if self.missing_code >= 0 else [])]


def standardised(x: Array, totals: Array) -> Array:
    """Return (x - mean) / deviation, all zero if there is one number only.

    Parameters
    ----------
    x : ndarray (n,)
        Finite, increasing; of any size, as no square is taken of a large number.
    totals : ndarray (n,)
        How often each counts.

    Examples
    --------
    >>> standardised(np.array([-1e308, 1e308]), np.array([2.0, 2.0])).tolist()
    [-1.0, 1.0]
    """
    below_one = np.ldexp(x, -np.frexp(np.abs(x).max())[1])  # exact
    apart = below_one - below_one[0]
    share = totals / totals.sum()
    unit = apart / (apart[-1] or 1.0)
    centred = unit - share @ unit
    return centred / (np.sqrt(share @ centred**2) or 1.0)


def _evenly(totals: Array) -> NDArray[np.intp]:
    """Return which numbers to keep: frequent ones, and others about equally far apart.

    What is frequent, zero in many columns, would else leave the others few places.
    """
    if len(totals) <= MAX_PLACES:
        return np.arange(len(totals))
    frequent = totals > totals.sum() / MAX_PLACES
    upto = np.cumsum(np.where(frequent, 0.0, totals))  # rows up to each number
    at = np.linspace(0.0, upto[-1], MAX_PLACES - int(frequent.sum()))
    return np.union1d(np.flatnonzero(frequent), np.searchsorted(upto, at))


def _midpoints(places: Array) -> Array:
    """Return edges between places, each above the lower of its two."""
    middle = 0.5 * places[:-1] + 0.5 * places[1:]  # a sum might overflow
    return np.maximum(middle, np.nextafter(places[:-1], np.inf))


def shown(x: float) -> float:
    """Return a number, a whole one as int."""
    return int(x) if x.is_integer() and abs(x) < 2.0**53 else x
