"""A table as a fitted model reads it, and predictions for its rows."""

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer

from nearkind import load
from nearkind.cli.console import more_text
from nearkind.cli.progress import progress_bar
from nearkind.datasets.readers import read_data
from nearkind.distances import ValueVectors
from nearkind.encoding import Levels
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import row_keys
from nearkind.errors import nearest_names
from nearkind.io import (
    Columns,
    ReadOptions,
    column_batches,
    match_levels,
    require_column,
    short_name,
    table_writer,
)
from nearkind.io.cells import ListCells, is_missing
from nearkind.io.dates import with_date_parts
from nearkind.io.formats import text_rows_writer
from nearkind.model_view import ModelView
from nearkind.protocols import Array
from nearkind.tables import printable, read_table
from nearkind.voting import Voter

TIE = 1e-9
"""Probabilities that differ by less are equal."""
MOST_LISTED = 8
"""Columns that a message lists."""
BATCH_ROWS = 1 << 16
"""Rows of a file that are in memory at a time."""
ROWS_AT_ONCE = 5_000
"""Rows that are classified between two steps of a bar."""


def load_predictor(path: Path, predicts: str = "class") -> Any:
    """Load a model; raise ValueError if it does not predict what is wanted.

    Parameters
    ----------
    path : Path
    predicts : {"class", "any"}, default="class"
        Classes, or classes or numbers.
    """
    model = load(path)
    committee = ModelView(model).committee
    if committee is None:
        raise ValueError(
            f"{path.name} holds a {type(model).__name__}, which measures distances and "
            "predicts no classes; `nearkind fit` makes models that do."
        )
    if committee.classes is None and predicts == "class":
        raise ValueError(
            f"{path.name} predicts a number, and this command needs a model of "
            "classes. predict, explain, neighbors, show and export take both."
        )
    return model


class ModelTable:
    """A table, with the values that a model knows.

    Parameters
    ----------
    model : CPMLClassifier, CPMLClassifierCV or a distance
        Fitted.
    data : str
        DATA of the command line.
    options : ReadOptions
    columns : dict of list, default=None
        Some of its rows; None: all are read.

    Attributes
    ----------
    view : ModelView
        The model.
    where : str
        Name of the table, for messages.
    columns : dict of list
        All columns, as they were read.
    X : dict of list
        The columns of the model, with its values.
    n_rows : int
    """

    def __init__(
        self,
        model: Any,
        data: str,
        options: ReadOptions,
        columns: Columns | None = None,
    ) -> None:
        self.model, self.view, self.options = model, ModelView(model), options
        self.where = short_name(data)
        self.columns = read_data(data, options) if columns is None else columns
        self.X = model_columns(
            self.view.codebook, self.columns, self.where, options.dates
        )
        self.n_rows = len(next(iter(self.columns.values())))

    def row(self, number: int) -> dict[Any, list[Any]]:
        """Return a table of one row, by its number from 0."""
        if not 0 <= number < self.n_rows:
            raise ValueError(
                f"There is no row {number} in {self.where}: rows are numbered from 0 "
                f"to {self.n_rows - 1}."
            )
        return {name: [cells[number]] for name, cells in self.X.items()}

    def labels(self, column: str) -> list[Any]:
        """Return the cells of a column, None where they are missing."""
        return [None if is_missing(cell) else cell for cell in self.columns[column]]


