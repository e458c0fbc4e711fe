"""``nearkind reproduce``."""

from pathlib import Path
from typing import Annotated

import typer


def reproduce(
    what: Annotated[
        list[str] | None,
        typer.Argument(help="Items to make, see --list; all without."),
    ] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", min=1, help="Repetitions of each trial.")
    ] = 10,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of tables and figures.")
    ] = Path("reproduced"),
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="Trials at once; one a core.")
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", help="Of one trial; then it is given up.")
    ] = 600.0,
    largest: Annotated[
        int | None, typer.Option("--largest", min=1, help="Leave out larger sets.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the items.")] = False,
) -> None:
    """Make the tables and figures of the paper, ours beside the printed numbers.

    A second run into the same folder goes on where the first one ended.
    """
    from nearkind.experiments.items import ITEMS, items_named
    from nearkind.experiments.reproduction import Reproduction

    if listed:
        for name, item in ITEMS.items():
            typer.echo(f"{name:16}{item.title}")
        return
    reproduction = Reproduction(output, repeats, jobs, seconds, largest)
    for name, item in items_named(what or ()).items():
        typer.echo(f"{name}: {item.title}", err=True)
        for path in item.make(reproduction):
            typer.echo(str(path))
