"""Models learned from answers, or from pairs and triplets that files state."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import typer

from nearkind import CPML, CPMLClassifier, Questions
from nearkind.cli.explanations import relevance_facts
from nearkind.cli.fit_settings import FitSettings
from nearkind.cli.methods import SEARCH, STRUCTURES
from nearkind.cli.options import TargetTable
from nearkind.datasets.readers import read_features
from nearkind.errors import error_context
from nearkind.io import require_column, short_name
from nearkind.io.cells import is_missing
from nearkind.model_view import ModelView
from nearkind.tables import Table
from nearkind.tasks.answers import read_state
from nearkind.tasks.questions import DEFAULT


class PartlyLabelledTable(NamedTuple):
    """All rows of a table, and their classes, None where not known.

    Attributes
    ----------
    X : Table
    y : list or None
        None if no column holds classes.
    target : str or None
    """

    X: Table
    y: list[Any] | None
    target: str | None


def read_partly_labelled(table: TargetTable) -> PartlyLabelledTable:
    """Return all rows of a table, those without a class among them."""
    rows, target = table.rows, table.column
    text = [*(rows.text or ()), *([target] if target else [])]
    X = read_features(rows.data, rows.drop or (), text, rows.reading.options)
    y = None
    if target is not None:
        require_column(target, X, short_name(rows.data))
        y = [None if is_missing(cell) else cell for cell in X.pop(target)]
    return PartlyLabelledTable(rows.table(rows.usable(X)), y, target)


def metric_of(settings: FitSettings) -> CPML:
    """Return the distance to fit to comparisons, with the settings that are given."""
    if settings.name not in (SEARCH, *STRUCTURES):
        raise typer.BadParameter(
            f"{settings.name} does not learn from comparisons; one of "
            f"{', '.join(STRUCTURES)} does.",
            param_hint="--method",
        )
    structure = "diagonal" if settings.name == SEARCH else settings.name
    metric: CPML = replace(settings, method=structure).metric()
    given = {"numeric": settings.numeric, "tol": settings.tol}
    given |= {"max_iter": settings.max_iter}
    kept = {name for name, value in given.items() if value not in (None, "auto")}
    return metric.set_params(**{k: v for k, v in DEFAULT.items() if k not in kept})


def fit_stated(
    table: TargetTable,
    settings: FitSettings,
    answers: Path | None,
    files: Mapping[str, Path],
) -> tuple[Any, dict[str, Any]]:
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
            "takes the place of --pairs and --triplets; give it alone.",
            param_hint="--answers",
        )
    read, start = read_partly_labelled(table), perf_counter()
    metric = metric_of(settings)
    if answers is not None:
        state = read_state(answers)
        with error_context(str(answers)):
            kind = "pairs" if _kind_of(state) == "pairs" else "triplets"
            questions = Questions(read.X, metric, kind=kind).merge(state)
        return fitted(questions, read, start)
    stated = {kind: _row_numbers(path) for kind, path in files.items()}
    with error_context(", ".join(map(str, files.values()))):
        metric.fit_constraints(read.X, **stated, y=read.y)
    return _facts(metric, read, start)


def fitted(
    questions: Questions, read: PartlyLabelledTable, start: float
) -> tuple[Any, dict[str, Any]]:
    """Return the model that answers teach, and the facts of the fit."""
    return _facts(questions.fit(read.y), read, start)


def _kind_of(state: Any) -> Any:
    return state.get("kind") if isinstance(state, dict) else None


def _row_numbers(path: Path) -> Any:
    """Return the rows of a table of numbers, one comparison per row."""
    with error_context(str(path)):
        columns = read_features(str(path))
        return list(zip(*columns.values(), strict=True))


def _facts(
    metric: CPML, read: PartlyLabelledTable, start: float
) -> tuple[Any, dict[str, Any]]:
    """Return a distance, or a classifier where there are labels, and its facts."""
    model: Any = metric
    classes = {}
    if read.y is not None:
        known = [row for row, label in enumerate(read.y) if label is not None]
        y = [read.y[row] for row in known]
        model = CPMLClassifier().fit_over(metric, read.X.take(np.array(known)), y)
        counts = Counter(y)
        classes = {
            "classes": dict(counts.most_common()),
            "accuracy": None,
            "accuracy_is": "not measured",
            "majority_share": max(counts.values()) / len(y),
        }
    return model, {
        "method": metric.structure,
        "target": read.target,
        "rows": read.X.n_rows,
        "features": len(read.X.names),
        **classes,
        "chosen": [ModelView(metric).report.title],
        "relevance": relevance_facts(metric, read.X),
        "seconds": perf_counter() - start,
    }
