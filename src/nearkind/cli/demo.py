"""``nearkind demo``."""

from typing import Annotated

import typer


def demo(
    name: Annotated[
        str, typer.Argument(help="A built-in data set that needs no file.")
    ] = "balance",
) -> None:
    """Learn on a built-in set and print what was learned."""
    from nearkind.demo import show

    show(name)
