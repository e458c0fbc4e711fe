"""The metric against the strength of its penalty, or what a search tried."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from nearkind.estimators.cpml import CPML
from nearkind.plot import canvas
from nearkind.plot.canvas import Axes
from nearkind.plot.model_checks import require_cpml, view_model
from nearkind.plot.text import count_text, value_text
from nearkind.protocols import Array
from nearkind.solvers.solution import Stop

SHARES = tuple(np.geomspace(0.001, 0.9, 10).tolist())
MOST_NAMED = 7
LEAST_TOL = 1e-3
"""Tolerance of the fits: a picture needs no more."""


Curve = dict[float | None, float]
"""Accuracy in per cent by share of strength; None: without a strength."""


class Step(NamedTuple):
    """One fit along the path."""

    share: float  # of strength_max_
    relevance: Array  # (D,), NaN where the metric is zero
    rank: int
    has_converged: bool


def path(
    model: Any,
    X: Any = None,
    y: Any = None,
    strengths: Any = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the shares of features, and the rank, against the strength of the penalty.

    Copies of the model are fitted, the weakest penalty first and each from where the
    last one ended; the model stays as it is. A CPMLClassifierCV has tried strengths
    already: its accuracy on held-out rows is drawn, and nothing is fitted.

    Parameters
    ----------
    model : CPML, CPMLClassifier over one, or CPMLClassifierCV
        Fitted.
    X : table of any kind, default=None
    y : array-like of shape (n,), default=None
        Rows and labels to fit; not needed for a CPMLClassifierCV.
    strengths : iterable of float, default=None
        Shares of ``strength_max_``, > 0; None is ten from 0.1 % to 90 %.
    ax : matplotlib Axes, default=None
        Where to draw; None makes new axes.

    Returns
    -------
    ax : matplotlib Axes
        The 7 features with the largest shares anywhere have a colour.

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("credit_risk", as_frame=False)
    >>> model = nk.CPML(tol=0.1).fit(data.X, data.y)
    >>> nk.plot.path(model, data.X, data.y, strengths=[0.01, 0.1]).get_xlabel()
    'strength of the penalty, share of the largest useful one'
    """
    if view_model(model).was_searched:
        return draw_candidates(model.cv_results_, canvas.axes(ax, 7.6, 4.2))
    learner, shares = require_cpml(model), _check_strengths(strengths)
    if X is None or y is None:
        raise ValueError(
            "path fits copies of the model, which needs rows and labels; pass X and y."
        )
    steps = _fit_path(learner, X, y, shares)
    ax = canvas.axes(ax, 7.4, 4.2)
    canvas.log_percent_axis(ax)
    ax.set_xlim(shares[0] / 1.9, shares[-1] * 1.9)
    _draw_steps(ax, steps, learner.codebook_.feature_names)
    note = _path_note(learner, steps)
    label = "strength of the penalty, share of the largest useful one"
    title = "Relevance along the regularization path"
    side = "share of the mean squared distance, %"
    return canvas.finish(ax, title, note, label, side)


def _fit_path(learner: CPML, X: object, y: object, shares: list[float]) -> list[Step]:
    """Fit a copy of a model along shares of strength_max_."""
    settings = learner.get_params(deep=False)
    tol = max(float(settings["tol"]), LEAST_TOL)
    copy = CPML(**{**settings, "warm_start": True, "tol": tol, "verbose": 0})
    steps = []
    path = copy.fit_path(X, y, [f"{100.0 * share!r}%" for share in shares])
    for share in shares:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the picture says it
            next(path)
        shown = copy.feature_relevance_ if copy.rank_ else np.nan
        relevance = np.full(len(copy.codebook_.n_values), 1.0) * shown
        done = copy.stop_reason_ in (Stop.TOLERANCE.name, Stop.SETTLED.name)
        steps.append(Step(share, relevance, copy.rank_, done))
    return steps


