"""The command line; every heavy import waits for the command that needs it."""

from typing import Annotated

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


def main() -> None:
    """Run a command; bad data ends in one sentence on standard error and exit 1."""
    try:
        app()
    except (ValueError, TypeError, OSError) as error:
        typer.echo(f"nearkind: {error}", err=True)
        raise SystemExit(1) from None
