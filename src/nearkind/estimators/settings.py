"""Settings, checked: which parameter of whom, what was wanted, what came."""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def number(
    model: Any,
    name: str,
    wanted: str,
    low: float = -np.inf,
    high: float = np.inf,
    open_low: bool = False,
    finite: bool = True,
) -> float:
    """Return a number in a range, or say who wanted one."""
    value = getattr(model, name)
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not is_number or not low <= value <= high or (finite and np.isinf(value)):
        raise wrong(model, name, wanted)
    if open_low and value == low:
        raise wrong(model, name, wanted)
    return float(value)


def whole_number_from(model: Any, name: str, low: int) -> int:
    """Return a whole number, at least ``low``, or say who wanted one."""
    value = getattr(model, name)
    if not is_whole(value) or value < low:
        raise wrong(model, name, f"a whole number >= {low}")
    return int(value)


def numbered(model: Any, name: str, table: Mapping[int, Any]) -> Any:
    """Return what a setting that is one of some whole numbers stands for."""
    value = getattr(model, name)
    if not is_whole(value) or value not in table:
        raise wrong(model, name, f"one of {', '.join(map(str, table))}")
    return table[value]


def is_whole(value: Any) -> bool:
    """Say whether it is a whole number; True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def wrong(model: Any, name: str, wanted: str) -> ValueError:
    """Return the error for a setting that is not as wanted."""
    return ValueError(
        f"The {name!r} parameter of {type(model).__name__} must be {wanted}; "
        f"got {getattr(model, name)!r}."
    )


def flag(model: Any, name: str) -> bool:
    """Return a setting that is True or False, or say who wanted one."""
    value = getattr(model, name)
    if not isinstance(value, bool | np.bool_):
        raise wrong(model, name, "True or False")
    return bool(value)


def generator(random_state: Any) -> np.random.Generator:
    """Return a generator from what scikit-learn takes as random_state."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31))
