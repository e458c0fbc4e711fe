"""Arguments and options shared by several commands."""

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from nearkind.cli import methods
from nearkind.cli.option_groups import completion, option, shared

if TYPE_CHECKING:
    from nearkind.cli.model_table import ModelTable
    from nearkind.cli.outputs import Inputs
    from nearkind.io import Columns, LabelledSource, ReadOptions
    from nearkind.tables import FactorizedTable

MOST_CLASSES = 50
"""Values of a column that is suggested as the target."""


def complete_data(incomplete: str) -> list[str]:
    """Return the built-in sets and the files that a word may become."""
    from nearkind.datasets.sources import names

    folder = Path(incomplete).parent
    files = [
        f"{path}/" if path.is_dir() else str(path)
        for path in sorted(folder.glob(f"{Path(incomplete).name}*"))
    ]
    return completion(lambda: [*names(), *files])(incomplete)


AsJson = Annotated[bool, shared("AsJson")]
Force = Annotated[bool, shared("Force")]
Page = Annotated[Path, shared("Page")]
Row = Annotated[int, shared("Row")]
Task = Annotated[Literal["auto", "class", "number"], shared("Task")]
Seed = Annotated[int, shared("Seed")]
ListMethods = Annotated[
    bool, shared("ListMethods", callback=methods.print_all, is_eager=True)
]
Data = Annotated[str, shared("Data", typer.Argument, autocompletion=complete_data)]
Model = Annotated[Path, shared("Model", typer.Argument)]
Training = Annotated[str | None, shared("Training")]
TrueClasses = Annotated[str | None, shared("TrueClasses")]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How to read a file."""

    format: Literal["csv", "tsv", "jsonl", "parquet", "arrow"] | None = option()
    delimiter: str | None = option()
    encoding: str | None = option()

    decimal: Literal[",", "."] | None = option()
    dates: Literal["dmy", "mdy"] | None = option()

    @property
    def options(self) -> "ReadOptions":
        """The options as files are read by."""
        from nearkind.io import ReadOptions

        return ReadOptions(
            self.format, self.delimiter, self.encoding, self.decimal, self.dates
        )


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The columns of a table to learn from."""

    data: Data
    drop: list[str] | None = option()
    text: list[str] | None = option()
    reading: Reading

    @property
    def where(self) -> str:
        """What to call the table in a message."""
        from nearkind.io import short_name

        return short_name(self.data)

    def features(self) -> "Columns":
        """Return the columns."""
        return self.features_of(self.columns())

    def columns(self) -> "Columns":
        """Return all columns as they are written."""
        from nearkind.datasets.readers import read_data

        return read_data(self.data, self.reading.options)

    def features_of(self, columns: "Columns") -> "Columns":
        """Return the columns to learn from, with numbers as numbers."""
        from nearkind.datasets.readers import select_features

        drop, text, dates = self.drop or (), self.text or (), self.reading.dates
        return select_features(columns, self.where, drop, text, dates)

    def usable(self, columns: "Columns") -> "Columns":
        """Return columns without identifiers and free text, which is said."""
        from nearkind.cli.usable_columns import without_aside

        return without_aside(columns, self.text or (), self.where)

    def table(self, columns: "Columns") -> "FactorizedTable":
        """Return a table, whose columns of text are categories, whatever they hold."""
        from nearkind.cli.usable_columns import declare

        return declare(columns, self.text or ())

    @property
    def inputs(self) -> "Inputs":
        """What the command reads, and so never replaces."""
        return {"DATA": self.data}


@dataclass(frozen=True, kw_only=True)
class TargetTable:
    """A table with a column of classes, or without one."""

    target: str | None = option()
    rows: Rows

    @property
    def column(self) -> str | None:
        """The column of classes; None for a file of which none is named."""
        from nearkind.datasets.readers import is_set, label_column

        data = self.rows.data
        return self.target or (label_column(data) if is_set(data) else None)

    def source(self) -> "LabelledSource":
        """Return the table with its classes; BadParameter if none are named."""
        from nearkind.io import LabelledSource

        rows, target = self.rows, self.column
        if target is None:
            raise typer.BadParameter(_target_hint(rows), param_hint="--target")
        drop, text = tuple(rows.drop or ()), tuple(rows.text or ())
        return LabelledSource(rows.data, target, drop, text, rows.reading.options)


