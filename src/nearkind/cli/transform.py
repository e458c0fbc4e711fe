"""``nearkind transform``."""

from pathlib import Path
from typing import Annotated

import typer

from nearkind.cli import options


def transform(
    model: options.Model,
    data: options.Data,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File for the vectors, which ends in .csv, .tsv, .jsonl or .parquet; "
            "a table that is there is replaced.",
        ),
    ] = None,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Write the columns of DATA beside the vectors."),
    ] = False,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    force: options.Force = False,
) -> None:
    """Turn each row into a vector, as CSV; Euclidean distances are those of the model.

    Of several distances that vote together the first one is taken.
    """
    from nearkind import load
    from nearkind.cli.model_table import (
        ModelTable,
        vector_columns,
        write_table,
    )
    from nearkind.cli.outputs import check_table_output
    from nearkind.io import ReadOptions

    if output is not None:
        check_table_output(output, {"MODEL": model, "DATA": data}, force)
    known = load(model)
    table = ModelTable(known, data, ReadOptions(format, delimiter, encoding))
    write_table(vector_columns(known, table, table.columns if keep else {}), output)
