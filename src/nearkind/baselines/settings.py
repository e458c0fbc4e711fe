"""Settings that are numbers, checked; the sentences are those of ``shorthand``."""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np


def number(
    model: Any,
    name: str,
    wanted: str,
    low: float = -np.inf,
    high: float = np.inf,
    open_low: bool = False,
) -> float:
    """Return a finite number in a range, or say who wanted one."""
    value = getattr(model, name)
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not is_number or not np.isfinite(value) or not low <= value <= high:
        raise _wrong(model, name, wanted)
    if open_low and value == low:
        raise _wrong(model, name, wanted)
    return float(value)


def whole_number_from(model: Any, name: str, low: int) -> int:
    """Return a whole number, at least ``low``, or say who wanted one."""
    value = getattr(model, name)
    if not _is_whole(value) or value < low:
        raise _wrong(model, name, f"a whole number >= {low}")
    return int(value)


def numbered(model: Any, name: str, table: Mapping[int, Any]) -> Any:
    """Return what a setting that is one of some whole numbers stands for."""
    value = getattr(model, name)
    if not _is_whole(value) or value not in table:
        raise _wrong(model, name, f"one of {', '.join(map(str, table))}")
    return table[value]


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _wrong(model: Any, name: str, wanted: str) -> ValueError:
    return ValueError(
        f"The {name!r} parameter of {type(model).__name__} must be {wanted}; "
        f"got {getattr(model, name)!r}."
    )
