"""``nearkind explain``."""

import typer

from nearkind.cli import options
from nearkind.cli.options import option


def explain(
    query: options.Query,
    row: int | None = option("Why this row of DATA has its class."),
    rows: tuple[int, int] | None = option(
        "Why two rows of DATA are apart.", metavar="A B"
    ),
    k: int = option("Neighbours of --row.", "-k", default=5, min=1),
    training: options.Training = None,
    as_json: options.AsJson = False,
) -> None:
    """Say why a row has its class, or what sets two rows apart; rows count from 0."""
    if (row is None) == (rows is None):
        raise typer.BadParameter(
            "name one row, for why it has its class, or two, for why they are apart.",
            param_hint="--row N or --rows A B",
        )
    from nearkind.cli import console
    from nearkind.cli.explanations import Explainer

    explainer = Explainer(query.known(classifies=row is not None), training)
    if row is not None:
        facts, show = explainer.prediction(row, k), console.show_prediction
    elif rows is not None:
        facts, show = explainer.distance(*rows), console.show_explanation
    (console.print_json if as_json else show)(facts)
