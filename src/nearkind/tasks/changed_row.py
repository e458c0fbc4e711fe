"""A row with some other values, as its owner had it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from nearkind.tables import frame, one_row, read_table


def changed_row(row: Any, values: Mapping[int, Any]) -> Any:
    """Return a row with other values, in the kind of table that it came in.

    Parameters
    ----------
    row : one row: a dict, a list, a pandas Series, an array or a table of one row
        It is left as it is.
    values : dict of int to object
        New values by the place of their column in the row.

    Returns
    -------
    as ``row``; arrays of text become arrays of objects

    Examples
    --------
    >>> changed_row({"colour": "red", "size": 3}, {0: "blue"})
    {'colour': 'blue', 'size': 3}
    >>> changed_row([["red", 3]], {1: 4})
    [['red', 4]]
    """
    table = read_table(one_row(row))
    if isinstance(row, Mapping):
        return {**row, **{table.names[place]: new for place, new in values.items()}}
    if isinstance(row, list | tuple):
        if row and isinstance(row[0], Mapping | list | tuple | np.ndarray):
            return [changed_row(row[0], values)]
        return [values.get(place, cell) for place, cell in enumerate(row)]
    if getattr(row, "ndim", 2) == 1:
        changed = row.astype(_kind(row.dtype))
        (changed.iloc if hasattr(changed, "iloc") else changed)[[*values]] = [
            *values.values()
        ]
        return changed
    if isinstance(row, np.ndarray):
        return changed_row(row[0], values)[None]
    columns = map(table.column, range(len(table.names)))
    cells = [None if c.missing[0] else c.values[c.indices[0]] for c in columns]
    cells = [values.get(place, cell) for place, cell in enumerate(cells)]
    named = {name: [cell] for name, cell in zip(table.names, cells, strict=True)}
    return frame(named, library=table.library)


def _kind(dtype: Any) -> Any:
    """Return the type that holds any new value of a column: numbers stay such."""
    return float if getattr(dtype, "kind", "O") in "iuf" else object
