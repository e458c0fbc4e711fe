"""A bar chart of the largest numbers, with one more bar for the sum of the others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkind.plot import canvas
from nearkind.plot.canvas import Annotation, Axes
from nearkind.plot.text import count_text, value_text
from nearkind.protocols import Array

GAP = 4.0
"""Points between the end of a bar and its text."""
MOST_ROOM = 0.75
"""Share of the width that texts may take; if they need more they are left out."""


@dataclass(frozen=True)
class Bars:
    """The largest of some numbers, and how many others there are.

    Attributes
    ----------
    shown : ndarray of int
        Indices of the numbers that have a bar, the largest number first.
    rest : int
        How many others; if there are any, the last bar is their sum.
    lengths : ndarray of shape (k,)
        Lengths of the bars.
    """

    shown: NDArray[np.intp]
    rest: int
    lengths: Array

    @classmethod
    def of(cls, values: Array, most: int) -> "Bars":
        """Return bars of the numbers largest in absolute value, and of the others' sum.

        Parameters
        ----------
        values : ndarray of shape (n,)
        most : int
            How many numbers may have a bar of their own.

        Examples
        --------
        >>> bars = Bars.of(np.array([1.0, 5.0, -3.0, 0.5]), most=2)
        >>> bars.shown.tolist(), bars.rest, bars.lengths.tolist()
        ([1, 2], 2, [5.0, -3.0, 1.5])
        """
        largest = np.argsort(-np.abs(values), kind="stable")[:most]
        shown = largest[np.argsort(-values[largest], kind="stable")]
        rest = len(values) - len(shown)
        others = [values.sum() - values[shown].sum()] if rest else []
        return cls(shown, rest, np.append(values[shown], others))

    @property
    def height(self) -> float:
        """Height of the picture in inches."""
        return 1.35 + 0.235 * max(len(self.lengths), 2)

    def names(self, features: Sequence[object]) -> list[str]:
        """Return one label per bar."""
        others = [count_text(self.rest, "other")] if self.rest else []
        return [value_text(features[d], 28) for d in self.shown] + others

    def draw(
        self, ax: Axes, names: list[str], texts: list[str], ends: Array
    ) -> list[Annotation]:
        """Draw the bars, names to their left and a text beyond each end (k,).

        Returns
        -------
        list of Annotation
            The texts, for ``leave_room`` once all else is drawn.
        """
        at = np.arange(len(self.lengths))
        colours = np.where(self.lengths < 0.0, canvas.ACCENT, canvas.MAIN)
        if self.rest:
            colours[-1] = canvas.GREY
        ax.barh(at, self.lengths, color=colours.tolist(), height=0.68)
        ax.set_yticks(at, names)
        ax.set_ylim(len(at) - 0.4, -0.6)
        ax.axvline(0.0, color=canvas.GREY, linewidth=0.8)
        ax.grid(axis="x", color=canvas.LIGHT_GREY, linewidth=0.8)
        ax.tick_params(axis="y", length=0)
        return [
            canvas.write(
                ax, text, (end, place), (-GAP if end < 0.0 else GAP, 0.0), va="center",
                ha="right" if end < 0.0 else "left", fontsize=canvas.SMALL - 0.5,
            )
            for place, (text, end) in enumerate(zip(texts, ends, strict=True))
        ]  # fmt: skip


def leave_room(ax: Axes, texts: Sequence[Annotation]) -> None:
    """Set the limits of the x axis so that texts beyond the ends of bars are inside.

    Where there is no room for them, as on narrow axes, they are left out.

    Parameters
    ----------
    ax : matplotlib Axes
        Finished but for this, so that its width stays.
    texts : sequence of Annotation
        As ``Bars.draw`` returns them.
    """
    canvas.update_layout(ax)
    ends = np.array([text.xy[0] for text in texts])
    gaps = 2.0 * GAP * ax.figure.dpi / 72.0  # on both sides of a text, in pixels
    widths = np.array([text.get_window_extent().width + gaps for text in texts])
    shares = widths / ax.get_window_extent().width
    left = shares[ends < 0.0].max(initial=0.0)
    right = shares[ends >= 0.0].max(initial=0.0)
    if left + right > MOST_ROOM:
        left = right = 0.05
        for text in texts:
            text.remove()
    low, high = min(ends.min(initial=0.0), 0.0), max(ends.max(initial=0.0), 0.0)
    extent = (high - low or 1.0) / (1.0 - left - right)
    ax.set_xlim(low - left * extent, low + (1.0 - left) * extent)
