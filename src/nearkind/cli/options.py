"""Arguments and options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

DATA_HELP = (
    "csv, tsv, json lines, parquet or arrow, text also in .gz; - for standard input; "
    "or a built-in set."
)
Data = Annotated[str, typer.Argument(metavar="DATA", help=DATA_HELP)]
Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A file that `nearkind fit` wrote.")
]
Training = Annotated[
    str | None,
    typer.Option(
        "--training",
        metavar="DATA",
        help="The table given to fit: shows its rows as they are there.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target", "-t", metavar="COL", help="Column of classes; sets have their own."
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="COL", help="Leave a column out; repeatable."),
]
Text = Annotated[
    list[str] | None,
    typer.Option("--text", metavar="COL", help="Numbers in it are names; repeatable."),
]
Format = Annotated[
    str | None,
    typer.Option("--format", help="csv, tsv, jsonl, parquet or arrow; else found out."),
]
Delimiter = Annotated[
    str | None,
    typer.Option("--delimiter", help="Between cells: , ; | tab; else found out."),
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Of text, as utf-8; else found out.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Repeats = Annotated[
    int, typer.Option("--repeats", "-r", min=1, help="Splits of the rows to try on.")
]
Seconds = Annotated[
    float, typer.Option("--seconds", min=0.1, help="Of one trial; then it is given up.")
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", min=1, help="Trials at once; else one a core.")
]


def chosen_target(target: str | None, data: str) -> str:
    """Return the column of classes; raise BadParameter for a file without one."""
    from nearkind.datasets.data_argument import is_set, label_column

    if target is not None:
        return target
    if not is_set(data):
        raise typer.BadParameter(
            f"name the column of {data} that holds the classes.", param_hint="--target"
        )
    return label_column(data)
