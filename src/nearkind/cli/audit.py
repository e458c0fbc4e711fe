"""``nearkind audit``."""

from typing import Annotated

import typer

from nearkind.cli import options


def audit(
    data: options.Data,
    target: options.Target = None,
    top: Annotated[
        int,
        typer.Option(
            "--top", min=1, help="Findings of each kind to show; --json has all."
        ),
    ] = 10,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Seed of everything that is drawn.")
    ] = 0,
    drop: options.Drop = None,
    text: options.Text = None,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    as_json: options.AsJson = False,
) -> None:
    """Say what is odd in DATA: labels, equal rows, columns, values.

    Labels are judged by the other rows, each while it is held out.
    """
    from nearkind.cli.console import print_json, print_text
    from nearkind.datasets.data_argument import read_labelled
    from nearkind.datasets.display import console
    from nearkind.estimators.progress import is_watched
    from nearkind.io import LabelledSource, ReadOptions, short_name
    from nearkind.tasks.audit import audit as audit_table

    target = options.chosen_target(target, data)
    read = ReadOptions(format, delimiter, encoding)
    source = LabelledSource(data, target, tuple(drop or ()), tuple(text or ()), read)
    table = read_labelled(source)
    found = audit_table(
        table.X,
        table.y,
        n_pairs=top,
        row_numbers=table.rows,
        random_state=seed,
        verbose=int(is_watched()),
    )
    name = short_name(data)
    if as_json:
        unlabelled = sorted(set(range(table.n_given)) - set(table.rows))
        facts = {"data": name, "target": target, **found.to_dict()}
        print_json({**facts, "unlabelled": unlabelled})
        return
    out = console()
    head = (
        f"{name}: {found.n_rows:,} rows, {found.n_columns} columns, "
        f"{found.n_classes} classes of {target!r}"
    )
    print_text(out, head, bold=True)
    for line in found.lines(top):
        print_text(out, line)
