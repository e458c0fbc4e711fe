"""``nearkind audit``."""

from nearkind.cli import options
from nearkind.cli.options import option


def audit(
    table: options.TargetTable,
    top: int = option(
        "Findings of each kind to show; --json has all.", default=10, min=1
    ),
    seed: options.Seed = 0,
    as_json: options.AsJson = False,
) -> None:
    """List possible errors in DATA: labels, equal rows, columns and values.

    Labels are judged by the other rows, each while it is held out.
    """
    from nearkind.cli.console import Screen, print_json
    from nearkind.datasets.readers import read_labelled
    from nearkind.estimators.progress import is_watched
    from nearkind.io import short_name
    from nearkind.tasks.audit import audit as audit_table

    source = table.source()
    labelled, name = read_labelled(source), short_name(source.data)
    found = audit_table(
        labelled.X,
        labelled.y,
        n_pairs=top,
        row_numbers=labelled.rows,
        random_state=seed,
        verbose=int(is_watched()),
    )
    if as_json:
        unlabelled = sorted(set(range(labelled.n_given)) - set(labelled.rows))
        facts = {"data": name, "target": source.target, **found.to_dict()}
        print_json({**facts, "unlabelled": unlabelled})
        return
    screen = Screen()
    head = (
        f"{name}: {found.n_rows:,} rows, {found.n_columns} columns, "
        f"{found.n_classes} classes of {source.target!r}"
    )
    screen.line(head, bold=True)
    for line in found.lines(top):
        screen.line(line)
