"""Reliability diagrams: how often an answer is right, by the confidence in it."""

import numpy as np

from benchmarks.accuracy.scores import N_BINS
from benchmarks.accuracy.trial import METHODS
from nearkind.experiments.paper.figures import COLOURS, panels

N_COLUMNS = 5


def reliability(rows, method):
    """Return share of rows, mean confidence and accuracy of each bin (3, N_BINS).

    Every set has the same weight, whatever its number of test rows. Confidence and
    accuracy of an empty bin are NaN.
    """
    of_set = {}
    for row in rows:
        if row.method == method and row.is_done:
            of_set.setdefault(row.dataset, []).append(row.bins)
    sums = [np.sum(found, axis=0) for found in of_set.values()]  # (N_BINS, 3) each
    counts, confidence, right = np.mean([s / s[:, 0].sum() for s in sums], axis=0).T
    with np.errstate(invalid="ignore"):
        return np.stack([counts, confidence / counts, right / counts])


def calibration_error(shares, confidence, right):
    """Return the mean over rows of the bins' |accuracy - confidence|."""
    return float(np.nansum(shares * np.abs(right - confidence)))


def diagram(rows):
    """Return a figure with a panel for each method."""
    rows = list(rows)
    names = {row.method for row in rows}
    methods = [name for name in METHODS if name in names]
    n_lines = -(-len(methods) // N_COLUMNS)
    figure, axes = panels(n_lines, min(N_COLUMNS, len(methods)), (2.1, 2.6))
    for each in axes.ravel()[len(methods) :]:
        each.set_visible(False)
    edges = np.linspace(0.0, 1.0, N_BINS + 1)
    for each, method in zip(axes.ravel(), methods, strict=False):
        shares, confidence, right = reliability(rows, method)
        error = calibration_error(shares, confidence, right)
        each.bar(edges[:-1], shares, 1 / N_BINS, align="edge", color="#cccccc")
        each.plot([0, 1], [0, 1], color="#999999", linewidth=0.8, linestyle="--")
        seen = shares > 0.0
        each.plot(
            confidence[seen], right[seen],
            color=COLOURS[0], marker="o", markersize=3, linewidth=1.3,
        )  # fmt: skip
        each.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        each.set_title(f"{method}\nerror {100 * error:.1f} points", fontsize=9)
        each.tick_params(labelsize=7)
    figure.supxlabel("largest probability", fontsize=9)
    figure.supylabel("share right; bars: share of rows", fontsize=9)
    return figure
