"""Weighted means of differences over categorical and numeric features."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.checks import check_amount, check_reals
from nearkind.distances.form import SeparableForm, query_chunks
from nearkind.encoding import NumberLine
from nearkind.encoding.features import distinct_numbers
from nearkind.errors import RefusedError
from nearkind.protocols import Array, Codes

Truths = NDArray[np.bool_]

PAIRS_AT_ONCE = 1 << 16
"""Distances held at a time: about what a core's cache holds."""
UNDEFINED = 1.0
"""Distance of rows that have no value in the same column."""


@dataclass(frozen=True, eq=False)
class MixedTables(SeparableForm):
    """d = sum over features of w d_d(x_d, x'_d) / sum over the same features of w.

    The sums run over the features in which neither row lacks its value. Two categories
    differ by 1, two numbers by the share of the range between them, and two values of
    an ordered feature by what lies between their ends; each times a scale. Rows with no
    such feature are at distance 0 if they are equal, and at ``UNDEFINED`` otherwise.

    Attributes
    ----------
    weights : ndarray of shape (D,)
        The weights w.
    scales : ndarray of shape (D,)
        What a difference of 1 counts in each feature.
    ends : sequence of ndarray of shape (s_d, 2) or (0, 2)
        Where the values of an ordered feature begin and end; none of other features.
    asymmetric : ndarray of bool of shape (D,)
        Features whose first value says nothing where both rows have it.
    limit : float or None
        Largest difference, before it is scaled; None: there is none.
    """

    weights: Array
    scales: Array
    ends: Sequence[Array]
    asymmetric: Truths
    limit: float | None = None

    def represent(self, codes: Codes) -> Array:
        """Return rows (n, D + E): points and codes, NaN if missing, then far ends.

        E is how many ordered features have values that end after they begin.
        """
        parts = [self._points(d, column) for d, column in enumerate(codes.T)]
        ends = [end for _, end in parts if end is not None]
        return np.column_stack([*(start for start, _ in parts), *ends])

    def compare(self, a: Array, b: Array) -> Array:
        """Return distances (n, m) between represented rows."""
        distances = np.empty((len(a), len(b)))
        codes_a, codes_b = (np.nan_to_num(rows[:, self._nominal]) for rows in (a, b))
        largest = int(max(codes_a.max(initial=0.0), codes_b.max(initial=0.0)))
        narrow = np.promote_types(np.min_scalar_type(largest), np.int8)
        right = np.ascontiguousarray(b.T), codes_b.T.astype(narrow, order="C")
        has_gaps = self._has_gaps(a) | self._has_gaps(b)
        for rows in query_chunks(len(a), len(b), PAIRS_AT_ONCE):
            left = a[rows].T[:, :, None], codes_a[rows].T[:, :, None].astype(narrow)
            distances[rows] = self._means(left, right, has_gaps)
        return distances

    def mean_differences(self, codes: Codes, weights: Array) -> Array:
        """Return the mean difference of two rows in each feature (D,), not scaled.

        The mean is over all pairs of rows that have a value; 0 if there is none.

        Parameters
        ----------
        codes : ndarray of int (n, D)
        weights : ndarray (n,)
            Number of rows that each represents.
        """
        return np.array(
            [
                _mean_difference(*self._totals(d, column, weights), d in self._nominal)
                for d, column in enumerate(codes.T)
            ]
        )

    def _totals(self, d: int, codes: Codes, weights: Array) -> tuple[Array, Array]:
        """Return the points that occur in a feature, rising, and their weights."""
        points, _ = self._points(d, codes)
        return distinct_numbers(points, weights)

    def contributions(self, a: Codes, b: Codes) -> Array:
        """Return each feature's part (D,) of the distance between two rows."""
        rows = self.represent(np.stack([a, b]))
        x, y = rows[:1].T[:, :, None], rows[1:].T
        each = range(len(self.weights))
        parts = np.array([self._differences(d, x, y)[0, 0] for d in each])
        known = [bool(self._counts(d, x, y)[0, 0]) for d in each]
        weights = np.where(known, self.weights, 0.0)
        return weights * np.nan_to_num(parts) / (weights.sum() or 1.0)

    def between_values(self, d: int, codes: NDArray[np.intp], squared: bool) -> Array:
        """Return the distances between values of feature d (s, s)."""
        rows = np.zeros((len(codes), len(self.weights)), dtype=np.int32)
        rows[:, d] = codes
        points = self.represent(rows)
        part = self._differences(d, points.T[:, :, None], points.T)
        table = np.nan_to_num(part) * (self.weights[d] / self.weights.sum())
        return table**2 if squared else table

    @property
    def cost(self) -> int:
        """How many numbers are read to compare two represented rows."""
        return len(self.weights)

    def check(self) -> None:
        """Raise ``RefusedError`` unless the fields fit together."""
        sizes = self.codebook.n_values
        for what in ("weights", "scales"):
            if (check_reals(getattr(self, what), what, (len(sizes),)) < 0.0).any():
                raise RefusedError(f"{what} hold a negative number")
        if not self.weights.any():
            raise RefusedError("weights are all zero")
        if self.asymmetric.dtype != bool or self.asymmetric.shape != (len(sizes),):
            raise RefusedError("asymmetric is not one truth value per column")
        if self.limit is not None:
            check_amount(self.limit, "limit")
        if len(self.ends) != len(sizes):
            raise RefusedError("ends do not have one table per column")
        for ends, size in zip(self.ends, sizes, strict=True):
            check_reals(ends, "ends", (None, 2))
            if len(ends) not in (0, size) or (ends[:, 0] > ends[:, 1]).any():
                raise RefusedError("ends are not those of one value each")

    def _means(
        self, left: tuple[Array, Any], right: tuple[Array, Any], has_gaps: Truths
    ) -> Array:
        """Return distances (n, m) of rows by feature and by codes of nominal features.

        Mismatches are counted by weight, and every pair is summed in the same way,
        whether other rows have gaps or not, so that no bit depends on them.
        """
        (a, codes_a), (b, codes_b) = left, right
        total = np.zeros((a.shape[1], b.shape[1]))
        small = np.min_scalar_type(len(self.weights))
        weights = self.weights.tolist()
        gaps: dict[float, Any] = dict.fromkeys(weights, 0)
        differing: dict[float, Any] = {}
        counts: Any = None
        for d in np.flatnonzero(self.weights).tolist():
            weight = weights[d]
            if has_gaps[d]:
                counts = self._counts(d, a, b)
                gaps[weight] = np.add(gaps[weight], ~counts, dtype=small)
            if d in self._nominal:
                at, factor = self._nominal.index(d), weight * float(self.scales[d])
                part: Any = codes_a[at] != codes_b[at]
                part = part & counts if has_gaps[d] else part
                differing[factor] = np.add(differing.get(factor, 0), part, dtype=small)
            else:
                part = self._differences(d, a, b)
                part = np.where(counts, part, 0.0) if has_gaps[d] else part
                total += part if weight == 1.0 else weight * part
        for factor, count in differing.items():
            total += factor * count
        known = sum(w * (weights.count(w) - gap) for w, gap in gaps.items())
        nothing = np.equal(known, 0.0)
        total /= np.where(nothing, 1.0, known)
        if nothing.any():
            i, j = np.nonzero(nothing)
            x, y = a[:, i, 0], b[:, j]
            alike = ((x == y) | (np.isnan(x) & np.isnan(y))).all(axis=0)
            total[i, j] = np.where(alike, 0.0, UNDEFINED)
        return total

    def _counts(self, d: int, a: Array, b: Array) -> Truths:
        """Return whether a feature says something of rows (n, m)."""
        counts: Truths = ~(np.isnan(a[d]) | np.isnan(b[d]))
        if self.asymmetric[d]:
            counts &= (a[d] != 0.0) | (b[d] != 0.0)
        return counts

    def _differences(self, d: int, a: Array, b: Array) -> Array:
        """Return the scaled differences (n, m) of rows in one feature."""
        x, y, scale = a[d], b[d], float(self.scales[d])
        if d in self._nominal:
            return (x != y) * scale
        if (end := self._far_ends.get(d)) is not None:
            part = np.maximum(np.maximum(x - b[end], y - a[end]), 0.0)
        else:
            part = np.abs(x - y)
        if self.limit is not None:
            np.minimum(part, self.limit, out=part)
        return part if scale == 1.0 else part * scale

    def _points(self, d: int, codes: Codes) -> tuple[Array, Array | None]:
        """Return where the values of one feature begin (n,), and where they end.

        Categories are where their codes are. None where all end as they begin.
        """
        feature, ends = self.codebook.features_[d], self.ends[d]
        if isinstance(feature, NumberLine):
            return feature.points(codes), None
        if len(ends):
            middle = np.full((1, 2), 0.5 * (ends.min() + ends.max()))  # of the unseen
            found = np.concatenate([ends, middle])[np.maximum(codes, -1)]
            start, end = np.where(self._is_gap(d, codes)[:, None], np.nan, found).T
            return start, end if d in self._far_ends else None
        return np.where(self._is_gap(d, codes), np.nan, codes), None

    def _is_gap(self, d: int, codes: Codes) -> Truths:
        missing = self.codebook.features_[d].missing_code
        is_gap: Truths = (codes == missing) & (missing != -1)
        return is_gap

    def _has_gaps(self, rows: Array) -> Truths:
        """Return in which features some pair of rows may say nothing (D,)."""
        is_missing: Truths = np.isnan(rows[:, : len(self.weights)])
        return is_missing.any(axis=0) | self.asymmetric

    @cached_property
    def _nominal(self) -> list[int]:
        """Features whose values are equal or not."""
        both = enumerate(zip(self.codebook.features_, self.ends, strict=True))
        return [d for d, (f, e) in both if not (isinstance(f, NumberLine) or len(e))]

    @cached_property
    def _far_ends(self) -> dict[int, int]:
        """Where a row has the far end of a value, by the number of its feature."""
        wide = (
            d for d, ends in enumerate(self.ends) if (ends[:, 0] < ends[:, 1]).any()
        )
        return {d: at for at, d in enumerate(wide, start=len(self.ends))}


def _mean_difference(points: Array, totals: Array, is_nominal: bool) -> float:
    """Return the mean difference of two rows, of points (s,) that so many rows have.

    Examples
    --------
    >>> _mean_difference(np.array([0.0, 1.0]), np.array([2.0, 1.0]), is_nominal=True)
    0.6666666666666666
    """
    n = totals.sum()
    upto = np.cumsum(totals)
    if is_nominal:
        sums = (totals * (n - totals)).sum()
    else:
        sums = 2.0 * (np.diff(points) * upto[:-1] * (n - upto[:-1])).sum()
    return float(sums / (n * (n - 1.0 if n > 1.0 else n) or 1.0))
