"""``nearkind export``."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from nearkind.cli import options
from nearkind.errors import did_you_mean
from nearkind.export.targets import TARGETS, files, target_of, write


def _dialects() -> Iterable[str]:
    from nearkind.export.sql_dialects import DIALECTS

    return DIALECTS


def export(
    model: options.Model,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write, whose ending says what: .sql, .onnx, .json or .csv; "
            "or a folder for csv. An export that is there is replaced. By "
            "default the name of MODEL with the ending that --to says.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help=f"What to write: {', '.join(TARGETS)}; by default what the ending of "
            "--output says.",
            autocompletion=options.completion(lambda: TARGETS),
        ),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(
            "--dialect",
            metavar="[duckdb|postgres|pgvector|sqlite]",
            help="Dialect of SQL; duckdb by default.",
            autocompletion=options.completion(_dialects),
        ),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(
            "--table",
            help="Table whose rows the SQL classifies; new_rows by default.",
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--key", help="Column of that table that tells rows apart; id by default."
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            help="Word with which all names in the SQL begin; the name of MODEL by "
            "default.",
        ),
    ] = None,
    inputs: Annotated[
        str | None,
        typer.Option(
            "--inputs",
            help="What the ONNX graph takes: values (by default) or codes.",
            autocompletion=options.completion(lambda: ("values", "codes")),
        ),
    ] = None,
    member: Annotated[
        int | None,
        typer.Option(
            "--member",
            min=1,
            help="Number of the one distance to write, of several that vote together.",
        ),
    ] = None,
    force: options.Force = False,
) -> None:
    """Write a model as JSON, CSV, SQL or ONNX, for programs without nearkind."""
    from nearkind import load
    from nearkind.cli import outputs
    from nearkind.model_view import ModelView
    from nearkind.tables import printable

    if to is None:
        to = _target(output)
    if to not in TARGETS:
        raise typer.BadParameter(did_you_mean(to, TARGETS), param_hint="--to")
    place = output or Path(f"{model.stem}.{to}")
    if to == "sql" and name is None:
        name = model.stem
    outputs.keep_inputs(place, {"MODEL": model})
    asked = dict(dialect=dialect, table=table, key=key, name=name, inputs=inputs)
    settings = {option: x for option, x in asked.items() if x is not None}
    known = _member(load(model), member)
    for path in files(known, place, to):
        outputs.keep_inputs(path, {"MODEL": model})
        outputs.keep_others(path, outputs.EXPORTS[to], force)
    for path in write(known, place, to, **settings):
        outputs.echo_path(path)
    if to == "sql" and ModelView(known).classifies:
        typer.echo(printable(f"{place}: query the view {name}_classes"), err=True)


def _target(output: Path | None) -> str:
    """Return what to write by the ending of the output."""
    if output is None:
        raise typer.BadParameter(
            "say what to write, by --to or by the ending of -o.", param_hint="--to"
        )
    try:
        return target_of(output)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--output") from None


def _member(model: Any, number: int | None) -> Any:
    """Return a member of a model, or the model if no number is given."""
    from nearkind.model_view import ModelView

    if number is None:
        return model
    members = ModelView(model).members or [model]
    if number > len(members):
        raise ValueError(
            f"There is no member {number}: the model has {len(members)}, numbered "
            "from 1."
        )
    return members[number - 1]
