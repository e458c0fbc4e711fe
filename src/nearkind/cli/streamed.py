"""A model from a file that is never in memory as a whole."""

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import typer

from nearkind import CPML, CPMLClassifier
from nearkind.cli.contributions import relevance
from nearkind.cli.learned import SEARCH, STRUCTURES, TOLERANCE, Settings, is_watched
from nearkind.datasets.data_argument import is_set
from nearkind.estimators.classifier import reference_rows
from nearkind.io import Batches
from nearkind.io.formats import format_by_name

LARGE_TEXT = 200 * 2**20
LARGE = 50 * 2**20
"""Bytes of a file that is read in batches unless it is asked otherwise; packed or not
text it holds more."""
HELD = 5
"""One in so many of the rows remembered is asked instead of voting."""
HOW = "on a fifth of the remembered rows, which taught the distance but did not vote"
PASSES = ("counting", "learning")
NO_SEARCH = (
    "Read in batches, so one distance is learned and none is searched for; "
    "--no-stream searches, with all rows in memory."
)


def is_meant(stream: bool | None, data: str, settings: Settings) -> bool:
    """Say whether to read a file in batches."""
    can = settings.method in (SEARCH, *STRUCTURES)
    if stream and not can:
        listed = ", ".join(STRUCTURES)
        raise typer.BadParameter(
            f"{settings.method} learns from whole tables; one of {listed} can.",
            param_hint="--stream",
        )
    return can and is_large(data) if stream is None else stream


def is_large(data: str) -> bool:
    """Say whether a file is too large to be read at once in good time."""
    path = Path(data)
    if is_set(data) or not path.is_file():
        return False
    form = format_by_name(data)
    packed = data.lower().endswith(".gz") or not (form is None or form.is_text)
    return path.stat().st_size > (LARGE if packed else LARGE_TEXT)


def learn(
    batches: Batches, settings: Settings, n_remembered: int
) -> tuple[Any, dict[str, Any]]:
    """Return a fitted classifier and the facts of it."""
    start = perf_counter()
    if settings.method == SEARCH:
        typer.echo(NO_SEARCH, err=True)
    model = _model(settings)
    model.fit_batches(Shown(batches), n_remembered=n_remembered)
    seconds = perf_counter() - start
    metric = model.metric_
    counts = dict(zip(metric.classes_.tolist(), metric.class_count_, strict=True))
    falling = sorted(counts, key=lambda label: -counts[label])
    votes = f"votes of {model.n_neighbors} among {model.n_remembered_:,} rows"
    return model, {
        "method": settings.method if settings.method != SEARCH else STRUCTURES[0],
        "target": batches.source.target,
        "rows": model.n_samples_seen_,
        "remembered": model.n_remembered_,
        "features": len(batches.names),
        "classes": {label: int(counts[label]) for label in falling},
        "chosen": [f"{' '.join(repr(metric).split())}, {votes} remembered"],
        "accuracy": _accuracy(model, settings.seed),
        "accuracy_is": HOW,
        "majority_share": counts[falling[0]] / model.n_samples_seen_,
        "relevance": relevance(model, None),
        "seconds": seconds,
    }


def _model(settings: Settings) -> CPMLClassifier:
    """Return it unfitted; a search would need all rows at once."""
    structure = STRUCTURES[0] if settings.method == SEARCH else settings.method
    return CPMLClassifier(
        CPML(
            structure,
            tol=TOLERANCE,
            numeric=settings.numeric,
            random_state=settings.seed,
        )
    )


def _accuracy(model: CPMLClassifier, seed: int) -> float | None:
    """Return the share of right answers on remembered rows, others voting."""
    rows = reference_rows(model.metric_)
    held = np.random.default_rng(seed).permutation(len(rows)) % HELD == 0
    if len(np.unique(rows.y[~held])) < 2 or not held.any():
        return None
    others = CPMLClassifier(n_neighbors=model.n_neighbors)
    others.fit_over(model.metric_, rows.take(np.flatnonzero(~held)))
    asked = rows.take(np.flatnonzero(held))
    right = others.predict(asked) == asked.classes[asked.y]
    return float(np.average(right, weights=asked.weights))


class Shown:
    """Batches that show on a terminal how far they have been read."""

    def __init__(self, batches: Batches) -> None:
        self.batches, self.n_passes = batches, 0

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Yield the batches, with a bar if somebody sees it."""
        if not is_watched():
            yield from self.batches
            return
        from rich.console import Console
        from rich.progress import Progress

        what = PASSES[min(self.n_passes, 1)]
        self.n_passes += 1
        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(f"looking at {self.batches.where}", total=None)
            bar.update(task, total=self.batches.n_rows, description=what)
            for X, y in self.batches:
                yield X, y
                bar.advance(task, len(y))
