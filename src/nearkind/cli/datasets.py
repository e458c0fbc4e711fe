"""``nearkind datasets``."""

from pathlib import Path
from typing import Annotated

import typer

from nearkind.cli.options import AsJson, completion


def _names() -> list[str]:
    from nearkind.datasets.sources import names

    return names()


def datasets(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Name of a set to describe; without one all are listed.",
            autocompletion=completion(_names),
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File for the set, such as zoo.csv.gz; what is there is replaced.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the built-in sets, describe one, or write one out."""
    if output is not None:
        _write_out(name, output)
    elif name is not None:
        _describe(name, as_json)
    else:
        _list_all(as_json)


def _list_all(as_json: bool) -> None:
    from nearkind.cli.console import print_json
    from nearkind.datasets import display

    show = print_json if as_json else display.show_overview
    show(display.overview())


def _describe(name: str, as_json: bool) -> None:
    from nearkind.cli.console import print_json
    from nearkind.datasets import display, sources

    show = print_json if as_json else display.show_description
    show(display.description(name, sources.obtain(name)))


def _write_out(name: str | None, path: Path) -> None:
    from nearkind.datasets.sources import obtain
    from nearkind.io import check_ending, write_columns

    if name is None:
        raise typer.BadParameter("--output needs the NAME of a set as well.")
    try:
        check_ending(path)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    data = obtain(name).data
    write_columns(data.columns(), path)
    typer.echo(f"{path}: {len(data.y):,} rows, {data.X.shape[1]} features, the label")
