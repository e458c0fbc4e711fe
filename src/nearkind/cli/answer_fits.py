"""Models learned from answers, or from pairs and triplets that files state."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import typer

from nearkind import CPML, CPMLClassifier, Questions
from nearkind.cli.console import Facts
from nearkind.cli.fit_settings import FitSettings
from nearkind.cli.fits import distance_facts
from nearkind.cli.methods import SEARCH, STRUCTURES
from nearkind.cli.options import TargetTable
from nearkind.datasets.readers import read_features
from nearkind.errors import error_context
from nearkind.io import require_column
from nearkind.io.cells import is_missing
from nearkind.tables import Table
from nearkind.tasks.answers import kind_of, read_state
from nearkind.tasks.questions import DEFAULT


def read_partly_labelled(table: TargetTable) -> tuple[Table, list[Any] | None]:
    """Return all rows of a table and their classes, None where not known, if any."""
    rows, target = table.rows, table.column
    text = [*(rows.text or ()), *([target] if target else [])]
    X = read_features(rows.data, rows.drop or (), text, rows.reading.options)
    y = None
    if target is not None:
        require_column(target, X, rows.where)
        y = [None if is_missing(cell) else cell for cell in X.pop(target)]
    return rows.table(rows.usable(X)), y


def metric_of(settings: FitSettings) -> CPML:
    """Return the distance to fit to comparisons, with the settings that are given."""
    if settings.name not in (SEARCH, *STRUCTURES):
        raise typer.BadParameter(
            f"{settings.name} does not learn from comparisons. Use "
            f"{', '.join(STRUCTURES)}.",
            param_hint="--method",
        )
    structure = "diagonal" if settings.name == SEARCH else settings.name
    metric: CPML = replace(settings, method=structure).metric()
    told = {"numeric": settings.numeric, "tol": settings.tol}
    told |= {"max_iter": settings.max_iter}
    kept = {k: v for k, v in told.items() if v not in (None, "auto")}
    return metric.set_params(**{**DEFAULT, **kept})


def fit_stated(
    table: TargetTable,
    settings: FitSettings,
    answers: Path | None,
    files: Mapping[str, Path],
) -> tuple[Any, Facts]:
    """Return a model that learns from answers, or from pairs or triplets in files.

    Parameters
    ----------
    table : TargetTable
    settings : FitSettings
    answers : Path or None
        A file of answers.
    files : dict of Path
        By kind, "pairs" or "triplets", a table of row numbers.
    """
    if answers is not None and files:
        raise typer.BadParameter(
            "cannot be combined with --pairs or --triplets.",
            param_hint="--answers",
        )
    (X, y), start = read_partly_labelled(table), perf_counter()
    metric = metric_of(settings)
    if answers is not None:
        state = read_state(answers)
        with error_context(str(answers)):
            metric = Questions(X, metric, kind=kind_of(state)).merge(state).fit(y)
    else:
        with error_context(", ".join(map(str, files.values()))):
            stated = {kind: row_numbers(path) for kind, path in files.items()}
            metric.fit_constraints(X, **stated, y=y)
    return fitted(metric, X, y, table.column, start)


def row_numbers(path: Path) -> Any:
    """Return the rows of a table of numbers, one comparison per row."""
    return list(zip(*read_features(str(path)).values(), strict=True))


def fitted(
    metric: CPML, X: Table, y: Any, target: str | None, start: float
) -> tuple[Any, Facts]:
    """Return a distance, or a classifier where there are labels, and its facts."""
    model: Any = metric
    classes = {}
    if y is not None:
        known = [row for row, label in enumerate(y) if label is not None]
        labels = [y[row] for row in known]
        model = CPMLClassifier().fit_over(metric, X.take(np.array(known)), labels)
        counts = dict(Counter(labels).most_common())
        share = max(counts.values()) / len(known)
        classes = {"classes": counts, "majority_share": share}
        classes |= {"accuracy": None, "accuracy_is": "not measured"}
    facts = distance_facts(metric.structure, metric, X, perf_counter() - start)
    return model, {**facts, "target": target, **classes}
