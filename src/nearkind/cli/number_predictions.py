"""The numbers that a model predicts for a table."""

from collections.abc import Collection
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from nearkind.cli.model_table import ModelTable, free_name
from nearkind.io import Columns, require_column
from nearkind.io.cells import is_missing
from nearkind.protocols import Array
from nearkind.tables import parse_number


class NumberPredictions(NamedTuple):
    """Number and interval of each row."""

    numbers: Array  # (n,)
    intervals: Array | None  # (n, 2)
    score: "NumberScore | None"

    def columns(self, beside: Columns) -> Columns:
        """Return a table of predictions, beside these columns."""
        found: Columns = dict(beside)
        found[free_name("predicted", found)] = self.numbers.tolist()
        if self.intervals is not None:
            for name, ends in zip(("low", "high"), self.intervals.T, strict=True):
                found[free_name(name, found)] = ends.tolist()
        return found

    def facts(self) -> dict[str, Any]:
        """Return the predictions for JSON."""
        score, table = self.score, self.columns({})
        rows = zip(*table.values(), strict=True)
        return {
            "target": score.column if score else None,
            "r2": score.r2 if score else None,
            "rows": [
                {"row": number, **dict(zip(table, row, strict=True))}
                for number, row in enumerate(rows)
            ],
        }


class NumberScore(NamedTuple):
    """How near predictions are to a column of DATA."""

    column: str
    r2: float
    error: float  # mean absolute

    @property
    def sentence(self) -> str:
        """The score in words."""
        return (
            f"R2 {self.r2:.3f}, mean absolute error {self.error:.4g}, compared with "
            f"column {self.column!r}."
        )


def predict_numbers(
    table: ModelTable, target: str | None = None, coverage: float | None = None
) -> NumberPredictions:
    """Return what a regressor predicts for a table, and intervals of a coverage.

    Parameters
    ----------
    table : ModelTable
    target : str, default=None
        Column to compare with.
    coverage : float, default=None
        Share of new rows whose interval is to hold their number; None: 0.9, if rows
        were held out.
    """
    model, score, ends = table.model, None, None
    if coverage is not None or table.view.committee.held is not None:
        ends = model.predict_interval(table.X, 0.9 if coverage is None else coverage)
    numbers = model.predict(table.X)
    if target is not None:
        column = require_column(target, table.columns, table.where)
        truth = numbers_of(table.columns[column])
        if truth is None:
            raise ValueError(f"Column {column!r} of {table.where} holds no numbers.")
        known = ~np.isnan(truth)
        errors = numbers[known] - truth[known]
        variance = float(np.var(truth[known])) if known.any() else 0.0
        r2 = 1.0 - float(np.mean(errors**2)) / variance if variance else np.nan
        score = NumberScore(column, r2, float(np.abs(errors).mean()))
    return NumberPredictions(numbers, ends, score)


def numbers_of(cells: Collection[Any]) -> Array | None:
    """Return cells as numbers, NaN where missing; None if one is no number.

    Examples
    --------
    >>> numbers_of(["1.5", None, 2]), numbers_of(["1", "x"])
    (array([1.5, nan, 2. ]), None)
    """
    known: dict[Any, Any] = {}
    for cell in set(cells):
        number = parse_number(cell) if isinstance(cell, str) else cell
        if is_missing(cell):
            number = np.nan
        elif isinstance(number, bool) or not isinstance(number, Real | Decimal):
            return None
        known[cell] = float(number)
    return np.array([known[cell] for cell in cells])
