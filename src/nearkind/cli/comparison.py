"""Methods evaluated on a user's table: mean scores, ranks and significance."""

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import typer

from nearkind.cli.console import Facts, Screen
from nearkind.cli.fits import numbered_table, predicts_number
from nearkind.cli.jit import compile_ahead
from nearkind.cli.methods import STRUCTURES, TRIALS, name_of, trial_name
from nearkind.cli.options import TargetTable, Trials
from nearkind.cli.progress import progress_bar
from nearkind.cli.usable_columns import declare, set_aside, without_aside
from nearkind.datasets.readers import is_set, read_data, read_labelled, warn_shadowed
from nearkind.errors import did_you_mean
from nearkind.estimators.progress import is_watched
from nearkind.experiments import (
    METHODS,
    Design,
    Limits,
    Row,
    run,
    score_table,
    statistics,
)
from nearkind.experiments.rows import DONE
from nearkind.experiments.scores import values_by_cell
from nearkind.experiments.sets import UserTable
from nearkind.io import Columns, LabelledSource
from nearkind.io.sources import can_be_read_once, open_bytes
from nearkind.search.regressors import REGRESSORS, number_trial

DESIGN = Design(n_neighbors="choose", tol=1e-2, max_iter=20)
COMPILED = frozenset(map(trial_name, STRUCTURES))
"""Methods whose first trial would else wait for the compiler."""
SCORES = "accuracy", "balanced_accuracy", "triplet_accuracy"
CAUTION = (
    "Repetitions share rows, so they are not independent: p-values are a guide, not a "
    "proof."
)


HELD = 5
"""One row in so many is held out, where numbers are predicted."""


SIGNIFICANT = 0.05
HEADS = {
    "balanced_accuracy": "balanced",
    "triplet_accuracy": "triplets",
    "mean_rank": "mean rank",
    "p_value": "p",
    "r2": "R2",
    "rmse": "RMSE",
    "mae": "MAE",
}
"""Head of a column where it is not the key."""


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


def trial_facts(
    table: TargetTable,
    trials: Trials,
    task: str,
    methods: Iterable[str],
    ranked: bool,
) -> Facts:
    """Return the mean scores of methods, classifiers or regressors.

    Parameters
    ----------
    table : TargetTable
    trials : Trials
    task : {"auto", "class", "number"}
        What the target is.
    methods : iterable of str
        Those to try on classes if none is named.
    ranked : bool
        Whether to add ranks and significance, the best mean rank first.
    """
    source = table.source()
    if (columns := _number_columns(source, task)) is not None:
        facts, scores = _number_scores(columns, source, trials)
    else:
        rows = _run(source, trials.method or methods, trials)
        facts, scores = mean_scores(source, rows), accuracies(rows)
    return rank(facts, scores) if ranked else facts


def _run(source: LabelledSource, names: Iterable[str], trials: Trials) -> list[Row]:
    """Run every method on the same splits, each in a process of its own."""
    methods = check_methods(names)
    if not COMPILED.isdisjoint(methods):
        compile_ahead()
    with TemporaryDirectory() as folder:
        return run(
            [_table(source, Path(folder))],
            methods,
            trials.repeats,
            Path(folder) / "rows.jsonl",
            design=DESIGN,
            limits=Limits(trials.seconds),
            jobs=trials.jobs,
            verbose=int(is_watched()),
        )


def _table(source: LabelledSource, folder: Path) -> UserTable:
    """Return the table for other processes; pipes are copied to a file."""
    data = source.data
    if can_be_read_once(data):
        copy = folder / "copy"
        with open_bytes(data) as stream, copy.open("wb") as file:
            shutil.copyfileobj(stream, file)
        data = str(copy)
    elif not is_set(data):
        warn_shadowed(data)
        data = str(Path(data).absolute())
    name, source = source.where, replace(source, data=data)
    aside = set_aside(read_labelled(source).X, source.text, name)
    return UserTable(name, replace(source, drop=(*source.drop, *aside)))


