"""A table as a fitted model reads it, and tables that commands write."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import typer

from nearkind import load
from nearkind.cli.console import more_text
from nearkind.datasets.readers import read_data
from nearkind.distances import ValueVectors
from nearkind.encoding import Levels
from nearkind.encoding.codebook import Codebook
from nearkind.errors import nearest_names
from nearkind.io import (
    Columns,
    ReadOptions,
    match_levels,
    short_name,
    table_writer,
)
from nearkind.io.cells import ListCells, is_missing
from nearkind.io.dates import with_date_parts
from nearkind.io.formats import text_rows_writer
from nearkind.model_view import ModelView
from nearkind.tables import FactorizedTable, printable, read_table

MOST_LISTED = 8
"""Columns that a message lists."""


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
            f"{path.name} holds a {type(model).__name__}, a distance that "
            "predicts nothing. Fit a classifier with `nearkind fit --target`."
        )
    if committee.classes is None and predicts == "class":
        raise ValueError(
            f"{path.name} predicts a number, but this command requires a "
            "classifier. predict, explain, neighbors, show, report and export "
            "accept both."
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

    def portions(self, size: int) -> Iterator[FactorizedTable]:
        """Yield some rows at a time; of all of them it is said once what is unseen."""
        rows = read_table(self.X).factorize()
        for distance in self.view.distances:
            distance.encode(rows)
        for start in range(0, self.n_rows, size):
            yield rows.take(np.arange(start, min(start + size, self.n_rows)))

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
                f"{where} has {len(columns)} columns; the model was fitted to an "
                f"array of {len(levels)} columns, which are matched by position."
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
            f"{table.view.report.method} has no vectors, because it compares "
            "values by tables. Fit another method, such as single."
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


def free_name(name: str, columns: Columns) -> str:
    """Return a name that no column has, with underscores after it if need be."""
    while name in columns:
        name += "_"
    return name
