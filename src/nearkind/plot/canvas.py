"""How every picture looks: axes, colours, title and labels."""

from textwrap import wrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
    "#f0e442",
)  # fmt: skip
"""Okabe and Ito's, which colour-blind readers tell apart; the palest one last."""
MAIN, AGAINST = COLOURS[:2]
REST = "#a6a6a6"
QUIET = "#666666"
FAINT = "#e3e3e3"
SMALL = 8.5


def check_installed() -> None:
    """Say what to do where there is no matplotlib."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ValueError(
            'Pictures need matplotlib; run `pip install "nearkind[plot]"`.'
        ) from None


def axes(ax: "Axes | None", width: float, height: float) -> "Axes":
    """Return the axes to draw on: those given, or new ones of so many inches."""
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def finish(ax: "Axes", title: str, note: str, x: str, y: str) -> "Axes":
    """Write the title, a note below it and both labels; clear the frame.

    Parameters
    ----------
    ax : where
    title, note, x, y : texts, values in them as ``wording`` writes them

    Returns
    -------
    ax
    """
    ax.set_xlabel(x, fontsize=SMALL + 0.5, color=QUIET)
    ax.set_ylabel(y, fontsize=SMALL + 0.5, color=QUIET)
    ax.tick_params(labelsize=SMALL, color=REST)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(REST)
    ax.set_axisbelow(True)
    settle(ax)
    glued = note.replace(" %", "\N{NO-BREAK SPACE}%")
    lines = [
        line.replace("\N{NO-BREAK SPACE}", " ") for line in wrap(glued, _letters(ax))
    ]
    words: dict[str, Any] = {"fontsize": SMALL, "color": QUIET, "linespacing": 1.25}
    ax.annotate(
        "\n".join(lines), (0.0, 1.0), (0.0, 7.0), "axes fraction", "offset points",
        va="bottom", ha="left", annotation_clip=False, **words,
    )  # fmt: skip
    pad = 11.0 + 1.3 * SMALL * len(lines)
    ax.set_title(title, x=0.0, ha="left", fontsize=11.5, fontweight="bold", pad=pad)
    return ax


def settle(ax: "Axes") -> None:
    """Let the layout find its sizes, so that texts can be measured against them."""
    ax.figure.canvas.figure.draw_without_rendering()


def legend(ax: "Axes", handles: list[Any], labels: list[str], title: str = "") -> None:
    """List what colours mean, to the right of the axes."""
    found = ax.legend(
        handles, ["."] * len(labels), title=title or None, frameon=False,
        loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0,
        fontsize=SMALL, title_fontsize=SMALL, alignment="left", handletextpad=0.5,
    )  # fmt: skip
    for text, label in zip(found.get_texts(), labels, strict=True):
        text.set_text(label)  # not above: there a first "_" would hide it


def count_along_x(ax: "Axes") -> None:
    """Put ticks of the x axis at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))


def shares_along_x(ax: "Axes") -> None:
    """Make the x axis logarithmic, with ticks in per cent."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{100.0 * x:g} %"))


def say_instead(ax: "Axes", text: str) -> None:
    """Write why there is nothing to draw where it would have been."""
    ax.text(
        0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center",
        color=QUIET, fontsize=SMALL + 1.0, wrap=True,
    )  # fmt: skip
    ax.set(xticks=[], yticks=[])


def _letters(ax: "Axes") -> int:
    """Return about how many letters of a note fit above the axes."""
    width = ax.get_window_extent().width / ax.figure.dpi  # inches
    return max(int(width * 144.0 / SMALL * 0.92), 24)