def _target_hint(rows: Rows) -> str:
    """Return what to say where no column of classes is named: which may hold them."""
    from nearkind.cli.fits import is_large
    from nearkind.io.cells import is_missing

    wanted = f"name the column of {rows.data} to predict"
    if rows.data == "-" or is_large(rows.data):
        return f"{wanted}."
    cells = {name: set(column) for name, column in rows.features().items()}
    counts = {name: sum(not is_missing(x) for x in cells[name]) for name in cells}
    last = next(reversed(cells))
    is_number = counts[last] > MOST_CLASSES and all(map(_is_number, cells[last]))
    likely = {last: "a number"} if is_number else {}
    for name in reversed(counts):
        if 2 <= counts[name] <= MOST_CLASSES and len(likely) < 5:
            likely[name] = f"{counts[name]} values"
    if not likely:
        return f"{wanted}. It has the columns {', '.join(map(repr, cells))}."
    listed = ", ".join(f"{name!r} ({what})" for name, what in likely.items())
    return f"{wanted}, such as --target {next(iter(likely))!r}. Candidates: {listed}."


def _is_number(cell: Any) -> bool:
    return cell is None or isinstance(cell, int | float | Decimal)


@dataclass(frozen=True, kw_only=True)
class Query:
    """A model, and a table to ask it about."""

    model: Model
    data: Data
    reading: Reading

    def known(self, predicts: str | None = None) -> "ModelTable":
        """Return the table beside the model.

        Raise ValueError unless it predicts a "class", or "any" of class and number.
        """
        from nearkind import load
        from nearkind.cli.model_table import ModelTable, load_predictor

        model = load_predictor(self.model, predicts) if predicts else load(self.model)
        return ModelTable(model, self.data, self.reading.options)

    @property
    def inputs(self) -> "Inputs":
        """What the command reads, and so never replaces."""
        return {"MODEL": self.model, "DATA": self.data}


@dataclass(frozen=True, kw_only=True)
class TableFile:
    """Where to write a table."""

    output: Path | None = option()
    force: Force = False

    def check(self, inputs: "Inputs") -> None:
        """Raise BadParameter or OSError if the table may not be written there."""
        from nearkind.cli.outputs import check_table_output

        if self.output is not None:
            check_table_output(self.output, inputs, self.force)

    def write(self, columns: "Columns") -> None:
        """Write a table there, or as CSV to the output."""
        from nearkind.cli.model_table import write_table

        write_table(columns, self.output)


@dataclass(frozen=True, kw_only=True)
class TableOutput(TableFile):
    """Where to write a table about DATA."""

    keep: bool = option(default=False)

    def write_beside(self, X: "Columns", **columns: Any) -> None:
        """Write columns, beside those of DATA if these are kept, if a file is named."""
        if self.output is not None:
            self.write({**(X if self.keep else {}), **columns})


@dataclass(frozen=True, kw_only=True)
class Measure:
    """The distance between rows without labels."""

    metric: str = option(default="gower", autocompletion=completion(methods.names))
    numeric: Literal["auto", "category", "bin", "number"] | None = option()
    weights: list[str] | None = option()
    ordered: list[str] | None = option()

    def distance(self) -> Any:
        """Return the distance, not yet fitted; BadParameter if it cannot be."""
        from nearkind.errors import did_you_mean
        from nearkind.estimators.base import traits_of
        from nearkind.estimators.distance_names import named_distances
        from nearkind.io import infer_types

        known = named_distances()
        if self.metric not in known:
            raise typer.BadParameter(
                f"there is no distance {self.metric!r}. "
                f"{did_you_mean(self.metric, known)}",
                param_hint="--metric",
            )
        made = known[self.metric]()
        if traits_of(made).requires_labels:
            raise typer.BadParameter(
                f"{self.metric} learns from labels; choose a distance that needs "
                "none, such as gower, hamming or unbiased.",
                param_hint="--metric",
            )
        wanted = "a column and its weight, such as size=2"
        weights = named_numbers(self.weights, "--weights", wanted)
        given: dict[str, Any] = {
            "weights": weights,
            "ordered": {},
            "numeric": self.numeric,
        }
        for text in self.ordered or ():
            name, _, values = text.partition("=")
            if not values:
                raise typer.BadParameter(
                    f"a column and its values, such as size=S,M,L; got {text!r}.",
                    param_hint="--ordered",
                )
            given["ordered"][name] = infer_types({name: values.split(",")})[name]
        for name, values in given.items():
            if values and name not in made.get_params():
                raise typer.BadParameter(
                    f"the distance {self.metric!r} takes no {name}; gower does.",
                    param_hint=f"--{name}",
                )
            if values:
                made.set_params(**{name: values})
        return made


def named_numbers(given: list[str] | None, hint: str, wanted: str) -> dict[str, float]:
    """Return the numbers in options such as size=2 by name, "" if there is none."""
    found = {}
    for text in given or ():
        name, _, number = text.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            message = f"{wanted}; got {text!r}."
            raise typer.BadParameter(message, param_hint=hint) from None
    return found


@dataclass(frozen=True, kw_only=True)
class Trials:
    """Methods to try, and how often, how long and how many at once."""

    method: list[str] | None = option(autocompletion=completion(methods.names))
    list_methods: ListMethods = False
    repeats: int = option(default=5)
    seconds: float = option(default=300.0)
    jobs: int | None = option()
