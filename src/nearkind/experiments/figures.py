"""The paper's figures, and the figure of mean ranks; they need matplotlib."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from nearkind import baselines
from nearkind.datasets import make_synthetic
from nearkind.estimators.cpml import CPML
from nearkind.experiments import statistics
from nearkind.experiments.reproduction import Reproduction, ResultTable
from nearkind.experiments.rows import Row
from nearkind.experiments.sets import Synthetic
from nearkind.protocols import Array

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""The palette of Okabe and Ito, which colour-blind readers can tell apart."""
MARKERS = "osD^vPX"

N_FEATURES, N_CLASSES = 6, 4
"""Sizes of the drawn structures."""

FEATURES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25)
WEIGHTS = (0.1, 0.3, 0.5, 0.7, 0.9)
SYNTHETIC_METHODS = ("cpml-s", "cpml-m")
SYNTHETIC_SCORES = {
    "triplet_accuracy": "triplet accuracy",
    "accuracy": "accuracy of 1-NN",
}

CLASSES = (2, 4, 8, 12, 16, 20)
ROWS = (500, 1000, 2000, 4000, 8000)
CLASSES_OF_ROWS = 12
MOST_TIMED_FITS = 3
EARLY_STOP: dict[str, Any] = {"tol": 1e-2, "max_iter": 60}
TIMED_BY_CLASSES: dict[str, Callable[[], Any]] = {
    "cpml-s": partial(CPML, "single", **EARLY_STOP),
    "cpml-m": partial(CPML, "multi", **EARLY_STOP),
    "kdml": baselines.KDML,
}
TIMED_BY_ROWS: dict[str, Callable[[], Any]] = TIMED_BY_CLASSES | {
    "lmnn": baselines.LMNN,
    "helic": baselines.HELIC,
    "pola": baselines.POLA,
}


