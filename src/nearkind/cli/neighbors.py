"""``nearkind neighbors``."""

from typing import Annotated

import typer

from nearkind.cli import options


def neighbors(
    model: options.Model,
    data: options.Data,
    row: Annotated[int, typer.Option("--row", help="A row of DATA, from 0 on.")],
    k: Annotated[int, typer.Option("-k", min=1, help="How many.")] = 5,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the training rows nearest to a row of DATA, each with why."""
    from nearkind.cli import console
    from nearkind.cli.explanations import neighbor_facts
    from nearkind.cli.model_table import ModelTable, load_classifier
    from nearkind.io import ReadOptions

    known = load_classifier(model)
    table = ModelTable(known, data, ReadOptions(format, delimiter, encoding))
    facts = neighbor_facts(known, table, row, k)
    (console.print_json if as_json else console.show_neighbors)(facts)
