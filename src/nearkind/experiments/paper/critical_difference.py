"""Mean ranks on a line, methods that do not differ joined by a bar (Demsar 2006)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nearkind.experiments import statistics
from nearkind.experiments.paper.drawing import panels
from nearkind.protocols import Array


def draw_differences(methods: Sequence[str], scores: Array) -> Any:
    """Return a figure of the mean ranks of methods over sets (N, k)."""
    means = statistics.mean_ranks(scores)
    apart = statistics.critical_difference(*scores.shape)
    bars = statistics.groups(means, apart)
    figure, axes = panels(1, 1, (7.0, 1.2 + 0.22 * len(methods) + 0.1 * len(bars)))
    figure.set_layout_engine("none")  # names stand outside the axes
    each = axes[0, 0]
    each.axis("off")
    low, high = 1.0, float(len(methods))
    each.plot([low, high], [0.0, 0.0], color="black", linewidth=1.2)
    for tick in range(int(low), int(high) + 1):
        each.plot([tick, tick], [0.0, 0.12], color="black", linewidth=1.2)
        each.text(tick, 0.2, str(tick), ha="center", va="bottom")
    each.plot([low, low + apart], [0.85, 0.85], color="black", linewidth=2)
    each.text(low + apart / 2, 0.95, f"CD = {apart:.2f}", ha="center", va="bottom")
    _names(each, methods, means, 0.16 * len(bars) + 0.25)
    for place, group in enumerate(bars):
        ends = [means[group[0]] - 0.04, means[group[-1]] + 0.04]
        y = -0.16 * (place + 1)
        each.plot(ends, [y, y], color="#0072b2", linewidth=4, solid_capstyle="butt")
    return figure


def _names(axes: Any, methods: Sequence[str], means: Array, below: float) -> None:
    """Write the better half to the left, the others to the right, none over another."""
    order = np.argsort(means, kind="stable")
    half = (len(order) + 1) // 2
    for place, j in enumerate(order):
        left = place < half
        depth = place if left else len(order) - 1 - place
        y = -below - 0.3 * depth
        end = 0.6 if left else len(methods) + 0.4
        axes.plot([means[j], means[j], end], [0.0, y, y], color="black", linewidth=0.8)
        side = {"ha": "right" if left else "left", "va": "center"}
        word = f"{methods[j]}  {means[j]:.2f}"
        axes.text(end + (-0.05 if left else 0.05), y, word, **side)
