"""``nearkind demo``."""

from pathlib import Path
from typing import Annotated

import typer

from nearkind.cli import options


def demo(
    name: Annotated[
        str, typer.Argument(help="Name of a built-in set that needs no file.")
    ] = "balance",
    output: options.Page = Path("nearkind-demo.html"),
    force: options.Force = False,
) -> None:
    """Learn on a built-in set, print what was learned and write a page on it."""
    from nearkind.cli.outputs import PAGE, check_output
    from nearkind.demo import show

    check_output(output, PAGE, {"NAME": name}, force)
    show(name, output)
