"""Whether a target is a number, and fits of regressors to tables."""

from math import nan
from time import perf_counter
from typing import Any

import numpy as np
import typer

from nearkind.cli.explanations import relevance_facts
from nearkind.cli.fit_settings import FitSettings
from nearkind.cli.predictions import numbers_of
from nearkind.cli.usable_columns import declare, without_aside
from nearkind.datasets.readers import select_features
from nearkind.io import Columns, LabelledSource, require_column, short_name
from nearkind.model_view import ModelView
from nearkind.protocols import Array
from nearkind.tables import printable

FEW_NUMBERS = 20
"""Different numbers of a target up to which they are taken for classes."""
CROSS_VALIDATED = (
    "on {:,} held-out rows, cross-validated; also used for selection, so slightly "
    "optimistic"
)
NOT_MEASURED = "R2 is measured by method cv alone."


def predicts_number(
    columns: Columns, source: LabelledSource, task: str = "auto"
) -> bool:
    """Return whether a number is to be predicted; say why if it is not stated."""
    column, where = source.target, short_name(source.data)
    column = require_column(column, columns, where)
    if task != "auto":
        return task == "number"
    numbers = None if column in source.text else numbers_of(columns[column])
    if numbers is None:
        return False
    n_numbers = len(np.unique(numbers[~np.isnan(numbers)]))
    is_number = n_numbers > FEW_NUMBERS
    if n_numbers > 2:
        found, other = ("a number", "class") if is_number else ("a class", "number")
        text = (
            f"{column!r} holds {n_numbers:,} different numbers, so {found} is "
            f"predicted; --task {other} predicts a {other}."
        )
        typer.echo(printable(text), err=True)
    return is_number


def numbered_table(columns: Columns, source: LabelledSource) -> tuple[Columns, Array]:
    """Return the features of a table, and the target as numbers, NaN where missing."""
    where = short_name(source.data)
    target = require_column(source.target, columns, where)
    y = numbers_of(columns[target])
    if y is None:
        raise ValueError(
            f"Column {target!r} of {where} holds values that are no numbers. Pass "
            "--task class to predict a class."
        )
    drop, dates = (target, *source.drop), source.options.dates
    return select_features(columns, where, drop, source.text, dates), y


def fit_number(
    columns: Columns, source: LabelledSource, settings: FitSettings
) -> tuple[Any, dict[str, Any]]:
    """Return a regressor fitted to a table, and the facts of the fit."""
    where, text = short_name(source.data), source.text
    target = require_column(source.target, columns, where)
    X, y = numbered_table(columns, source)
    known = ~np.isnan(y)
    if not known.all():
        typer.echo(
            f"{(~known).sum():,} rows have no {target!r} and are left out.", err=True
        )
    X = without_aside(X, text, where)
    table, start = declare(X, text), perf_counter()
    # Rows beside those without a number keep the numbers that they have in the file.
    model = settings.regressor().fit(
        table, np.where(known, y, 0.0), known.astype(float)
    )
    return model, {
        "method": settings.name,
        "task": "number",
        "target": target,
        "rows": int(known.sum()),
        "features": len(table.names),
        "chosen": [chosen_text(each) for each in model.committee_.voters],
        "scale": type(model.committee_.scale).__name__,
        "r2": getattr(model, "best_score_", nan),
        "r2_is": CROSS_VALIDATED.format(len(getattr(model, "held_rows_", ())))
        if hasattr(model, "best_score_")
        else NOT_MEASURED,
        "relevance": relevance_facts(model, None),
        "explained_by": ModelView(model).explained_by,
        "seconds": perf_counter() - start,
    }


def chosen_text(voter: Any) -> str:
    """Return the distance of a voter of numbers, for people."""
    trend = ", votes on the residuals of a linear trend" if voter.trend else ""
    return f"{voter.report.title}{trend}"
