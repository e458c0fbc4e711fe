"""Methods evaluated on a user's table: mean scores, ranks and significance."""

import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import typer

from nearkind.cli.jit import compile_ahead
from nearkind.cli.methods import STRUCTURES, TRIALS, trial_name
from nearkind.cli.options import Trials
from nearkind.datasets.readers import is_set, warn_shadowed
from nearkind.errors import did_you_mean
from nearkind.experiments import METHODS, Design, Limits, Row, run, statistics
from nearkind.experiments.progress import (
    ProgressCallback,
    RunProgress,
    hide_progress,
    show_progress,
)
from nearkind.experiments.sets import UserTable
from nearkind.io import LabelledSource, short_name
from nearkind.io.sources import can_be_read_once, open_bytes

DESIGN = Design(n_neighbors="choose", tol=1e-2, max_iter=20)
COMPILED = frozenset(map(trial_name, STRUCTURES))
"""Methods whose first trial would else wait for the compiler."""
SCORES = "accuracy", "balanced_accuracy", "triplet_accuracy"
CAUTION = (
    "Repetitions share rows, so they are not independent: p-values are a guide, not a "
    "proof."
)


def check_methods(methods: Iterable[str]) -> list[str]:
    """Return methods, each once; raise BadParameter for an unknown one."""
    chosen = list(dict.fromkeys(map(trial_name, methods)))
    for name in chosen:
        if name not in METHODS:
            hint = did_you_mean(name, [*METHODS, *TRIALS])
            raise typer.BadParameter(
                f"there is no method {name!r}. {hint} --list-methods lists all."
            )
    return chosen


def evaluate_methods(
    source: LabelledSource, methods: Iterable[str], trials: Trials
) -> dict[str, Any]:
    """Return the mean scores of methods, in the order given."""
    return mean_scores(source, _run(source, methods, trials))


def compare_methods(
    source: LabelledSource, methods: Iterable[str], trials: Trials
) -> dict[str, Any]:
    """Return mean scores, ranks and significance, the best mean rank first."""
    rows = _run(source, methods, trials)
    return rank(mean_scores(source, rows), accuracies(rows))


def _run(source: LabelledSource, names: Iterable[str], trials: Trials) -> list[Row]:
    """Run every method on the same splits, each in a process of its own."""
    methods = check_methods(names)
    limits = Limits(seconds=trials.seconds, jobs=trials.jobs)
    if not COMPILED.isdisjoint(methods):
        compile_ahead()
    with TemporaryDirectory() as folder:
        table = _table(source, Path(folder))
        return run(
            [table.name],
            methods,
            trials.repeats,
            Path(folder) / "rows.jsonl",
            design=DESIGN,
            limits=limits,
            show=lambda n_skipped: _named_progress(table.display_name),
        )


def _table(source: LabelledSource, folder: Path) -> UserTable:
    """Return the table for other processes; pipes are copied to a file."""
    name = short_name(source.data)
    if can_be_read_once(source.data):
        copy = folder / "copy"
        with open_bytes(source.data) as stream, copy.open("wb") as file:
            shutil.copyfileobj(stream, file)
        return UserTable(source._replace(data=str(copy)), name)
    if is_set(source.data):
        return UserTable(source, name)
    warn_shadowed(source.data)
    return UserTable(source._replace(data=str(Path(source.data).absolute())), name)


@contextmanager
def _named_progress(name: str) -> Iterator[ProgressCallback]:
    """Show a run under the name of the file, on a terminal only."""
    with (show_progress if sys.stderr.isatty() else hide_progress)() as callback:
        yield lambda progress: callback(_rename(progress, name))


def _rename(progress: RunProgress, name: str) -> RunProgress:
    running = [key._replace(dataset=name) for key in progress.running]
    last = progress.last and progress.last._replace(dataset=name)
    return progress._replace(running=running, last=last)


