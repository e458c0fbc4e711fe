"""``nearkind neighbors``."""

from pathlib import Path

import typer

from nearkind.cli import options
from nearkind.cli.option_groups import argument, option


def neighbors(
    measure: options.Measure,
    reading: options.Reading,
    row: options.Row,
    model: str = argument(autocompletion=options.complete_data),
    data: str | None = argument(default=None, autocompletion=options.complete_data),
    k: int = option(default=5),
    drop: list[str] | None = option(),
    training: options.Training = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the nearest training rows of a row of DATA, and how they differ.

    Without MODEL these are other rows of DATA itself.
    """
    from nearkind.cli import console
    from nearkind.cli.explanations import Explainer, row_neighbors

    if data is None:
        rows = options.Rows(data=model, drop=drop, reading=reading)
        facts = row_neighbors(measure.distance(), rows.usable(rows.features()), row, k)
    elif drop:
        raise typer.BadParameter(
            "cannot be combined with MODEL, which determines the columns.",
            param_hint="--drop",
        )
    else:
        query = options.Query(model=Path(model), data=data, reading=reading)
        facts = Explainer(query.known("any"), training).neighbors(row, k)
    (console.print_json if as_json else console.show_neighbors)(facts)
