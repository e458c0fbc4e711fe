"""``nearkind report``."""

from pathlib import Path
from typing import TYPE_CHECKING

from nearkind.cli import options
from nearkind.cli.option_groups import argument

if TYPE_CHECKING:
    from nearkind.cli.model_table import ModelTable
    from nearkind.pages.data import ReportData


def report(
    measure: options.Measure,
    reading: options.Reading,
    output: options.Page,
    model: str = argument(autocompletion=options.complete_data),
    data: str | None = argument(default=None, autocompletion=options.complete_data),
    target: options.TrueClasses = None,
    force: options.Force = False,
) -> None:
    """Write an interactive HTML page about a model and DATA, or about DATA alone."""
    from nearkind.cli.outputs import PAGE, check_output, echo_path
    from nearkind.cli.progress import said_if_long
    from nearkind.io import require_column, write_text
    from nearkind.pages.overview import overview
    from nearkind.pages.page import page
    from nearkind.pages.summary import summary

    if data is None:
        check_output(output, PAGE, {"DATA": model}, force)
        rows = options.Rows(data=model, reading=reading)
        X, y = rows.features(), None
        if target is not None:
            y = X.pop(require_column(target, X, rows.where))
        X = rows.usable(X)
        with said_if_long("writing the page ..."):
            facts = overview(X, rows.where, y, measure.distance())
            write_text(page(summary(facts)), output)
    else:
        query = options.Query(model=Path(model), data=data, reading=reading)
        check_output(output, PAGE, query.inputs, force)
        facts = _report_data(query.known(), query.model.name, target)
        with said_if_long("writing the page ..."):
            write_text(page(summary(facts)), output)
    echo_path(output)


def _report_data(table: "ModelTable", name: str, target: str | None) -> "ReportData":
    from nearkind.cli.predictions import number_column, predict_table
    from nearkind.estimators.neighbor_regressor import NeighborRegressor
    from nearkind.io import infer_types, require_column
    from nearkind.pages.data import ReportData
    from nearkind.pages.number_data import number_report

    column = target and require_column(target, table.columns, table.where)
    if isinstance(table.model, NeighborRegressor):
        column = column or number_column(table)
        y = infer_types({column: table.columns[column]})[column] if column else None
        return number_report(table.model, table.X, name, table.where, y)
    y_pred = None
    if table.view.committee is not None:
        predictions = predict_table(table, target)
        y_pred, score = predictions.labels, predictions.score
        column = score and score.column
    return ReportData(
        model=table.model,
        X=table.X,
        relevance=table.view.relevance(table.X),
        name=name,
        where=table.where,
        y_pred=y_pred,
        y_true=table.labels(column) if column else None,
        target=column or None,
    )
