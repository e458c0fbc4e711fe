"""What each feature contributes to the distance between two rows."""

import numpy as np

from nearkind.plot import canvas
from nearkind.plot.bars import Bars, leave_room
from nearkind.plot.canvas import Axes
from nearkind.plot.model_checks import require_vectors
from nearkind.plot.text import count_text, percent, value_text
from nearkind.protocols import Array

MOST = 20
ARROW = "\N{RIGHTWARDS ARROW}"


def explanation(model: object, a: object, b: object, *, ax: Axes | None = None) -> Axes:
    """Draw what each feature contributes to the squared distance between two rows.

    Parameters
    ----------
    model : CPML, another distance with ``explain``, or a classifier over one
        Fitted.
    a, b : dict, list, pandas Series or table of one row
    ax : matplotlib Axes, default=None
        Where to draw; None makes new axes.

    Returns
    -------
    ax : matplotlib Axes
        Features that contribute, at most 20, and the sum of the others; the values of
        both rows are at the right.

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("credit_risk", as_frame=False)
    >>> model = nk.CPML(tol=0.1).fit(data.X, data.y)
    >>> nk.plot.explanation(model, data.X[0], data.X[0]).get_title()
    'Squared distance 0'
    """
    found = require_vectors(model).explain(a, b)
    parts = np.asarray(found["contribution"], dtype=float)
    total = float(parts.sum())
    bars = Bars.of(parts, _n_shown(parts))
    names = bars.names(list(found["feature"]))
    sides = zip(list(found["a"]), list(found["b"]), strict=True)
    values = [_values_text(x, y) for x, y in sides]
    ax = canvas.axes(ax, _width(names, values), bars.height + 0.1)
    shares = [percent(each / total) if total > 0.0 else "" for each in bars.lengths]
    texts = bars.draw(ax, names, shares, bars.lengths)
    _write_values(ax, bars, values)
    note = f"The distance is {np.sqrt(max(total, 0.0)):.3g}. {_note(parts)}"
    label = "contribution to the squared distance"
    title = f"Squared distance {total:.3g}"
    canvas.finish(ax, title, note, label, "feature")
    leave_room(ax, texts)
    return ax


def _width(names: list[str], values: list[str]) -> float:
    """Return the width of the picture in inches: more for long names and values."""
    n_letters = max(map(len, names)) + max(map(len, values), default=0)
    return max(6.6, 3.6 + 0.075 * n_letters)


def _n_shown(parts: Array) -> int:
    """Return how many features contribute, at least one and at most MOST."""
    return min(max(int((np.abs(parts) > _least(parts)).sum()), 1), MOST)


def _least(parts: Array) -> float:
    """Return the size above which a contribution is more than rounding."""
    return 1e-12 * float(np.abs(parts).max(initial=0.0))


def _note(parts: Array) -> str:
    against = int((parts < -_least(parts)).sum())
    if not against:
        return "Contributions add up to its square."
    verb = "works" if against == 1 else "work"
    return (
        f"Contributions add up to its square; {count_text(against, 'feature')} {verb} "
        "against the others."
    )


def _values_text(a: object, b: object) -> str:
    """Return both values as text, or one if they are equal."""
    left, right = value_text(a, 18), value_text(b, 18)
    return left if left == right else f"{left} {ARROW} {right}"


def _write_values(ax: Axes, bars: Bars, texts: list[str]) -> None:
    for place, d in enumerate(bars.shown):
        at, of = (1.0, place), ("axes fraction", "data")
        canvas.write(ax, texts[d], at, (8.0, 0.0), of, va="center", color=None)
    heading = f"first {ARROW} second row"
    canvas.write(ax, heading, (1.0, 1.0), (8.0, 7.0), "axes fraction", va="bottom")
