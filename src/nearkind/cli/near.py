"""Facts about which rows are near to each other, and why."""

from typing import Any

from nearkind.cli.contributions import adds_up_to, distance_of
from nearkind.cli.models import Rows
from nearkind.cli.remembered import Kept, Memory, Side, parts


def neighbors(model: Any, rows: Rows, number: int, k: int) -> dict[str, Any]:
    """Return the nearest training rows of one row."""
    row, memory = rows.one(number), Memory(model)
    here = Side.of_row(memory.metric, row)
    return {
        "row": number,
        "cells": rows.cells(number),
        "predicted": model.predict(row).tolist()[0],
        "contributions_to": adds_up_to(memory.metric),
        "neighbors": [_kept(memory, kept, here) for kept in memory.nearest(row, k)],
    }


def explanation(model: Any, rows: Rows, a: int, b: int) -> dict[str, Any]:
    """Return what each feature adds to the distance between two rows."""
    metric, row_a, row_b = distance_of(model), rows.one(a), rows.one(b)
    sides = Side.of_row(metric, row_a), Side.of_row(metric, row_b)
    codes = [metric.represent(side.codes[None]) for side in sides]
    return {
        "rows": [a, b],
        "distance": float(metric.compare(*codes)[0, 0]),
        "contributions_to": adds_up_to(metric),
        "contributions": parts(metric, *sides),
        **_classes(model, row_a, row_b, sides[0]),
    }


def _classes(model: Any, row_a: Any, row_b: Any, here: Side) -> dict[str, Any]:
    """Return the classes of both, and the nearest row that is of another than a's."""
    if not hasattr(model, "predict"):
        return {"predicted": None, "other_class": None}
    memory = Memory(model)
    predicted = [model.predict(row).tolist()[0] for row in (row_a, row_b)]
    other = memory.nearest_of_others(row_a, predicted[0])
    return {"predicted": predicted, "other_class": _kept(memory, other, here)}


def _kept(memory: Memory, kept: Kept, here: Side) -> dict[str, Any]:
    shares = memory.shares(kept.cell)
    there = Side.of_codes(memory.metric, memory.codes(kept.cell))
    found = parts(memory.metric, here, there)
    return {
        "row": kept.row,
        "distance": kept.distance,
        "class": next(iter(shares)),
        "classes": shares,
        "why": [part for part in found if not part["same"]],
    }
