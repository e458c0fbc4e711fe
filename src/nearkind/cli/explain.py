"""``nearkind explain``."""

import typer

from nearkind.cli import options
from nearkind.cli.option_groups import option


def explain(
    query: options.Query,
    written: options.TableOutput,
    row: int | None = option(),
    rows: tuple[int, int] | None = option(),
    all_rows: bool = option(default=False),
    k: int = option(default=5),
    training: options.Training = None,
    as_json: options.AsJson = False,
) -> None:
    """Explain the prediction for rows, or the distance between two rows."""
    if (row is not None) + (rows is not None) + all_rows != 1:
        raise typer.BadParameter(
            "choose one row to explain its class, two rows to explain their "
            "distance, or all rows.",
            param_hint="--row N, --rows A B or --all",
        )
    if written.output is not None and not all_rows:
        raise typer.BadParameter("requires --all.", param_hint="-o")
    from nearkind.cli import console
    from nearkind.cli.explanations import Explainer, contribution_facts, contributions

    written.check(query.inputs)
    if all_rows:
        table = query.known("any")
        columns = contributions(table)
        if written.output is not None:
            written.write((table.columns if written.keep else {}) | columns)
        found = contribution_facts(table, columns)
        (console.print_json if as_json else console.show_contributions)(found)
        return
    explainer = Explainer(query.known(None if row is None else "any"), training)
    if row is not None and explainer.view.committee.classes is None:
        facts, show = explainer.number(row, k), console.show_number
    elif row is not None:
        facts, show = explainer.prediction(row, k), console.show_prediction
    elif rows is not None:
        facts, show = explainer.distance(*rows), console.show_explanation
    (console.print_json if as_json else show)(facts)
