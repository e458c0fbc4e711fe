"""Each feature's share of the mean distance."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nearkind.distances import ValueVectors
from nearkind.distances.form import N_PAIRS
from nearkind.encoding.rows import unique_rows
from nearkind.model_view import ModelView
from nearkind.plot import canvas
from nearkind.plot.bars import Bars, leave_room
from nearkind.plot.canvas import Axes
from nearkind.plot.model_checks import check_labels, view_model
from nearkind.plot.text import count_text, percent
from nearkind.protocols import Array
from nearkind.validation.parameters import check_whole

MOST = 30
INTERVAL = (2.5, 97.5)
"""Percentiles between which a whisker is drawn."""


def relevance(
    model: object,
    X: object = None,
    y: object = None,
    n_resamples: int = 0,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw each feature's share of the mean distance, the largest first.

    It is the squared distance where a row is a sum of vectors, as with CPML; otherwise
    shares are estimated from pairs of rows.

    Parameters
    ----------
    model : classifier or distance
        Fitted.
    X : table of any kind, default=None
        Rows whose distances are shared out; None draws ``feature_relevance_``, which is
        over the rows of fit. CPML and the classifiers have it.
    y : array-like of shape (n,), default=None
        One label per row; resamples are then drawn class by class.
    n_resamples : int, default=0
        Number of bootstrap resamples of the rows of X. A whisker spans the middle 95 %
        of the shares. The metric is not learned again: whiskers show how far the shares
        depend on the rows measured, not on those learned from. For distances with
        vectors of values.
    ax : matplotlib Axes, default=None
        Where to draw; None makes new axes.

    Returns
    -------
    ax : matplotlib Axes
        The 30 features with the largest shares, and the sum of the others. A negative
        share works against the others.

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("credit_risk", as_frame=False)
    >>> model = nk.CPML(tol=0.1).fit(data.X, data.y)
    >>> nk.plot.relevance(model, data.X, n_resamples=20).get_xlabel()
    'share of the mean squared distance, %'
    """
    view = view_model(model)
    n_resamples = _check_resamples(n_resamples, X, view)
    shares, resampled = _shares(view, X, y, n_resamples)
    bars = Bars.of(100.0 * shares, MOST)
    ax = canvas.axes(ax, 6.0, bars.height)
    ends = _draw_whiskers(ax, bars, 100.0 * resampled)
    shares_shown = [percent(length / 100.0) for length in bars.lengths]
    names = bars.names(view.codebook.feature_names)
    texts = bars.draw(ax, names, shares_shown, ends)
    is_exact = view.distance.has_vectors
    note = _note(X is None, is_exact, n_resamples, y is not None)
    title = "Relevance of the columns"
    label = f"share of the mean {'squared ' if is_exact else ''}distance, %"
    if not shares.any():
        note = "All rows are at distance zero."
    canvas.finish(ax, title, note, label, "feature")
    leave_room(ax, texts)
    return ax


def _shares(
    view: ModelView, X: object, y: object, n_resamples: int
) -> tuple[Array, NDArray[np.float64]]:
    """Return the shares (D,), and those of resamples (R, D)."""
    if X is None:
        shares: Array | None = getattr(view.model, "feature_relevance_", None)
        if shares is None:
            raise ValueError(
                f"{type(view.model).__name__} does not store rows. Pass X, the "
                "rows whose distances are split by column."
            )
        return shares, np.empty((0, len(shares)))
    distance, codes = view.distance, view.distance.encode(X)
    labels = check_labels([0] * len(codes) if y is None else y, len(codes))
    numbers = {label: k for k, label in enumerate(dict.fromkeys(labels))}
    classes = np.array([numbers[label] for label in labels])
    unique = unique_rows(codes, classes)
    if isinstance(distance, ValueVectors):
        distance = replace(distance, shares=None)  # those of fit
    rng = np.random.default_rng(0)
    shares, *resampled = [
        distance.relevance(unique.codes, weights)
        for weights in (
            unique.weights,
            *(_resample(unique.weights, unique.y, rng) for _ in range(n_resamples)),
        )
    ]
    return shares, np.reshape(resampled, (-1, len(shares)))


def _resample(weights: Array, y: NDArray[np.intp], rng: np.random.Generator) -> Array:
    """Return how often each row is drawn, with replacement within its class."""
    drawn = np.zeros(len(weights))
    for label in np.unique(y):
        of_class = weights[y == label]
        n_rows = of_class.sum()
        drawn[y == label] = rng.multinomial(round(n_rows), of_class / n_rows)
    return drawn


def _draw_whiskers(ax: Axes, bars: Bars, resampled: Array) -> Array:
    """Draw whiskers over resamples; return where bars with whiskers end (k,)."""
    if not len(resampled):
        return bars.lengths
    drawn = resampled[:, bars.shown]
    if bars.rest:
        others = resampled.sum(axis=1) - drawn.sum(axis=1)
        drawn = np.column_stack([drawn, others])
    low, high = np.percentile(drawn, INTERVAL, axis=0)
    at = np.arange(len(bars.lengths))
    ax.hlines(at, low, high, color="black", linewidth=1.2, zorder=3)
    return np.where(bars.lengths < 0.0, np.minimum(low, bars.lengths), high)


def _note(of_fit: bool, is_exact: bool, n_resamples: int, by_class: bool) -> str:
    pairs = "all pairs" if is_exact else f"{N_PAIRS} pairs"
    if of_fit:
        return f"Over {pairs} of the rows that the metric was learned from."
    rows = f"Over {pairs} of the rows given."
    if not n_resamples:
        return rows
    how = ", class by class" if by_class else ""
    return (
        f"{rows} Whiskers: the middle 95 % of "
        f"{count_text(n_resamples, 'resample')} of them{how}; the metric is fixed."
    )


def _check_resamples(n_resamples: object, X: object, view: ModelView) -> int:
    """Return the number of resamples, or raise ValueError."""
    n_resamples = check_whole(n_resamples, "n_resamples", "relevance", low=0)
    if n_resamples and X is None:
        raise ValueError("n_resamples needs rows to draw from; pass X, a table.")
    if n_resamples and not view.distance.has_vectors:
        raise ValueError(
            f"{view.report.method} has no value vectors, so its shares are "
            f"estimated from {N_PAIRS} pairs of rows, and whiskers would show that "
            "alone. Set n_resamples to 0."
        )
    return n_resamples
