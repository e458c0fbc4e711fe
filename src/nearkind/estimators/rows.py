"""One row as users have it -> a table of one row."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from nearkind.tables import read_table


def one_row(row: Any) -> Any:
    """Return a table of one row.

    Parameters
    ----------
    row : dict, list, pandas Series, 1-d array, or a table of one row

    Examples
    --------
    >>> one_row({"colour": "red"}), one_row(["red", 3])
    ([{'colour': 'red'}], [['red', 3]])
    """
    if isinstance(row, Mapping):
        return [dict(row)]
    if getattr(row, "ndim", None) == 1:
        return [row.to_dict() if hasattr(row, "to_dict") else list(row)]
    if isinstance(row, list | tuple) and not _holds_rows(row):
        return [list(row)]
    n_rows = read_table(row).n_rows
    if n_rows != 1:
        raise ValueError(
            f"Wanted one row, got a table of {n_rows}. Pass X.iloc[[i]], or a dict of "
            "column name to value."
        )
    return row


def _holds_rows(row: Any) -> bool:
    return bool(row) and isinstance(row[0], Mapping | list | tuple | np.ndarray)
