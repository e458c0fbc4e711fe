"""``nearkind explain``."""

from typing import Annotated

import typer

from nearkind.cli import options


def explain(
    model: options.Model,
    data: options.Data,
    row: Annotated[
        int | None, typer.Option("--row", help="Why this row of DATA has its class.")
    ] = None,
    rows: Annotated[
        tuple[int, int] | None,
        typer.Option("--rows", metavar="A B", help="Why two rows of DATA are apart."),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="Neighbours of --row.")] = 5,
    training: options.Training = None,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    as_json: options.AsJson = False,
) -> None:
    """Say why a row has its class, or what sets two rows apart; rows count from 0."""
    if (row is None) == (rows is None):
        raise typer.BadParameter(
            "name one row, for why it has its class, or two, for why they are apart.",
            param_hint="--row N or --rows A B",
        )
    from nearkind import load
    from nearkind.cli import console
    from nearkind.cli.explanations import Explainer
    from nearkind.cli.model_table import ModelTable, load_classifier
    from nearkind.io import ReadOptions

    known = load(model) if row is None else load_classifier(model)
    reading = ReadOptions(format, delimiter, encoding)
    table = ModelTable(known, data, reading)
    learned_from = None if training is None else ModelTable(known, training, reading)
    explainer = Explainer(known, table, learned_from)
    if row is not None:
        facts, show = explainer.prediction(row, k), console.show_prediction
    elif rows is not None:
        facts, show = explainer.distance(*rows), console.show_explanation
    (console.print_json if as_json else show)(facts)
