"""``nearkind duplicates``."""

from pathlib import Path
from typing import Annotated

import typer

from nearkind.cli import options


def duplicates(
    data: options.Data,
    reading: options.Reading,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="File that `nearkind fit` wrote, whose distance and columns to take; "
            "by default the distance is the share of columns that differ.",
        ),
    ] = None,
    pairs: Annotated[
        int,
        typer.Option("--pairs", min=1, help="Pairs of near rows to list at most."),
    ] = 10,
    within: Annotated[
        float | None,
        typer.Option(
            "--within",
            min=0.0,
            help="Largest distance of a pair to list; any by default.",
        ),
    ] = None,
    drop: options.Drop = None,
    text: options.Text = None,
    as_json: options.AsJson = False,
) -> None:
    """List rows of DATA that are equal, and those that are nearly so."""
    from nearkind.cli.console import print_json
    from nearkind.cli.findings import show_duplicates
    from nearkind.cli.progress import progress_bar
    from nearkind.datasets.readers import read_features
    from nearkind.io import short_name
    from nearkind.tasks.duplicates import similarity_facts

    if model is None:
        known, X = None, read_features(data, drop or (), text or (), reading.options)
    elif drop or text:
        raise typer.BadParameter(
            "not with --model, which has columns of its own.",
            param_hint="--drop" if drop else "--text",
        )
    else:
        table = options.Query(model=model, data=data, reading=reading).known()
        known, X = table.model, table.X
    n_rows = len(next(iter(X.values())))
    largest = float("inf") if within is None else within
    with progress_bar("comparing rows", n_rows) as advance:
        facts = similarity_facts(X, known, pairs, largest, advance)
    facts = {"data": short_name(data), **facts}
    (print_json if as_json else show_duplicates)(facts)
