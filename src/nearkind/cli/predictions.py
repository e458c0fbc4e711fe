"""What a model predicts for a table, and how well a column of it agrees."""

import warnings
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from nearkind.cli.console import Facts
from nearkind.cli.model_table import ModelTable, free_name
from nearkind.cli.progress import progress_bar
from nearkind.io import Columns, ReadOptions, column_batches, require_column
from nearkind.io.cells import is_missing
from nearkind.protocols import Array
from nearkind.tables import parse_number

TIE = 1e-9
"""Probabilities that differ by less are equal."""
MOST_LISTED = 8
"""Classes that a message lists."""
BATCH_ROWS = 1 << 16
"""Rows of a file that are in memory at a time."""
ROWS_AT_ONCE = 5_000
"""Rows that are classified between two steps of a bar."""
COVERAGE = 0.9
"""Share of new rows that an interval is to hold by default."""


class Score(NamedTuple):
    """How many predictions agree with a column of DATA.

    Attributes
    ----------
    column : str
    n_right, n_rows : int
        Rows that agree, and rows that have a class.
    n_known : int
        Rows of DATA that equal a training row.
    """

    column: str
    n_right: int
    n_rows: int
    n_known: int = 0

    def with_more(self, more: "Score") -> "Score":
        """Return the score of these rows and more."""
        sums = (a + b for a, b in zip(self[1:], more[1:], strict=True))
        return Score(self.column, *sums)

    @property
    def accuracy(self) -> float:
        """Share of right predictions."""
        return self.n_right / self.n_rows

    @property
    def sentence(self) -> str:
        """The score in words, with a caution if most rows were learned from."""
        caution = (
            f" {self.n_known:,} of these rows equal training rows, so expect a lower "
            "accuracy on new rows."
        )
        return (
            f"Accuracy {self.accuracy:.1%}: {self.n_right:,} of {self.n_rows:,} "
            f"predictions agree with column {self.column!r}."
            f"{caution if 2 * self.n_known > self.n_rows else ''}"
        )


class NumberScore(NamedTuple):
    """How near predictions are to a column of DATA.

    Attributes
    ----------
    column : str
    n_rows : int
        Rows that have a number.
    mean, deviations : float
        Mean of the true numbers, and the sum of their squared deviations from it.
    squares, errors : float
        Sums of the squared and of the absolute errors.
    """

    column: str
    n_rows: int
    mean: float
    deviations: float
    squares: float
    errors: float

    @classmethod
    def of(cls, column: str, truth: Array, numbers: Array) -> "NumberScore | None":
        """Return the score of predictions; None if no true number is known."""
        known = ~np.isnan(truth)
        if not known.any():
            return None
        y, errors = truth[known], np.abs(numbers - truth)[known]
        sums = np.square(y - y.mean()).sum(), np.square(errors).sum(), errors.sum()
        return cls(column, len(y), float(y.mean()), *map(float, sums))

    def with_more(self, more: "NumberScore") -> "NumberScore":
        """Return the score of these rows and more."""
        n, apart = self.n_rows + more.n_rows, more.mean - self.mean
        between = apart**2 * self.n_rows * more.n_rows / n
        return NumberScore(
            self.column,
            n,
            self.mean + apart * more.n_rows / n,
            self.deviations + more.deviations + between,
            self.squares + more.squares,
            self.errors + more.errors,
        )

    @property
    def r2(self) -> float:
        """Share of the variance that is predicted; NaN if there is none."""
        return 1.0 - self.squares / self.deviations if self.deviations else np.nan

    @property
    def sentence(self) -> str:
        """The score in words."""
        return (
            f"R2 {self.r2:.3f}, mean absolute error {self.errors / self.n_rows:.4g}, "
            f"compared with column {self.column!r}."
        )


