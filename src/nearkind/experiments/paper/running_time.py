"""How long a fit takes: against the number of classes, and against that of rows."""

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from nearkind import baselines
from nearkind.datasets import make_synthetic
from nearkind.estimators.cpml import CPML
from nearkind.experiments.paper.drawing import curves, panels
from nearkind.experiments.paper.tables import Table
from nearkind.experiments.paper.workshop import Workshop

CLASSES = (2, 4, 8, 12, 16, 20)
ROWS = (500, 1000, 2000, 4000, 8000)
N_CLASSES = 12
ENOUGH: dict[str, Any] = {"tol": 1e-2, "max_iter": 60}
OURS: dict[str, Callable[[], Any]] = {
    "cpml-s": partial(CPML, "single", **ENOUGH),
    "cpml-m": partial(CPML, "multi", **ENOUGH),
    "kdml": baselines.KDML,
}
RIVALS: dict[str, Callable[[], Any]] = OURS | {
    "lmnn": baselines.LMNN,
    "helic": baselines.HELIC,
    "pola": baselines.POLA,
}


def against_classes(workshop: Workshop) -> list[Path]:
    """Time 1,000 rows of more and more classes."""
    draw = [{"n_classes": n} for n in CLASSES]
    return _make(workshop, "time-classes", "classes", CLASSES, draw, OURS)


def against_rows(workshop: Workshop) -> list[Path]:
    """Time more and more rows of twelve classes."""
    draw = [{"n_samples": n, "n_classes": N_CLASSES} for n in ROWS]
    return _make(workshop, "time-rows", "rows", ROWS, draw, RIVALS, "log")


def _make(
    workshop: Workshop,
    name: str,
    what: str,
    at: Sequence[int],
    draw: Sequence[dict[str, int]],
    methods: dict[str, Callable[[], Any]],
    scale: str = "linear",
) -> list[Path]:
    seconds = {
        method: [best_of(make, settings, workshop.repeats) for settings in draw]
        for method, make in methods.items()
    }
    figure, axes = panels(1, 1, (5.2, 3.6))
    words = {"xlabel": what, "ylabel": "seconds of a fit", "yscale": "log"}
    curves(axes[0, 0], at, seconds, xscale=scale, **words)
    axes[0, 0].set_xticks(at, [f"{n:,}" for n in at])
    axes[0, 0].tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    axes[0, 0].legend(fontsize="small")
    rows = [
        [f"{n:,}", *(f"{times[i]:.3f}" for times in seconds.values())]
        for i, n in enumerate(at)
    ]
    title = f"Seconds of a fit against the number of {what}"
    note = f"10 features of weight 0.3; the least of {min(workshop.repeats, 3)} fits."
    table = Table(title, [what, *seconds], rows, [note])
    return workshop.save(figure, name) + workshop.write(table, name)


def best_of(make: Callable[[], Any], settings: dict[str, int], repeats: int) -> float:
    """Return the least time of up to three fits on one drawn table."""
    data = make_synthetic(**settings, random_state=0, as_frame=False)
    return min(_seconds(make(), data.X, data.y) for _ in range(min(repeats, 3)))


def _seconds(model: Any, X: Any, y: Any) -> float:
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an early stop is part of the time
        model.fit(X, y)
    return perf_counter() - start