def _draw_steps(ax: Axes, steps: list[Step], names: list[Any]) -> None:
    shares = [step.share for step in steps]
    table = 100.0 * np.array([step.relevance for step in steps])  # (k, D)
    peaks = np.nan_to_num(table).max(axis=0)
    order = np.argsort(-peaks, kind="stable")
    rest = order[MOST_NAMED:]
    handles, labels = [], []
    for d, colour in zip(order[:MOST_NAMED], canvas.COLOURS, strict=False):
        (line,) = ax.plot(shares, table[:, d], color=colour, linewidth=1.7, zorder=3)
        handles.append(line)
        labels.append(value_text(names[d], 22))
    lines = ax.plot(shares, table[:, rest], color=canvas.GREY, linewidth=0.7, alpha=0.7)
    if len(rest):
        handles.append(lines[0])
        labels.append(count_text(len(rest), "other"))
    canvas.legend(ax, handles, labels, "feature")
    _write_ranks(ax, steps)
    ax.grid(color=canvas.LIGHT_GREY, linewidth=0.8)


def _write_ranks(ax: Axes, steps: list[Step]) -> None:
    """Write the rank at each strength into a strip at the top."""
    is_zero = not any(step.rank for step in steps)
    low, high = (0.0, 100.0) if is_zero else ax.get_ylim()
    ax.set_ylim(low, high + 0.14 * (high - low))
    for step in steps:
        colour = "black" if step.has_converged else canvas.ACCENT
        at, style = (step.share, 0.955), {"ha": "center", "va": "center"}
        of = "data", "axes fraction"
        canvas.write(ax, str(step.rank), at, (0.0, 0.0), of, color=colour, **style)
    ax.axhline(high + 0.03 * (high - low), color=canvas.LIGHT_GREY, linewidth=0.8)


def _path_note(learner: CPML, steps: list[Step]) -> str:
    largest = f"The largest useful strength is {learner.strength_max_:.3g}"
    if not any(step.rank for step in steps):
        return f"The metric is zero at every strength. {largest}."
    behind = sum(not step.has_converged for step in steps)
    orange = f"; {behind} in orange stopped before the tolerance" if behind else ""
    return f"Numbers at the top: rank of the metric{orange}. {largest}."


def _check_strengths(strengths: Any) -> list[float]:
    """Return strengths in rising order, or raise ValueError."""
    shares = sorted(
        {float(share) for share in (SHARES if strengths is None else strengths)}
    )
    if not shares or not all(0.0 < share < np.inf for share in shares):
        raise ValueError(
            "strengths must be shares of strength_max_, numbers > 0; "
            f"got {strengths!r}."
        )
    return shares


def draw_candidates(results: dict[str, Any], ax: Axes) -> Axes:
    """Draw the best accuracy of each candidate at each strength that was tried.

    Parameters
    ----------
    results : dict
        ``cv_results_`` of a CPMLClassifierCV.
    ax : matplotlib Axes

    Returns
    -------
    ax : matplotlib Axes
        A candidate without a strength is a level line; those beyond seven are grey.
    """
    curves = best_by_strength(results)
    tried = sorted({s for curve in curves.values() for s in curve if s is not None})
    ends = (tried[0], tried[-1]) if tried else (0.001, 0.1)
    handles = []
    for place, curve in enumerate(curves.values()):
        colour = canvas.COLOURS[place] if place < 7 else canvas.GREY
        handles.append(_draw_curve(ax, curve, ends, colour))
    canvas.log_percent_axis(ax)
    ax.grid(color=canvas.LIGHT_GREY, linewidth=0.8)
    names = [value_text(name, 34) for name in curves]
    canvas.legend(ax, handles, names, "candidate")
    return canvas.finish(
        ax, "Accuracy of the candidates", _search_note(results),
        "strength of the penalty, share of the largest useful one",
        "accuracy on held-out rows, %",
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


def _draw_curve(ax: Axes, curve: Curve, ends: tuple[float, float], colour: str) -> Any:
    at = sorted(share for share in curve if share is not None)
    if not at:
        level = max(curve.values())
        style: dict[str, Any] = {"linestyle": (0, (4, 2)), "linewidth": 1.4}
        return ax.plot(ends, [level, level], color=colour, **style)[0]
    heights = [curve[share] for share in at]
    return ax.plot(at, heights, color=colour, marker="o", ms=4.0, linewidth=1.7)[0]


def _search_note(results: dict[str, Any]) -> str:
    n_held = np.asarray(results["n_held"])
    most = int(n_held.max())
    early = int((n_held < most).sum())
    fell = (
        f"; {count_text(early, 'setting')} were dropped early, on fewer rows"
        if early
        else ""
    )
    rows = count_text(most, "row")
    return (
        f"Each point: best accuracy at that strength, on up to {rows} held "
        f"out{fell}. Dashed: candidates without a strength."
    )
