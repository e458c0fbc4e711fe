"""How every picture looks: axes, colours, title and labels."""

from textwrap import wrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.text import Annotation as Annotation
else:
    Axes = Annotation = Any

COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
    "#f0e442",
)  # fmt: skip
"""Okabe and Ito's palette, for colour-blind readers; the palest colour is last."""
MAIN, ACCENT = COLOURS[:2]
GREY = "#a6a6a6"
DARK_GREY = "#666666"
LIGHT_GREY = "#e3e3e3"
SMALL = 8.5


def require_matplotlib() -> None:
    """Raise ImportError if matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ImportError(
            'Plots need matplotlib; run `pip install "nearkind[plot]"`.'
        ) from None


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the axes to draw on: those given, or new ones of this size in inches."""
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def finish(ax: Axes, title: str, note: str, x: str, y: str) -> Axes:
    """Write the title, a note below it and both axis labels, and clear the frame.

    Parameters
    ----------
    ax : matplotlib Axes
    title, note, x, y : str
        Values in them are written by ``nearkind.plot.text``.

    Returns
    -------
    ax : matplotlib Axes
    """
    ax.set_xlabel(x, fontsize=SMALL + 0.5, color=DARK_GREY)
    ax.set_ylabel(y, fontsize=SMALL + 0.5, color=DARK_GREY)
    ax.tick_params(labelsize=SMALL, color=GREY)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.set_axisbelow(True)
    update_layout(ax)
    glued = note.replace(" %", "\N{NO-BREAK SPACE}%")
    lines = [
        line.replace("\N{NO-BREAK SPACE}", " ") for line in wrap(glued, _letters(ax))
    ]
    write(
        ax, "\n".join(lines), (0.0, 1.0), (0.0, 7.0), "axes fraction", va="bottom",
        ha="left", linespacing=1.25,
    )  # fmt: skip
    pad = 11.0 + 1.3 * SMALL * len(lines)
    ax.set_title(title, x=0.0, ha="left", fontsize=11.5, fontweight="bold", pad=pad)
    return ax


def write(
    ax: Axes, text: str, at: Any, shift: Any, of: Any = "data", **style: Any
) -> Annotation:
    """Write a text beside a place.

    Parameters
    ----------
    ax : matplotlib Axes
    text : str
    at : (float, float)
        The place.
    shift : (float, float)
        From there to the text, in typographic points.
    of : str or (str, str), default="data"
        Coordinates of the place, as ``xycoords`` of matplotlib.
    **style : dict
        As matplotlib has it; by default small and grey, in the axes or not.
    """
    style = {"fontsize": SMALL, "color": DARK_GREY, **style}
    return ax.annotate(
        text, at, shift, of, "offset points", annotation_clip=False, **style
    )


def update_layout(ax: Axes) -> None:
    """Compute the layout, so that texts can be measured."""
    ax.figure.canvas.figure.draw_without_rendering()


def legend(ax: Axes, handles: list[Any], labels: list[str], title: str = "") -> None:
    """Draw a legend to the right of the axes."""
    found = ax.legend(
        handles, ["."] * len(labels), title=title or None, frameon=False,
        loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0,
        fontsize=SMALL, title_fontsize=SMALL, alignment="left", handletextpad=0.5,
    )  # fmt: skip
    for text, label in zip(found.get_texts(), labels, strict=True):
        text.set_text(label)  # not above: there a first "_" would hide it


def integer_ticks(ax: Axes) -> None:
    """Put ticks of the x axis at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))


def log_percent_axis(ax: Axes) -> None:
    """Make the x axis logarithmic, with ticks in per cent."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{100.0 * x:g} %"))


def show_message(ax: Axes, text: str) -> None:
    """Write a text in the middle of axes on which there is nothing to draw."""
    ax.text(
        0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center",
        color=DARK_GREY, fontsize=SMALL + 1.0, wrap=True,
    )  # fmt: skip
    ax.set(xticks=[], yticks=[])


def _letters(ax: Axes) -> int:
    """Return about how many letters of a note fit above the axes in a line."""
    width = ax.get_window_extent().width / ax.figure.dpi  # inches
    return max(int(width * 144.0 / SMALL * 0.92), 24)
