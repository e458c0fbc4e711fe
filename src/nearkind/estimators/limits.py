"""What fits: refuse the rest before it is allocated, naming the column to blame."""

from collections.abc import Sequence
from typing import Any

from sklearn import get_config

from nearkind.constraints.weighted_labels import AT_ONCE
from nearkind.protocols import Projection

LARGEST_METRIC = 50_000_000
"""Numbers in M."""
LARGEST_PHI = 500_000_000
"""Numbers in phi."""


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
    names: Sequence[Any],
    n_values: Sequence[int],
    n_rows: int,
    n_classes: int,
) -> None:
    """Raise if the metric or the projected rows would be too large."""
    n_features, n_channels = projection.shape(n_values, n_classes)
    B, W = structure.shape(n_features, n_channels)
    if B * W * W <= LARGEST_METRIC and n_rows * n_features * n_channels <= LARGEST_PHI:
        return
    widest = _widest(projection, n_values, n_classes)
    raise ValueError(
        f"This metric would need {B:,} matrices of {W:,} x {W:,} numbers over "
        f"{n_rows:,} x {n_features:,} x {n_channels:,} projected ones. Column "
        f"{names[widest]!r} has the most values, {n_values[widest]:,}: drop or coarsen "
        "it, or take projection='vdm', whose size does not depend on the values."
    )


def _widest(projection: Projection, n_values: Sequence[int], n_classes: int) -> int:
    """Return the feature that saves most if it has one value only."""

    def left(d: int) -> tuple[int, int]:
        fewer = [*n_values[:d], 1, *n_values[d + 1 :]]
        n_features, n_channels = projection.shape(fewer, n_classes)
        return n_features * n_channels, -n_values[d]

    return min(range(len(n_values)), key=left)
