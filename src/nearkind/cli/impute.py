"""``nearkind impute``."""

from typing import Any

from nearkind.cli import options
from nearkind.cli.option_groups import option


def impute(
    rows: options.Rows,
    measure: options.Measure,
    written: options.TableFile,
    k: int = option(default=5),
    as_json: options.AsJson = False,
) -> None:
    """Fill the missing cells of DATA from similar rows, and write the table.

    All other cells are written as they are. A missing date is filled with that of the
    nearest row. --json prints every filled cell with its certainty, and no table unless
    --output is given.
    """
    from nearkind.cli.console import Screen, print_json
    from nearkind.cli.progress import said_if_long
    from nearkind.tables import records
    from nearkind.tasks.imputation import NeighborImputer

    written.check(rows.inputs)
    metric, where = measure.distance(), rows.where
    columns = rows.columns()
    features = rows.features_of(columns)
    X = rows.usable(features)
    table = rows.table(X)
    with said_if_long("comparing rows ..."):
        model = NeighborImputer(metric, n_neighbors=k).fit(table)
        found = records(model.certainty(table))
        cells = [each for each in found if each["column"] in columns]
        for name in columns:
            if name not in features and name not in (rows.drop or ()):
                cells += _dates(name, columns[name], X, model.distance_, k)
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


def _dates(name: str, cells: list[Any], X: Any, distance: Any, k: int) -> list[Any]:
    """Return the missing dates of a column, each that of the nearest row with a date.

    The certainty is the share of the k nearest rows that have the same date.
    """
    import numpy as np

    from nearkind.io.cells import is_missing
    from nearkind.tables.selection import take_rows
    from nearkind.tasks.nearest_rows import NearestRows

    gaps = np.array([is_missing(cell) for cell in cells])
    known, missing = np.flatnonzero(~gaps), np.flatnonzero(gaps)
    if not len(known) or not len(missing):
        return []
    search = NearestRows(distance, n_neighbors=min(k, len(known)))
    near = search.fit(take_rows(X, known)).kneighbors(take_rows(X, missing))[1]
    found = []
    for row, places in zip(missing.tolist(), known[near].tolist(), strict=True):
        dates = [cells[place] for place in places]
        certainty = dates.count(dates[0]) / len(dates)
        line = {"row": row, "column": name, "value": dates[0], "certainty": certainty}
        found.append(line)
    return found
