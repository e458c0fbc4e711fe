"""Labels of points, placed so that none hides another label or a point."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from nearkind.plot import canvas
from nearkind.plot.canvas import Annotation, Axes
from nearkind.plot.text import shorten
from nearkind.protocols import Array

REACHES = (7.0, 15.0, 26.0, 40.0, 56.0)
"""Points between a dot and its label; from the second on a line joins them."""
TURNS = np.pi / 8.0 * np.array([0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8])
DOT = 4.0
PIECE = 5.0
"""Pixels from one piece of a line to the next."""
GAP = 5.0
"""Pixels kept free beside a label."""
ANGLE = 45.0
SPACING = 15.0
"""Points from one slanted label to the next."""
ABOVE = 20.0
LETTERS = 20
LINE = {"arrowstyle": "-", "color": canvas.GREY, "linewidth": 0.6}
"""From a label to its point."""


def farthest_first(points: Array, most: int) -> NDArray[np.intp]:
    """Return indices of points, each the farthest from those before it.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
    most : int
        How many to return, if there are as many.

    Examples
    --------
    >>> farthest_first(np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 0.0]]), 2).tolist()
    [2, 0]
    """
    chosen = [int(((points - points.mean(axis=0)) ** 2).sum(axis=1).argmax())]
    d2 = np.full(len(points), np.inf)
    for _ in range(min(most, len(points)) - 1):
        d2 = np.minimum(d2, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(d2.argmax()))
    return np.array(chosen)


def place_labels(
    ax: Axes, points: Array, labels: Sequence[tuple[int, str]]
) -> list[Annotation]:
    """Write labels beside points; earlier labels choose their place first.

    Parameters
    ----------
    ax : matplotlib Axes
        Finished but for the labels, so that nothing moves any more.
    points : ndarray of shape (n, 2)
        All dots, labelled or not.
    labels : sequence of (int, str)
        Index of a point, and its text.

    Returns
    -------
    list of Annotation
        Labels for which there is no room are left out.
    """
    canvas.update_layout(ax)
    at = ax.transData.transform(points)  # pixels
    pixels = ax.figure.dpi / 72.0
    frame = np.array(ax.get_window_extent().extents)
    taken = _around(at, DOT * pixels)  # (m, 4)
    placed = []
    for i, text in labels:
        size = _size(ax, text)
        for shift in _shifts(at[i] - at.mean(axis=0)):
            boxes = _boxes(at[i], pixels * shift, size)
            if _are_free(boxes, np.delete(taken, i, axis=0), frame):
                placed.append(_write(ax, points[i], text, shift))
                taken = np.vstack([taken, boxes])
                break
    return placed


def _size(ax: Axes, text: str) -> Array:
    """Return the width and height of a text in pixels."""
    trial = ax.text(0.0, 0.0, text, fontsize=canvas.SMALL)
    extent = trial.get_window_extent()
    trial.remove()
    return np.array([extent.width + GAP, extent.height])


def _shifts(outward: Array) -> Iterator[Array]:
    """Yield shifts in typographic points: near before far, outward before inward."""
    start = float(np.arctan2(outward[1], outward[0])) if outward.any() else 0.0
    for reach in REACHES:
        for turn in TURNS:
            yield reach * np.array([np.cos(start + turn), np.sin(start + turn)])


def _boxes(at: Array, shift: Array, size: Array) -> Array:
    """Return left, bottom, right and top of a label and of pieces of its line (k, 4).

    The label is aligned away from its point.
    """
    corner = at + shift - size * _alignment(shift)
    label = np.concatenate([corner, corner + size])
    length = np.hypot(*shift)
    line = at + np.arange(PIECE, length, PIECE)[:, None] * shift / length
    return np.vstack([label, _around(line, 1.0)])


def _around(points: Array, reach: float) -> Array:
    return np.column_stack([points - reach, points + reach])


def _alignment(shift: Array) -> Array:
    """Return which part of a label is at its end of the line, in [0, 1] each way."""
    direction = shift / np.hypot(*shift)
    return 0.5 - 0.5 * np.clip(1.6 * direction, -1.0, 1.0).round()


def _are_free(boxes: Array, taken: Array, frame: Array) -> bool:
    """Return whether boxes (k, 4) are in the frame and overlap no others (m, 4)."""
    inside = (boxes[:, :2] >= frame[:2]).all() and (boxes[:, 2:] <= frame[2:]).all()
    beyond = boxes[:, None, :2] >= taken[:, 2:]  # (k, m, 2)
    before = boxes[:, None, 2:] <= taken[:, :2]
    return bool(inside and (beyond | before).any(axis=2).all())


def _write(ax: Axes, point: Array, text: str, shift: Array) -> "Annotation":
    across, up = _alignment(shift)
    is_far = np.hypot(*shift) > REACHES[0] + 1.0
    return canvas.write(
        ax, text, tuple(point), tuple(shift), color=None,
        ha=_side(across, "left", "right"), va=_side(up, "bottom", "top"),
        arrowprops={**LINE, "shrinkB": 3.0} if is_far else None,
    )  # fmt: skip


def _side(part: float, low: str, high: str) -> str:
    return low if part < 0.25 else high if part > 0.75 else "center"


def write_slanted_labels(
    ax: Axes, points: Array, labels: Sequence[tuple[int, str]]
) -> list[Annotation]:
    """Write slanted labels above points on one line, each joined to its point.

    Parameters
    ----------
    ax : matplotlib Axes
        Finished but for the labels.
    points : ndarray of shape (n, 2)
        All at height zero.
    labels : sequence of (int, str)
        Index of a point, and its text. The first ones are written, as many as there is
        room for.

    Returns
    -------
    list of Annotation
        From left to right.
    """
    ax.set_ylim(-0.3, 1.7)  # the line low, and room above it
    canvas.update_layout(ax)
    pixels = ax.figure.dpi / 72.0
    room = int(ax.get_window_extent().width / (SPACING * pixels)) - 4
    kept = sorted(labels[: max(room, 1)], key=lambda label: points[label[0], 0])
    x = ax.transData.transform(points[[i for i, _ in kept]])[:, 0] / pixels
    return [
        canvas.write(
            ax, shorten(" ".join(text.split()), LETTERS), tuple(points[i]),
            (shift, ABOVE), color=None, rotation=ANGLE, rotation_mode="anchor",
            ha="left", va="center", arrowprops=LINE,
        )
        for (i, text), shift in zip(kept, spread_apart(x, SPACING) - x, strict=True)
    ]  # fmt: skip


def spread_apart(x: Array, gap: float) -> Array:
    """Return numbers at least a gap apart, close to rising numbers (n,).

    Examples
    --------
    >>> spread_apart(np.array([0.0, 1.0, 9.0]), 3.0).tolist()
    [-1.0, 2.0, 9.0]
    """
    steps = gap * np.arange(len(x))
    pushed = np.maximum.accumulate(x - steps) + steps
    pulled = np.minimum.accumulate((x - steps)[::-1])[::-1] + steps
    return 0.5 * (pushed + pulled)
