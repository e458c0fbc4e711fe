"""A bar chart of the largest numbers, with one more bar for the sum of the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nearkind.plot import canvas
from nearkind.plot.text import count_text, value_text
from nearkind.protocols import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        """Return one label a bar."""
        others = [count_text(self.rest, "other")] if self.rest else []
        return [value_text(features[d], 28) for d in self.shown] + others

    def draw(self, ax: "Axes", names: list[str], texts: list[str], ends: Array) -> None:
        """Draw the bars, names to their left and a text beyond each end (k,)."""
        at = np.arange(len(self.lengths))
        colours = np.where(self.lengths < 0.0, canvas.ACCENT, canvas.MAIN)
        if self.rest:
            colours[-1] = canvas.GREY
        ax.barh(at, self.lengths, color=colours.tolist(), height=0.68)
        for place, (text, end) in enumerate(zip(texts, ends, strict=True)):
            side = "right" if end < 0.0 else "left"
            ax.annotate(
                text, (end, place), (-4.0 if end < 0.0 else 4.0, 0.0),
                textcoords="offset points", va="center", ha=side,
                fontsize=canvas.SMALL - 0.5, color=canvas.DARK_GREY,
            )  # fmt: skip
        ax.set_yticks(at, names)
        ax.set_ylim(len(at) - 0.4, -0.6)
        ax.set_xlim(*_limits(ends))
        ax.axvline(0.0, color=canvas.GREY, linewidth=0.8)
        ax.grid(axis="x", color=canvas.LIGHT_GREY, linewidth=0.8)
        ax.tick_params(axis="y", length=0)


def _limits(ends: Array) -> tuple[float, float]:
    """Return limits of the x axis that leave room for texts beyond the ends."""
    low, high = min(ends.min(initial=0.0), 0.0), max(ends.max(initial=0.0), 0.0)
    extent = high - low or 1.0
    return low - 0.2 * extent * (low < 0.0), max(high, low + extent) + 0.16 * extent