def model_columns(
    book: Codebook, columns: Columns, where: str, dates: str | None = None
) -> dict[Any, list[Any]]:
    """Return the model's columns of a table, with the values that the model knows.

    Parameters
    ----------
    book : Codebook
        Of the model.
    columns : dict of list
        As they were read; columns that the model does not have are ignored.
    where : str
        Name of the file, for the message if a column is missing.
    dates : {"dmy", "mdy"} or None, default=None
        How to read dates that can be read either way.
    """
    levels: dict[str, Collection[Any]] = {
        str(feature.name): feature.code_of if isinstance(feature, Levels) else ()
        for feature in book.features_
    }
    if not book.named_:  # learned from an array, whose columns go by their place
        if len(columns) < len(levels):
            raise ValueError(
                f"{where} has {len(columns)} columns; the model was learned from an "
                f"array of {len(levels)}, which go by their place."
            )
        return match_levels(columns, dict(zip(columns, levels.values(), strict=False)))
    columns = with_date_parts(columns, levels, dates)
    lost = [name for name in levels if name not in columns]
    if lost:
        listed = ", ".join(map(repr, lost[:MOST_LISTED]))
        more = more_text(len(lost), MOST_LISTED)
        noun = "a column" if len(lost) == 1 else "columns"
        near = nearest_names(lost[0], [name for name in columns if name not in levels])
        hint = f" Did you mean {near[0]!r}?" if near and len(lost) == 1 else ""
        raise ValueError(f"{where} lacks {noun} of the model: {listed}{more}.{hint}")
    known = match_levels(columns, levels)
    for name in (n for n in known if _holds_numbers(levels[n])):
        ListCells(name, columns[name]).infer_type().refuse_separators(name)
    return dict(zip(book.names_, known.values(), strict=True))


def _holds_numbers(levels: Iterable[Any]) -> bool:
    """Return whether a column with these levels held numbers in fit."""
    return all(isinstance(level, int | float | Decimal) for level in levels)


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


class Predictions(NamedTuple):
    """Class and probabilities of each row."""

    labels: list[Any]
    classes: list[Any]
    probabilities: Array  # (n, n_classes)
    score: Score | None
    sets: Array | None = None  # (n, n_classes), whether a class is in the set

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

    def facts(self) -> dict[str, Any]:
        """Return the predictions for JSON."""
        score = self.score
        sets = [{"set": labels} for labels in self._set_labels()]
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


def predict_table(
    table: ModelTable, target: str | None = None, coverage: float | None = None
) -> Predictions:
    """Return what a classifier predicts for a table; of tied classes the first.

    Parameters
    ----------
    table : ModelTable
    target : str, default=None
        Column to compare with; None: the only column that holds classes, if there is
        just one.
    coverage : float, default=None
        Share of new rows whose set of classes is to hold the true one; None: no sets.
    """
    with progress_bar("classifying rows", table.n_rows) as advance:
        found = _predictions(table, coverage, advance)
    return found._replace(score=_score(found, table, target))


def predict_batches(
    model: Any,
    data: str,
    options: ReadOptions,
    target: str | None = None,
    coverage: float | None = None,
) -> Iterator[tuple[Predictions, Columns]]:
    """Yield what a classifier predicts for a file, batch by batch, with its columns.

    Parameters
    ----------
    model : CPMLClassifier or CPMLClassifierCV
    data, options : as ``ModelTable`` has them
    target, coverage : as in ``predict_table``
        The first batch decides with which column to compare; each score is of all rows
        so far.
    """
    score: Score | None = None
    with progress_bar("rows", None) as advance:
        for number, columns in enumerate(column_batches(data, options, BATCH_ROWS)):
            table = ModelTable(model, data, options, columns)
            found = _predictions(table, coverage, advance)
            if number == 0:
                score = _score(found, table, target)
            elif score is not None:
                score = _added(score, found, table, is_given=target is not None)
            yield found._replace(score=score), columns


def _predictions(
    table: ModelTable, coverage: float | None, advance: Callable[[int], None]
) -> Predictions:
    _ = table.view.class_committee  # refuses a model of numbers
    if coverage is not None and not table.view.was_searched:
        raise ValueError(
            "Sets of classes need the held-out rows of a search, which this model "
            "lacks. Fit it with --method cv."
        )
    shares, classes = class_shares(table, advance), table.model.classes_
    best = shares >= shares.max(axis=1, keepdims=True) - TIE
    labels = classes[best.argmax(axis=1)].tolist()
    sets = None if coverage is None else table.model.predict_set(table.X, coverage)
    return Predictions(labels, classes.tolist(), shares, None, sets)


def n_training_rows(voter: Voter, X: Columns) -> int:
    """Return how many rows of a table have the codes of a training row."""
    codes, known = voter.encode(X), voter.rows.codes
    keys = row_keys(np.concatenate([codes, known]))
    return int(np.isin(keys[: len(codes)], keys[len(codes) :]).sum())


