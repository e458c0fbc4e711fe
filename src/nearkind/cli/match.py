"""``nearkind match``."""

from typing import Any

import typer

from nearkind.cli import options
from nearkind.cli.options import argument, option


def match(
    measure: options.Measure,
    written: options.TableFile,
    reading: options.Reading,
    a: str = argument("A table, as DATA of other commands.", metavar="A"),
    b: str = argument("Another table.", metavar="B"),
    columns: list[str] | None = option(
        "Column to compare; give the option once per column. All by default.",
        "--column",
        metavar="COL",
    ),
    exact: list[str] | None = option(
        "Column in which both rows of a pair have the same value; give the option once "
        "per column.",
        metavar="COL",
    ),
    caliper: list[str] | None = option(
        "Largest distance of a pair, such as 0.2, or largest difference in a column of "
        "numbers, such as age=2; may be given several times.",
        metavar="NUMBER|COL=NUMBER",
    ),
    k: int | None = option(
        "Number of rows of B for each row of A; by default each row is in one pair at "
        "most.",
        "-k",
        min=1,
    ),
    as_json: options.AsJson = False,
) -> None:
    """Pair similar rows of two tables, and write the pairs with their reasons."""
    from nearkind.cli.console import print_json
    from nearkind.cli.progress import said_if_long
    from nearkind.datasets.readers import read_data
    from nearkind.io import infer_types, short_name
    from nearkind.tasks.matches import match as match_tables

    written.check({"A": a, "B": b})
    metric, limits = measure.distance(), _calipers(caliper or [])
    A, B = (read_data(data, reading.options) for data in (a, b))
    n_rows = len(next(iter(A.values())))
    shared = {name: [*A[name], *B[name]] for name in A if name in B}
    both = infer_types(shared, (), reading.dates)
    own = ({n: cells for n, cells in X.items() if n not in shared} for X in (A, B))
    parts = slice(None, n_rows), slice(n_rows, None)
    sides = [
        {**alone, **{name: cells[part] for name, cells in both.items()}}
        for alone, part in zip(own, parts, strict=True)
    ]
    settings: dict[str, Any] = {"caliper": limits, "exact": exact or ()}
    with said_if_long("comparing rows ..."):
        found = match_tables(
            sides[0],
            sides[1],
            metric,
            columns=columns,
            one_to_one=k is None,
            n_neighbors=k or 1,
            **settings,
        )
    pairs = {name: list(found[name]) for name in ("a", "b", "distance", "reason")}
    if as_json:
        lines = zip(*pairs.values(), strict=True)
        listed = [dict(zip(pairs, line, strict=True)) for line in lines]
        print_json({"a": short_name(a), "b": short_name(b), "pairs": listed})
    if written.output is not None or not as_json:
        written.write(pairs)


def _calipers(given: list[str]) -> dict[Any, float]:
    """Return the calipers by column, that of the distance under None."""
    found = {}
    for text in given:
        name, _, number = text.rpartition("=")
        try:
            found[name or None] = float(number)
        except ValueError:
            raise typer.BadParameter(
                f"a number, or a column and a number, such as age=2; got {text!r}.",
                param_hint="--caliper",
            ) from None
    return found
