"""``nearkind report``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearkind.cli import options

if TYPE_CHECKING:
    from nearkind.cli.models import Rows
    from nearkind.report.subject import Subject


def report(
    model: options.Model,
    data: options.Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="An .html file.")],
    target: options.Target = None,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
) -> None:
    """Write one page to explore a model with, and what it says of DATA."""
    from nearkind import load
    from nearkind.cli.models import Rows
    from nearkind.io import ReadOptions, check_writable, write_text
    from nearkind.report.page import page
    from nearkind.report.summary import summary

    check_writable(output)
    known = load(model)
    rows = Rows(known, data, ReadOptions(format, delimiter, encoding))
    subject = _subject(known, rows, model.name, target)
    write_text(page(summary(subject)), output)
    typer.echo(str(output))


def _subject(model: Any, rows: "Rows", name: str, target: str | None) -> "Subject":
    from nearkind.cli import answers
    from nearkind.io import require_column
    from nearkind.report.subject import Subject

    column = target and require_column(target, rows.columns, rows.where)
    said = None
    if hasattr(model, "predict"):
        found = answers.answer(model, rows, target)
        said, column = found.labels, found.score and found.score.column
    return Subject(
        model=model,
        X=rows.X,
        relevance=_shares(model, rows),
        name=name,
        where=rows.where,
        said=said,
        truth=_labels(rows, column) if column else None,
        target=column or None,
    )


def _shares(model: Any, rows: "Rows") -> list[float]:
    """Return the share of each column in the distance between two rows."""
    from nearkind.cli.contributions import distance_of, relevance

    share = {part["feature"]: part["share"] for part in relevance(model, rows.X)}
    return [share[name] for name in distance_of(model).codebook_.names_]


def _labels(rows: "Rows", column: str) -> list[Any]:
    from nearkind.io.cells import is_missing

    return [None if is_missing(cell) else cell for cell in rows.columns[column]]
