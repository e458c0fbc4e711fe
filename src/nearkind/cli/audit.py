"""``nearkind audit``."""

from typing import Annotated

import typer

from nearkind.cli import options


def audit(
    table: options.Table,
    top: Annotated[
        int,
        typer.Option(
            "--top", min=1, help="Findings of each kind to show; --json has all."
        ),
    ] = 10,
    seed: options.Seed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Say what is odd in DATA: labels, equal rows, columns, values.

    Labels are judged by the other rows, each while it is held out.
    """
    from nearkind.cli.console import print_json
    from nearkind.cli.findings import show_audit
    from nearkind.datasets.readers import read_labelled
    from nearkind.estimators.progress import is_watched
    from nearkind.io import short_name
    from nearkind.tasks.audit import audit as audit_table

    source = table.source()
    labelled = read_labelled(source)
    found = audit_table(
        labelled.X,
        labelled.y,
        n_pairs=top,
        row_numbers=labelled.rows,
        random_state=seed,
        verbose=int(is_watched()),
    )
    facts = {
        "data": short_name(source.data),
        "target": source.target,
        **found.to_dict(),
        "unlabelled": sorted(set(range(labelled.n_given)) - set(labelled.rows)),
    }
    if as_json:
        print_json(facts)
    else:
        show_audit(facts, top)
