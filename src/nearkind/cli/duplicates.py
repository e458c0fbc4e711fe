"""``nearkind duplicates``."""

from pathlib import Path
from typing import Annotated

import typer

from nearkind.cli import options


def duplicates(
    rows: options.Rows,
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
    as_json: options.AsJson = False,
) -> None:
    """List rows of DATA that are equal, and those that are nearly so."""
    from nearkind.cli.console import print_json
    from nearkind.cli.findings import show_duplicates
    from nearkind.cli.progress import progress_bar
    from nearkind.io import short_name
    from nearkind.tasks.duplicates import similarity_facts

    if model is None:
        known, X = None, rows.features()
    elif rows.drop or rows.text:
        raise typer.BadParameter(
            "not with --model, which has columns of its own.",
            param_hint="--drop" if rows.drop else "--text",
        )
    else:
        query = options.Query(model=model, data=rows.data, reading=rows.reading)
        table = query.known()
        known, X = table.model, table.X
    n_rows = len(next(iter(X.values())))
    largest = float("inf") if within is None else within
    with progress_bar("comparing rows", n_rows) as advance:
        facts = similarity_facts(X, known, pairs, largest, advance)
    facts = {"data": short_name(rows.data), **facts}
    (print_json if as_json else show_duplicates)(facts)
