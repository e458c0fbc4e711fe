"""The table as page data: its rows, where they stand, and the confusion matrix."""

from decimal import Decimal
from math import isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.pages.data import ReportData
from nearkind.pages.mds import place_rows
from nearkind.plot.layout import beeswarm, stratified_sample
from nearkind.protocols import Array
from nearkind.tables.values import plain

MOST_ROWS = 20_000
"""Rows of the table that a page holds."""
MOST_CLASSES = 40
"""In the confusion matrix; of more, the most frequent."""
LEAST_SPREAD = 0.005
"""Share of the spread below which the second axis is used for beeswarms."""
SWARM_HEIGHT = 0.12
"""Distance of two beeswarms as a share of the first axis."""


def row_facts(data: ReportData) -> dict[str, Any]:
    """Return the rows to show, where they stand, and the classes of each."""
    groups = data.shown_class
    shown = stratified_sample(groups, MOST_ROWS)
    places = place_rows(data.view.distance, data.codes[shown])
    is_line = is_one_axis(places)
    if is_line:
        places = beeswarms(places, groups[shown])
    return {
        "n_all": len(data.codes),
        "numbers": shown,
        "columns": [column_facts(cells, shown) for cells in data.X.values()],
        "places": places.astype("f4"),
        "lanes": is_line,
        "true": (data.true_class if data.groups is None else groups)[shown]
        + 1,  # 0: none
        "said": data.predicted_class[shown] + 1,
    }


def is_one_axis(places: Array) -> bool:
    """Return whether all the spread of places (n, 2) is along the first axis.

    Examples
    --------
    >>> is_one_axis(np.array([[0.0, 0.0], [1.0, 0.0]])), is_one_axis(np.zeros((2, 2)))
    (True, False)
    """
    first, second = places.var(axis=0) if len(places) else (0.0, 0.0)
    return bool(second < LEAST_SPREAD * first)


def beeswarms(places: Array, groups: NDArray[np.intp]) -> Array:
    """Return places (n, 2) along the first axis, a beeswarm for each group."""
    x = places[:, 0]
    _, numbers = np.unique(groups, return_inverse=True)
    y = -SWARM_HEIGHT * np.ptp(x) * beeswarm(x, numbers, np.ones(len(x)))
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
    return {"values": [json_value(cell) for cell in places], "at": np.array(at)}


def json_value(value: object) -> Any:
    """Return a value as JSON can hold it, None if it is missing."""
    value = plain(value)
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float | Decimal):
        number = float(value)
        return repr(number) if isinf(number) else number
    return str(value)


def confusion_facts(data: ReportData) -> dict[str, Any] | None:
    """Return the confusion matrix of all rows, the most frequent classes first.

    Returns
    -------
    dict or None
        ``classes`` are the predicted classes (columns), ``true`` the true ones (rows),
        ``counts`` the matrix; None if there are no predictions or no true classes.
    """
    true, predicted = data.true_class, data.predicted_class
    known = true >= 0
    if data.y_pred is None or not known.any():
        return None
    n_classes = len(data.classes)
    pairs = true[known] * n_classes + predicted[known]
    counts = np.bincount(pairs, minlength=n_classes * (n_classes + 1))
    return _matrix_facts(counts.reshape(n_classes + 1, n_classes))


def held_confusion_facts(data: ReportData) -> dict[str, Any] | None:
    """Return the confusion matrix of the rows that a search held out, as above.

    None if the model was not chosen by a search that kept it.
    """
    counts = data.model.confusion_ if data.view.was_searched else None
    if counts is None:
        return None
    return _matrix_facts(np.vstack([counts, np.zeros(len(counts))]))


def _matrix_facts(matrix: Array | NDArray[np.intp]) -> dict[str, Any]:
    """Return the facts of a matrix (C + 1, C), whose last row is unknown classes."""
    n_classes = matrix.shape[1]
    frequency = matrix[:-1].sum(axis=1) + matrix.sum(axis=0)
    shown = np.argsort(-frequency, kind="stable")[:MOST_CLASSES]
    rows = np.append(shown, n_classes) if matrix[-1].any() else shown
    return {
        "classes": shown,
        "true": rows,
        "counts": matrix[np.ix_(rows, shown)],
        "n_left_out": n_classes - len(shown),
        "n_right": round(float(np.trace(matrix[:-1]))),
        "n_known": round(float(matrix.sum())),
    }
