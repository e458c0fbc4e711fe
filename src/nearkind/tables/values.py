"""Plain values: missing values, conversions and refused types."""

import datetime as dt
import sys
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

COMPLEX_REFUSED = (
    "Complex data not supported: X holds complex numbers. Split them into two columns, "
    "their real and their imaginary part."
)


def is_missing(value: object) -> bool:
    """Return whether a value is missing; the empty string is not.

    Parameters
    ----------
    value : object
        Value of one row and column.

    Returns
    -------
    bool
        True for None, NaN of any kind, NaT, ``pandas.NA`` and ``numpy.ma.masked``.

    Examples
    --------
    >>> is_missing(float("nan")), is_missing(None), is_missing("")
    (True, True, False)
    """
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, float | np.floating | np.datetime64 | np.timedelta64):
        return bool(value != value)
    if isinstance(value, Decimal):
        return value.is_nan()
    pandas = sys.modules.get("pandas")
    return pandas is not None and (value is pandas.NA or value is pandas.NaT)


def plain(value: object) -> Any:
    """Return a value as a plain Python object, the same from every library.

    NumPy scalars become Python's. Dates and times become ISO text to the microsecond,
    those with a time zone in UTC; a midnight without one reads as its date, because
    pandas has no dates of its own. Durations, intervals and periods become text. Other
    values stay, so that equality is Python's: 1, 1.0 and True are one value, "1"
    another.

    Parameters
    ----------
    value : object
        Value of one row and column, as its library gives it.

    Returns
    -------
    object
        The plain value; None if it is missing.

    Examples
    --------
    >>> plain(np.int8(3)), plain(np.datetime64("2020-02-03T04:05:06.000000007"))
    (3, '2020-02-03T04:05:06')
    """
    if type(value) in (str, int, bool):  # most are; 10^6 of them pass here
        return value
    if is_missing(value):
        return None
    if isinstance(value, np.datetime64 | np.timedelta64):
        return _numpy_time(value)
    if isinstance(value, np.generic):
        value = float(value) if isinstance(value, np.floating) else value.item()
    if isinstance(value, dt.date | dt.time):
        return _iso(value)
    if isinstance(value, dt.timedelta):
        return str(dt.timedelta(value.days, value.seconds, value.microseconds))
    if isinstance(value, complex):
        raise ValueError(
            f"Complex data not supported: a cell holds {value!r}. Split it into two "
            "columns, its real and its imaginary part."
        )
    return str(value) if type(value).__module__.startswith("pandas") else value


CELL_TYPES = frozenset({str, int, float, bool, type(None)})
"""Types of values that are plain already, or NaN."""


def as_cell(value: object) -> Any:
    """Return a value as one of ``CELL_TYPES`` if that is what it is in a column.

    Parameters
    ----------
    value : object
        Value of one row and column, as its library gives it.

    Returns
    -------
    object
        Scalars of NumPy as Python's, None for what is missing, and others unchanged.

    Examples
    --------
    >>> as_cell(np.float32(0.5)), as_cell(np.datetime64("NaT", "s")), as_cell(b"red")
    (0.5, None, b'red')
    """
    if isinstance(value, np.integer | np.floating | np.bool_ | np.str_):
        return plain(value)
    return None if is_missing(value) else value


def _numpy_time(value: np.datetime64 | np.timedelta64) -> str:
    """Return a date or duration as text, to the microsecond as in Python."""
    unit = np.datetime_data(value.dtype)[0]
    if isinstance(value, np.timedelta64) and unit in ("Y", "M"):
        return str(value)
    exact = value.astype(f"{value.dtype.kind}8[us]").item()
    in_range = isinstance(exact, dt.datetime | dt.timedelta)
    return plain(exact) if in_range else str(value)


def _iso(value: dt.date | dt.time) -> str:
    if not isinstance(value, dt.datetime):
        return value.isoformat()
    if hasattr(value, "to_pydatetime"):  # nanoseconds exist in pandas only
        return _iso(value.to_pydatetime(warn=False))
    if value.utcoffset() is not None:
        return value.astimezone(dt.UTC).isoformat()
    return (value if value.time() != dt.time() else value.date()).isoformat()


UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of Unicode that a terminal obeys or does not show."""
JOINERS = "\u200c\u200d"
"""Letters of these categories that scripts and emoji need."""


def is_printable(letter: str) -> bool:
    """Return whether a terminal shows a letter, and does nothing else with it."""
    return letter in JOINERS or unicodedata.category(letter) not in UNPRINTABLE


def printable(text: str) -> str:
    r"""Return a text that a terminal shows as it is, on one line.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        The text with control characters, line breaks, marks that turn the direction of
        writing, and halves of surrogate pairs as Python escapes them.

    Examples
    --------
    >>> print(printable("dark \x1b[31mred\n"))
    dark \x1b[31mred\n
    """
    if text.isprintable():  # most are
        return text
    escaped = (x if is_printable(x) else repr(x)[1:-1] for x in text)
    return "".join(escaped)


def canonical(values: Iterable[Any]) -> list[Any]:
    """Sort values of any types: numbers, then text, then the rest by type and repr.

    Parameters
    ----------
    values : iterable
        Distinct plain values, none missing.

    Returns
    -------
    list
        The same values, in an order that does not depend on the one they came in.

    Examples
    --------
    >>> canonical(["b", 10, "a", 2.5, (1, 2)])
    [2.5, 10, 'a', 'b', (1, 2)]
    """
    numbers: list[Any] = []
    texts: list[str] = []
    others: list[Any] = []
    for value in values:
        is_text = isinstance(value, str)
        home = texts if is_text else numbers if isinstance(value, Number) else others
        home.append(value)
    try:
        numbers.sort()
    except TypeError:  # a Decimal and a Fraction do not compare
        numbers.sort(key=_type_and_repr)
    return numbers + sorted(texts) + sorted(others, key=_type_and_repr)


def _type_and_repr(value: object) -> tuple[str, str]:
    return type(value).__name__, repr(value)


class _TimeKind(NamedTuple):
    """Values that hardly ever repeat, and what can be derived from them."""

    types: tuple[type, ...]
    name: str
    advice: str


_TIME_KINDS = (
    _TimeKind((dt.date, np.datetime64), "dates", "its month, weekday or age in days"),
    _TimeKind((dt.time,), "times of day", "its hour"),
    _TimeKind(
        (dt.timedelta, np.timedelta64), "durations", "its length in days or hours"
    ),
)


def refuse_dates(name: object, distinct: Iterable[Any]) -> None:
    """Raise if a column holds dates, times or durations, with advice what to derive.

    Parameters
    ----------
    name : object
        Name of the column.
    distinct : list
        Its distinct values, as its library gives them.

    Examples
    --------
    >>> refuse_dates("born", [dt.date(1990, 5, 17)])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    TypeError: Column 'born' holds dates, such as '1990-05-17'; ...
    """
    types = set(map(type, distinct))  # few, of many values
    for kind in _TIME_KINDS:
        if not any(issubclass(t, kind.types) for t in types):
            continue
        for value in distinct:
            if isinstance(value, kind.types) and not is_missing(value):
                raise TypeError(
                    f"Column {name!r} holds {kind.name}, such as "
                    f"{plain(value)!r}; new rows would have others. Use "
                    f"{kind.advice} instead; or convert it to text if its values "
                    "are categories."
                )


def refuse_complex(distinct: Iterable[Any], cells: Iterable[Any]) -> None:
    """Raise if a complex number is among cells, also where an equal real one is.

    Parameters
    ----------
    distinct : list
        Distinct values of a column.
    cells : iterable
        All of its values; looked at if there are numbers among the distinct ones.

    Examples
    --------
    >>> refuse_complex([1], [1, 1 + 0j])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: Complex data not supported: a cell holds (1+0j). ...
    """
    if not any(issubclass(kind, Number) for kind in set(map(type, distinct))):
        return
    for cell in cells:
        if isinstance(cell, complex | np.complexfloating):
            plain(cell)
