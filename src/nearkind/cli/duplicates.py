"""``nearkind duplicates``."""

from pathlib import Path

import typer

from nearkind.cli import options
from nearkind.cli.option_groups import option


def duplicates(
    rows: options.Rows,
    model: Path | None = option(),
    pairs: int = option(default=10),
    within: float | None = option(),
    as_json: options.AsJson = False,
) -> None:
    """List equal and nearly equal rows of DATA."""
    from nearkind.cli.console import print_json, show_duplicates
    from nearkind.cli.progress import progress_bar
    from nearkind.tasks.duplicates import similarity_facts

    if model is None:
        known, X = None, rows.features()
    elif rows.drop or rows.text:
        raise typer.BadParameter(
            "cannot be combined with --model, which determines the columns.",
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
    facts = {"data": rows.where, **facts}
    (print_json if as_json else show_duplicates)(facts)
