"""The rows of the table as a page holds them: each column by its distinct cells."""

from decimal import Decimal
from math import isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.plot.beeswarm import across
from nearkind.protocols import Array
from nearkind.report.placing import placed
from nearkind.report.sampling import stratified
from nearkind.report.subject import Subject
from nearkind.tables.values import plain

THIN = 0.005
"""Share of the spread below which the second axis is given to the classes."""
LANE = 0.12
"""Height of a lane as a share of the first axis."""


def row_facts(subject: Subject) -> dict[str, Any]:
    """Return the rows to show, where they stand, and the classes of each."""
    kinds = subject.true_class if subject.truth is not None else subject.said_class
    shown = stratified(kinds)
    places = placed(subject.metric, subject.codes[shown])
    thin = is_thin(places)
    return {
        "n_all": len(subject.codes),
        "numbers": shown,
        "columns": [column_facts(cells, shown) for cells in subject.X.values()],
        "places": (in_lanes(places, kinds[shown]) if thin else places).astype("f4"),
        "lanes": thin,
        "true": subject.true_class[shown] + 1,  # 0: none is said
        "said": subject.said_class[shown] + 1,
    }


def is_thin(places: Array) -> bool:
    """Say whether all the spread of places (n, 2) is along the first axis.

    Examples
    --------
    >>> is_thin(np.array([[0.0, 0.0], [1.0, 0.0]])), is_thin(np.zeros((2, 2)))
    (True, False)
    """
    along, beside = places.var(axis=0) if len(places) else (0.0, 0.0)
    return bool(beside < THIN * along)


def in_lanes(places: Array, kinds: NDArray[np.intp]) -> Array:
    """Return places (n, 2) along the first axis, each class in a lane of its own."""
    x = places[:, 0]
    _, lanes = np.unique(kinds, return_inverse=True)
    y = -LANE * np.ptp(x) * across(x, lanes, np.ones(len(x)))
    return np.column_stack([x, y])


def column_facts(cells: list[Any], shown: NDArray[np.intp]) -> dict[str, Any]:
    """Return the distinct cells of some rows, and which of them each row has.

    Examples
    --------
    >>> column_facts(["red", None, "red"], np.array([0, 1, 2]))
    {'values': ['red', None], 'at': array([0, 1, 0])}
    """
    places: dict[Any, int] = {}
    at = [places.setdefault(cells[i], len(places)) for i in shown.tolist()]
    return {"values": [cell_fact(cell) for cell in places], "at": np.array(at)}


def cell_fact(cell: Any) -> Any:
    """Return a cell as JSON can hold it, None if it is missing."""
    value = plain(cell)
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float | Decimal):
        number = float(value)
        return repr(number) if isinf(number) else number
    return str(value)
