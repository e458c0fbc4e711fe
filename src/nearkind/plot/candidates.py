"""What a search tried: accuracy against strength."""

from typing import TYPE_CHECKING, Any

import numpy as np

from nearkind.plot import canvas
from nearkind.plot.wording import counted, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Curve = dict[float | None, float]


def draw_candidates(results: dict[str, Any], ax: "Axes") -> "Axes":
    """Draw the best accuracy of each candidate at each strength it was tried at.

    Parameters
    ----------
    results : ``cv_results_``
    ax : where to draw

    Returns
    -------
    ax; a candidate without a strength is a level line, those beyond seven are grey
    """
    curves = best_by_strength(results)
    tried = sorted({s for curve in curves.values() for s in curve if s is not None})
    ends = (tried[0], tried[-1]) if tried else (0.001, 0.1)
    handles = []
    for place, curve in enumerate(curves.values()):
        colour = canvas.COLOURS[place] if place < 7 else canvas.REST
        handles.append(_draw(ax, curve, ends, colour))
    canvas.shares_along_x(ax)
    ax.grid(color=canvas.FAINT, linewidth=0.8)
    names = [written(name, 34) for name in curves]
    canvas.legend(ax, handles, names, "candidate")
    return canvas.finish(
        ax, "What the search tried", _note(results),
        "strength of the penalty, share of the largest useful one",
        "accuracy on rows held out, %",
    )  # fmt: skip


def best_by_strength(results: dict[str, Any]) -> dict[str, Curve]:
    """Return the best accuracy of each candidate, in per cent, by share of strength."""
    curves: dict[str, Curve] = {}
    columns = (results[name] for name in ("candidate", "strength", "accuracy"))
    for name, strength, accuracy in zip(*columns, strict=True):
        curve = curves.setdefault(str(name), {})
        share = _share(strength)
        curve[share] = max(curve.get(share, 0.0), 100.0 * float(accuracy))
    return dict(sorted(curves.items(), key=lambda item: -max(item[1].values())))


def _share(strength: Any) -> float | None:
    """Return a strength such as "0.3%" as a number."""
    is_share = isinstance(strength, str) and strength.endswith("%")
    return float(strength.removesuffix("%")) / 100.0 if is_share else None


def _draw(ax: "Axes", curve: Curve, ends: tuple[float, float], colour: str) -> Any:
    at = sorted(share for share in curve if share is not None)
    if not at:
        level = max(curve.values())
        style: dict[str, Any] = {"linestyle": (0, (4, 2)), "linewidth": 1.4}
        return ax.plot(ends, [level, level], color=colour, **style)[0]
    heights = [curve[share] for share in at]
    return ax.plot(at, heights, color=colour, marker="o", ms=4.0, linewidth=1.7)[0]


def _note(results: dict[str, Any]) -> str:
    most = int(np.max(results["n_held"]))
    early = int((np.asarray(results["n_held"]) < most).sum())
    fell = f"; {counted(early, 'setting')} fell behind and met fewer" if early else ""
    return (
        f"Each point: the best vote at that strength, of up to {counted(most, 'row')} "
        f"held out{fell}. Dashed: no strength to choose."
    )
