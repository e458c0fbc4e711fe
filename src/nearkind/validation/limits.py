"""Limits of memory, checked before allocation."""

from collections.abc import Sequence
from typing import Any

from sklearn import get_config

from nearkind.constraints.weighted_labels import AT_ONCE
from nearkind.metrics.compression import most_channels
from nearkind.protocols import Projection

LARGEST_METRIC = 50_000_000
"""Numbers in M."""
MOST_NUMBERS = 1_000_000_000
"""Numbers held at a time while rows are projected: 7.5 GiB."""
COPIES_OF_PHI = 6
"""Arrays as large as phi that are held at a time while rows are compressed."""


def distances_at_once() -> int:
    """Return how many distances to hold at a time, within scikit-learn's budget.

    ``sklearn.set_config(working_memory=...)`` sets it, in MiB. Some three numbers a
    distance are held, in each of two or more threads.
    """
    budget = get_config()["working_memory"] * 2**20 / 8 / 8
    return max(1, min(AT_ONCE, int(budget)))


def check_size(
    projection: Projection,
    structure: Any,
    names: Sequence[object],
    n_values: Sequence[int],
    n_rows: int,
    n_classes: int,
    setting: str = "coding",
    cross_fit: bool = True,
) -> None:
    """Raise if the metric or the projected rows would be too large.

    ``setting`` is the parameter of the learner that chooses the projection. Without
    ``cross_fit`` tables are compressed.
    """
    n_features, n_channels = projection.shape(n_values, n_classes)
    if not cross_fit and n_features == len(n_values):
        n_table_rows = sum(n_values) + n_features
        n_channels = most_channels(n_table_rows, n_channels, structure)
    B, W = structure.shape(n_features, n_channels)
    n_held = COPIES_OF_PHI * n_rows * n_features * n_channels
    if B * W * W <= LARGEST_METRIC and n_held <= MOST_NUMBERS:
        return
    raise ValueError(
        f"This metric would need {B:,} matrices of {W:,} x {W:,} numbers over "
        f"{n_rows:,} x {n_features:,} x {n_channels:,} projected ones, of which "
        f"{COPIES_OF_PHI} copies are held, {8 * n_held / 2**30:.1f} GiB. "
        + _advice(projection, names, n_values, n_classes, setting, n_held)
    )


def _advice(
    projection: Projection,
    names: Sequence[object],
    n_values: Sequence[int],
    n_classes: int,
    setting: str,
    n_held: int,
) -> str:
    """Return what would make it smaller, and is not so already."""
    if projection.shape([1] * len(n_values), n_classes) == projection.shape(
        n_values, n_classes
    ):
        if n_held <= MOST_NUMBERS and setting == "projection":  # M alone is too large
            return "Use fewer columns, or structure='diagonal': one weight per column."
        return (
            f"That is {n_classes:,} numbers, one per class, for each value in a "
            "row: use fewer rows or columns, or merge classes."
        )
    widest = _widest(projection, n_values, n_classes)
    n_features, n_channels = projection.shape(n_values, n_classes)
    advice = (
        f"Column {names[widest]!r} has the most values, {n_values[widest]:,}: fit "
        "without it"
    )
    if len(n_values) * n_classes < n_features * n_channels:
        advice += f", or use {setting}='vdm', whose size does not depend on the values"
    return advice + "."


def _widest(projection: Projection, n_values: Sequence[int], n_classes: int) -> int:
    """Return the feature that saves most if it has one value only."""

    def left(d: int) -> tuple[int, int]:
        fewer = [*n_values[:d], 1, *n_values[d + 1 :]]
        n_features, n_channels = projection.shape(fewer, n_classes)
        return n_features * n_channels, -n_values[d]

    return min(range(len(n_values)), key=left)
