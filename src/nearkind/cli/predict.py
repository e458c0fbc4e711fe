"""``nearkind predict``."""

import typer

from nearkind.cli import options


def predict(
    query: options.Query,
    written: options.TableOutput,
    target: options.TrueClasses = None,
    coverage: float | None = options.option(
        "Add the set of classes that holds the true class for this share of new rows, "
        "such as 0.9, for models of method cv; of a number its interval, 0.9 by "
        "default.",
        "--set",
        min=0.01,
        max=1.0,
    ),
    as_json: options.AsJson = False,
) -> None:
    """Predict the class of each row and the probability of every class, as CSV."""
    from nearkind.cli.console import print_json
    from nearkind.cli.model_table import predict_numbers, predict_table

    written.check(query.inputs)
    table = query.known("any")
    is_number = table.view.committee.classes is None
    found = (predict_numbers if is_number else predict_table)(table, target, coverage)
    if found.score is not None:
        typer.echo(found.score.sentence, err=True)
    if as_json:
        print_json(found.facts())
    if written.output is not None or not as_json:
        written.write(found.columns(table.columns if written.keep else {}))
