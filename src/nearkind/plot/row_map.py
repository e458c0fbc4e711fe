"""A map of rows by class."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.rows import unique_rows
from nearkind.plot import canvas
from nearkind.plot.canvas import Axes
from nearkind.plot.layout import Plane, beeswarm, principal_plane, stratified_sample
from nearkind.plot.model_checks import check_labels, require_transform
from nearkind.plot.text import count_text, value_text
from nearkind.protocols import Array
from nearkind.tables import read_table

MOST_ROWS = 20_000
MOST_NUMBERS = 20_000_000
"""Of an embedding held at once."""
STEPS = 300
"""Rows are at one place if they are in the same of so many steps across the map."""
LARGEST, SMALLEST = 260.0, 7.0
"""Areas of dots, in square points."""
FULL_SIZE = 15.0
"""Fewest rows at one place that have the largest dot."""


@dataclass(frozen=True)
class ClassGroups:
    """Rows by class, the largest class first, small ones together as the last.

    Attributes
    ----------
    of_row : ndarray of int of shape (n,)
        The group of each row.
    names : list of str
        Names in the legend; empty if the rows have no labels.
    colours : list of str
        The colour of each group.
    """

    of_row: NDArray[np.intp]
    names: list[str]
    colours: list[str]

    @classmethod
    def of(cls, y: object, n_rows: int) -> "ClassGroups":
        """Return the groups of labels, or one group if there are none.

        Examples
        --------
        >>> groups = ClassGroups.of(["ham", "egg", "ham"], 3)
        >>> groups.names, groups.of_row.tolist()
        (['ham (2)', 'egg (1)'], [0, 1, 0])
        """
        if y is None:
            return cls(np.zeros(n_rows, dtype=np.intp), [], [canvas.MAIN])
        labels = check_labels(y, n_rows)
        counts = Counter(labels).most_common()
        counts.sort(key=lambda pair: (-pair[1], str(pair[0])))
        n_named = len(counts) if len(counts) <= len(canvas.COLOURS) else 7
        place = {label: min(k, n_named) for k, (label, _) in enumerate(counts)}
        of_row = np.array([place[label] for label in labels], dtype=np.intp)
        names = [f"{value_text(label, 22)} ({n:,})" for label, n in counts[:n_named]]
        colours = list(canvas.COLOURS[:n_named])
        if n_named < len(counts):
            n_rest = sum(n for _, n in counts[n_named:])
            names.append(f"{count_text(len(counts) - n_named, 'other')} ({n_rest:,})")
            colours.append(canvas.GREY)
        return cls(of_row, names, colours)


def rows(model: object, X: object, y: object = None, *, ax: Axes | None = None) -> Axes:
    """Draw a map of rows: near on the map is near in the distance.

    Parameters
    ----------
    model : CPML, another distance with ``transform``, or a classifier over one
        Fitted.
    X : table of any kind
    y : array-like of shape (n,), default=None
        One label per row, for the colours; None draws one colour.
    ax : matplotlib Axes, default=None
        Where to draw; None makes new axes.

    Returns
    -------
    ax : matplotlib Axes
        The principal axes of ``transform(X)``. Rows of a class at the same point are
        one dot, whose area is proportional to their number. If rows vary along one axis
        only, each class is a beeswarm. More than 20,000 distinct rows are sampled,
        stratified by class; if there are more than 8 classes, the 7 largest have a
        colour.

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("credit_risk", as_frame=False)
    >>> model = nk.CPML(tol=0.1).fit(data.X, data.y)
    >>> nk.plot.rows(model, data.X, data.y).get_title()
    '6 rows under CPML'
    """
    view = require_transform(model)
    distance: Any = view.distance
    table = read_table(X)
    groups = ClassGroups.of(y, table.n_rows)
    unique = unique_rows(distance.encode(table), groups.of_row)
    most = min(MOST_ROWS, MOST_NUMBERS // max(distance.size, 1))
    kept = stratified_sample(unique.y, most)
    first = np.unique(unique.of_row, return_index=True)[1]
    U = np.asarray(distance.transform(table.take(first[kept])))
    plane = principal_plane(U, unique.weights[kept])
    size = (6.4 if y is None else 7.4, (1.9, 1.9 + 0.55 * len(groups.colours), 4.8))
    ax = canvas.axes(ax, size[0], size[1][plane.n_axes])
    draw = _draw_beeswarms if plane.n_axes == 1 else _draw_plane
    dots = Dots(plane.points, unique.y[kept], unique.weights[kept])
    label = draw(ax, plane, dots, groups)
    title = f"{count_text(table.n_rows, 'row')} under {view.report.method}"
    note = _note(len(unique), len(kept), plane)
    return canvas.finish(ax, title, note, plane.label(0), label)


@dataclass(frozen=True)
class Dots:
    """Rows on a map: where they stand (m, 2), their groups, and how many they are."""

    points: Array
    group: NDArray[np.intp]
    weights: Array

    def merged(self) -> "Dots":
        """Return one dot for all rows of a group at one place."""
        step = np.ptp(self.points, axis=0).max() / STEPS or 1.0
        keys = np.column_stack([np.round(self.points / step), self.group])
        found, at = np.unique(keys, axis=0, return_inverse=True)
        at = at.reshape(-1)
        total: Array = np.bincount(at, self.weights).astype(float)
        columns = [np.bincount(at, self.weights * c) / total for c in self.points.T]
        return Dots(np.column_stack(columns), found[:, 2].astype(np.intp), total)

    def draw(self, ax: Axes, groups: ClassGroups) -> None:
        """Draw dots, large ones below small ones."""
        order = np.argsort(-self.weights, kind="stable")
        x, y = self.points[order].T
        colours = np.array(groups.colours)[self.group[order]]
        areas = LARGEST * self.weights[order] / max(self.weights.max(), FULL_SIZE)
        crowded = max(len(x) / 500.0, 1.0)
        sizes = np.maximum(areas, SMALLEST) * max(crowded**-0.5, 0.35)
        alpha = max(0.85 * crowded**-0.2, 0.45)
        ax.scatter(x, y, s=sizes, c=colours.tolist(), alpha=alpha, linewidths=0.0)
        ax.margins(0.06)
        ax.grid(color=canvas.LIGHT_GREY, linewidth=0.8)


def _draw_plane(ax: Axes, plane: Plane, dots: Dots, groups: ClassGroups) -> str:
    """Draw rows in two dimensions; return the label of the second."""
    dots.merged().draw(ax, groups)
    ax.set_aspect("equal", adjustable="datalim")
    if groups.names:
        canvas.legend(ax, _handles(groups), groups.names, "class (rows)")
    if plane.n_axes == 0:
        ax.set(xticks=[], yticks=[])
        return "rows"
    return plane.label(1)


def _draw_beeswarms(ax: Axes, plane: Plane, dots: Dots, groups: ClassGroups) -> str:
    """Draw rows on one axis, a beeswarm a class; return the label of the classes."""
    x = plane.points[:, 0]
    points = np.column_stack([x, beeswarm(x, dots.group, dots.weights)])
    replace(dots, points=points).draw(ax, groups)
    n_groups = len(groups.colours)
    ax.set_ylim(n_groups - 0.45, -0.55)
    ax.set_yticks(range(n_groups), groups.names or [""])
    ax.tick_params(axis="y", length=0)
    return "class (rows)" if groups.names else "rows side by side"


def _handles(groups: ClassGroups) -> list[Any]:
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
        f"{note} A sample of {n_drawn:,} of {n_distinct:,} distinct rows, "
        "stratified by class."
    )


NOTES = (
    "All rows are at one point: the distance does not distinguish them.",
    "One axis explains the variance; the width shows the number of rows.",
    "The area of a dot shows the number of rows.",
)
