"""``nearkind report``."""

from pathlib import Path
from typing import Annotated

import typer

from nearkind.cli import options


def report(
    model: options.Model,
    data: options.Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="An .html file.")],
    target: options.Target = None,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
) -> None:
    """Write one self-contained page on a model and what it says of DATA."""
    from nearkind.cli import answers, contributions, models, page
    from nearkind.files import Asked, check_place, write_text

    check_place(output)
    known = models.classifier(model)
    rows = models.Rows(known, data, Asked(format, delimiter, encoding))
    found = answers.answer(known, rows, target)
    shares = contributions.relevance(known, rows.X)
    write_text(page.page(model.name, known, rows, found, shares), output)
    typer.echo(str(output))
