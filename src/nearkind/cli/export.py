"""``nearkind export``."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from nearkind.cli import options
from nearkind.cli.option_groups import option
from nearkind.export.targets import target_of

if TYPE_CHECKING:
    from nearkind.model_view import ModelView


@dataclass(frozen=True, kw_only=True)
class Words:
    """Words of an export, each None where the target has its own."""

    dialect: Literal["duckdb", "postgres", "pgvector", "sqlite"] | None = option()
    table: str | None = option()
    key: str | None = option()
    name: str | None = option()
    inputs: Literal["values", "codes"] | None = option()

    def given(self) -> dict[str, Any]:
        """Return those that are given."""
        return {name: word for name, word in vars(self).items() if word is not None}


def export(
    model: options.Model,
    words: Words,
    output: Path | None = option(),
    to: Literal["json", "csv", "sql", "onnx"] | None = option(),
    member: int | None = option(),
    force: options.Force = False,
) -> None:
    """Write a model as JSON, CSV, SQL or ONNX, for use without nearkind."""
    from nearkind import load
    from nearkind.cli import outputs
    from nearkind.export.targets import files, write
    from nearkind.model_view import ModelView
    from nearkind.tables import printable

    target = to or _target(output)
    place = output or Path(f"{model.stem}.{target}")
    if target == "sql" and words.name is None:
        words = replace(words, name=model.stem)
    outputs.keep_inputs(place, {"MODEL": model})
    view = ModelView(load(model))
    known = _member(view, member)
    for path in files(known, place, target):
        outputs.keep_inputs(path, {"MODEL": model})
        outputs.keep_others(path, outputs.EXPORTS[target], force)
    for path in write(known, place, target, **words.given()):
        outputs.echo_path(path)
    if target == "sql" and view.committee is not None:
        what = "numbers" if view.committee.classes is None else "classes"
        told = printable(f"{place}: query the view {words.name}_{what}")
        typer.echo(told, err=True)


def _target(output: Path | None) -> str:
    """Return what to write by the ending of the output."""
    if output is None:
        raise typer.BadParameter(
            "name the format with --to, or by the ending of -o.", param_hint="--to"
        )
    try:
        return target_of(output)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--output") from None


def _member(view: "ModelView", number: int | None) -> Any:
    """Return a classifier of one voter, or the model if no number is given."""
    from nearkind.estimators.classifier import classifier_of

    committee = view.committee
    n_members = 1 if committee is None else len(committee.voters)
    if number is not None and number > n_members:
        raise ValueError(
            f"There is no member {number}: the model has {n_members}, numbered from 1."
        )
    if number is None or committee is None:
        return view.model
    if committee.classes is None:
        raise ValueError(
            "--member requires a classifier; this model predicts a number."
        )
    return classifier_of(committee.voters[number - 1], committee.classes)
