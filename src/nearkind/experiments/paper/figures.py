"""The paper's figures, and the figure of mean ranks; they need matplotlib."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nearkind.experiments import statistics
from nearkind.experiments.paper.reproduction import Reproduction
from nearkind.protocols import Array

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""The palette of Okabe and Ito, which colour-blind readers can tell apart."""
MARKERS = "osD^vPX"

N_FEATURES, N_CLASSES = 6, 4
"""Sizes of the drawn structures."""


def panels(n_rows: int, n_columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """Return a figure and its axes (n_rows, n_columns), each of this size in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            'Figures need matplotlib. Install it with: pip install "nearkind[plot]"'
        ) from None
    width, height = size
    figure = Figure(figsize=(width * n_columns, height * n_rows), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False)
    for each in axes.ravel():
        each.spines[["top", "right"]].set_visible(False)
        each.grid(alpha=0.25)
    return figure, axes


def structures(reproduction: Reproduction) -> list[Path]:
    """Make the figure of the pairs of (class, feature) that each metric couples."""
    figure, axes = panels(1, 4, (2.4, 2.6))
    for each, (name, M) in zip(axes[0], structure_matrices().items(), strict=True):
        each.imshow(np.abs(M), cmap="Blues", interpolation="nearest")
        each.set(title=name, xticks=[], yticks=[])
        each.grid(False)
        each.spines[:].set_visible(True)
        for at in range(N_FEATURES, len(M), N_FEATURES):
            each.axhline(at - 0.5, color="#999999", linewidth=0.8)
            each.axvline(at - 0.5, color="#999999", linewidth=0.8)
    return reproduction.write("structures", figure)


def structure_matrices() -> dict[str, Array]:
    """Return a random metric of each structure on all D C coordinates, by name."""
    rng = np.random.default_rng(0)

    def metric(width: int) -> Array:
        F = rng.normal(size=(width, width))
        return F @ F.T / width

    blocks = [metric(N_FEATURES) for _ in range(N_CLASSES)]
    multi: Array = np.zeros((N_FEATURES * N_CLASSES,) * 2)
    for c, block in enumerate(blocks):
        at = slice(c * N_FEATURES, (c + 1) * N_FEATURES)
        multi[at, at] = block
    return {
        "KDML": metric(N_FEATURES * N_CLASSES),
        "CPm": multi,
        "CPs": np.kron(np.eye(N_CLASSES), blocks[0]).astype(float),
        "Euclidean": np.eye(N_FEATURES * N_CLASSES),
    }


def draw_mean_ranks(methods: Sequence[str], scores: Array) -> Any:
    """Return the critical-difference diagram of scores (N sets, k methods).

    Mean ranks on a line; bars join methods that do not differ (Demsar 2006).
    """
    means = statistics.mean_ranks(scores)
    apart = statistics.critical_difference(*scores.shape)
    bars = statistics.groups(means, apart)
    size = 7.0, 1.2 + 0.22 * len(methods) + 0.1 * len(bars)
    figure, ((axes,),) = panels(1, 1, size)
    figure.set_layout_engine("none")  # names stand outside the axes
    axes.axis("off")
    low, high = 1.0, float(len(methods))
    axes.plot([low, high], [0.0, 0.0], color="black", linewidth=1.2)
    for tick in range(int(low), int(high) + 1):
        axes.plot([tick, tick], [0.0, 0.12], color="black", linewidth=1.2)
        axes.text(tick, 0.2, str(tick), ha="center", va="bottom")
    axes.plot([low, low + apart], [0.85, 0.85], color="black", linewidth=2)
    axes.text(low + apart / 2, 0.95, f"CD = {apart:.2f}", ha="center", va="bottom")
    _draw_names(axes, methods, means, 0.16 * len(bars) + 0.25)
    for place, group in enumerate(bars):
        ends = [means[group[0]] - 0.04, means[group[-1]] + 0.04]
        y = -0.16 * (place + 1)
        axes.plot(ends, [y, y], color="#0072b2", linewidth=4, solid_capstyle="butt")
    return figure


def _draw_names(axes: Any, methods: Sequence[str], means: Array, below: float) -> None:
    """Write the better half to the left, the others to the right, without overlap."""
    order = np.argsort(means, kind="stable")
    half = (len(order) + 1) // 2
    for place, j in enumerate(order):
        left = place < half
        depth = place if left else len(order) - 1 - place
        y = -below - 0.3 * depth
        end = 0.6 if left else len(methods) + 0.4
        axes.plot([means[j], means[j], end], [0.0, y, y], color="black", linewidth=0.8)
        side = {"ha": "right" if left else "left", "va": "center"}
        text = f"{methods[j]}  {means[j]:.2f}"
        axes.text(end + (-0.05 if left else 0.05), y, text, **side)
