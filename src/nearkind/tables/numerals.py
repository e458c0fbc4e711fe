"""Text that is written as a number."""

import re

WHOLE = re.compile(r"-?(0|[1-9]\d{0,14})", re.ASCII)
"""Text that writes a whole number; more than 15 digits are the name of a thing."""
NUMERAL = re.compile(
    r"-?(0|[1-9]\d{0,14}|(?=\.\d))(\.\d*)?([eE][+-]?\d{1,2})?", re.ASCII
)
"""Text that writes a number; "007", "+49" and "1,5" write none."""


SEPARATED = {
    ",": re.compile(
        r"-?([1-9]\d{0,2}([. '\u2019\xa0\u202f]\d{3})+|0|[1-9]\d{0,14})(,\d*)?"
    ),
    ".": re.compile(
        r"-?([1-9]\d{0,2}([, '\u2019\xa0\u202f]\d{3})+|0|[1-9]\d{0,14})(\.\d*)?"
    ),
}
"""Text that writes a number with separators of thousands, by its decimal mark."""
THOUSANDS = str.maketrans("", "", "., '\u2019\xa0\u202f")


def plain_numeral(text: str, decimal: str) -> str:
    """Return a number with a decimal point and no separators; other text as it is.

    Parameters
    ----------
    text : str
    decimal : {",", "."}
        The decimal mark in the text; the other mark, blanks and apostrophes separate
        thousands.

    Examples
    --------
    >>> plain_numeral("1.234,5", ","), plain_numeral("1,234.5", ".")
    ('1234.5', '1234.5')
    >>> plain_numeral("1,2,3", ",")
    '1,2,3'
    """
    if not SEPARATED[decimal].fullmatch(text):
        return text
    whole, mark, part = text.partition(decimal)
    return whole.translate(THOUSANDS) + ("." if mark else "") + part


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
