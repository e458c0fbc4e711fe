"""The objective of a fit over its iterations."""

import numpy as np

from nearkind.estimators.cpml import CPML
from nearkind.plot import canvas
from nearkind.plot.canvas import Axes
from nearkind.plot.model_checks import require_cpml
from nearkind.plot.text import count_text, percent
from nearkind.protocols import Array
from nearkind.solvers.solution import Stop

WIDE = 30.0
"""Objectives further apart than this factor are drawn on a logarithmic scale."""

LEAST = 1e-5
"""The smallest gap that is stated, as a share of the objective."""


def convergence(model: object, *, ax: Axes | None = None) -> Axes:
    """Draw the objective of each iteration, and its proven lower bound.

    Parameters
    ----------
    model : CPML, or a classifier over one
        Fitted.
    ax : matplotlib Axes, default=None
        Where to draw; None makes new axes.

    Returns
    -------
    ax : matplotlib Axes
        The optimum lies in the band, whose height is the proven gap.

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("credit_risk", as_frame=False)
    >>> model = nk.CPML(tol=0.1).fit(data.X, data.y)
    >>> nk.plot.convergence(model).get_ylabel()
    'objective'
    """
    learner = require_cpml(model)
    lines = [(line.iteration, line.value, line.gap) for line in learner.history_]
    at, values, gaps = np.array(lines, dtype=float).reshape(-1, 3).T
    with np.errstate(invalid="ignore"):  # infinity less infinity
        bounds = values - gaps
    ax = canvas.axes(ax, 5.6, 3.6)
    _draw(ax, at, values, bounds)
    ax.grid(color=canvas.LIGHT_GREY, linewidth=0.8)
    canvas.integer_ticks(ax)
    title = f"Stopped after {count_text(learner.n_iter_, 'iteration')}"
    return canvas.finish(ax, title, _note(learner), "iteration", "objective")


def _draw(ax: Axes, at: Array, values: Array, bounds: Array) -> None:
    finite = values[np.isfinite(values)]
    if not len(finite):
        canvas.show_message(ax, "No finite objective was recorded.")
        return
    if finite.min() > 0.0 and finite.max() > WIDE * finite.min():
        ax.set_yscale("log")
        bounds = np.maximum(bounds, 0.5 * finite.min())
    proven = np.isfinite(bounds)
    band = ax.fill_between(
        at, bounds, values, where=proven.tolist(), color=canvas.COLOURS[5], alpha=0.35,
        linewidth=0.0,
    )  # fmt: skip
    (line,) = ax.plot(at, values, color=canvas.MAIN, linewidth=1.8, marker=".")
    ax.plot(at, bounds, color=canvas.COLOURS[5], linewidth=1.0)
    n_shown = 2 if proven.any() else 1
    labels = ["objective", "optimum lies here"]
    canvas.legend(ax, [line, band][:n_shown], labels[:n_shown])
    margin = 0.5 if at[-1] == at[0] else 0.03 * (at[-1] - at[0])
    ax.set_xlim(at[0] - margin, at[-1] + margin)


def _note(learner: CPML) -> str:
    name = learner.stop_reason_
    reason = Stop[name].value.split(". ")[0].rstrip(".")
    if not np.isfinite(learner.gap_):
        return f"{name}: {reason}. No gap is proven."
    share = learner.gap_ / max(learner.objective_, 1e-300)
    share = max(share, LEAST) if share > 0.0 else 0.0
    return (
        f"{name}: {reason}. Objective {learner.objective_:.4g}, at most "
        f"{percent(share)} above the optimum."
    )
