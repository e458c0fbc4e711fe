"""``nearkind neighbors``."""

from nearkind.cli import options
from nearkind.cli.options import option


def neighbors(
    query: options.Query,
    row: options.Row,
    k: int = option("How many.", "-k", default=5, min=1),
    training: options.Training = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the nearest training rows of a row of DATA, and how they differ."""
    from nearkind.cli import console
    from nearkind.cli.explanations import Explainer

    facts = Explainer(query.known(classifies=True), training).neighbors(row, k)
    (console.print_json if as_json else console.show_neighbors)(facts)
