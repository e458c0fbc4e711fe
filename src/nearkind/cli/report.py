"""``nearkind report``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearkind.cli import options

if TYPE_CHECKING:
    from nearkind.cli.model_table import ModelTable
    from nearkind.pages.data import ReportData


def report(
    model: options.Model,
    data: options.Data,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="File for the page, which ends in .html; a page that is there is "
            "replaced.",
        ),
    ],
    target: options.TrueClasses = None,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    force: options.Force = False,
) -> None:
    """Write one page to explore a model with, and what it says of DATA."""
    from nearkind import load
    from nearkind.cli.model_table import ModelTable
    from nearkind.cli.outputs import PAGE, check_output, echo_path
    from nearkind.cli.progress import said_if_long
    from nearkind.io import ReadOptions, write_text
    from nearkind.pages.page import page
    from nearkind.pages.summary import summary

    check_output(output, PAGE, {"MODEL": model, "DATA": data}, force)
    known = load(model)
    table = ModelTable(known, data, ReadOptions(format, delimiter, encoding))
    facts = _report_data(known, table, model.name, target)
    with said_if_long("making the page ..."):
        write_text(page(summary(facts)), output)
    echo_path(output)


def _report_data(
    model: Any, table: "ModelTable", name: str, target: str | None
) -> "ReportData":
    from nearkind.cli.model_table import predict_table
    from nearkind.io import require_column
    from nearkind.model_view import ModelView
    from nearkind.pages.data import ReportData

    column = target and require_column(target, table.columns, table.where)
    y_pred, view = None, ModelView(model)
    if view.classifies:
        predictions = predict_table(model, table, target)
        y_pred, score = predictions.labels, predictions.score
        column = score and score.column
    return ReportData(
        model=model,
        X=table.X,
        relevance=view.relevance(table.X),
        name=name,
        where=table.where,
        y_pred=y_pred,
        y_true=table.labels(column) if column else None,
        target=column or None,
    )
