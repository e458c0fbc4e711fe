"""Labels of points on one line, slanted where they would not fit side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nearkind.plot import canvas
from nearkind.plot.wording import shortened
from nearkind.protocols import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

ANGLE = 45.0
SPACING = 15.0
"""Points from one slanted label to the next."""
ABOVE = 20.0
LETTERS = 20


def slanted_labels(
    ax: "Axes", points: Array, labels: Sequence[tuple[int, str]]
) -> list["Annotation"]:
    """Write labels above points of one line, each joined to its own.

    Parameters
    ----------
    ax : finished but for these
    points : (n, 2), all at height zero
    labels : number of a point, and its text; as many of the first as there is room for

    Returns
    -------
    annotations, from left to right
    """
    ax.set_ylim(-0.3, 1.7)  # the line low, and room above it
    canvas.settle(ax)
    pixels = ax.figure.dpi / 72.0
    room = int(ax.get_window_extent().width / (SPACING * pixels)) - 4
    kept = sorted(labels[: max(room, 1)], key=lambda label: points[label[0], 0])
    x = ax.transData.transform(points[[i for i, _ in kept]])[:, 0] / pixels
    return [
        ax.annotate(
            shortened(" ".join(text.split()), LETTERS), tuple(points[i]),
            (shift, ABOVE), textcoords="offset points", fontsize=canvas.SMALL,
            rotation=ANGLE, rotation_mode="anchor", ha="left", va="center",
            arrowprops={"arrowstyle": "-", "color": canvas.REST, "linewidth": 0.6},
        )
        for (i, text), shift in zip(kept, spread_apart(x, SPACING) - x, strict=True)
    ]  # fmt: skip


def spread_apart(x: Array, gap: float) -> Array:
    """Return places at least a gap apart, about where rising numbers (n,) are.

    Examples
    --------
    >>> spread_apart(np.array([0.0, 1.0, 9.0]), 3.0).tolist()
    [-1.0, 2.0, 9.0]
    """
    steps = gap * np.arange(len(x))
    pushed = np.maximum.accumulate(x - steps) + steps
    pulled = np.minimum.accumulate((x - steps)[::-1])[::-1] + steps
    return 0.5 * (pushed + pulled)
