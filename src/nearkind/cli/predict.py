"""``nearkind predict``."""

from typing import TYPE_CHECKING

import typer

from nearkind.cli import options
from nearkind.cli.option_groups import option

if TYPE_CHECKING:
    from nearkind.cli.predictions import NumberScore, Score


def predict(
    query: options.Query,
    written: options.TableOutput,
    target: options.TrueClasses = None,
    coverage: float | None = option(),
    as_json: options.AsJson = False,
) -> None:
    """Predict the class of each row and the probability of every class, as CSV.

    Of a model of numbers, the number of each row and its interval.
    """
    from nearkind.cli.console import print_json
    from nearkind.cli.model_table import ModelTable, load_predictor, rows_writer
    from nearkind.cli.predictions import predict_batches, predict_table
    from nearkind.datasets.readers import is_set

    written.check(query.inputs)
    model, reading = load_predictor(query.model, "any"), query.reading.options
    if as_json or is_set(query.data):
        table = ModelTable(model, query.data, reading)
        found = predict_table(table, target, coverage)
        _echo_score(found.score)
        if as_json:
            print_json(found.facts())
        if written.output is not None or not as_json:
            written.write(found.columns(table.columns if written.keep else {}))
        return
    score, damage, n_rows = None, None, 0
    with rows_writer(written.output) as write:
        try:
            batches = predict_batches(model, query.data, reading, target, coverage)
            for found, columns in batches:
                answers = found.columns(columns if written.keep else {})
                write(answers)
                score, n_rows = found.score, n_rows + len(answers["predicted"])
        except ValueError as error:
            if not n_rows:
                raise
            damage = error  # the rows before it are written
    if damage is not None:
        raise ValueError(
            f"{damage} The predictions of the {n_rows:,} rows before it were written."
        )
    _echo_score(score)


def _echo_score(score: "Score | NumberScore | None") -> None:
    if score is not None:
        typer.echo(score.sentence, err=True)
