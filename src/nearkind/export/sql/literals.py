"""Names and values as SQL writes them."""

from math import isinf
from typing import Any

from nearkind.export.values import as_double


def identifier(name: str) -> str:
    """Return a quoted name of a column or table.

    Examples
    --------
    >>> print(identifier('5" nails; --'))
    "5"" nails; --"
    """
    if not name:
        raise ValueError(
            "A column without a name cannot be asked for in SQL. Name it, and fit "
            "again."
        )
    return f'"{_checked(name).replace(chr(34), chr(34) * 2)}"'


def qualified(name: str) -> str:
    """Return a quoted name of a table, its schema before a point.

    Examples
    --------
    >>> print(qualified("sales.new rows"))
    "sales"."new rows"
    """
    return ".".join(identifier(part) for part in name.split("."))


def text(value: str) -> str:
    """Return a quoted text.

    Examples
    --------
    >>> print(text("O'Hara; --"))
    'O''Hara; --'
    """
    return f"'{_checked(value).replace(chr(39), chr(39) * 2)}'"


def number(value: Any) -> str:
    """Return a double that is read back to the last bit.

    The exponent keeps databases from taking it for a decimal.

    Examples
    --------
    >>> number(0.1), number(1), number(float("-inf"))
    ('0.1e0', '1.0e0', "CAST('-Infinity' AS DOUBLE PRECISION)")
    """
    x = as_double(value)
    if isinf(x):
        return f"CAST('{'-' * (x < 0)}Infinity' AS DOUBLE PRECISION)"
    shown = repr(x)
    return shown if "e" in shown else f"{shown}e0"


def optional(literal: Any, value: Any) -> str:
    """Return a literal, or NULL for None."""
    return "NULL" if value is None else literal(value)


def _checked(value: str) -> str:
    if "\0" in value:
        raise ValueError(
            f"{value!r:.60} holds the character of number zero, which databases cannot "
            "store. Replace it and fit again."
        )
    return value
