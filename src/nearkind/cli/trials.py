"""Methods tried on a user's table: rows of experiments, and what they say together."""

import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import typer

from nearkind.cli.ranking import rank
from nearkind.datasets.data_argument import is_set
from nearkind.errors import did_you_mean
from nearkind.experiments import METHODS, Design, Limits, Row, run
from nearkind.experiments.progress import (
    Progress,
    ProgressCallback,
    hide_progress,
    show_progress,
)
from nearkind.experiments.sets import UserTable
from nearkind.io import LabelledSource, short_name

DESIGN = Design(n_neighbors="choose")
SCORES = "accuracy", "balanced_accuracy", "triplet_accuracy"


class Effort(NamedTuple):
    """How much is tried."""

    repeats: int
    seconds: float
    jobs: int | None = None


def checked(methods: Iterable[str]) -> list[str]:
    """Return methods, each once, refusing unknown ones as bad usage."""
    chosen = list(dict.fromkeys(methods))
    for name in chosen:
        if name not in METHODS:
            hint = did_you_mean(name, METHODS)
            raise typer.BadParameter(f"there is no method {name!r}. {hint}")
    return chosen


def evaluation(
    source: LabelledSource, methods: list[str], effort: Effort
) -> dict[str, Any]:
    """Return the mean scores of methods, in the order that was asked for."""
    return _facts(source, _made(source, methods, effort))


def comparison(
    source: LabelledSource, methods: list[str], effort: Effort
) -> dict[str, Any]:
    """Return that with ranks and significance, the best mean rank first."""
    rows = _made(source, methods, effort)
    return rank(_facts(source, rows), _accuracies(rows))


def _made(source: LabelledSource, methods: Sequence[str], effort: Effort) -> list[Row]:
    """Run every method on the same splits, each in a process of its own."""
    limits = Limits(seconds=effort.seconds, jobs=effort.jobs)
    with TemporaryDirectory() as folder:
        table = _table(source, Path(folder))
        return run(
            [table.name],
            methods,
            effort.repeats,
            Path(folder) / "rows.jsonl",
            design=DESIGN,
            limits=limits,
            show=lambda n_skipped: _watched(table.display_name),
        )


def _table(source: LabelledSource, folder: Path) -> UserTable:
    """Return the table for processes elsewhere; standard input is copied first."""
    called = short_name(source.data)
    if source.data == "-":
        copy = folder / "copy"
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        return UserTable(source._replace(data=str(copy)), called)
    if is_set(source.data):
        return UserTable(source, called)
    return UserTable(source._replace(data=str(Path(source.data).absolute())), called)


@contextmanager
def _watched(called: str) -> Iterator[ProgressCallback]:
    """Show a run on a terminal under the name of the file, in a pipe not at all."""
    with (show_progress if sys.stderr.isatty() else hide_progress)() as watch:
        yield lambda state: watch(_renamed(state, called))


def _renamed(state: Progress, called: str) -> Progress:
    running = [key._replace(dataset=called) for key in state.running]
    last = state.last and state.last._replace(dataset=called)
    return state._replace(running=running, last=last)


def _facts(source: LabelledSource, rows: list[Row]) -> dict[str, Any]:
    by_method: dict[str, list[Row]] = {}
    for row in rows:
        by_method.setdefault(row.method, []).append(row)
    sizes = [row for row in rows if row.is_done]
    if not sizes:
        raise ValueError(f"No method came to an end on it: {rows[0].status}.")
    one = sizes[0]
    return {
        "data": short_name(source.data),
        "target": source.target,
        "rows": sum(n or 0 for n in (one.n_train, one.n_valid, one.n_test)),
        "features": one.n_features,
        "repeats": len(next(iter(by_method.values()))),
        "majority_share": _mean_and_deviation(sizes, "majority_share")[0],
        "methods": [_method(name, mine) for name, mine in by_method.items()],
    }


def _method(name: str, rows: list[Row]) -> dict[str, Any]:
    """Return what the rows of one method say; scores only if all came to an end."""
    undone = [row.status for row in rows if not row.is_done]
    done = [] if undone else rows
    facts: dict[str, Any] = {"method": name, "status": undone[0] if undone else "done"}
    for score in SCORES:
        facts[score], facts[f"{score}_deviation"] = _mean_and_deviation(done, score)
    facts["seconds"] = _mean_and_deviation(rows, "seconds")[0]
    return facts


def _mean_and_deviation(
    rows: Sequence[Row], score: str
) -> tuple[float | None, float | None]:
    values = [getattr(row, score) for row in rows]
    values = [value for value in values if value is not None]
    if not values:
        return None, None
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return float(np.mean(values)), spread


def _accuracies(rows: Sequence[Row]) -> dict[str, list[float]]:
    """Return the accuracy in each repetition, of methods that came to an end in all."""
    found: dict[str, list[float]] = {}
    for row in sorted(rows, key=lambda row: row.repetition):
        found.setdefault(row.method, []).append(
            np.nan if row.accuracy is None else row.accuracy
        )
    return {
        name: scores for name, scores in found.items() if not np.isnan(scores).any()
    }
