"""``nearkind match``."""

from typing import Any

import typer

from nearkind.cli import options
from nearkind.cli.option_groups import argument, option


def match(
    measure: options.Measure,
    written: options.TableFile,
    reading: options.Reading,
    a: str = argument(),
    b: str = argument(),
    columns: list[str] | None = option(),
    exact: list[str] | None = option(),
    caliper: list[str] | None = option(),
    k: int | None = option(),
    as_json: options.AsJson = False,
) -> None:
    """Pair similar rows of two tables, and write the pairs with their reasons."""
    from nearkind.cli.console import print_json
    from nearkind.cli.progress import said_if_long
    from nearkind.datasets.readers import read_data
    from nearkind.io import infer_types, short_name
    from nearkind.tables import records
    from nearkind.tasks.matches import match as match_tables

    written.check({"A": a, "B": b})
    metric = measure.distance()
    wanted = "a number, or a column and a number, such as age=2"
    limits = options.named_numbers(caliper, "--caliper", wanted)
    A, B = (read_data(data, reading.options) for data in (a, b))
    n, shared = len(next(iter(A.values()))), A.keys() & B.keys()
    if columns:
        shared &= {*columns, *(exact or ()), *limits}
    raw = {name: [*A[name], *B[name]] for name in A if name in shared}
    both = infer_types(raw, (), reading.dates)
    A, B = (
        {name: cells for name, cells in X.items() if name not in shared}
        | {name: cells[part] for name, cells in both.items()}
        for X, part in ((A, slice(n)), (B, slice(n, None)))
    )
    settings: dict[str, Any] = {"columns": columns, "exact": exact or ()}
    settings |= {"one_to_one": k is None, "n_neighbors": k or 1}
    caliper_of = {name or None: most for name, most in limits.items()}
    with said_if_long("comparing rows ..."):
        found = match_tables(A, B, metric, caliper=caliper_of, **settings)
        pairs = records(found)
    if as_json:
        print_json({"a": short_name(a), "b": short_name(b), "pairs": pairs})
    elif written.output is not None:
        typer.echo(f"{short_name(a)}, {short_name(b)}: {len(pairs):,} pairs", err=True)
    if written.output is not None or not as_json:
        names = "a", "b", "distance", "reason"
        written.write({name: [each[name] for each in pairs] for name in names})