def class_shares(table: ModelTable, advance: Callable[[int], None]) -> Array:
    """Return the probabilities of each row (n, C); ``advance`` counts rows done."""
    model = table.model
    if table.n_rows <= ROWS_AT_ONCE:
        advance(table.n_rows)
        return model.predict_proba(table.X)
    rows = read_table(table.X).factorize()
    for distance in table.view.distances:
        distance.encode(rows)  # what is unseen is said once, of all rows
    found = []
    for start in range(0, table.n_rows, ROWS_AT_ONCE):
        some = np.arange(start, min(start + ROWS_AT_ONCE, table.n_rows))
        found.append(model.predict_proba(rows.take(some)))
        advance(len(some))
    return np.concatenate(found)


def vector_columns(table: ModelTable, beside: Columns) -> Columns:
    """Return the vectors of the rows of a table as columns, beside others.

    Parameters
    ----------
    table : ModelTable
        Of several voters the one that explains gives the vectors.
    beside : dict of list
        Columns that come first.
    """
    distance = table.view.distance
    if not isinstance(distance, ValueVectors):
        raise ValueError(
            f"{table.view.report.method} compares values by tables, and no vectors "
            "have its distances. Fit another method, such as single."
        )
    found: Columns = dict(beside)
    for axis, numbers in enumerate(distance.transform(table.X).T):
        found[free_name(f"v{axis}", found)] = numbers.tolist()
    return found


def write_table(columns: Columns, output: Path | None) -> None:
    """Write a table to a file in the format of its ending, or as CSV to the output."""
    with rows_writer(output) as write:
        write(columns)


@contextmanager
def rows_writer(output: Path | None) -> Iterator[Callable[[Columns], None]]:
    """Give a function that adds rows to a file, or prints them as CSV."""
    if output is not None:
        with table_writer(output) as write:
            yield write
        return
    out = typer.get_text_stream("stdout")
    if out.isatty():
        yield text_rows_writer(
            lambda line: out.write(printable(line.removesuffix("\n")) + "\n"),
            check=lambda columns: None,
        )
    else:
        yield text_rows_writer(out.write)


def _score(found: Predictions, table: ModelTable, target: str | None) -> Score | None:
    column = target and require_column(target, table.columns, table.where)
    names = list(map(str, found.classes))
    column = column or _class_column(table, set(names))
    if column is None:
        return None
    if not any(str(cell) in names for cell in set(table.columns[column])):
        more = " and more" if len(names) > MOST_LISTED else ""
        warnings.warn(
            f"Column {column!r} of {table.where} holds none of the model's classes, "
            f"{', '.join(map(repr, names[:MOST_LISTED]))}{more}, so nothing is "
            "compared with it.",
            UserWarning,
            stacklevel=3,
        )
        return None
    return _agreement(found, table, column)


def _agreement(found: Predictions, table: ModelTable, column: str) -> Score | None:
    pairs = zip(found.labels, table.columns[column], strict=True)
    right = [str(label) == str(cell) for label, cell in pairs if not is_missing(cell)]
    if not right:
        return None
    n_known = n_training_rows(table.view.voter, table.X)
    return Score(column, sum(right), len(right), n_known)


def _added(
    total: Score, found: Predictions, table: ModelTable, is_given: bool
) -> Score | None:
    """Return the score with one more batch; None if a column is of classes no longer.

    A column that the user named may hold other labels too.
    """
    cells = {str(cell) for cell in table.columns[total.column] if not is_missing(cell)}
    if not is_given and not cells <= set(map(str, found.classes)):
        return None
    part = _agreement(found, table, total.column)
    if part is None:
        return total
    sums = (a + b for a, b in zip(total[1:], part[1:], strict=True))
    return Score(total.column, *sums)


def _class_column(table: ModelTable, classes: set[str]) -> str | None:
    """Return the only column beside the model's that holds classes alone."""
    values = {
        name: {str(cell) for cell in cells if not is_missing(cell)}
        for name, cells in table.columns.items()
        if name not in table.X
    }
    found = [name for name, each in values.items() if each and each <= classes]
    return found[0] if len(found) == 1 else None


def free_name(name: str, columns: Columns) -> str:
    """Return a name that no column has, with underscores after it if need be."""
    while name in columns:
        name += "_"
    return name
