"""Parameters of estimators, checked.

A wrong parameter ends in one sentence: which parameter of whom, what it must be, what
it is.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from numbers import Integral, Real
from typing import Annotated, Any, TypeVar, dataclass_transform

import numpy as np
from sklearn.utils import check_random_state

from nearkind.encoding.codebook import POLICIES, Codebook
from nearkind.encoding.crosses import WANTED, as_setting

Kind = TypeVar("Kind", bound=type)


@dataclass_transform(eq_default=False)
def estimator_class(*, kw_only: bool = False) -> Callable[[Kind], Kind]:
    """Return a decorator that writes ``__init__`` from the parameters of an estimator.

    Parameters are annotated in the body of the class, each with its default; those
    after ``_: KW_ONLY`` are given by name. As in scikit-learn, ``__init__`` only stores
    them, and the class itself keeps no attribute of their names.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> @estimator_class()
    ... class Nearest(BaseEstimator):
    ...     k: int = 5
    >>> Nearest(3).get_params(), hasattr(Nearest, "k")
    ({'k': 3}, False)
    """

    def decorate(cls: Kind) -> Kind:
        made: Any = dataclass(eq=False, repr=False, kw_only=kw_only)(cls)
        for field in fields(made):
            if field.name in vars(made):
                delattr(made, field.name)
        return made

    return decorate


USUAL = {
    "missing": ("level", "prior", "error"),
    "numeric": ("auto", "category", "bin", "scale"),
}
"""Policies of distances that have none of their own."""


def codebook(model: Any, policies: Mapping[str, tuple[str, ...]] = USUAL) -> Codebook:
    """Return an unfitted codebook with the model's policies, if they are allowed."""
    for name, allowed in {**POLICIES, **policies}.items():
        choice(model, name, dict.fromkeys(allowed))
    crosses = as_setting(getattr(model, "crosses", 0))  # few distances have them
    if crosses is None:
        raise wrong(model, "crosses", WANTED)
    settings = model.missing, model.unseen, model.numeric, crosses
    return Codebook(*settings, ordered=model.ordered)


def choice(model: object, name: str, table: dict[str, Any]) -> Any:
    """Return what the model's parameter of this name stands for."""
    value = getattr(model, name)
    if not isinstance(value, str) or value not in table:
        listed = ", ".join(map(repr, table))
        raise wrong(model, name, f"one of {listed}")
    return table[value]


def check_choice(value: object, choices: Iterable[str], start: str) -> None:
    """Raise ValueError unless a value is one of some texts.

    Parameters
    ----------
    value : object
    choices : iterable of str
    start : str
        What the message begins with, such as "part must be one of".
    """
    if value not in (known := list(choices)):
        listed = ", ".join(map(repr, known))
        raise ValueError(f"{start} {listed}; got {value!r}.")


def number(
    model: object,
    name: str,
    wanted: str,
    low: float = -np.inf,
    high: float = np.inf,
    open_low: bool = False,
    finite: bool = True,
) -> float:
    """Return a parameter that is a number in a range."""
    value = getattr(model, name)
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    try:
        x = float(value) if is_number else np.nan
    except OverflowError:  # a whole number beyond all floats
        raise wrong(model, name, wanted) from None
    if not low <= x <= high or (finite and np.isinf(x)) or (open_low and x == low):
        raise wrong(model, name, wanted)
    return x


def whole_number(model: object, name: str, low: int = 1) -> int:
    """Return a parameter that is a whole number >= ``low``."""
    return check_whole(getattr(model, name), name, type(model).__name__, low)


def time_budget(model: Any) -> float:
    """Return the seconds that a search may take, infinite without a limit."""
    if model.time_budget is None:
        return np.inf
    wanted = "None or a number > 0"
    return number(model, "time_budget", wanted, 0.0, open_low=True)


def check_whole(value: Any, name: str, owner: str, low: int = 1) -> int:
    """Return a value that must be a whole number >= ``low``.

    Parameters
    ----------
    value : object
    name, owner : str
        Which parameter of whom, for the message.
    low : int, default=1
    """
    if not is_whole(value) or value < low:
        raise ValueError(
            f"The {name!r} parameter of {owner} must be a whole number >= {low}; "
            f"got {value!r}."
        )
    return int(value)


def numbered(model: object, name: str, table: Mapping[int, object]) -> Any:
    """Return what a setting that is one of some whole numbers stands for."""
    value = getattr(model, name)
    if not is_whole(value) or value not in table:
        raise wrong(model, name, f"one of {', '.join(map(str, table))}")
    return table[value]


def is_whole(value: object) -> bool:
    """Return whether it is a whole number; True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def wrong(model: object, name: str, wanted: str) -> ValueError:
    """Return the error for a parameter that is not as wanted."""
    return ValueError(
        f"The {name!r} parameter of {type(model).__name__} must be {wanted}; "
        f"got {getattr(model, name)!r}."
    )


def flag(model: object, name: str) -> bool:
    """Return a parameter that is True or False."""
    value = getattr(model, name)
    if not isinstance(value, bool | np.bool_):
        raise wrong(model, name, "True or False")
    return bool(value)


def generator(random_state: object) -> np.random.Generator:
    """Return a generator from what scikit-learn takes as random_state."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(seeded(random_state).randint(2**31))


def seeded(random_state: object) -> np.random.RandomState:
    """Return NumPy's older generator, where draws must stay as they were."""
    try:
        return check_random_state(random_state)
    except (ValueError, TypeError):
        raise ValueError(
            "The 'random_state' parameter must be None, a whole number from 0 to "
            "2**32 - 1, a RandomState or a Generator of NumPy; got "
            f"{random_state!r:.60}."
        ) from None


Seed = int | np.random.RandomState | np.random.Generator | None
"""What ``random_state`` may be."""
WholeNumber = Annotated[int, whole_number]
NonNegative = Annotated[float, partial(number, wanted="a number >= 0", low=0.0)]
Positive = Annotated[
    float, partial(number, wanted="a number > 0", low=0.0, open_low=True)
]
Flag = Annotated[bool, flag]


def check_annotated(model: Any) -> None:
    """Refuse parameters that break the rules in their annotations.

    A rule is a function of the model and the name of the parameter, and raises.

    Examples
    --------
    >>> @estimator_class()
    ... class Nearest:
    ...     k: WholeNumber = 5
    >>> check_annotated(Nearest(0))
    Traceback (most recent call last):
    ValueError: The 'k' parameter of Nearest must be a whole number >= 1; got 0.
    """
    for field in fields(model):
        for rule in getattr(field.type, "__metadata__", ()):
            rule(model, field.name)
