"""What groups of rows are like: their size, usual values, and what sets them apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.errors import RefusedError
from nearkind.protocols import Array
from nearkind.tables import Column, FactorizedTable

Places = NDArray[np.intp]

FEW_NUMBERS = 10
"""Distinct numbers up to which each is a value of its own; more are put in quarters."""
QUARTERS = 0.25, 0.5, 0.75
MOST_COLUMNS = 3
"""Columns that the text on a group lists."""
TINY = 1e-300
"""What shares are divided by, and of which logarithms are taken, instead of zero."""
LEAST_LIFT = 1.05
"""Lift below which a value does not set a group apart."""


@dataclass(frozen=True)
class GroupValue:
    """A value that is frequent in a group.

    Attributes
    ----------
    column : object
        Name of the column.
    value : object
        A value, or the range of a quarter of the numbers; None if it is missing.
    share, overall : float
        Share of the rows of the group, and of all rows, that have it.
    """

    column: object
    value: object
    share: float
    overall: float

    @property
    def lift(self) -> float:
        """How many times as frequent the value is in the group as in all rows."""
        return self.share / self.overall

    def in_words(self, with_lift: bool = True) -> str:
        """Return the value with its share, and its lift unless that is not wanted."""
        value = "missing" if self.value is None else f"{self.value}"
        lift = f", lift {self.lift:.1f}" if with_lift else ""
        return f"{self.column}: {value} ({self.share:.0%}{lift})"

    def check(self) -> None:
        """Raise ``RefusedError`` unless the shares are shares."""
        if not (0.0 <= self.share <= 1.0 and 0.0 < self.overall <= 1.0):
            raise RefusedError("shares of a value are not between 0 and 1")


@dataclass(frozen=True)
class Group:
    """A group of rows.

    Attributes
    ----------
    number : int
        Its label.
    size : float
        Sum of the weights of its rows.
    share : float
        Of the weight of all rows.
    typical : list of GroupValue
        The most frequent value of each column, in the order of columns.
    apart : list of GroupValue
        For each column that sets it apart, the value that does so most. The largest
        contribution to the divergence of the group from all rows comes first.
    representative : int
        Number of the row that is the medoid.
    borderline : int
        Number of the row that is nearly as near to the next medoid, or of the farthest
        row if there is one group.
    """

    number: int
    size: float
    share: float
    typical: Sequence[GroupValue]
    apart: Sequence[GroupValue]
    representative: int
    borderline: int

    @property
    def apart_in_words(self) -> str:
        """The values that set it apart most, with share and lift."""
        return "; ".join(value.in_words() for value in self.apart[:MOST_COLUMNS])

    @property
    def typical_in_words(self) -> str:
        """The most frequent of the typical values, with their shares."""
        usual = sorted(self.typical, key=lambda value: -value.share)[:MOST_COLUMNS]
        return "; ".join(value.in_words(False) for value in usual)

    def to_dict(self) -> dict[str, Any]:
        """Return the group as a program reads it."""
        apart = [{**vars(each), "lift": each.lift} for each in self.apart]
        return {**vars(self), "typical": [*map(vars, self.typical)], "apart": apart}

    def check(self) -> None:
        """Raise ``RefusedError`` unless it holds values."""
        if not all(type(each) is GroupValue for each in (*self.typical, *self.apart)):
            raise RefusedError("a group holds something other than its values")


def described_groups(
    table: FactorizedTable,
    weights: Array,
    labels: Places,
    medoids: Places,
    borderline: Places,
) -> list[Group]:
    """Return what each group of rows is like.

    Parameters
    ----------
    table : FactorizedTable
        All rows.
    weights : ndarray (n,)
    labels : ndarray of int (n,)
        The group of each row.
    medoids, borderline : ndarray of int (k,)
        Row numbers, for each group.
    """
    n_groups, total = len(medoids), float(weights.sum())
    sizes = np.bincount(labels, weights, n_groups)
    typical: list[list[GroupValue]] = [[] for _ in range(n_groups)]
    apart: list[list[tuple[float, GroupValue]]] = [[] for _ in range(n_groups)]
    for d, name in enumerate(table.names):
        values, of_row = _values(table.columns[d], table.codes[:, d], weights)
        n_values = len(values)
        counts = np.bincount(labels * n_values + of_row, weights, n_groups * n_values)
        shares = counts.reshape(n_groups, n_values) / np.maximum(sizes, TINY)[:, None]
        overall = np.maximum(sizes @ shares / total, TINY)
        gain = shares * np.log(np.maximum(shares, TINY) / overall)
        for g in range(n_groups):
            found = [
                GroupValue(name, values[at], float(shares[g, at]), float(overall[at]))
                for at in (shares[g].argmax(), gain[g].argmax())
            ]
            typical[g].append(found[0])
            if found[1].lift >= LEAST_LIFT:
                apart[g].append((-float(gain[g].max()), found[1]))
    return [
        Group(
            g,
            float(sizes[g]),
            float(sizes[g] / total),
            typical[g],
            [each for _, each in sorted(apart[g], key=lambda pair: pair[0])],
            int(medoids[g]),
            int(borderline[g]),
        )
        for g in range(n_groups)
    ]


def group_columns(groups: Sequence[Group]) -> dict[str, list[Any]]:
    """Return the groups as columns of a table for people."""
    return {
        "group": [each.number for each in groups],
        "size": [each.size for each in groups],
        "share": [each.share for each in groups],
        "sets_apart": [each.apart_in_words for each in groups],
        "typical": [each.typical_in_words for each in groups],
        "representative": [each.representative for each in groups],
        "borderline": [each.borderline for each in groups],
    }


def _values(
    column: Column, codes: NDArray[np.int32], weights: Array
) -> tuple[list[Any], Places]:
    """Return the values of a column, many numbers as four ranges; and that of each row.

    Parameters
    ----------
    column : Column
        Distinct values, a missing one last.
    codes : ndarray of int32 (n,)
        Place of each row's value, -1 where missing.
    weights : ndarray (n,)
    """
    cells, numbers = column.cells(), column.numeric
    n_values = len(cells) - 1
    if numbers is None or column.declared or n_values <= FEW_NUMBERS:
        return cells, codes.astype(np.intp) % len(cells)
    counts = np.bincount(codes[codes >= 0], weights[codes >= 0], n_values)
    upto = np.cumsum(counts) / counts.sum()  # distinct numbers are in rising order
    quarter = np.searchsorted(QUARTERS, upto - 0.5 * counts / counts.sum())
    used, quarter = np.unique(quarter, return_inverse=True)
    ends = [np.flatnonzero(quarter == q)[[0, -1]] for q in range(len(used))]
    texts = [f"{number:.6g}" for number in numbers[:-1].tolist()]
    ranges = [f"{texts[a]} to {texts[b]}" if a < b else texts[a] for a, b in ends]
    of_value: Places = np.append(quarter, len(ranges)).astype(np.intp)
    return [*ranges, None], of_value[codes]
