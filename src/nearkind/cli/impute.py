"""``nearkind impute``."""

from nearkind.cli import options
from nearkind.cli.options import option


def impute(
    rows: options.Rows,
    measure: options.Measure,
    written: options.TableFile,
    k: int = option("Number of nearest rows that fill a cell.", "-k", default=5, min=1),
    as_json: options.AsJson = False,
) -> None:
    """Fill the missing cells of DATA from similar rows, and write the table.

    All other cells are written as they are. --json prints every filled cell with its
    certainty, and no table unless --output is given.
    """
    from nearkind.cli.console import Screen, print_json
    from nearkind.cli.progress import said_if_long
    from nearkind.io import short_name
    from nearkind.tables import records
    from nearkind.tasks.imputation import NeighborImputer

    written.check(rows.inputs)
    metric, where = measure.distance(), short_name(rows.data)
    columns = rows.columns()
    X = rows.features_of(columns)
    with said_if_long("comparing rows ..."):
        found = NeighborImputer(metric, n_neighbors=k).fit(X).certainty(X)
    cells = [each for each in records(found) if each["column"] in columns]
    filled = {name: list(column) for name, column in columns.items()}
    certain: dict[str, list[float]] = {}
    for each in cells:
        filled[each["column"]][each["row"]] = each["value"]
        certain.setdefault(each["column"], []).append(each["certainty"])
    if as_json:
        print_json({"data": where, "metric": measure.metric, "filled": cells})
    if written.output is not None or not as_json:
        written.write(filled)
    if written.output is None or as_json:
        return
    screen = Screen()
    screen.line(f"{where}: {len(cells):,} missing cells filled", bold=True)
    lines = [
        (name, f"{len(each):,}", f"{sum(each) / len(each):.0%}")
        for name, each in certain.items()
    ]
    if lines:
        screen.table(("column", "cells", "mean certainty"), lines, right={"cells"})
