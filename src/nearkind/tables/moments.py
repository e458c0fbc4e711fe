"""Dates, times and durations are refused, with advice what to take of them."""

import datetime as dt
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from nearkind.tables.values import is_missing, plain


class Kind(NamedTuple):
    """Cells of which nearly every one is another, and what they can be turned into."""

    types: tuple[type, ...]
    name: str
    advice: str


KINDS = (
    Kind((dt.date, np.datetime64), "dates", "its month, weekday or age in days"),
    Kind((dt.time,), "times of day", "its hour"),
    Kind((dt.timedelta, np.timedelta64), "durations", "its length in days or hours"),
)


def refuse_moments(name: Any, distinct: Iterable[Any]) -> None:
    """Raise if some of the cells of a column are dates, times or durations.

    Parameters
    ----------
    name : object
        The column's name.
    distinct : list
        Its distinct cells, as they came.

    Examples
    --------
    >>> refuse_moments("born", [dt.date(1990, 5, 17)])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    TypeError: Column 'born' holds dates, such as '1990-05-17', ...
    """
    types = set(map(type, distinct))  # few, of many cells
    for kind in KINDS:
        if any(issubclass(t, kind.types) for t in types):
            found = (cell for cell in distinct if isinstance(cell, kind.types))
            for cell in found:
                if not is_missing(cell):
                    raise _refusal(name, cell, kind)


def _refusal(name: Any, cell: Any, kind: Kind) -> TypeError:
    return TypeError(
        f"Column {name!r} holds {kind.name}, such as {plain(cell)!r}, and new rows "
        f"would bring others. Take {kind.advice} instead; or turn it into text if it "
        "names categories."
    )
