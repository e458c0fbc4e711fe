"""``nearkind change``."""

from nearkind.cli import options
from nearkind.cli.option_groups import option


def change(
    query: options.Query,
    row: options.Row,
    to: str | None = option(),
    fixed: list[str] | None = option(),
    as_json: options.AsJson = False,
) -> None:
    """Show the smallest change of a row of DATA that changes its class."""
    from nearkind.cli import console
    from nearkind.cli.explanations import Explainer

    facts = Explainer(query.known("class")).change(row, to, fixed or [])
    (console.print_json if as_json else console.show_change)(facts)
