"""Arguments and options that several commands have, and what a shell completes."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

from nearkind.cli import methods

Complete = Callable[[str], list[str]]
"""From what is written of a word to the words that it may become."""


def completion(names: Callable[[], Iterable[str]]) -> Complete:
    """Return what completes a word to one of some names, which are asked for then."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def complete_data(incomplete: str) -> list[str]:
    """Return the built-in sets and the files that a word may become."""
    from nearkind.datasets.sources import names

    folder = Path(incomplete).parent
    files = [
        f"{path}/" if path.is_dir() else str(path)
        for path in sorted(folder.glob(f"{Path(incomplete).name}*"))
    ]
    return completion(lambda: [*names(), *files])(incomplete)


DATA_HELP = (
    "A file of csv, tsv, json lines, parquet or arrow, text also in .gz; - for "
    "standard input; or the name of a built-in set."
)
Data = Annotated[
    str,
    typer.Argument(metavar="DATA", help=DATA_HELP, autocompletion=complete_data),
]
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
        "--target",
        "-t",
        metavar="COL",
        help="Column that holds the classes; a built-in set has its own.",
    ),
]
TrueClasses = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COL",
        help="Column that holds the true classes, to compare with; by default the only "
        "other column that holds nothing but classes.",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="COL",
        help="Column to leave out; give the option once per column.",
    ),
]
Text = Annotated[
    list[str] | None,
    typer.Option(
        "--text",
        metavar="COL",
        help="Column to read as text, whatever numbers or dates it holds; give the "
        "option once per column.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Format of DATA: csv, tsv, jsonl, parquet or arrow; found out by default.",
        autocompletion=completion(lambda: ("csv", "tsv", "jsonl", "parquet", "arrow")),
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        help="Character between the cells of a text file, such as ; or tab; found out "
        "among , ; | and tab by default.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        help="Encoding of a text file, such as utf-8; found out by default.",
    ),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Write over a file of another kind too, and under a name of any ending "
        "where the format does not depend on it; never over an input.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        "--methods",
        "-m",
        metavar="METHOD",
        help="Method to try; give the option once per method. --list-methods lists "
        "them.",
        autocompletion=completion(methods.names),
    ),
]
ListMethods = Annotated[
    bool,
    typer.Option(
        "--list-methods",
        help="List all methods and leave.",
        callback=methods.print_all,
        is_eager=True,
    ),
]
Repeats = Annotated[
    int,
    typer.Option(
        "--repeats",
        "-r",
        min=1,
        help="Number of times that the rows are split anew and every method is tried.",
    ),
]
Seconds = Annotated[
    float,
    typer.Option("--seconds", min=0.1, help="Seconds per trial before it is stopped."),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        min=1,
        help="Number of trials that run at once; one per core by default.",
    ),
]


def chosen_target(target: str | None, data: str) -> str:
    """Return the column of classes; raise BadParameter for a file without one."""
    target = target or own_target(data)
    if target is None:
        raise typer.BadParameter(
            f"name the column of {data} that holds the classes.", param_hint="--target"
        )
    return target


def own_target(data: str) -> str | None:
    """Return the column of classes of a built-in set; None for a file."""
    from nearkind.datasets.data_argument import is_set, label_column

    return label_column(data) if is_set(data) else None
