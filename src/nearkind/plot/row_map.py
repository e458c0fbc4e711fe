"""A map of rows by class."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.rows import unique_rows
from nearkind.plot import canvas
from nearkind.plot.beeswarm import across
from nearkind.plot.groups import Groups, stratified
from nearkind.plot.planes import Plane, principal_plane
from nearkind.plot.taking import embedding_of
from nearkind.plot.wording import counted
from nearkind.protocols import Array
from nearkind.tables import read_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 20_000
MOST_NUMBERS = 20_000_000
"""Of an embedding held at once."""
STEPS = 300
"""Rows are at one place if they are in one of so many steps across the map."""
LARGEST, SMALLEST = 260.0, 7.0
"""Areas of dots, in square points."""
MODEST = 15.0
"""Rows at one place that make a dot the largest, if none has more."""


def rows(model: Any, X: Any, y: Any = None, *, ax: "Axes | None" = None) -> "Axes":
    """Draw a map of rows: near ones are near in the distance.

    Parameters
    ----------
    model : fitted CPML, or any fitted distance with ``transform``
    X : table
    y : one label a row, for the colours; None: one colour
    ax : where to draw; None: new axes

    Returns
    -------
    ax; the principal axes of ``transform(X)``. Rows of a class at one place are one
    dot, its area by how many they are. Where one axis holds all, each class has a lane
    of its own. Of more than 20,000 rows a sample is drawn, each
    class by its share; of more than 8 classes the 7 largest have a colour

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("credit_risk", as_frame=False)
    >>> model = nk.CPML(tol=0.1).fit(data.X, data.y)
    >>> nk.plot.rows(model, data.X, data.y).get_title()
    '6 rows under CPML'
    """
    distance = embedding_of(model)
    table = read_table(X)
    groups = Groups.of(y, table.n_rows)
    cells = unique_rows(distance.encode(table), groups.of_row, np.ones(table.n_rows))
    kept = stratified(cells.y, _room(distance))
    first = np.unique(cells.of_row, return_index=True)[1]  # a row of each cell
    U = np.asarray(distance.transform(table.take(first[kept])))
    plane = principal_plane(U, cells.weights[kept])
    size = (6.4 if y is None else 7.4, (1.9, 1.9 + 0.55 * len(groups.colours), 4.8))
    ax = canvas.axes(ax, size[0], size[1][plane.n_axes])
    draw = _draw_lanes if plane.n_axes == 1 else _draw_plane
    label = draw(ax, plane, cells.y[kept], cells.weights[kept], groups)
    title = f"{counted(table.n_rows, 'row')} under {type(distance).__name__}"
    note = _note(len(cells.y), len(kept), plane)
    return canvas.finish(ax, title, note, plane.label(0), label)


def _room(distance: Any) -> int:
    """Return how many distinct rows are drawn at most."""
    return min(MOST_ROWS, MOST_NUMBERS // max(distance.n_features_out_, 1))


def _draw_plane(
    ax: "Axes", plane: Plane, group: NDArray[np.intp], weights: Array, groups: Groups
) -> str:
    """Draw rows in two dimensions; return the label of the second."""
    _draw_dots(ax, *_merged(plane.points, group, weights), groups)
    ax.set_aspect("equal", adjustable="datalim")
    if groups.names:
        canvas.legend(ax, _handles(groups), groups.names, "class (rows)")
    if plane.n_axes == 0:
        ax.set(xticks=[], yticks=[])
        return "rows"
    return plane.label(1)


def _draw_lanes(
    ax: "Axes", plane: Plane, group: NDArray[np.intp], weights: Array, groups: Groups
) -> str:
    """Draw rows on one axis, a lane a class; return the label of the lanes."""
    x = plane.points[:, 0]
    y = across(x, group, weights)
    _draw_dots(ax, np.column_stack([x, y]), group, weights, groups)
    n_lanes = len(groups.colours)
    ax.set_ylim(n_lanes - 0.45, -0.55)
    ax.set_yticks(range(n_lanes), groups.names or [""])
    ax.tick_params(axis="y", length=0)
    return "class (rows)" if groups.names else "rows side by side"


def _merged(
    points: Array, group: NDArray[np.intp], weights: Array
) -> tuple[Array, NDArray[np.intp], Array]:
    """Return points, groups and weights, rows of a group at one place made one."""
    step = np.ptp(points, axis=0).max() / STEPS or 1.0
    keys = np.column_stack([np.round(points / step), group])
    found, at = np.unique(keys, axis=0, return_inverse=True)
    at = at.reshape(-1)
    total: Array = np.bincount(at, weights).astype(float)
    columns = [np.bincount(at, weights * c) / total for c in points.T]
    return np.column_stack(columns), found[:, 2].astype(np.intp), total


def _draw_dots(
    ax: "Axes", points: Array, group: NDArray[np.intp], weights: Array, groups: Groups
) -> None:
    """Draw dots, large ones below small ones."""
    order = np.argsort(-weights, kind="stable")
    x, y = points[order].T
    colours = np.array(groups.colours)[group[order]]
    sizes = np.maximum(LARGEST * weights / max(weights.max(), MODEST), SMALLEST)[order]
    crowded = max(len(points) / 500.0, 1.0)
    sizes, alpha = sizes * max(crowded**-0.5, 0.35), max(0.85 * crowded**-0.2, 0.45)
    ax.scatter(x, y, s=sizes, c=colours.tolist(), alpha=alpha, linewidths=0.0)
    ax.margins(0.06)
    ax.grid(color=canvas.FAINT, linewidth=0.8)


def _handles(groups: Groups) -> list[Any]:
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color=colour, marker="o", linestyle="", markersize=6.0)
        for colour in groups.colours
    ]


def _note(n_distinct: int, n_drawn: int, plane: Plane) -> str:
    note = NOTES[plane.n_axes]
    if n_drawn == n_distinct:
        return note
    return (
        f"{note} Drawn is a sample of {n_drawn:,} of {n_distinct:,} distinct rows, "
        "each class by its share."
    )


NOTES = (
    "All rows are at one place: the distance does not tell them apart.",
    "One axis holds the spread; width says how many rows there are.",
    "The area of a dot says how many rows are at its place.",
)
