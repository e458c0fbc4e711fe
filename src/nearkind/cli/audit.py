"""``nearkind audit``."""

from typing import Any

from nearkind.cli import options
from nearkind.cli.option_groups import option


def audit(
    table: options.TargetTable,
    top: int = option(default=10),
    task: options.Task = "auto",
    seed: options.Seed = 0,
    as_json: options.AsJson = False,
) -> None:
    """List possible errors in DATA: labels, equal rows, columns and values.

    Labels, or numbers, are judged by the other rows, each while it is held out.
    """
    from nearkind.cli.console import Screen, print_json
    from nearkind.cli.fits import numbered_table, predicts_number
    from nearkind.datasets.readers import read_data
    from nearkind.estimators.progress import is_watched
    from nearkind.tasks.audit import audit as audit_table

    source = table.source()
    columns, name = read_data(source.data, source.options), source.where
    is_number = predicts_number(columns, source, task)
    rows: Any = range(len(next(iter(columns.values()))))
    every, y = set(rows), None
    if is_number:
        X, y = numbered_table(columns, source)
    else:
        labelled = source.select(columns)
        X, rows = labelled.X, labelled.rows
    found = audit_table(
        X,
        labelled.y if y is None else y,
        n_pairs=top,
        row_numbers=list(rows),
        task="number" if is_number else "class",
        random_state=seed,
        verbose=int(is_watched()),
    )
    if as_json:
        unlabelled = (every - set(rows)) | set(found.unlabelled)
        facts = {"data": name, "target": source.target, **found.to_dict()}
        print_json({**facts, "unlabelled": sorted(unlabelled)})
        return
    screen = Screen()
    head = (
        f"{name}: {found.n_rows:,} rows, {found.n_columns} columns, "
        f"{found.target_text} {'of ' * (not is_number)}{source.target!r}"
    )
    screen.line(head, bold=True)
    for line in found.lines(top):
        screen.line(line)