def mean_scores(source: LabelledSource, rows: list[Row]) -> Facts:
    """Return the size of the table, and the mean scores of each method."""
    done = [row for row in rows if row.is_done]
    if not done:
        raise ValueError(f"Every method failed on it: {rows[0].status}.")
    one, methods = done[0], dict.fromkeys(row.method for row in rows)
    return {
        "data": source.where,
        "target": source.target,
        "rows": sum(n or 0 for n in (one.n_train, one.n_valid, one.n_test)),
        "features": one.n_features,
        "repeats": len({row.repetition for row in rows}),
        "majority_share": np.mean([row.majority_share for row in done]).item(),
        "methods": [
            _method_scores([row for row in rows if row.method == name])
            for name in methods
        ],
    }


def _method_scores(rows: list[Row]) -> Facts:
    """Return the mean scores of a method; None if one of its trials failed."""
    status = next((row.status for row in rows if not row.is_done), DONE)
    facts: Facts = {"method": rows[0].method, "status": status}
    for score in SCORES:
        table = score_table(rows, score)
        is_known = status == DONE and table.n_repetitions.item() > 0
        facts[score] = table.mean.item() if is_known else None
        facts[f"{score}_deviation"] = table.deviation.item() if is_known else None
    return {**facts, "seconds": np.mean([row.seconds for row in rows]).item()}


def accuracies(rows: Sequence[Row]) -> dict[str, list[float]]:
    """Return the accuracy in each repetition, of methods without a failed trial."""
    failed = {row.method for row in rows if not row.is_done}
    whole = [row for row in rows if row.method not in failed]
    found = values_by_cell(sorted(whole, key=lambda row: row.repetition), "accuracy")
    return {method: values for (_, method), values in found.items()}


def rank(facts: Facts, accuracies: dict[str, list[float]]) -> Facts:
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
    ranked: Facts = dict.fromkeys(names, (1.0, None))
    friedman = None
    if len(names) > 1:
        ranks = statistics.mean_ranks(table)
        p_values = _p_values(int(np.argmin(ranks)), table)
        pairs = zip(ranks.tolist(), p_values, strict=True)
        ranked = dict(zip(names, pairs, strict=True))
        friedman = statistics.friedman(table)._asdict() if len(table) > 1 else None
    methods = []
    for method in facts["methods"]:
        mean_rank, p_value = ranked.get(method["method"], (None, None))
        methods.append({**method, "mean_rank": mean_rank, "p_value": p_value})
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


def _p_values(best: int, table: Any) -> list[float | None]:
    """Return Wilcoxon's p-values of the best against each other method, by Holm."""
    gains = np.round(table[:, [best]] - table, statistics.DIGITS).T
    p_values = [statistics.signed_rank(gain) for gain in np.delete(gains, best, axis=0)]
    found: list[float | None] = statistics.holm(p_values).tolist()
    return [*found[:best], None, *found[best:]]


def _number_columns(source: LabelledSource, task: str) -> Columns | None:
    """Return the columns of a table whose target is a number, None if it is a class.

    What can be read only once is taken for classes, unless the task is stated.
    """
    if task == "class" or (task == "auto" and can_be_read_once(source.data)):
        return None
    columns = read_data(source.data, source.options)
    return columns if predicts_number(columns, source, task) else None


