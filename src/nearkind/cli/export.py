"""``nearkind export``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from nearkind.cli import options
from nearkind.errors import did_you_mean
from nearkind.export.targets import TARGETS


def export(
    model: options.Model,
    to: Annotated[str, typer.Option("--to", help=f"One of {', '.join(TARGETS)}.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Else as MODEL, here, with another ending."
        ),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option("--dialect", help="Of SQL: duckdb, postgres or pgvector."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option("--table", help="Of SQL: the table to classify, new_rows."),
    ] = None,
    key: Annotated[
        str | None, typer.Option("--key", help="Of SQL: its key column, id.")
    ] = None,
    inputs: Annotated[
        str | None, typer.Option("--inputs", help="Of ONNX: values or codes.")
    ] = None,
    member: Annotated[
        int | None,
        typer.Option("--member", min=1, help="Which of several that vote together."),
    ] = None,
) -> None:
    """Write a model as JSON, CSV, SQL or ONNX, for programs without nearkind."""
    from nearkind import load
    from nearkind.export.targets import write

    if to not in TARGETS:
        raise typer.BadParameter(did_you_mean(to, TARGETS), param_hint="--to")
    place = output or Path(f"{model.stem}.{to}")
    if place.resolve() == model.resolve():
        raise typer.BadParameter("is the model itself.", param_hint="--output")
    asked = {"dialect": dialect, "table": table, "key": key, "inputs": inputs}
    settings = {name: value for name, value in asked.items() if value is not None}
    for path in write(_member(load(model), member), place, to, **settings):
        typer.echo(str(path))


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
