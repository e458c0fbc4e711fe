"""``nearkind neighbors``."""

from typing import Annotated

import typer

from nearkind.cli import options


def neighbors(
    model: options.Model,
    data: options.Data,
    row: Annotated[int, typer.Option("--row", help="A row of DATA, from 0 on.")],
    k: Annotated[int, typer.Option("-k", min=1, help="How many.")] = 5,
    training: options.Training = None,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the training rows nearest to a row of DATA, each with why."""
    from nearkind.cli import console
    from nearkind.cli.explanations import Explainer
    from nearkind.cli.model_table import ModelTable, load_classifier
    from nearkind.io import ReadOptions

    known, reading = load_classifier(model), ReadOptions(format, delimiter, encoding)
    table = ModelTable(known, data, reading)
    learned_from = None if training is None else ModelTable(known, training, reading)
    facts = Explainer(known, table, learned_from).neighbors(row, k)
    (console.print_json if as_json else console.show_neighbors)(facts)
