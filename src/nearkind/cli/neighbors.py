"""``nearkind neighbors``."""

from typing import Annotated

import typer

from nearkind.cli import options


def neighbors(
    query: options.Query,
    row: options.Row,
    k: Annotated[int, typer.Option("-k", min=1, help="How many.")] = 5,
    training: options.Training = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the training rows nearest to a row of DATA, each with why."""
    from nearkind.cli import console
    from nearkind.cli.explanations import Explainer

    facts = Explainer(query.known(classifies=True), training).neighbors(row, k)
    (console.print_json if as_json else console.show_neighbors)(facts)
