"""``nearkind compare``."""

from typing import Annotated

import typer

from nearkind.cli import options
from nearkind.cli.printing import print_json


def compare(
    data: options.Data,
    target: options.Target = None,
    methods: Annotated[
        list[str] | None,
        typer.Option("--methods", "-m", help="Repeatable; all that there are without."),
    ] = None,
    repeats: options.Repeats = 10,
    seconds: options.Seconds = 120.0,
    jobs: options.Jobs = None,
    drop: options.Drop = None,
    text: options.Text = None,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare every method on one table: accuracy, ranks, significance, time."""
    from nearkind.cli import scores, trials
    from nearkind.io import LabelledSource, ReadOptions

    target = options.chosen_target(target, data)
    read = ReadOptions(format, delimiter, encoding)
    source = LabelledSource(data, target, tuple(drop or ()), tuple(text or ()), read)
    chosen = trials.checked(methods or trials.METHODS)
    facts = trials.comparison(source, chosen, trials.Effort(repeats, seconds, jobs))
    (print_json if as_json else scores.show_comparison)(facts)
