"""Columns of dates: how they are written, and the columns that take their place.

New rows have dates that no training row had, so a column of dates is replaced by its
year, month and weekday.
"""

import datetime as dt
import re
from collections.abc import Collection, Iterable
from typing import Any

from nearkind.io.options import Columns
from nearkind.tables import plain

DAY, MONTH, YEAR = r"(?P<d>0?[1-9]|[12]\d|3[01])", r"(?P<m>0?[1-9]|1[0-2])", r"(?P<y>"
TIME = r"([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[AaPp][Mm])?(Z|[+-]\d{2}:?\d{2})?)?"
DATES = {
    order: re.compile(pattern + TIME, re.ASCII)
    for order, pattern in {
        "ymd": rf"{YEAR}\d{{4}})(?P<s>[-/.]){MONTH}(?P=s){DAY}",
        "dmy": rf"{DAY}(?P<s>[-/.]){MONTH}(?P=s){YEAR}\d{{4}}|\d{{2}})",
        "mdy": rf"{MONTH}(?P<s>[-/]){DAY}(?P=s){YEAR}\d{{4}}|\d{{2}})",
    }.items()
}
"""Order of year, month and day to the texts that write a date in it."""
PARTS = "year", "month", "weekday"
WEEKDAYS = "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"


def date_orders(cells: Collection[Any]) -> list[str]:
    """Return the orders in which all cells can be read as dates.

    Parameters
    ----------
    cells : collection
        None of them missing; dates of Python or text.

    Examples
    --------
    >>> date_orders(["7/4/22", "7/14/22"]), date_orders(["7/4/22"]), date_orders(["x"])
    (['mdy'], ['dmy', 'mdy'], [])
    """
    if any(isinstance(cell, dt.date) for cell in cells):
        return ["ymd"] if all(isinstance(cell, dt.date) for cell in cells) else []
    return [
        order
        for order, pattern in DATES.items()
        if all(isinstance(cell, str) and pattern.fullmatch(cell) for cell in cells)
    ]


def date_order(name: str, orders: Collection[str], given: str | None) -> str | None:
    """Return the order in which the dates of a column are read; None for no dates.

    Parameters
    ----------
    name : str
        Of the column.
    orders : collection of str
        In which all its cells can be read.
    given : {"dmy", "mdy"} or None
        The one to take of several.

    Raises
    ------
    ValueError
        If day and month cannot be told apart.
    """
    if len(orders) > 1 and given not in orders:
        raise ValueError(
            f"Column {name!r} holds dates in which day and month cannot be told apart. "
            "Pass --dates dmy if the day comes first, --dates mdy if the month does; "
            f"or leave the column out with --drop {name!r}."
        )
    return given if given in orders else next(iter(orders), None)


def part_names(name: str) -> list[str]:
    """Return the names of the columns that take the place of a column of dates.

    Examples
    --------
    >>> part_names("born")
    ['born_year', 'born_month', 'born_weekday']
    """
    return [f"{name}_{part}" for part in PARTS]


def date_columns(name: str, cells: Iterable[str | None], order: str) -> Columns:
    """Return year, month and weekday of a column of dates, None where there is none.

    Parameters
    ----------
    name : str
        Of the column.
    cells : iterable of str or None
        Dates as text; what is no date is taken as missing.
    order : {"ymd", "dmy", "mdy"}

    Examples
    --------
    >>> date_columns("born", ["14.07.2022", None], "dmy")
    {'born_year': [2022, None], 'born_month': [7, None], 'born_weekday': ['Thu', None]}
    """
    cells = list(cells)
    parts = {cell: _parts(cell or "", order) for cell in set(cells)}
    columns = zip(*map(parts.__getitem__, cells), strict=True) if cells else ((),) * 3
    return dict(zip(part_names(name), map(list, columns), strict=True))


def with_date_parts(
    columns: Columns, wanted: Collection[str], given: str | None
) -> Columns:
    """Return columns and, of dates, the parts that are wanted and not there.

    Parameters
    ----------
    columns : dict of str to list
    wanted : collection of str
        Names of columns that a model has.
    given : {"dmy", "mdy"} or None
        How to read dates that can be read either way.

    Examples
    --------
    >>> found = with_date_parts({"born": ["2022-07-14"]}, ["born_month"], None)
    >>> found["born_month"]
    [7]
    """
    found = dict(columns)
    for name, cells in columns.items():
        lost = [each for each in part_names(name) if each in wanted]
        if not lost or any(each in columns for each in lost):
            continue
        texts = [str(plain(cell)) if cell else None for cell in cells]
        order = date_order(name, date_orders(set(filter(None, texts))), given)
        if order is None:
            raise ValueError(
                f"Column {name!r} of the model holds dates; here it holds "
                f"{next(t for t in texts if t and not date_orders([t]))!r}."
            )
        found |= date_columns(name, texts, order)
    return found


def _parts(text: str, order: str) -> tuple[int | str | None, ...]:
    """Return year, month and weekday of one date."""
    found = DATES[order].fullmatch(text)
    if found is None:
        return None, None, None
    year = int(found["y"])
    if len(found["y"]) == 2:  # as strptime reads it
        year += 1900 if year > 68 else 2000
    try:
        day = dt.date(year, int(found["m"]), int(found["d"]))
    except ValueError:  # such as 31 February
        return None, None, None
    return day.year, day.month, WEEKDAYS[day.weekday()]
