"""``nearkind datasets``."""

from pathlib import Path

import typer

from nearkind.cli.option_groups import argument, completion, option
from nearkind.cli.options import AsJson, Force


def _names() -> list[str]:
    from nearkind.datasets.sources import names

    return names()


def datasets(
    name: str | None = argument(default=None, autocompletion=completion(_names)),
    output: Path | None = option(),
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """List the built-in data sets, describe one, or write one to a file."""
    from nearkind.cli import console
    from nearkind.datasets import sources

    if output is not None:
        _write_out(name, output, force)
    elif name is not None:
        found = sources.description(name, sources.obtain(name))
        (console.print_json if as_json else console.show_set)(found)
    else:
        (console.print_json if as_json else console.show_sets)(sources.overview())


def _write_out(name: str | None, path: Path, force: bool) -> None:
    from nearkind.cli.outputs import check_table_output
    from nearkind.datasets.sources import obtain
    from nearkind.io import write_columns
    from nearkind.tables import printable

    if name is None:
        raise typer.BadParameter("--output requires the NAME of a data set.")
    check_table_output(path, {"NAME": name}, force)
    data = obtain(name).data
    write_columns(data.columns(), path)
    shown = printable(str(path))
    typer.echo(f"{shown}: {len(data.y):,} rows, {data.X.shape[1]} features, the label")