def _number_scores(
    columns: Columns, source: LabelledSource, trials: Trials
) -> tuple[Facts, dict[str, list[float]]]:
    """Return the mean scores of regressors on the same splits, and all R2."""
    names = list(dict.fromkeys(map(name_of, trials.method or REGRESSORS)))
    for name in names:
        if name not in REGRESSORS:
            hint = did_you_mean(name, REGRESSORS)
            raise typer.BadParameter(
                f"there is no method {name!r} for a numeric target. {hint}"
            )
    X, y = numbered_table(columns, source)
    where, known = source.where, np.flatnonzero(~np.isnan(y))
    if len(known) < 2 * HELD:
        raise ValueError(
            f"{where} has {len(known)} rows with a number; at least {2 * HELD}."
        )
    table = declare(without_aside(X, source.text, where), source.text).take(known)
    found: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    with progress_bar("fits", trials.repeats * len(names)) as advance:
        for repeat in range(trials.repeats):
            order = np.random.default_rng(repeat).permutation(len(known))
            parts = order[len(order) // HELD :], order[: len(order) // HELD]
            for name in names:
                found[name].append(
                    number_trial(name, table, y[known], parts, trials.seconds)
                )
                advance(1)
    facts = {
        "data": where,
        "target": source.target,
        "task": "number",
        "rows": len(known),
        "features": len(table.names),
        "repeats": trials.repeats,
        "methods": [_means(name, scores) for name, scores in found.items()],
    }
    r2 = {name: [each["r2"] for each in scores] for name, scores in found.items()}
    return facts, r2


def _means(name: str, scores: list[dict[str, float]]) -> Facts:
    table = {key: np.array([each[key] for each in scores]) for key in scores[0]}
    means = {key: float(column.mean()) for key, column in table.items()}
    spread = {f"{key}_deviation": float(x.std()) for key, x in table.items()}
    del spread["seconds_deviation"]
    return {"method": name, "status": "done", **means, **spread}


def show_evaluation(facts: Facts) -> None:
    """Print one line per method."""
    keys = ("accuracy", "balanced_accuracy", "triplet_accuracy")
    screen = _print_methods(facts, (*_number_keys(facts, keys), "seconds"))
    _print_failures(screen, facts)


def show_comparison(facts: Facts) -> None:
    """Print one line per method, the best first, and whether they differ."""
    keys = _number_keys(facts, ("accuracy", "triplet_accuracy"))
    screen = _print_methods(facts, ("mean_rank", *keys, "p_value", "seconds"))
    if facts["friedman"] is not None:
        p_value = facts["friedman"]["p_value"]
        screen.line(f"Friedman: p = {p_value:.2g} that all methods are equally good.")
    screen.line(f"p: Wilcoxon against the first, adjusted by Holm. {facts['caution']}")
    if facts["smallest_p_value"] > SIGNIFICANT:
        screen.line(
            "With so few splits no p can be below "
            f"{facts['smallest_p_value']:.2g}; raise --repeats."
        )
    _print_failures(screen, facts)


def _number_keys(facts: Facts, of_classes: tuple[str, ...]) -> tuple[str, ...]:
    return ("r2", "rmse", "mae") if "task" in facts else of_classes


def _print_methods(facts: Facts, keys: tuple[str, ...]) -> Screen:
    """Print a table with a line per method and a column per key."""
    screen, heads = Screen(), [HEADS.get(key, key) for key in keys]
    baseline = ""
    if "majority_share" in facts:
        baseline = f"; majority-class baseline {facts['majority_share']:.1%}"
    screen.line(
        f"{facts['data']}: {facts['rows']:,} rows, {facts['features']} features, "
        f"{facts['repeats']} splits{baseline}",
        bold=True,
    )
    lines = [
        (method["method"], *(_score(method, key) for key in keys))
        for method in facts["methods"]
    ]
    screen.table(("method", *heads), lines, right=heads)
    return screen


def _print_failures(screen: Screen, facts: Facts) -> None:
    for method in facts["methods"]:
        if method["status"] != "done":
            screen.line(f"{method['method']}: {method['status']}")


def _score(method: Facts, key: str) -> str:
    """Return a number of a method as text, with its deviation if it has one."""
    value, deviation = method[key], method.get(f"{key}_deviation")
    if value is None:
        return "-"
    if deviation is not None and key in ("r2", "rmse", "mae"):
        form = ".3f" if key == "r2" else ".5g"
        return f"{value:{form}} ± {deviation:{form}}"
    if deviation is not None:
        return f"{value:.1%} ± {deviation:.1%}"
    return format(value, ".3f" if key == "p_value" else ".1f")
