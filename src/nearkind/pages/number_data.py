"""A regressor and a table: errors, predicted against true numbers, residuals."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.io import Columns
from nearkind.model_view import ModelView
from nearkind.pages.data import ReportData
from nearkind.plot.text import count_text
from nearkind.protocols import Array
from nearkind.tables import Column, read_column, read_table

MOST_PARTS = 6
"""Values, or ranges of numbers, of a column whose residuals are told."""
MOST_COLUMNS = 12
"""The most relevant columns of which they are told."""


def number_report(
    model: Any, X: Columns, name: str, where: str, y: Any = None
) -> ReportData:
    """Return what a page on a regressor and a table is about.

    Neighbours, columns and values are those of the distance that explains.

    Parameters
    ----------
    model : CPMLRegressor or CPMLRegressorCV
        Fitted.
    X : dict of list
        Columns of the table that the model knows.
    name, where : str
        Names of the model and of the table.
    y : array-like (n,), default=None
        True numbers, None or NaN where they are not known.
    """
    predicted = np.asarray(model.predict(X), dtype=float)
    given = None if y is None else read_column(y).numeric
    if y is not None and given is None:
        raise ValueError("The target of a regressor must be numbers; y holds text.")
    true = np.full(len(predicted), np.nan) if given is None else given
    metric = model.metric_
    relevance = ModelView(metric).relevance(X)
    return ReportData(metric, X, relevance, name, where, numbers=(true, predicted))


def number_lines(data: ReportData) -> list[tuple[str, str]]:
    """Return the errors on the rows whose number is known, and those of the mean."""
    true, predicted = data.numbers or (np.empty(0), np.empty(0))
    known = np.isfinite(true)
    if not known.any():
        return []
    y, residuals = true[known], (true - predicted)[known]
    rmse, spread = float(np.sqrt((residuals**2).mean())), float(y.std())
    r2 = f"{1.0 - (rmse / spread) ** 2:.3f}" if spread > 0.0 else "not defined"
    return [
        ("Root mean squared error", f"{rmse:.5g} on {count_text(len(y), 'row')}"),
        ("Mean absolute error", f"{np.abs(residuals).mean():.5g}"),
        ("R²", f"{r2}; lower on new rows, if these are training rows"),
        ("Mean baseline", f"root mean squared error {spread:.5g}, mean {y.mean():.5g}"),
    ]


def number_facts(data: ReportData, shown: NDArray[np.intp]) -> dict[str, Any] | None:
    """Return true and predicted numbers of the rows shown, and residuals by value."""
    if data.numbers is None:
        return None
    true, predicted = data.numbers
    table, residuals = read_table(data.X), true - predicted
    order = np.argsort(-np.asarray(data.relevance), kind="stable")
    columns = [d for d in order.tolist() if d < len(data.X)][:MOST_COLUMNS]
    names = list(data.X)
    return {
        "true": true[shown],
        "said": predicted[shown],
        "residuals": [
            {"column": str(names[d]), "parts": parts}
            for d in columns
            if (parts := _residuals(table.column(d), residuals))
        ],
    }


def _residuals(column: Column, residuals: Array) -> list[tuple[str, int, float]]:
    """Return values or ranges of a column, their rows and their mean residual."""
    found, x = [], column.numeric
    if x is not None and len(column.values) > MOST_PARTS:
        edges = np.unique(np.nanquantile(x, np.linspace(0.0, 1.0, MOST_PARTS - 1)))
        place = np.clip(np.searchsorted(edges, x, "right") - 1, 0, len(edges) - 2)
        place[np.isnan(x)] = -1
        labels = [f"{low:.5g} to {high:.5g}" for low, high in pairwise(edges)]
    else:
        place, labels = column.indices, [str(value) for value in column.values]
    counts = np.bincount(place + 1, minlength=len(labels) + 1)[1:]
    parts = range(len(labels)) if x is not None else np.argsort(-counts, kind="stable")
    for part in list(parts)[:MOST_PARTS]:
        rows = (place == part) & np.isfinite(residuals)
        if rows.any():
            mean = float(residuals[rows].mean())
            found.append((labels[part], int(rows.sum()), mean))
    return found
