"""Text that writes a number: digits, perhaps a minus, a decimal point, an exponent."""

import re

WHOLE = re.compile(r"-?(0|[1-9]\d{0,14})", re.ASCII)
"""Text that writes a whole number; more than 15 digits are the name of a thing."""
NUMERAL = re.compile(
    r"-?(0|[1-9]\d{0,14}|(?=\.\d))(\.\d*)?([eE][+-]?\d{1,2})?", re.ASCII
)
"""Text that writes a number; "007", "+49" and "1,5" write none."""


def parse_number(text: str) -> int | float | None:
    """Return the number that a text writes, None if it writes none.

    Examples
    --------
    >>> parse_number("-3"), parse_number("2.50"), parse_number("007")
    (-3, 2.5, None)
    """
    if WHOLE.fullmatch(text):
        return int(text)
    return float(text) if NUMERAL.fullmatch(text) else None
