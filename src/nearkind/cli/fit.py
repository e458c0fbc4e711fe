"""``nearkind fit``."""

import os
import signal
from pathlib import Path
from typing import Any

import typer

from nearkind.cli import methods, options
from nearkind.cli.fit_settings import FitSettings, StreamSettings
from nearkind.cli.option_groups import option


def _end_search_by_signal() -> None:
    """Let Ctrl-C end the search; or SIGTERM, where Ctrl-C is ignored from the start."""
    number = signal.SIGINT
    if signal.getsignal(number) is signal.SIG_IGN:
        number = signal.SIGTERM
        typer.echo(
            "Ctrl-C is ignored here, as in the background of a script: SIGTERM "
            f"(kill {os.getpid()}) ends the search and keeps the best so far.",
            err=True,
        )
    signal.signal(number, signal.default_int_handler)


def _named_after(data: str) -> Path:
    """Return the default name of a model, in this folder."""
    if data == "-":
        raise typer.BadParameter(
            "name the model file, such as -o model.nearkind.",
            param_hint="--output",
        )
    return Path(f"{Path(data).name.split('.')[0] or 'model'}.nearkind")


def fit(
    table: options.TargetTable,
    settings: FitSettings,
    batches: StreamSettings,
    output: Path | None = option(),
    answers: Path | None = option(),
    triplets: Path | None = option(),
    pairs: Path | None = option(),
    list_methods: options.ListMethods = False,
    keep_best: bool = option(default=False),
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Fit a model to a table and write it to a file.

    Without --target, methods that need no classes learn a distance.
    """
    from nearkind.cli import fits, outputs

    settings.check()
    files = {"triplets": triplets, "pairs": pairs}
    stated = {kind: path for kind, path in files.items() if path is not None}
    if stated or answers is not None:
        from nearkind.cli.answer_fits import fit_stated

        inputs = {"DATA": table.rows.data, "--answers": answers, **stated}
        output = output or _named_after(table.rows.data)
        outputs.check_output(output, outputs.MODEL, inputs, force)
        model, facts = fit_stated(table, settings, answers, stated)
        _finish(model, output, facts, as_json)
        return
    is_labelled = table.column is not None or methods.needs_classes(settings.name)
    source = table.source() if is_labelled else None
    output = output or _named_after(table.rows.data)
    outputs.check_output(output, outputs.MODEL, {"DATA": table.rows.data}, force)
    if keep_best:
        _end_search_by_signal()
    if source is None:
        model, facts = fits.fit_distance(table.rows, settings, batches)
    else:
        model, facts = fits.fit_classifier(source, settings, batches)
    _finish(model, output, facts, as_json)


def _finish(model: Any, output: Path, facts: dict[str, Any], as_json: bool) -> None:
    """Save a model and print the facts of its fit."""
    from nearkind import save
    from nearkind.cli import console

    save(model, output)
    (console.print_json if as_json else console.show_fit)(
        {"model": str(output), **facts}
    )
