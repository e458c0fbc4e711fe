"""How much each feature counts in the learned distance."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.rows import unique_rows
from nearkind.plot import canvas
from nearkind.plot.bars import Bars
from nearkind.plot.spreads import Spreads
from nearkind.plot.taking import labels_of, learner_of
from nearkind.plot.wording import counted, percent
from nearkind.protocols import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 30
MIDDLE = (2.5, 97.5)


def relevance(
    model: Any,
    X: Any = None,
    y: Any = None,
    n_resamples: int = 0,
    *,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw each feature's share of the mean squared distance, the largest first.

    Parameters
    ----------
    model : fitted CPML, or classifier over one
    X : table whose rows are measured; None: ``feature_relevance_``, of the rows of fit
    y : one label a row; resamples are then drawn class by class
    n_resamples : bootstrap resamples of the rows of X. A whisker spans the middle 95 %
        of the shares. The metric stays as it is: they show how far the shares depend on
        the rows measured, not on those learned from
    ax : where to draw; None: new axes

    Returns
    -------
    ax; of many features the 30 with the largest shares, and the sum of the others. A
    negative share works against the others

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("credit_risk", as_frame=False)
    >>> model = nk.CPML(tol=0.1).fit(data.X, data.y)
    >>> nk.plot.relevance(model, data.X, n_resamples=20).get_xlabel()
    'share of the mean squared distance, %'
    """
    learner = learner_of(model)
    shares, resampled = _measured(learner, X, y, _checked(n_resamples, X))
    bars = Bars.of(100.0 * shares, MOST)
    ax = canvas.axes(ax, 6.0, bars.height)
    ends = _draw_whiskers(ax, bars, 100.0 * resampled)
    texts = [percent(length / 100.0) for length in bars.lengths]
    bars.draw(ax, bars.names(learner.codebook_.names_), texts, ends)
    note = _note(X is None, len(resampled), y is not None)
    title = "What the distance looks at"
    label = "share of the mean squared distance, %"
    if not shares.any():
        note = "No two rows are at a distance, so there is nothing to share."
    return canvas.finish(ax, title, note, label, "feature")


def _measured(
    learner: Any, X: Any, y: Any, n_resamples: int
) -> tuple[Array, NDArray[np.float64]]:
    """Return shares (D,), and those of resamples (R, D)."""
    if X is None:
        return learner.feature_relevance_, np.empty((0, learner.n_features_in_))
    codes = learner.encode(X)
    labels = labels_of([0] * len(codes) if y is None else y, len(codes))
    numbers = {label: k for k, label in enumerate(dict.fromkeys(labels))}
    classes = np.array([numbers[label] for label in labels])
    cells = unique_rows(codes, classes, np.ones(len(codes)))
    spreads = Spreads.of(learner.value_tables_.vectors, cells.codes)
    rng = np.random.default_rng(0)
    drawn = [
        spreads.shares(_resampled(cells.weights, cells.y, rng))
        for _ in range(n_resamples)
    ]
    n_features = codes.shape[1]
    return spreads.shares(cells.weights), np.reshape(drawn, (-1, n_features))


def _resampled(weights: Array, y: NDArray[np.intp], rng: np.random.Generator) -> Array:
    """Draw as many rows of each class as it has, with replacement."""
    drawn = np.zeros(len(weights))
    for label in np.unique(y):
        of_class = weights[y == label]
        n_rows = of_class.sum()
        drawn[y == label] = rng.multinomial(round(n_rows), of_class / n_rows)
    return drawn


def _draw_whiskers(ax: "Axes", bars: Bars, resampled: Array) -> Array:
    """Draw the spread over resamples; return where bars with whiskers end (k,)."""
    if not len(resampled):
        return bars.lengths
    drawn = resampled[:, bars.shown]
    if bars.rest:
        others = resampled.sum(axis=1) - drawn.sum(axis=1)
        drawn = np.column_stack([drawn, others])
    low, high = np.percentile(drawn, MIDDLE, axis=0)
    at = np.arange(len(bars.lengths))
    ax.hlines(at, low, high, color="black", linewidth=1.2, zorder=3)
    return np.where(bars.lengths < 0.0, np.minimum(low, bars.lengths), high)


def _note(of_fit: bool, n_resamples: int, by_class: bool) -> str:
    if of_fit:
        return "Over all pairs of the rows that the metric was learned from."
    rows = "Over all pairs of the rows given."
    if not n_resamples:
        return rows
    how = ", class by class" if by_class else ""
    return (
        f"{rows} Whiskers: the middle 95 % of {counted(n_resamples, 'resample')} of "
        f"them{how}; the metric is not learned again."
    )


def _checked(n_resamples: Any, X: Any) -> int:
    is_count = isinstance(n_resamples, int | np.integer) and n_resamples >= 0
    if not is_count or isinstance(n_resamples, bool):
        raise ValueError(
            f"n_resamples must be a whole number >= 0; got {n_resamples!r}."
        )
    if n_resamples and X is None:
        raise ValueError("n_resamples needs rows to draw from; pass X, a table.")
    return int(n_resamples)
