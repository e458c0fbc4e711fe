"""``nearkind predict``."""

import typer

from nearkind.cli import options


def predict(
    query: options.Query,
    written: options.TableOutput,
    target: options.TrueClasses = None,
    as_json: options.AsJson = False,
) -> None:
    """Say the class of each row and the probability of every class, as CSV."""
    from nearkind.cli.console import print_json
    from nearkind.cli.model_table import predict_table

    written.check(query)
    table = query.known(classifies=True)
    found = predict_table(table, target)
    if found.score is not None:
        typer.echo(found.score.sentence, err=True)
    if as_json:
        print_json(found.facts())
    if written.output is not None or not as_json:
        written.write(found.columns(table.columns if written.keep else {}))
