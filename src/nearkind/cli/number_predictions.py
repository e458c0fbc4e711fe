"""The numbers that a model predicts for a table."""

from collections.abc import Collection, Iterator
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from nearkind.cli.model_table import BATCH_ROWS, ModelTable, free_name
from nearkind.cli.progress import progress_bar
from nearkind.io import Columns, ReadOptions, column_batches, require_column
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
    """How near predictions are to a column of DATA.

    Attributes
    ----------
    column : str
    n_rows : int
        Rows that have a number.
    mean, deviations : float
        Mean of the true numbers, and the sum of their squared deviations from it.
    squares, error : float
        Mean squared and mean absolute error.
    """

    column: str
    n_rows: int
    mean: float
    deviations: float
    squares: float
    error: float

    @classmethod
    def of(cls, column: str, truth: Array, numbers: Array) -> "NumberScore | None":
        """Return the score of predictions; None if no true number is known."""
        known = ~np.isnan(truth)
        if not known.any():
            return None
        y, errors = truth[known], (numbers - truth)[known]
        deviations = float(np.square(y - y.mean()).sum())
        sizes = float(np.square(errors).mean()), float(np.abs(errors).mean())
        return cls(column, len(y), float(y.mean()), deviations, *sizes)

    def with_more(self, more: "NumberScore | None") -> "NumberScore":
        """Return the score of these rows and more."""
        if more is None:
            return self
        n, share = self.n_rows + more.n_rows, more.n_rows / (self.n_rows + more.n_rows)
        apart = more.mean - self.mean
        between = apart**2 * share * self.n_rows
        return NumberScore(
            self.column,
            n,
            self.mean + share * apart,
            self.deviations + more.deviations + between,
            *(
                (1.0 - share) * a + share * b
                for a, b in zip(self[4:], more[4:], strict=True)
            ),
        )

    @property
    def r2(self) -> float:
        """Share of the variance that is predicted; NaN if there is none."""
        variance = self.deviations / self.n_rows
        return 1.0 - self.squares / variance if variance else np.nan

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
        score = NumberScore.of(column, truth, numbers)
    return NumberPredictions(numbers, ends, score)


def number_batches(
    model: Any,
    data: str,
    options: ReadOptions,
    target: str | None = None,
    coverage: float | None = None,
) -> Iterator[tuple[NumberPredictions, Columns]]:
    """Yield what a regressor predicts for a file, batch by batch, with its columns.

    Parameters
    ----------
    model : CPMLRegressor or CPMLRegressorCV
    data, options : as ``ModelTable`` has them
    target, coverage : as in ``predict_numbers``
        Each score is of all rows so far.
    """
    score: NumberScore | None = None
    with progress_bar("rows", None) as advance:
        for columns in column_batches(data, options, BATCH_ROWS):
            table = ModelTable(model, data, options, columns)
            found = predict_numbers(table, target, coverage)
            score = found.score if score is None else score.with_more(found.score)
            advance(table.n_rows)
            yield found._replace(score=score), columns


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
