"""The command line; every heavy import waits for the command that needs it."""

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    help="Learned distances between rows of categorical data.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from nearkind import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def nearkind(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and leave.",
            callback=_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Learned distances between rows of categorical data."""


@app.command()
def demo(
    name: Annotated[
        str, typer.Argument(help="A built-in data set that needs no file.")
    ] = "balance",
) -> None:
    """Learn on a built-in set and print what was learned."""
    from nearkind.demo import show

    show(name)


@app.command("datasets")
def list_datasets(
    name: Annotated[
        str | None, typer.Argument(help="A set to describe; all are listed without.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write it to this .csv or .csv.gz file."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the built-in sets, describe one, or write one out."""
    if output is not None:
        _write_out(name, output)
    elif name is not None:
        _describe(name, as_json)
    else:
        _list_all(as_json)


def _list_all(as_json: bool) -> None:
    from nearkind.datasets import display, listing

    show = _print_json if as_json else display.show_overview
    show(listing.overview())


def _describe(name: str, as_json: bool) -> None:
    from nearkind.datasets import display, listing, obtaining

    show = _print_json if as_json else display.show_description
    show(listing.description(name, obtaining.obtain(name)))


def _write_out(name: str | None, path: Path) -> None:
    from nearkind.datasets import obtaining, writing

    if name is None:
        raise typer.BadParameter("--output needs the NAME of a set as well.")
    try:
        writing.check_ending(path)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    table = obtaining.obtain(name).table
    writing.write(table, path)
    typer.echo(f"{path}: {len(table.y):,} rows, {table.X.shape[1]} features, the label")


@app.command()
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
    from nearkind.paper.items import ITEMS, chosen
    from nearkind.paper.workshop import Workshop

    if listed:
        for name, item in ITEMS.items():
            typer.echo(f"{name:16}{item.title}")
        return
    workshop = Workshop(output, repeats, jobs, seconds, largest)
    for name, item in chosen(what or ()).items():
        typer.echo(f"{name}: {item.title}", err=True)
        for path in item.make(workshop):
            typer.echo(str(path))


def _print_json(facts: Any) -> None:
    from json import dumps

    typer.echo(dumps(facts, indent=2, ensure_ascii=False))


def _one_sentence(message: Warning | str, *_: Any, **__: Any) -> str:
    return f"nearkind: {message}\n"


def main() -> None:
    """Run a command; bad data ends in one sentence on standard error and exit 1."""
    warnings.formatwarning = _one_sentence
    try:
        app()
    except (ValueError, TypeError, OSError) as error:
        typer.echo(f"nearkind: {error}", err=True)
        raise SystemExit(1) from None
