"""A map of the values of one feature."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearkind.plot import canvas
from nearkind.plot.placing import farthest_first, place_labels
from nearkind.plot.planes import Plane, principal_plane
from nearkind.plot.slanting import slanted_labels
from nearkind.plot.taking import vectors_of
from nearkind.plot.wording import counted, enumerated, written
from nearkind.protocols import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LABELS = 40
ONE_PLACE = 0.006
"""Dots nearer than this share of the map's extent are drawn as one."""


def values(model: Any, feature: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw a map of the values of a feature: near ones are near in the distance.

    Parameters
    ----------
    model : fitted CPML, or classifier over a distance with ``value_vectors_``
    feature : name of a column
    ax : where to draw; None: new axes

    Returns
    -------
    ax; the principal axes of the vectors of the values, each value counting once. Of
    many values the 40 that are farthest apart are labelled

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("credit_risk", as_frame=False)
    >>> model = nk.CPML(tol=0.1).fit(data.X, data.y)
    >>> nk.plot.values(model, "x0").get_title()
    'Values of x0'
    """
    distance = vectors_of(model)
    d = distance.codebook_.place_of(feature)
    names = distance.codebook_.values(d)
    plane = principal_plane(distance.value_tables_.vectors[d][:-1])
    places, at = _merged(plane.points)  # (m, 2), (s,)
    ax = canvas.axes(ax, 5.6, 4.6 if plane.n_axes == 2 else 2.5)
    ax.scatter(
        places[:, 0], places[:, 1], s=26.0, color=canvas.MAIN, linewidths=0.0, zorder=3
    )
    _set_limits(ax, places, plane)
    title = f"Values of {written(feature, 40)}"
    note = _note(len(names), plane)
    second = plane.label(1) if plane.n_axes == 2 else "values"
    canvas.finish(ax, title, note, plane.label(0), second)
    groups = [[names[v] for v in np.flatnonzero(at == i)] for i in range(len(places))]
    shown = farthest_first(places, MOST_LABELS)
    labels = [(int(i), enumerated(groups[i])) for i in shown]
    unlabelled = len(places) - _label(ax, places, labels, plane)
    if unlabelled:
        _say_unlabelled(ax, unlabelled)
    return ax


def _label(
    ax: "Axes", places: Array, labels: list[tuple[int, str]], plane: Plane
) -> int:
    """Write labels, slanted if they crowd on one line; return how many there are."""
    placed = place_labels(ax, places, labels)
    if plane.n_axes < 2 and len(placed) < len(labels):
        for label in placed:
            label.remove()
        placed = slanted_labels(ax, places, labels)
    return len(placed)


def _merged(points: Array) -> tuple[Array, NDArray[np.intp]]:
    """Return places (m, 2) far enough apart to be seen, and the place of each point."""
    extent = np.ptp(points, axis=0).max()
    cells = np.round(points / (ONE_PLACE * extent or 1.0))
    _, first, at = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    return points[first], at.reshape(-1)


def _set_limits(ax: "Axes", places: Array, plane: Plane) -> None:
    ax.grid(color=canvas.FAINT, linewidth=0.8)
    if plane.n_axes < 2:
        ax.set(ylim=(-1.0, 1.0), yticks=[])
        ax.axhline(0.0, color=canvas.REST, linewidth=0.8)
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
        return "There is one value only."
    if plane.n_axes == 0:
        return (
            f"All {counted(n_values, 'value')} are at one place: the distance does "
            "not tell them apart."
        )
    return f"{counted(n_values, 'value')}, near each other where the distance is small."


def _say_unlabelled(ax: "Axes", n: int) -> None:
    ax.annotate(
        f"{counted(n, 'dot')} without a label", (1.0, 0.0), (-4.0, 4.0),
        "axes fraction", "offset points", ha="right", fontsize=canvas.SMALL - 1.0,
        color=canvas.QUIET,
    )  # fmt: skip