@dataclass(frozen=True)
class ClassPredictions:
    """Class and probabilities of each row."""

    labels: list[Any]
    classes: list[Any]
    probabilities: Array  # (n, n_classes)
    sets: Array | None = None  # (n, n_classes), whether a class is in the set
    score: Score | None = None

    @classmethod
    def of(
        cls, table: ModelTable, coverage: float | None, advance: Callable[[int], None]
    ) -> "ClassPredictions":
        """Return what a classifier predicts for a table; of tied classes the first."""
        if coverage is not None and not table.view.was_searched:
            raise ValueError(
                "Prediction sets require the held-out rows of a search, which "
                "this model lacks. Fit it with --method cv."
            )
        shares, classes = class_shares(table, advance), table.model.classes_
        weighed = table.model.committee_.weighed(shares)
        best = weighed >= weighed.max(axis=1, keepdims=True) - TIE
        labels = classes[best.argmax(axis=1)].tolist()
        sets = None if coverage is None else table.model.predict_set(table.X, coverage)
        return cls(labels, classes.tolist(), shares, sets)

    def columns(self, beside: Columns) -> Columns:
        """Return a table of predictions, beside these columns."""
        found: Columns = dict(beside)
        found[free_name("predicted", found)] = self.labels
        if self.sets is not None:
            found[free_name("set", found)] = [
                " | ".join(map(str, labels)) for labels in self._set_labels()
            ]
        for c, label in enumerate(self.classes):
            column = self.probabilities[:, c].round(6).tolist()
            found[free_name(f"p_{label}", found)] = column
        return found

    def facts(self) -> Facts:
        """Return the predictions for JSON."""
        score, sets = self.score, [{"set": labels} for labels in self._set_labels()]
        sets = sets or [{}] * len(self.labels)
        rows = zip(self.labels, self.probabilities.tolist(), sets, strict=True)
        return {
            "target": score.column if score else None,
            "accuracy": score.accuracy if score else None,
            "rows_learned_from": score.n_known if score else None,
            "rows": [
                {
                    "row": number,
                    "class": label,
                    "probabilities": dict(zip(self.classes, shares, strict=True)),
                    **in_set,
                }
                for number, (label, shares, in_set) in enumerate(rows)
            ],
        }

    def _set_labels(self) -> list[list[Any]]:
        """Return the classes in the set of each row; none if no sets were asked for."""
        rows: Any = [] if self.sets is None else self.sets
        return [[self.classes[c] for c in np.flatnonzero(row)] for row in rows]

    def column(self, table: ModelTable, target: str | None) -> str | None:
        """Return the column to compare with, if there is one.

        Without a target this is the only column beside the model's that holds classes
        alone.
        """
        if target is None:
            others = (name for name in table.columns if name not in table.X)
            filled = (n for n in others if any(x is not None for x in table.labels(n)))
            found = [name for name in filled if self.fits(table, name)]
            return found[0] if len(found) == 1 else None
        column, names = require_column(target, table.columns, table.where), self._names
        if any(str(cell) in names for cell in set(table.columns[column])):
            return column
        more = " and more" if len(names) > MOST_LISTED else ""
        warnings.warn(
            f"Column {column!r} of {table.where} holds none of the model's "
            f"classes, {', '.join(map(repr, names[:MOST_LISTED]))}{more}, so no "
            "accuracy is computed.",
            UserWarning,
            stacklevel=3,
        )
        return None

    def fits(self, table: ModelTable, column: str) -> bool:
        """Return whether a column holds classes of the model alone."""
        labels = set(table.labels(column)) - {None}
        return set(map(str, labels)) <= set(self._names)

    @property
    def _names(self) -> list[str]:
        return list(map(str, self.classes))

    def compared(self, table: ModelTable, column: str) -> Score | None:
        """Return how many rows agree with a column; None if it has no class."""
        pairs = zip(self.labels, table.columns[column], strict=True)
        right = [str(label) == str(x) for label, x in pairs if not is_missing(x)]
        if not right:
            return None
        n_known = table.view.n_training_rows(table.view.voter.encode(table.X))
        return Score(column, sum(right), len(right), n_known)


