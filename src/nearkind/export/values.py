"""Values as every target can hold them: text, true or false, numbers."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from nearkind.tables import as_floats


def exported(value: Any, column: str) -> Any:
    """Return a value as text, bool, int or float, or refuse it.

    Parameters
    ----------
    value : plain, not missing
    column : its column, for the message

    Examples
    --------
    >>> exported(Decimal("1.5"), "size"), exported("1.5", "size")
    (1.5, '1.5')
    """
    if isinstance(value, str):
        return _encodable(value, column)
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, Decimal | Fraction):
        return float(value)
    raise ValueError(
        f"Column {column!r} holds {value!r:.60}, a {type(value).__name__}, and only "
        "text, numbers and booleans can be exported. Turn it into text and fit again."
    )


def _encodable(text: str, column: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"Column {column!r} holds {text!r:.60}, half of a character, which cannot "
            "be written in UTF-8. Repair it and fit again."
        ) from None
    return text


def numbers(values: Sequence[Any]) -> list[Any]:
    """Return those values that are no text."""
    return [value for value in values if not isinstance(value, str)]


def as_double(value: Any) -> float:
    """Return a number or boolean as a float, infinite if it is too large for one."""
    return float(as_floats([value])[0])


def check_doubles(values: Sequence[Any], column: str) -> None:
    """Refuse numbers that are one and the same as doubles, which other programs use."""
    seen: dict[float, Any] = {}
    for value in numbers(values):
        other = seen.setdefault(as_double(value), value)
        if other is not value:
            raise ValueError(
                f"Column {column!r} holds {other!r:.60} and {value!r:.60}, which are "
                "equal as double-precision numbers. Turn the column into text and fit "
                "again."
            )


def as_text(value: Any) -> str:
    """Return a value as people write it: whole numbers without a point, true, false.

    Examples
    --------
    >>> [as_text(value) for value in ("a", 2.0, 0.5, True)]
    ['a', '2', '0.5', 'true']
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value)
