"""``nearkind change``."""

from typing import Annotated

import typer

from nearkind.cli import options


def change(
    query: options.Query,
    row: options.Row,
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
    as_json: options.AsJson = False,
) -> None:
    """Show the fewest changes of a row of DATA that change its class."""
    from nearkind.cli import console
    from nearkind.cli.explanations import Explainer

    facts = Explainer(query.known(classifies=True)).change(row, to, fixed or [])
    (console.print_json if as_json else console.show_change)(facts)