@dataclass(frozen=True)
class NumberPredictions:
    """Number and interval of each row."""

    numbers: Array  # (n,)
    intervals: Array | None  # (n, 2)
    score: NumberScore | None = None

    @classmethod
    def of(
        cls, table: ModelTable, coverage: float | None, advance: Callable[[int], None]
    ) -> "NumberPredictions":
        """Return what a regressor predicts; intervals too if rows were held out."""
        model, ends = table.model, None
        if coverage is not None or table.view.committee.held is not None:
            ends = model.predict_interval(table.X, coverage or COVERAGE)
        numbers = model.predict(table.X)
        advance(table.n_rows)
        return cls(numbers, ends)

    def columns(self, beside: Columns) -> Columns:
        """Return a table of predictions, beside these columns."""
        found: Columns = dict(beside)
        found[free_name("predicted", found)] = self.numbers.tolist()
        if self.intervals is not None:
            for name, ends in zip(("low", "high"), self.intervals.T, strict=True):
                found[free_name(name, found)] = ends.tolist()
        return found

    def facts(self) -> Facts:
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

    def column(self, table: ModelTable, target: str | None) -> str | None:
        """Return the column to compare with: the target, or the only other numbers."""
        if target is None:
            return number_column(table)
        return require_column(target, table.columns, table.where)

    def fits(self, table: ModelTable, column: str) -> bool:
        """Return whether a column holds numbers."""
        return numbers_of(table.columns[column]) is not None

    def compared(self, table: ModelTable, column: str) -> NumberScore | None:
        """Return how near a column is; None if it has no number."""
        truth = numbers_of(table.columns[column])
        if truth is None:
            raise ValueError(f"Column {column!r} of {table.where} contains no numbers.")
        return NumberScore.of(column, truth, self.numbers)


def predict_table(
    table: ModelTable, target: str | None = None, coverage: float | None = None
) -> Any:
    """Return what a model predicts for a table: classes, or numbers.

    Parameters
    ----------
    table : ModelTable
    target : str, default=None
        Column to compare with; None: of classes, the only column that holds them, if
        there is just one.
    coverage : float, default=None
        Share of new rows whose set of classes, or interval, is to hold the true one;
        None: no sets, and intervals of 0.9.

    Returns
    -------
    ClassPredictions or NumberPredictions
    """
    with progress_bar("classifying rows", table.n_rows) as advance:
        found = _kind(table).of(table, coverage, advance)
    column = found.column(table, target)
    return replace(found, score=found.compared(table, column) if column else None)


def predict_batches(
    model: Any,
    data: str,
    options: ReadOptions,
    target: str | None,
    coverage: float | None,
) -> Iterator[tuple[Any, Columns]]:
    """Yield what a model predicts for a file, batch by batch, with its columns.

    Parameters
    ----------
    model : classifier or regressor
    data, options : as ``ModelTable`` has them
    target, coverage : as in ``predict_table``
        The first batch decides with which column to compare; each score is of all rows
        so far. A column that was not named is given up where it holds other labels.
    """
    score: Any = None
    column: str | None = None
    with progress_bar("rows", None) as advance:
        for number, columns in enumerate(column_batches(data, options, BATCH_ROWS)):
            table = ModelTable(model, data, options, columns)
            found = _kind(table).of(table, coverage, advance)
            if number == 0:
                column = found.column(table, target)
            elif column and target is None and not found.fits(table, column):
                column = score = None
            part = found.compared(table, column) if column else None
            score = score.with_more(part) if score and part else score or part
            yield replace(found, score=score), columns


def _kind(table: ModelTable) -> Any:
    is_number = table.view.committee.classes is None
    return NumberPredictions if is_number else ClassPredictions


def class_shares(table: ModelTable, advance: Callable[[int], None]) -> Array:
    """Return the probabilities of each row (n, C); ``advance`` counts rows done."""
    model = table.model
    if table.n_rows <= ROWS_AT_ONCE:
        advance(table.n_rows)
        return model.predict_proba(table.X)
    found = []
    for rows in table.portions(ROWS_AT_ONCE):
        found.append(model.predict_proba(rows))
        advance(rows.n_rows)
    return np.concatenate(found)


def number_column(table: ModelTable) -> str | None:
    """Return the only column of numbers that the model does not use, if there is one.

    Whole numbers that are all different may number the rows and do not count.
    """
    found = []
    for name in table.columns.keys() - set(table.X):
        x = numbers_of(table.columns[name])
        if x is None or np.isnan(x).all():
            continue
        x = x[~np.isnan(x)]
        if len(np.unique(x)) < len(x) or (x % 1).any():
            found.append(name)
    return found[0] if len(found) == 1 else None


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
