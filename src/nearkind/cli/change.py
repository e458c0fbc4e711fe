"""``nearkind change``."""

from typing import Annotated

import typer

from nearkind.cli import options


def change(
    model: options.Model,
    data: options.Data,
    row: Annotated[int, typer.Option("--row", help="A row of DATA, from 0 on.")],
    to: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="CLASS", help="The class wanted; any other by default."
        ),
    ] = None,
    fixed: Annotated[
        list[str] | None,
        typer.Option(
            "--fixed",
            metavar="COL",
            help="Column that stays as it is; give the option once per column.",
        ),
    ] = None,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the fewest changes of a row of DATA that change its class."""
    from nearkind.cli import console
    from nearkind.cli.explanations import Explainer
    from nearkind.cli.model_table import ModelTable, load_classifier
    from nearkind.io import ReadOptions

    known = load_classifier(model)
    table = ModelTable(known, data, ReadOptions(format, delimiter, encoding))
    facts = Explainer(known, table).change(row, to, fixed or [])
    (console.print_json if as_json else console.show_change)(facts)
