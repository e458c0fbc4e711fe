"""``nearkind demo``."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    name: Annotated[
        str, typer.Argument(help="Name of a built-in set that needs no file.")
    ] = "balance",
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="File for the page; what is there is replaced."
        ),
    ] = Path("nearkind-demo.html"),
) -> None:
    """Learn on a built-in set, print what was learned and write a page on it."""
    from nearkind.demo import show
    from nearkind.io import check_writable

    check_writable(output)
    show(name, output)
