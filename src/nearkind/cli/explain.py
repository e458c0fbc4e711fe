"""``nearkind explain``."""

from typing import Annotated

import typer

from nearkind.cli import options
from nearkind.cli.printing import print_json


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
    from nearkind.cli import models, near, showing
    from nearkind.io import ReadOptions

    known = load(model)
    table = models.Rows(known, data, ReadOptions(format, delimiter, encoding))
    facts = near.explanation(known, table, *rows)
    (print_json if as_json else showing.show_explanation)(facts)
