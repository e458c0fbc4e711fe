"""How the paper's figures are drawn; matplotlib is the extra ``plot``."""

from collections.abc import Mapping, Sequence
from typing import Any

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's, which colour-blind readers tell apart."""
MARKERS = "osD^vPX"


def panels(n_rows: int, n_columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """Return a figure and its axes (n_rows, n_columns), in the house style."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ValueError(
            'Figures need matplotlib. Install it with: pip install "nearkind[plot]"'
        ) from None
    width, height = size
    figure = Figure(figsize=(width * n_columns, height * n_rows), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False)
    for each in axes.ravel():
        each.spines[["top", "right"]].set_visible(False)
        each.grid(alpha=0.25)
    return figure, axes


def curves(
    axes: Any, x: Sequence[float], named: Mapping[str, Sequence[float]], **words: str
) -> None:
    """Draw one line for each name, with labels for both axes and a title."""
    for place, (name, y) in enumerate(named.items()):
        style = {"color": COLOURS[place % 7], "marker": MARKERS[place % 7]}
        axes.plot(x, y, label=name, markersize=4, linewidth=1.5, **style)
    axes.set(**words)