def mean_scores(source: LabelledSource, rows: list[Row]) -> dict[str, Any]:
    """Return the size of the table, and the mean scores of each method."""
    by_method: dict[str, list[Row]] = {}
    for row in rows:
        by_method.setdefault(row.method, []).append(row)
    done = [row for row in rows if row.is_done]
    if not done:
        raise ValueError(f"No method came to an end on it: {rows[0].status}.")
    one = done[0]
    return {
        "data": short_name(source.data),
        "target": source.target,
        "rows": sum(n or 0 for n in (one.n_train, one.n_valid, one.n_test)),
        "features": one.n_features,
        "repeats": len(next(iter(by_method.values()))),
        "majority_share": _mean_and_deviation(done, "majority_share")[0],
        "methods": [_method_scores(name, own) for name, own in by_method.items()],
    }


def _method_scores(name: str, rows: list[Row]) -> dict[str, Any]:
    """Return the mean scores of a method; None if a trial did not come to an end."""
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


def accuracies(rows: Sequence[Row]) -> dict[str, list[float]]:
    """Return the accuracy in each repetition, of methods without a failed trial."""
    found: dict[str, list[float]] = {}
    for row in sorted(rows, key=lambda row: row.repetition):
        found.setdefault(row.method, []).append(
            np.nan if row.accuracy is None else row.accuracy
        )
    return {
        name: scores for name, scores in found.items() if not np.isnan(scores).any()
    }


def rank(facts: dict[str, Any], accuracies: dict[str, list[float]]) -> dict[str, Any]:
    """Add mean ranks and p-values to the facts of methods, the best one first.

    Parameters
    ----------
    facts : dict
        With ``methods``, a list of dict.
    accuracies : dict of list of float
        Accuracy in each repetition, of the methods without a failed trial.

    Examples
    --------
    >>> facts = {"methods": [{"method": "a"}, {"method": "b"}]}
    >>> ranked = rank(facts, {"a": [0.5, 0.6], "b": [0.7, 0.9]})
    >>> [(m["method"], m["mean_rank"]) for m in ranked["methods"]]
    [('b', 1.0), ('a', 2.0)]
    """
    names = list(accuracies)
    table = np.array(list(accuracies.values())).T  # (repetitions, methods)
    ranked: dict[str, Any] = dict.fromkeys(names, (1.0, None))
    friedman = None
    if len(names) > 1:
        ranks = statistics.mean_ranks(table).tolist()
        p_values = _p_values(int(np.argmin(ranks)), table)
        ranked = dict(zip(names, zip(ranks, p_values, strict=True), strict=True))
        friedman = statistics.friedman(table)._asdict() if len(table) > 1 else None
    methods = [_with_rank(method, ranked) for method in facts["methods"]]
    methods.sort(key=lambda m: (m["mean_rank"] is None, m["mean_rank"]))
    return {
        **facts,
        "methods": methods,
        "friedman": friedman,
        "smallest_p_value": smallest_p_value(len(table), len(names)),
        "caution": CAUTION,
    }


def smallest_p_value(n_repetitions: int, n_methods: int) -> float:
    """Return the p-value if the best method won every time: there is no smaller one.

    Examples
    --------
    >>> smallest_p_value(10, 5)
    0.0078125
    """
    return min(1.0, 2.0 ** (1 - n_repetitions) * max(n_methods - 1, 1))


def _with_rank(method: dict[str, Any], ranked: dict[str, Any]) -> dict[str, Any]:
    mean_rank, p_value = ranked.get(method["method"], (None, None))
    return {**method, "mean_rank": mean_rank, "p_value": p_value}


def _p_values(best: int, table: Any) -> list[float | None]:
    """Return Wilcoxon's p-values of the best against each other method, by Holm."""
    others = [j for j in range(table.shape[1]) if j != best]
    apart = [np.round(table[:, best] - table[:, j], statistics.DIGITS) for j in others]
    adjusted = statistics.holm([statistics.signed_rank(d) for d in apart])
    found = dict(zip(others, adjusted.tolist(), strict=True))
    return [found.get(j) for j in range(table.shape[1])]
