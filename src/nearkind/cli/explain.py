"""``nearkind explain``."""

from typing import Annotated

import typer

from nearkind.cli import options


def explain(
    model: options.Model,
    data: options.Data,
    rows: Annotated[
        tuple[int, int],
        typer.Option("--rows", metavar="A B", help="Two rows of DATA, from 0 on."),
    ],
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    as_json: options.AsJson = False,
) -> None:
    """Split the distance between two rows among the features, and say what differs."""
    from nearkind import load
    from nearkind.cli import console
    from nearkind.cli.explanations import explanation_facts
    from nearkind.cli.model_table import ModelTable
    from nearkind.io import ReadOptions

    known = load(model)
    table = ModelTable(known, data, ReadOptions(format, delimiter, encoding))
    facts = explanation_facts(known, table, *rows)
    (console.print_json if as_json else console.show_explanation)(facts)
