"""``nearkind predict``."""

from pathlib import Path
from typing import Annotated

import typer

from nearkind.cli import options


def predict(
    model: options.Model,
    data: options.Data,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File for the answers, which ends in .csv, .tsv, .jsonl or .parquet; "
            "a table that is there is replaced.",
        ),
    ] = None,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Write the columns of DATA beside the answers."),
    ] = False,
    target: options.TrueClasses = None,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Say the class of each row and the probability of every class, as CSV."""
    from nearkind.cli.console import print_json
    from nearkind.cli.model_table import (
        ModelTable,
        load_classifier,
        predict_table,
        write_table,
    )
    from nearkind.cli.outputs import check_table_output
    from nearkind.io import ReadOptions

    if output is not None:
        check_table_output(output, {"MODEL": model, "DATA": data}, force)
    known = load_classifier(model)
    table = ModelTable(known, data, ReadOptions(format, delimiter, encoding))
    found = predict_table(known, table, target)
    if found.score is not None:
        typer.echo(found.score.sentence, err=True)
    if as_json:
        print_json(found.facts())
    if output is not None or not as_json:
        write_table(found.columns(table.columns if keep else {}), output)
