"""``nearkind demo``."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    name: Annotated[
        str, typer.Argument(help="A built-in data set that needs no file.")
    ] = "balance",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write a page to explore it, .html."),
    ] = None,
) -> None:
    """Learn on a built-in set and print what was learned."""
    from nearkind.demo import show
    from nearkind.files import check_place

    if output is not None:
        check_place(output)
    show(name, output)