def panels(n_rows: int, n_columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """Return a figure and its axes (n_rows, n_columns), each of this size in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ValueError(
            'Figures need matplotlib. Install it with: pip install "nearkind[plot]"'
        ) from None
    width, height = size
    figure = Figure(figsize=(width * n_columns, height * n_rows), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False)
    for each in axes.ravel():
        each.spines[["top", "right"]].set_visible(False)
        each.grid(alpha=0.25)
    return figure, axes


def draw_curves(
    axes: Any, x: Sequence[float], curves: Mapping[str, Sequence[float]], **labels: str
) -> None:
    """Draw a line for each name; ``labels`` go to ``axes.set``."""
    for place, (name, y) in enumerate(curves.items()):
        style = {"color": COLOURS[place % 7], "marker": MARKERS[place % 7]}
        axes.plot(x, y, label=name, markersize=4, linewidth=1.5, **style)
    axes.set(**labels)


def structures(reproduction: Reproduction) -> list[Path]:
    """Make the figure of the pairs of (class, feature) that each metric couples."""
    figure, axes = panels(1, 4, (2.4, 2.6))
    for each, (name, M) in zip(axes[0], structure_matrices().items(), strict=True):
        each.imshow(np.abs(M), cmap="Blues", interpolation="nearest")
        each.set(title=name, xticks=[], yticks=[])
        each.grid(False)
        each.spines[:].set_visible(True)
        for at in range(N_FEATURES, len(M), N_FEATURES):
            each.axhline(at - 0.5, color="#999999", linewidth=0.8)
            each.axvline(at - 0.5, color="#999999", linewidth=0.8)
    return reproduction.write_figure(figure, "structures")


def structure_matrices() -> dict[str, Array]:
    """Return a random metric of each structure on all D C coordinates, by name."""
    rng = np.random.default_rng(0)

    def metric(width: int) -> Array:
        F = rng.normal(size=(width, width))
        return F @ F.T / width

    blocks = [metric(N_FEATURES) for _ in range(N_CLASSES)]
    multi: Array = np.zeros((N_FEATURES * N_CLASSES,) * 2)
    for c, block in enumerate(blocks):
        at = slice(c * N_FEATURES, (c + 1) * N_FEATURES)
        multi[at, at] = block
    return {
        "KDML": metric(N_FEATURES * N_CLASSES),
        "CPm": multi,
        "CPs": np.kron(np.eye(N_CLASSES), blocks[0]).astype(float),
        "Euclidean": np.eye(N_FEATURES * N_CLASSES),
    }


def synthetic(reproduction: Reproduction, n_classes: int) -> list[Path]:
    """Make figure and table of CPML-s and CPML-m by number of features and weight."""
    sets = {
        (n, w): Synthetic(n_features=n, n_classes=n_classes, weight=w).name
        for n, w in product(FEATURES, WEIGHTS)
    }
    rows = reproduction.rows(sets.values(), SYNTHETIC_METHODS)
    figure, axes = panels(2, 2, (4.2, 3.0))
    for i, method in enumerate(SYNTHETIC_METHODS):
        for j, (score, title) in enumerate(SYNTHETIC_SCORES.items()):
            curves = {
                f"weight {w}": [
                    _mean(rows, sets[n, w], method, score) for n in FEATURES
                ]
                for w in WEIGHTS
            }
            labels = {"title": method, "xlabel": "features", "ylabel": title}
            draw_curves(axes[i, j], FEATURES, curves, **labels)
    axes[0, 0].legend(fontsize="small")
    columns = list(product(SYNTHETIC_METHODS, SYNTHETIC_SCORES))
    lines = [
        [
            f"{n}",
            f"{w}",
            *(f"{_mean(rows, dataset, *column):.4f}" for column in columns),
        ]
        for (n, w), dataset in sets.items()
    ]
    head = ["features", "weight", *(f"{m} {s}" for m, s in columns)]
    table = ResultTable(f"Synthetic data, {n_classes} classes", head, lines)
    name = f"synthetic-{n_classes}"
    figures = reproduction.write_figure(figure, name)
    return figures + reproduction.write_table(table, name)


def _mean(rows: Sequence[Row], dataset: str, method: str, score: str) -> float:
    """Return the mean of a score over the repetitions that are done."""
    found = [
        getattr(row, score)
        for row in rows
        if (row.dataset, row.method) == (dataset, method) and row.is_done
    ]
    return sum(found) / len(found) if found else float("nan")


def time_by_classes(reproduction: Reproduction) -> list[Path]:
    """Make figure and table of the time of a fit by number of classes, 1,000 rows."""
    settings = [{"n_classes": n} for n in CLASSES]
    seconds = _fit_times(TIMED_BY_CLASSES, settings, reproduction.repeats)
    return _write_times(reproduction, "classes", CLASSES, seconds, "linear")


def time_by_rows(reproduction: Reproduction) -> list[Path]:
    """Make figure and table of the time of a fit by number of rows, 12 classes."""
    settings = [{"n_samples": n, "n_classes": CLASSES_OF_ROWS} for n in ROWS]
    seconds = _fit_times(TIMED_BY_ROWS, settings, reproduction.repeats)
    return _write_times(reproduction, "rows", ROWS, seconds, "log")


def _fit_times(
    methods: Mapping[str, Callable[[], Any]],
    settings: Sequence[dict[str, int]],
    repeats: int,
) -> dict[str, list[float]]:
    """Return the shortest time of some fits of each method on each synthetic set."""
    n_fits = min(repeats, MOST_TIMED_FITS)
    return {
        name: [min(fit_seconds(make, each) for _ in range(n_fits)) for each in settings]
        for name, make in methods.items()
    }


def fit_seconds(make: Callable[[], Any], settings: Mapping[str, Any]) -> float:
    """Return the time of one fit on synthetic data with these settings."""
    data = make_synthetic(**settings, random_state=0, as_frame=False)
    model = make()
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an early stop is part of the time
        model.fit(data.X, data.y)
    return perf_counter() - start


def _write_times(
    reproduction: Reproduction,
    unit: str,
    sizes: Sequence[int],
    seconds: Mapping[str, Sequence[float]],
    scale: str,
) -> list[Path]:
    figure, ((axes,),) = panels(1, 1, (5.2, 3.6))
    labels = {"xlabel": unit, "ylabel": "seconds of a fit", "yscale": "log"}
    draw_curves(axes, sizes, seconds, xscale=scale, **labels)
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axes.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    axes.legend(fontsize="small")
    rows = [
        [f"{n:,}", *(f"{times[i]:.3f}" for times in seconds.values())]
        for i, n in enumerate(sizes)
    ]
    title = f"Seconds of a fit against the number of {unit}"
    n_fits = min(reproduction.repeats, MOST_TIMED_FITS)
    note = f"10 features of weight 0.3; the least of {n_fits} fits."
    table = ResultTable(title, [unit, *seconds], rows, [note])
    figures = reproduction.write_figure(figure, f"time-{unit}")
    return figures + reproduction.write_table(table, f"time-{unit}")


def draw_mean_ranks(methods: Sequence[str], scores: Array) -> Any:
    """Return the critical-difference diagram of scores (N sets, k methods).

    Mean ranks on a line; bars join methods that do not differ (Demsar 2006).
    """
    means = statistics.mean_ranks(scores)
    apart = statistics.critical_difference(*scores.shape)
    bars = statistics.groups(means, apart)
    size = 7.0, 1.2 + 0.22 * len(methods) + 0.1 * len(bars)
    figure, ((axes,),) = panels(1, 1, size)
    figure.set_layout_engine("none")  # names stand outside the axes
    axes.axis("off")
    low, high = 1.0, float(len(methods))
    axes.plot([low, high], [0.0, 0.0], color="black", linewidth=1.2)
    for tick in range(int(low), int(high) + 1):
        axes.plot([tick, tick], [0.0, 0.12], color="black", linewidth=1.2)
        axes.text(tick, 0.2, str(tick), ha="center", va="bottom")
    axes.plot([low, low + apart], [0.85, 0.85], color="black", linewidth=2)
    axes.text(low + apart / 2, 0.95, f"CD = {apart:.2f}", ha="center", va="bottom")
    _draw_names(axes, methods, means, 0.16 * len(bars) + 0.25)
    for place, group in enumerate(bars):
        ends = [means[group[0]] - 0.04, means[group[-1]] + 0.04]
        y = -0.16 * (place + 1)
        axes.plot(ends, [y, y], color="#0072b2", linewidth=4, solid_capstyle="butt")
    return figure


def _draw_names(axes: Any, methods: Sequence[str], means: Array, below: float) -> None:
    """Write the better half to the left, the others to the right, without overlap."""
    order = np.argsort(means, kind="stable")
    half = (len(order) + 1) // 2
    for place, j in enumerate(order):
        left = place < half
        depth = place if left else len(order) - 1 - place
        y = -below - 0.3 * depth
        end = 0.6 if left else len(methods) + 0.4
        axes.plot([means[j], means[j], end], [0.0, y, y], color="black", linewidth=0.8)
        side = {"ha": "right" if left else "left", "va": "center"}
        text = f"{methods[j]}  {means[j]:.2f}"
        axes.text(end + (-0.05 if left else 0.05), y, text, **side)
