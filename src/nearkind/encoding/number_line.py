"""Numbers as themselves, for distances that use their differences."""

from typing import Any, Self

import numpy as np

from nearkind.encoding.coordinates import shown
from nearkind.encoding.features import SKIPPED, NumberFeature
from nearkind.errors import InfiniteNumberError, Parameter
from nearkind.protocols import Array, Codes
from nearkind.tables import Column

STEPS = 2**30 - 4
"""Steps between the ends of the numbers of fit, to which a new number is rounded."""
FARTHEST = 1.0 - 2.0**-28
"""Largest share of half the steps that a number beyond the ends is moved by."""


class NumberLine(NumberFeature):
    """Every number of fit has a code; a new one has a code below ``SKIPPED``.

    A number is a point on a line on which the smallest number of fit is 0 and the
    largest 1. The code of a new number holds its point, to 5e-10 between the ends. A
    point u beyond an end is held as u / (1 + u), so that none is too far.

    Parameters
    ----------
    name : object
        The column's name.
    numbers : array (n_numbers,)
        Finite, increasing, at least one.
    has_missing : bool
        Whether missing is a level of its own, the last.

    Attributes
    ----------
    positions : array (n_values,)
        Points of the values, NaN of a missing one.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> line = NumberLine("age", [20.0, 30.0, 60.0], has_missing=False)
    >>> codes = line.encode(read_table([[30], [40], [60], [100]]).column(0))
    >>> line.points(codes).round(6).tolist()
    [0.25, 0.5, 1.0, 2.0]
    """

    lowest_code = int(np.iinfo(np.int32).min)

    def __init__(self, name: object, numbers: object, has_missing: bool) -> None:
        self.numbers: Array = np.asarray(numbers, dtype=np.float64)
        super().__init__(name, self.numbers[1:], has_missing)
        points = self._points_of(self.numbers)
        self._places: Array = np.append(points, [np.nan] * has_missing)
        self.positions = self._places

    @classmethod
    def learned(cls, name: object, numbers: Array, has_missing: bool) -> Self:
        """Return the line of distinct numbers (n,), refusing infinite ones."""
        _refuse_infinite(name, numbers)
        return cls(name, numbers, has_missing)

    @property
    def values(self) -> list[Any]:
        """Numbers in code order, whole ones as int."""
        missing = [None] if self.missing_code >= 0 else []
        return [*map(shown, self.numbers.tolist()), *missing]

    def encode(self, column: Column) -> Codes:
        """Return codes (n,); infinite numbers are refused."""
        x = self._numbers(column) if column.numeric is None else column.numeric
        _refuse_infinite(self.name, x)
        codes = np.searchsorted(self.edges, x, side="right").astype(np.int32)
        codes[np.isnan(x)] = self.missing_code
        is_new = (self.numbers.take(codes, mode="clip") != x) & ~np.isnan(x)
        codes[is_new] = self._code_of_new(x[is_new])
        return codes

    def code(self, value: object) -> int:
        """Return the code of a number of fit, or of missing, and -1 for all others."""
        code = super().code(value)
        is_of_fit = (
            code in (-1, self.missing_code) or self.numbers[code].item() == value
        )
        return code if is_of_fit else -1

    def number(self, code: int) -> float | int | None:
        """Return the number of a code, a new one to six digits; None if missing."""
        point = float(self.points(np.array([code]))[0])
        low, high = self.numbers[[0, -1]].tolist()
        if np.isnan(point) or low == high:
            return self.values[code] if code >= 0 else None
        return shown(float(f"{low + point * (high - low):.6g}"))

    def points(self, codes: Codes) -> Array:
        """Return the points of codes (n,), NaN where a number is missing."""
        step = (SKIPPED - 1.0 - codes) / STEPS - 0.5  # of new numbers
        inside = np.clip(step, 0.0, 1.0)
        beyond = np.clip(2.0 * (step - inside), -FARTHEST, FARTHEST)
        new = inside + beyond / (1.0 - np.abs(beyond))
        of_fit = np.where(codes >= 0, self._places[np.maximum(codes, 0)], np.nan)
        return np.where(codes < SKIPPED, new, of_fit)

    def _points_of(self, x: Array) -> Array:
        low, high = 0.5 * self.numbers[0], 0.5 * self.numbers[-1]  # may overflow whole
        apart = 0.5 * x - low
        if low == high:
            return 2.0 * np.sign(apart)
        with np.errstate(over="ignore"):
            return apart / (high - low)

    def _code_of_new(self, x: Array) -> Codes:
        points = self._points_of(x)
        inside = np.clip(points, 0.0, 1.0)
        beyond = np.clip(points - inside, -1e300, 1e300)
        moved = np.clip(beyond / (1.0 + np.abs(beyond)), -FARTHEST, FARTHEST)
        step = np.rint((inside + 0.5 * moved + 0.5) * STEPS)
        return (SKIPPED - 1.0 - step).astype(np.int32)


def _refuse_infinite(name: object, x: Array) -> None:
    infinite = x[np.isinf(x)]
    if len(infinite):
        raise InfiniteNumberError(
            f"Column {name!r} holds an infinite number, {infinite[0]}, or one beyond "
            "the range of floats; there is no difference to it. Pass ",
            Parameter("numeric", "bin"),
            " to sort numbers into bins, the outermost of which have no end.",
        )
