"""Regressors evaluated on a user's table: R2 and errors on the same splits."""

from typing import Any

import numpy as np
import typer

from nearkind.cli.comparison import rank
from nearkind.cli.methods import name_of
from nearkind.cli.number_fits import numbered_table, predicts_number
from nearkind.cli.options import Trials
from nearkind.cli.progress import progress_bar
from nearkind.cli.usable_columns import declare, without_aside
from nearkind.datasets.readers import read_data
from nearkind.errors import did_you_mean
from nearkind.io import Columns, LabelledSource, short_name
from nearkind.io.sources import can_be_read_once
from nearkind.search.regressors import REGRESSORS, number_trial

HELD = 5
"""One row in so many is held out."""


def number_columns(source: LabelledSource, task: str) -> Columns | None:
    """Return the columns of a table whose target is a number, None if it is a class.

    What can be read only once is taken for classes, unless the task is stated.
    """
    if task == "class" or (task == "auto" and can_be_read_once(source.data)):
        return None
    columns = read_data(source.data, source.options)
    return columns if predicts_number(columns, source, task) else None


def number_scores(
    columns: Columns, source: LabelledSource, trials: Trials, ranked: bool
) -> dict[str, Any]:
    """Return the mean scores of regressors on the same splits, with ranks if wanted."""
    names = list(dict.fromkeys(map(name_of, trials.method or REGRESSORS)))
    for name in names:
        if name not in REGRESSORS:
            hint = did_you_mean(name, REGRESSORS)
            raise typer.BadParameter(f"no method {name!r} predicts numbers. {hint}")
    X, y = numbered_table(columns, source)
    where, known = short_name(source.data), np.flatnonzero(~np.isnan(y))
    if len(known) < 2 * HELD:
        raise ValueError(
            f"{where} has {len(known)} rows with a number; comparing takes at least "
            f"{2 * HELD}."
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
    return rank(facts, r2) if ranked else facts


def _means(name: str, scores: list[dict[str, float]]) -> dict[str, Any]:
    table = {key: np.array([each[key] for each in scores]) for key in scores[0]}
    means = {key: float(column.mean()) for key, column in table.items()}
    spread = {f"{key}_deviation": float(x.std()) for key, x in table.items()}
    del spread["seconds_deviation"]
    return {"method": name, "status": "done", **means, **spread}
