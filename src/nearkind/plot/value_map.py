"""A map of the values of one feature."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.plot import canvas
from nearkind.plot.canvas import Axes
from nearkind.plot.labels import (
    farthest_first,
    place_labels,
    write_slanted_labels,
)
from nearkind.plot.layout import Plane, principal_plane
from nearkind.plot.model_checks import require_vectors
from nearkind.plot.text import count_text, list_text, value_text
from nearkind.protocols import Array

MOST_LABELS = 40
ONE_PLACE = 0.006
"""Dots nearer than this share of the map's extent are drawn as one."""


def values(model: object, feature: object, *, ax: Axes | None = None) -> Axes:
    """Draw a map of the values of a feature: near on the map is near in the distance.

    Parameters
    ----------
    model : CPML, another distance with ``value_vectors_``, or a classifier over one
        Fitted.
    feature : object
        Name of a column.
    ax : matplotlib Axes, default=None
        Where to draw; None makes new axes.

    Returns
    -------
    ax : matplotlib Axes
        The principal axes of the vectors of the values, each with weight one. Of many
        values the 40 that are farthest apart are labelled.

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("credit_risk", as_frame=False)
    >>> model = nk.CPML(tol=0.1).fit(data.X, data.y)
    >>> nk.plot.values(model, "x0").get_title()
    'Values of x0'
    """
    distance = require_vectors(model)
    d = distance.codebook.place_of(feature)
    names = distance.codebook.values(d)
    plane = principal_plane(distance.tables.vectors[d][:-1])
    places, at = _merged_points(plane.points)  # (m, 2), (s,)
    ax = canvas.axes(ax, 5.6, 4.6 if plane.n_axes == 2 else 2.5)
    ax.scatter(
        places[:, 0], places[:, 1], s=26.0, color=canvas.MAIN, linewidths=0.0, zorder=3
    )
    _set_limits(ax, places, plane)
    title = f"Values of {value_text(feature, 40)}"
    note = _note(len(names), plane)
    second = plane.label(1) if plane.n_axes == 2 else "values"
    canvas.finish(ax, title, note, plane.label(0), second)
    groups = [[names[v] for v in np.flatnonzero(at == i)] for i in range(len(places))]
    shown = farthest_first(places, MOST_LABELS)
    labels = [(int(i), list_text(groups[i])) for i in shown]
    if n := len(places) - _label(ax, places, labels, plane):
        told, corner = f"{count_text(n, 'dot')} without a label", (1.0, 0.0)
        style: dict[str, Any] = {"ha": "right", "fontsize": canvas.SMALL - 1.0}
        canvas.write(ax, told, corner, (-4.0, 4.0), "axes fraction", **style)
    return ax


def _label(ax: Axes, places: Array, labels: list[tuple[int, str]], plane: Plane) -> int:
    """Write labels, slanted if they do not fit on one line; return how many."""
    placed = place_labels(ax, places, labels)
    if plane.n_axes < 2 and len(placed) < len(labels):
        for label in placed:
            label.remove()
        placed = write_slanted_labels(ax, places, labels)
    return len(placed)


def _merged_points(points: Array) -> tuple[Array, NDArray[np.intp]]:
    """Return places (m, 2) that can be told apart, and the place of each point."""
    extent = np.ptp(points, axis=0).max()
    cells = np.round(points / (ONE_PLACE * extent or 1.0))
    _, first, at = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    return points[first], at.reshape(-1)


def _set_limits(ax: Axes, places: Array, plane: Plane) -> None:
    ax.grid(color=canvas.LIGHT_GREY, linewidth=0.8)
    if plane.n_axes < 2:
        ax.set(ylim=(-1.0, 1.0), yticks=[])
        ax.axhline(0.0, color=canvas.GREY, linewidth=0.8)
        ax.margins(x=0.22)
        if plane.n_axes == 0:
            ax.set_xticks([])
        return
    around = 0.22 * np.ptp(places, axis=0).max()
    corners = [places.min(axis=0) - around, places.max(axis=0) + around]
    ax.update_datalim(corners)
    ax.margins(0.0)
    ax.set_aspect("equal", adjustable="datalim")


def _note(n_values: int, plane: Plane) -> str:
    if n_values == 1:
        return "There is only one value."
    if plane.n_axes == 0:
        return (
            f"All {count_text(n_values, 'value')} are at one point: the distance "
            "does not distinguish them."
        )
    return f"{count_text(n_values, 'value')}; the closer, the smaller their distance."
