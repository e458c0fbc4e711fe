"""``nearkind neighbors``."""

from typing import Annotated

import typer

from nearkind.cli import options
from nearkind.cli.printing import print_json


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
    from nearkind.cli import models, near, showing
    from nearkind.io import ReadOptions

    known = models.classifier(model)
    rows = models.Rows(known, data, ReadOptions(format, delimiter, encoding))
    facts = near.neighbors(known, rows, row, k)
    (print_json if as_json else showing.show_neighbors)(facts)
