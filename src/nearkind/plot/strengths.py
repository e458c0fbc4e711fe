"""What becomes of a metric as the penalty grows."""

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nearkind.estimators.cpml import CPML
from nearkind.estimators.search.classifier_cv import CPMLClassifierCV
from nearkind.plot import canvas
from nearkind.plot.candidates import draw_candidates
from nearkind.plot.taking import distance_of, learner_of
from nearkind.plot.wording import counted, written
from nearkind.protocols import Array
from nearkind.solvers.solution import Stop

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARES = tuple(np.geomspace(0.001, 0.9, 10).tolist())
MOST_NAMED = 7
ROUGHLY = 1e-3


class Step(NamedTuple):
    """What one fit along the path found."""

    share: float  # of strength_max_
    relevance: Array  # (D,), NaN where the metric is zero
    rank: int
    is_done: bool


def path(
    model: Any,
    X: Any = None,
    y: Any = None,
    strengths: Any = None,
    *,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the shares of features, and the rank, against the strength of the penalty.

    Copies of the model are fitted, the weakest penalty first and each from where the
    last one ended; the model stays as it is. A CPMLClassifierCV has tried strengths
    already: for it the accuracy on rows held out is drawn, and nothing is fitted.

    Parameters
    ----------
    model : fitted CPML or CPMLClassifier over one, or CPMLClassifierCV
    X, y : table and labels to fit; not needed for a CPMLClassifierCV
    strengths : shares of ``strength_max_``, numbers > 0; None: ten from 0.1 % to 90 %
    ax : where to draw; None: new axes

    Returns
    -------
    ax; the 7 features with the largest shares anywhere have a colour

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("credit_risk", as_frame=False)
    >>> model = nk.CPML(tol=0.1).fit(data.X, data.y)
    >>> nk.plot.path(model, data.X, data.y, strengths=[0.01, 0.1]).get_xlabel()
    'strength of the penalty, share of the largest useful one'
    """
    if isinstance(model, CPMLClassifierCV):
        distance_of(model)  # says so if it is not fitted
        return draw_candidates(model.cv_results_, canvas.axes(ax, 7.6, 4.2))
    learner, shares = learner_of(model), _checked(strengths)
    if X is None or y is None:
        raise ValueError(
            "path fits copies of the model, which needs rows and labels; pass X and y."
        )
    steps = _fitted(learner, X, y, shares)
    ax = canvas.axes(ax, 7.4, 4.2)
    canvas.shares_along_x(ax)
    ax.set_xlim(shares[0] / 1.9, shares[-1] * 1.9)
    _draw(ax, steps, learner.codebook_.names_)
    note = _note(learner, steps)
    label = "strength of the penalty, share of the largest useful one"
    title = "What stays as the penalty grows"
    side = "share of the mean squared distance, %"
    return canvas.finish(ax, title, note, label, side)


def _fitted(learner: CPML, X: Any, y: Any, shares: list[float]) -> list[Step]:
    """Fit a copy along shares of strength_max_."""
    settings = learner.get_params(deep=False)
    tol = max(float(settings["tol"]), ROUGHLY)
    copy = CPML(**{**settings, "warm_start": True, "tol": tol, "verbose": 0})
    steps = []
    path = copy.fit_path(X, y, [f"{100.0 * share!r}%" for share in shares])
    for share in shares:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the picture says it
            next(path)
        shown = copy.feature_relevance_ if copy.rank_ else np.nan
        relevance = np.full(copy.n_features_in_, 1.0) * shown
        done = copy.stop_reason_ in (Stop.TOLERANCE.name, Stop.SETTLED.name)
        steps.append(Step(share, relevance, copy.rank_, done))
    return steps


def _draw(ax: "Axes", steps: list[Step], names: list[Any]) -> None:
    shares = [step.share for step in steps]
    table = 100.0 * np.array([step.relevance for step in steps])  # (k, D)
    peaks = np.nan_to_num(table).max(axis=0)
    order = np.argsort(-peaks, kind="stable")
    rest = order[MOST_NAMED:]
    handles, labels = [], []
    for d, colour in zip(order[:MOST_NAMED], canvas.COLOURS, strict=False):
        (line,) = ax.plot(shares, table[:, d], color=colour, linewidth=1.7, zorder=3)
        handles.append(line)
        labels.append(written(names[d], 22))
    lines = ax.plot(shares, table[:, rest], color=canvas.REST, linewidth=0.7, alpha=0.7)
    if len(rest):
        handles.append(lines[0])
        labels.append(counted(len(rest), "other"))
    canvas.legend(ax, handles, labels, "feature")
    _write_ranks(ax, steps)
    ax.grid(color=canvas.FAINT, linewidth=0.8)


def _write_ranks(ax: "Axes", steps: list[Step]) -> None:
    """Write the rank at each strength into a strip at the top."""
    is_zero = not any(step.rank for step in steps)
    low, high = (0.0, 100.0) if is_zero else ax.get_ylim()
    ax.set_ylim(low, high + 0.14 * (high - low))
    for step in steps:
        ax.annotate(
            str(step.rank), (step.share, 0.955), xycoords=("data", "axes fraction"),
            ha="center", va="center", fontsize=canvas.SMALL,
            color="black" if step.is_done else canvas.AGAINST,
        )  # fmt: skip
    ax.axhline(high + 0.03 * (high - low), color=canvas.FAINT, linewidth=0.8)


def _note(learner: CPML, steps: list[Step]) -> str:
    largest = f"The largest useful strength is {learner.strength_max_:.3g}"
    if not any(step.rank for step in steps):
        return f"The metric is zero at every strength. {largest}."
    behind = sum(not step.is_done for step in steps)
    orange = f"; {behind} in orange stopped before the tolerance" if behind else ""
    return f"Numbers at the top: rank of the metric{orange}. {largest}."


def _checked(strengths: Any) -> list[float]:
    shares = sorted(
        {float(share) for share in (SHARES if strengths is None else strengths)}
    )
    if not shares or not all(0.0 < share < np.inf for share in shares):
        raise ValueError(
            "strengths must be shares of strength_max_, numbers > 0; "
            f"got {strengths!r}."
        )
    return shares
